//! Hooks: addresses that receive deliveries from other services, such as webhooks of a forge or
//! alerts. Responses never contain the content of a delivery.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The result of accepting a delivery from another service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookAnswer {
    /// Id of the delivery, assigned by the sender.
    pub delivery: String,
    /// State of the delivery: `queued`, `duplicate` (received before) or `ignored`; `pong` for a
    /// test of the hook.
    pub state: String,
    /// Reason that the delivery has no effect; absent if it is queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The result of accepting a request with one or several alerts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AlertAnswer {
    /// Id of the delivery on this server; for several alerts, the digest of the request body.
    pub delivery: String,
    /// State of the delivery: `queued` if at least one alert is queued, otherwise `duplicate` if at
    /// least one was received before, otherwise `ignored`; `pong` for a test of the hook.
    pub state: String,
    /// Reason that the delivery has no effect; absent if an alert is queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Results of the single alerts, in the order of the request body.
    pub alerts: Vec<HookAnswer>,
}

/// A delivery from another service, as a hook received it.
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
    /// State of the delivery: `received` (waits for processing), `done`, `failed` or `ignored`.
    pub state: String,
    /// Reason that the delivery had no effect, or error of the last attempt; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Number of failed attempts to process the delivery.
    pub attempts: u32,
    /// SHA-256 digest of the body as received.
    pub sha256: String,
    /// Time at which the delivery was received first.
    pub received_at: String,
}

/// A request to list received deliveries.
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
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of received deliveries, newest first. The server keeps a delivery for 30 days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookDeliveryList {
    /// The deliveries on this page.
    pub deliveries: Vec<HookDelivery>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
