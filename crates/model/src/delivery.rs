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
        /// The delivery waits to be sent or processed.
        Pending = "pending",
        /// The delivery was sent or processed.
        Done = "done",
        /// The server gave the delivery up after its last attempt.
        Failed = "failed",
    }
}

/// A notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The id of the delivery; for an incoming one, the id that the sender assigned.
    pub id: DeliveryId,
    /// The memory that the delivery belongs to.
    pub memory: MemoryId,
    /// The direction of the delivery.
    pub direction: DeliveryDirection,
    /// The other side: the name of the hook that received the delivery, or the target that it is
    /// sent to.
    pub target: String,
    /// Deliveries of one key keep their order.
    pub order_key: String,
    /// The content of the delivery; `{}` after it was sent, and `null` in lists.
    pub body: Document,
    /// The state of the delivery.
    pub state: DeliveryState,
    /// Number of attempts to send the delivery so far.
    pub attempts: u32,
    /// The time of the next attempt to send or process the delivery.
    pub due: Timestamp,
    /// The error of the last failed attempt; `None` if no attempt failed.
    pub last_error: Option<String>,
    /// The time at which the delivery was created.
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
    /// The memory that the delivery belongs to.
    pub memory: MemoryId,
    /// The id of the delivery.
    pub id: DeliveryId,
    /// The target that the delivery is sent to.
    pub target: String,
    /// Number of attempts to send the delivery so far.
    pub attempts: u32,
    /// The error of the last failed attempt; `None` if no attempt failed.
    pub last_error: Option<String>,
    /// The time since which the delivery waits.
    pub since: Timestamp,
}
