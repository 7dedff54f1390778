//! Deliveries and their targets: pending, completed and failed notifications. Responses never
//! contain the content of a notification.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A notification that the server sends to a target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Delivery {
    /// Id of the delivery. It stays the same for every attempt, so that receivers can detect
    /// repeats.
    pub id: String,
    /// Id of the memory.
    pub memory: String,
    /// Kind of the notification: `self_managed` (events for a self-managed strategy),
    /// `record_stream` (changes of records) or `job_ended`.
    pub kind: String,
    /// Target of the notification, as named by the client or the configuration.
    pub target: String,
    /// Ordering key. The server sends notifications with the same key one after another, oldest
    /// first.
    pub order_key: String,
    /// State of the delivery: `pending`, `done` or `failed`.
    pub state: String,
    /// Number of attempts that the server made.
    pub attempts: u32,
    /// Time of the next attempt.
    pub due_at: String,
    /// Error of the last failed attempt; absent if no attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// Time at which the delivery was created.
    pub created_at: String,
}

/// A request to list deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DeliveryListing {
    /// State of the deliveries to list: `pending`, `done` or `failed`. Default: all states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Maximum number of deliveries per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of deliveries, newest first. The server lists completed deliveries for one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryList {
    /// The deliveries on this page.
    pub deliveries: Vec<Delivery>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The result of a request to attempt a delivery again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryRetried {
    /// Id of the delivery.
    pub id: String,
}

/// A configured target of deliveries, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Target {
    /// Name of the target.
    pub name: String,
    /// Scheme of the target's address: `http`, `https`, `file`, `s3` or `kinesis`.
    pub scheme: String,
    /// Address of the target, without credentials and query string.
    pub place: String,
    /// True if notifications to the target are signed.
    pub signed: bool,
}

/// All configured targets, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetList {
    /// The targets.
    pub targets: Vec<Target>,
}

/// A request to test a target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetTest {
    /// Name of the target.
    pub name: String,
}

/// The result of testing a target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetTried {
    /// True if the target accepted a notification.
    pub ok: bool,
    /// Reason for the failure; absent on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Duration of the test in milliseconds.
    pub elapsed_ms: u64,
}
