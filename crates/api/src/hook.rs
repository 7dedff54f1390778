//! Hooks: deliveries from other services and their results. Responses never contain the content of
//! a delivery.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The result of accepting a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookAnswer {
    /// Id of the delivery, assigned by the sender.
    pub delivery: String,
    /// `queued`, `duplicate` or `ignored`; `pong` for a test of the hook.
    pub state: String,
    /// Reason that the delivery has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The result of accepting a body with alerts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AlertAnswer {
    /// Id of the delivery on this server; the digest of the body if it contains several alerts.
    pub delivery: String,
    /// `queued`, `duplicate` or `ignored`: the first of them that applies to one of the alerts;
    /// `pong` for a test of the hook.
    pub state: String,
    /// Reason that the delivery has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Results of the alerts, in the order of the body.
    pub alerts: Vec<HookAnswer>,
}

/// A delivery that was received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookDelivery {
    /// Id of the delivery, assigned by the sender.
    pub guid: String,
    /// Name of the hook that received the delivery.
    pub hook: String,
    /// Id of the hook, assigned by the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook_id: Option<String>,
    /// Event type, as named by the sender.
    pub event: String,
    /// Repository, as named by the sender.
    pub repository: String,
    /// `received`, `done`, `failed` or `ignored`.
    pub state: String,
    /// Reason that the delivery had no effect, or that the last attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Number of failed attempts.
    pub attempts: u32,
    /// SHA-256 digest of the body as received.
    pub sha256: String,
    /// Time of the first receipt.
    pub received_at: String,
}

/// A request to list deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HookDeliveryListing {
    /// State of the deliveries to list: `received`, `done`, `failed` or `ignored`. Default: all
    /// states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Maximum number of deliveries per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of deliveries, newest first. The server keeps a delivery for 30 days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookDeliveryList {
    /// The deliveries.
    pub deliveries: Vec<HookDelivery>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
