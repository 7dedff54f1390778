//! Hooks: what other services sent, and what became of it. Never what it said.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What became of a delivery at the door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookAnswer {
    /// The sender's number for it.
    pub delivery: String,
    /// `queued`, `duplicate`, `ignored`; `pong` where the hook was only tried.
    pub state: String,
    /// Why nothing follows from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What became of a body of alerts at the door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AlertAnswer {
    /// The number of the delivery here; of a body with several alerts, the digest of the body.
    pub delivery: String,
    /// `queued`, `duplicate`, `ignored`, the first of them that holds for one alert; `pong` where the hook was only tried.
    pub state: String,
    /// Why nothing follows from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Each alert, in the order of the body.
    pub alerts: Vec<HookAnswer>,
}

/// A delivery that came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookDelivery {
    /// The sender's number for it.
    pub guid: String,
    /// Which hook it came by.
    pub hook: String,
    /// The sender's number for the hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook_id: Option<String>,
    /// The sender's word for what happened.
    pub event: String,
    /// The repository, as the sender called it.
    pub repository: String,
    /// `received`, `done`, `failed` or `ignored`.
    pub state: String,
    /// Why nothing followed from it, or why the last try failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Tries that failed.
    pub attempts: u32,
    /// Digest of the body as it came.
    pub sha256: String,
    /// When it came first.
    pub received_at: String,
}

/// Which deliveries to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HookDeliveryListing {
    /// Only in this state: `received`, `done`, `failed`, `ignored`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of deliveries, newest first. They are known for thirty days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookDeliveryList {
    /// The deliveries.
    pub deliveries: Vec<HookDelivery>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
