//! The outbox, as people see it: what waits, what was given up, trying again, and where things go. How it is emptied is
//! `jobs/deliverer.rs`; what is put into it, the matter of whoever changes something: in the same
//! transaction. For changes of records it is `record_streams`.

pub mod incoming;
mod list;
mod order_key;
pub mod record_streams;
mod retry;
mod targets;

pub use incoming::HookTaken;
pub use order_key::kind_of;
pub(crate) use order_key::{OrderKey, beginnings_of};

use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::ports::store::Tx;
use loci_model::{DeliveryId, Document, MemoryId, Result, Timestamp};

use crate::calls::page::Page;

/// A page of deliveries, newest first.
pub type DeliveryPage = Page<Delivery, DeliveryId>;

/// Something to be sent.
pub(crate) struct NewDelivery<'a> {
    pub(crate) memory: &'a MemoryId,
    pub(crate) id: DeliveryId,
    /// The target, as the client or the configuration names it.
    pub(crate) target: &'a str,
    pub(crate) key: OrderKey<'a>,
    pub(crate) body: Document,
    pub(crate) at: Timestamp,
}

/// Returns true for the target of a strategy that names no topic: nobody is to be notified.
pub(crate) fn is_nobody(target: &str) -> bool {
    target.is_empty()
}

/// Puts it into the outbox, due at once; false if one of that id is there already.
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
