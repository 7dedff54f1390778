//! Access to deliveries, incoming and outgoing.

use crate::delivery::{Delivery, DeliveryBacklog, DeliveryDirection, DeliveryState};
use crate::{DeliveryId, MemoryId, Result, Timestamp};

/// A postponement of deliveries.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryPostponement<'a> {
    /// The reason, which is stored with each of them.
    pub why: &'a str,
    /// The current time: due deliveries are postponed.
    pub now: Timestamp,
    /// The new due time.
    pub until: Timestamp,
    /// Deliveries that were created before this time are given up.
    pub given_up: Timestamp,
}

/// A claim of a process on deliveries to send.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryClaim<'a> {
    /// The direction of the deliveries to claim.
    pub direction: DeliveryDirection,
    /// The target of the deliveries to claim.
    pub target: &'a str,
    /// The new holder: the name of the process, or one that begins with it and belongs only to this
    /// claim.
    pub holder: &'a str,
    /// The current time: deliveries that are due and not leased may be claimed.
    pub now: Timestamp,
    /// The end of the lease.
    pub until: Timestamp,
}

/// The outcome of an attempt.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryOutcome<'a> {
    /// The new state of the delivery.
    pub state: DeliveryState,
    /// The time of the next attempt, or the time at which the delivery was made or given up.
    pub due: Timestamp,
    /// The error of the attempt; `None` if it succeeded.
    pub error: Option<&'a str>,
}

/// The table of deliveries.
pub trait Deliveries {
    /// Adds a delivery after all committed ones of its order key; false if one of that direction
    /// and id exists.
    fn insert(&mut self, delivery: &Delivery) -> Result<bool>;
    /// Returns the delivery of that direction and id.
    fn get(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
    ) -> Result<Option<Delivery>>;
    /// Returns the targets for which [`Deliveries::claim`] would find a delivery now, in order.
    fn targets(&self, direction: DeliveryDirection, now: Timestamp) -> Result<Vec<String>>;
    /// Leases up to `limit` due, pending deliveries of a target to a holder, earliest first. Of an
    /// order key, only the first pending delivery can be leased, and none while that one has an
    /// unexpired lease, so that no delivery overtakes another. The bodies are not read: they are
    /// `null` here.
    fn claim(&mut self, claim: &DeliveryClaim<'_>, limit: usize) -> Result<Vec<Delivery>>;
    /// Prolongs the lease of a delivery, even after it expired; false if `holder` has lost it.
    fn renew(
        &mut self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
        holder: &str,
        until: Timestamp,
    ) -> Result<bool>;
    /// Ends the leases of all holders whose names do not begin with `host`; returns their number.
    /// For a store with one host at a time, whose new host knows that the old one is gone.
    fn free_leases(&mut self, host: &str) -> Result<usize>;
    /// Postpones up to `rows` due outgoing deliveries of a target that cannot be reached; returns
    /// their number. It counts no attempt. Leased deliveries stay.
    fn set_aside(&mut self, target: &str, aside: &DeliveryPostponement<'_>, rows: usize) -> Result<usize>;
    /// Returns the deliveries of a memory in a direction (and state) before `after`, newest first.
    /// The bodies are not read: they are `null` here.
    fn page(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        state: Option<DeliveryState>,
        after: Option<&DeliveryId>,
        limit: usize,
    ) -> Result<Vec<Delivery>>;
    /// Makes a pending or given-up outgoing delivery due at `now`, without earlier attempts; false
    /// if there is none. A leased delivery stays with its holder.
    fn retry(&mut self, memory: &MemoryId, id: &DeliveryId, now: Timestamp) -> Result<bool>;
    /// Removes up to `rows` outgoing deliveries that were made before `made`, or given up before
    /// `given_up` (by the `due` of that outcome); returns their number. Incoming ones stay, because
    /// their ids identify repetitions.
    fn sweep(&mut self, made: Timestamp, given_up: Timestamp, rows: usize) -> Result<usize>;
    /// Returns the pending deliveries of an order key with their bodies, in order of arrival.
    fn of_key(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        order_key: &str,
        limit: usize,
    ) -> Result<Vec<Delivery>>;
    /// Stores the outcome of an incoming delivery: state, attempts, times, error and body; false if
    /// it does not exist.
    fn note_received(&mut self, delivery: &Delivery) -> Result<bool>;
    /// Replaces the body of a delivery and the error of its last attempt; false if it does not
    /// exist.
    fn reword(&mut self, delivery: &Delivery) -> Result<bool>;
    /// Examines the first `rows` incoming deliveries of a memory and removes those that arrived
    /// before `before` and are not pending; returns their number.
    fn sweep_received(&mut self, memory: &MemoryId, before: Timestamp, rows: usize) -> Result<usize>;
    /// Removes incoming deliveries in any state whose order key begins with `prefix`; returns their
    /// number.
    fn drop_received(&mut self, memory: &MemoryId, prefix: &str) -> Result<usize>;
    /// Returns the deliveries that wait to be sent.
    fn backlog(&self) -> Result<DeliveryBacklog>;
    /// Removes outgoing deliveries of an order key that were not made; returns their number.
    fn drop_key(&mut self, memory: &MemoryId, order_key: &str) -> Result<usize>;
    /// Removes outgoing deliveries in any state whose order key begins with `prefix`; returns their
    /// number.
    fn drop_prefix(&mut self, memory: &MemoryId, prefix: &str) -> Result<usize>;
    /// Stores the outcome of an attempt by `holder` and ends its lease. Returns false and stores
    /// nothing if `holder` has lost the lease: the new holder tries again and stores its own
    /// outcome. An expired lease that no one took still belongs to its holder. The content of an
    /// outgoing delivery is removed once it is made. If a delivery is to be tried again, later ones
    /// of its order key are due no sooner.
    fn set_state(
        &mut self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
        holder: &str,
        outcome: &DeliveryOutcome<'_>,
    ) -> Result<bool>;
}
