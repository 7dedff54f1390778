//! Deliveries: incoming and outgoing notifications, one table for both directions.

use serde::{Deserialize, Serialize};

use crate::words::closed_words;
use crate::{DeliveryId, Document, MemoryId, Timestamp};

/// The direction of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryDirection {
    /// Incoming: received once for each id.
    In,
    /// Outgoing: sent at least once.
    Out,
}

closed_words! {
    /// The state of a delivery.
    DeliveryState {
        /// It is not handled yet.
        Pending = "pending",
        /// It is handled.
        Done = "done",
        /// It was given up.
        Failed = "failed",
    }
}

/// A notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The id; for incoming deliveries, the sender's.
    pub id: DeliveryId,
    /// The memory.
    pub memory: MemoryId,
    /// The direction.
    pub direction: DeliveryDirection,
    /// The other side: a hook's name, a target.
    pub target: String,
    /// Deliveries of one key keep their order.
    pub order_key: String,
    /// The content; empty (`{}`) after sending, and `null` in lists.
    pub body: Document,
    /// The state.
    pub state: DeliveryState,
    /// Number of attempts.
    pub attempts: u32,
    /// The time of the next attempt.
    pub due: Timestamp,
    /// The last error.
    pub last_error: Option<String>,
    /// The time of its creation.
    pub created_at: Timestamp,
}

/// The deliveries of all memories that wait to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeliveryBacklog {
    /// Number of deliveries that are not sent yet.
    pub pending: u64,
    /// Number of deliveries that were given up.
    pub failed: u64,
    /// The delivery that has waited longest.
    pub oldest: Option<WaitingDelivery>,
}

/// A waiting delivery, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingDelivery {
    /// The memory.
    pub memory: MemoryId,
    /// The delivery.
    pub id: DeliveryId,
    /// The target.
    pub target: String,
    /// Number of attempts.
    pub attempts: u32,
    /// The last error.
    pub last_error: Option<String>,
    /// The time since which it waits.
    pub since: Timestamp,
}
