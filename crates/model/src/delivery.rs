//! Deliveries: notifications that came in or must go out, one table for both directions.

use serde::{Deserialize, Serialize};

use crate::words::closed_words;
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

closed_words! {
    /// Where it stands.
    DeliveryState {
        /// Not handled yet.
        Pending = "pending",
        /// Handled.
        Done = "done",
        /// Given up.
        Failed = "failed",
    }
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
    /// What is said; empty (`{}`) once it was sent, and `null` in lists.
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

/// What waits to be sent, in all memories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeliveryBacklog {
    /// Not sent yet.
    pub pending: u64,
    /// Given up.
    pub failed: u64,
    /// The one that has waited longest.
    pub oldest: Option<WaitingDelivery>,
}

/// A delivery that waits, without what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingDelivery {
    /// The memory.
    pub memory: MemoryId,
    /// The delivery.
    pub id: DeliveryId,
    /// To whom.
    pub target: String,
    /// How often it was tried.
    pub attempts: u32,
    /// Why it failed last.
    pub last_error: Option<String>,
    /// Since when it waits.
    pub since: Timestamp,
}
