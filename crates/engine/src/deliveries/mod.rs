//! Operations on the outbox: listing, retry, and targets. `jobs/deliverer.rs` sends the deliveries.
//! Each operation that changes data adds its deliveries in the same transaction; for changes of
//! records `record_streams` does it.

pub mod incoming_deliveries;
mod list;
mod order_key;
pub mod record_streams;
mod retry;
mod targets;

pub use incoming_deliveries::HookTaken;
pub use order_key::kind_of;
pub(crate) use order_key::{OrderKey, beginnings_of};

use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::ports::store::Tx;
use loci_model::{DeliveryId, Document, MemoryId, Result, Timestamp};

use crate::calls::page::Page;

/// A page of deliveries, newest first.
pub type DeliveryPage = Page<Delivery, DeliveryId>;

/// A notification to send.
pub(crate) struct NewDelivery<'a> {
    pub(crate) memory: &'a MemoryId,
    pub(crate) id: DeliveryId,
    /// The target, as named by the client or the configuration.
    pub(crate) target: &'a str,
    pub(crate) key: OrderKey<'a>,
    pub(crate) body: Document,
    pub(crate) at: Timestamp,
}

/// Returns true for the target of a strategy without a topic: no one is notified.
pub(crate) fn is_nobody(target: &str) -> bool {
    target.is_empty()
}

/// Adds the notification to the outbox, due immediately. Returns false if one of that id already
/// exists.
pub(crate) fn put(tx: &mut dyn Tx, new: NewDelivery<'_>) -> Result<bool> {
    tx.deliveries_mut().insert(&Delivery {
        id: new.id,
        memory: new.memory.clone(),
        direction: DeliveryDirection::Out,
        target: new.target.to_owned(),
        order_key: new.key.to_string(),
        body: new.body,
        state: DeliveryState::Pending,
        attempts: 0,
        due: new.at,
        last_error: None,
        created_at: new.at,
    })
}
