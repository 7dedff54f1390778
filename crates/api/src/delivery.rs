//! Deliveries and targets: what waits to be sent, what was given up, and where it goes. Never what is said.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A notification on its way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Delivery {
    /// Its id, the same at every try: receivers tell repeats by it.
    pub id: String,
    /// The memory.
    pub memory: String,
    /// `self_managed`, `record_stream` or `job_ended`.
    pub kind: String,
    /// To whom, as the client or the configuration names it.
    pub target: String,
    /// Deliveries of one key keep their order.
    pub order_key: String,
    /// `pending`, `done` or `failed`.
    pub state: String,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is tried (again).
    pub due_at: String,
    /// Why it failed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// When it came about.
    pub created_at: String,
}

/// Which deliveries to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DeliveryListing {
    /// Only in this state: `pending`, `done`, `failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of deliveries, newest first. Those that were made are listed for a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryList {
    /// The deliveries.
    pub deliveries: Vec<Delivery>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A delivery that is tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryRetried {
    /// Its id.
    pub id: String,
}

/// A configured target, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// `http`, `https`, `file`, `s3` or `kinesis`.
    pub scheme: String,
    /// Where it is, without credentials and query.
    pub place: String,
    /// Notifications are signed.
    pub signed: bool,
}

/// All targets, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetList {
    /// The targets.
    pub targets: Vec<Target>,
}

/// Which target to try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetTest {
    /// Its name.
    pub name: String,
}

/// How trying a target went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetTried {
    /// It accepted a notification.
    pub ok: bool,
    /// Why it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// How long it took.
    pub elapsed_ms: u64,
}
