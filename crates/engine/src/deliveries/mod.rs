//! Operations on outgoing deliveries: listing, retry, and targets. The write that changes data
//! also stores its deliveries; `jobs/deliverer.rs` sends them later. For changes of records,
//! `record_streams` stores the deliveries.

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

/// A notification that a write stores as an outgoing delivery.
pub(crate) struct NewDelivery<'a> {
    pub(crate) memory: &'a MemoryId,
    pub(crate) id: DeliveryId,
    /// The target of the notification, as the client or the configuration names it.
    pub(crate) target: &'a str,
    pub(crate) key: OrderKey<'a>,
    pub(crate) body: Document,
    pub(crate) at: Timestamp,
}

/// Returns true if a strategy has no target for notifications, so that none is sent.
pub(crate) fn is_nobody(target: &str) -> bool {
    target.is_empty()
}

/// Stores the notification as an outgoing delivery that is due immediately. Returns false if a
/// delivery with the same id exists.
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
