//! Deliveries: notifications that came in or must go out, one table for both directions.

use serde::{Deserialize, Serialize};

use crate::{DeliveryId, Document, MemoryId, Timestamp};

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryDirection {
    /// Received, once per id.
    In,
    /// To be sent, at least once.
    Out,
}

/// Where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// Not handled yet.
    Pending,
    /// Handled.
    Done,
    /// Given up.
    Failed,
}

/// A notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The id; for deliveries in, the sender's.
    pub id: DeliveryId,
    /// The memory.
    pub memory: MemoryId,
    /// Which way.
    pub direction: DeliveryDirection,
    /// The other side: a hook's name, a target.
    pub target: String,
    /// Deliveries of one key keep their order.
    pub order_key: String,
    /// What is said.
    pub body: Document,
    /// Where it stands.
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempts: u32,
    /// When to try (again).
    pub due: Timestamp,
    /// Why it failed last.
    pub last_error: Option<String>,
    /// When it came.
    pub created_at: Timestamp,
}
