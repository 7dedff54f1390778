//! Access to deliveries, in and out.

use crate::delivery::{Delivery, DeliveryBacklog, DeliveryDirection, DeliveryState};
use crate::{DeliveryId, MemoryId, Result, Timestamp};

/// How deliveries are put off.
#[derive(Debug, Clone, Copy)]
pub struct SetAside<'a> {
    /// Noted on each.
    pub why: &'a str,
    /// Those that are due now.
    pub now: Timestamp,
    /// When they are looked at again.
    pub until: Timestamp,
    /// Those that came before this are given up.
    pub given_up: Timestamp,
}

/// Who takes deliveries to send them.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryClaim<'a> {
    /// Which way.
    pub direction: DeliveryDirection,
    /// For whom they are.
    pub target: &'a str,
    /// Whose they are then: the name of the process, or one that begins with it and is this claim's alone.
    pub holder: &'a str,
    /// Those that are due, and in nobody's hands, then.
    pub now: Timestamp,
    /// Until when they are the holder's.
    pub until: Timestamp,
}

/// What became of a try.
#[derive(Debug, Clone, Copy)]
pub struct DeliveryOutcome<'a> {
    /// Where the delivery stands now.
    pub state: DeliveryState,
    /// When it is tried again; when it was made or given up.
    pub due: Timestamp,
    /// Why the try failed.
    pub error: Option<&'a str>,
}

/// The table of deliveries.
pub trait Deliveries {
    /// Adds a delivery, behind all of its order key that were committed before; false if one of that direction and id is
    /// there already.
    fn insert(&mut self, delivery: &Delivery) -> Result<bool>;
    /// The delivery of that direction and id.
    fn get(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
    ) -> Result<Option<Delivery>>;
    /// The targets for which [`Deliveries::claim`] would find something now, in order.
    fn targets(&self, direction: DeliveryDirection, now: Timestamp) -> Result<Vec<String>>;
    /// Leases up to `limit` pending deliveries for a target that are due, earliest first, to a holder. Of an order key only
    /// the first that is pending counts, and none while that one is leased and its lease has not run out: nothing overtakes
    /// what somebody is sending. Their bodies are not read: they are `null` here.
    fn claim(&mut self, claim: &DeliveryClaim<'_>, limit: usize) -> Result<Vec<Delivery>>;
    /// Prolongs the lease of a delivery, run out or not; false if it is not `holder`'s any more.
    fn renew(
        &mut self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
        holder: &str,
        until: Timestamp,
    ) -> Result<bool>;
    /// Ends the leases of all holders whose names do not begin with `host`: for a store with one host at a time, whose new
    /// host knows that the old one is gone. How many.
    fn free_leases(&mut self, host: &str) -> Result<usize>;
    /// Puts up to `rows` deliveries out off that are due for a target which cannot be reached; how many. No try is counted.
    /// Those that somebody is sending stay.
    fn set_aside(&mut self, target: &str, aside: &SetAside<'_>, rows: usize) -> Result<usize>;
    /// Deliveries of a memory in a direction (and state) that came before `after`, newest first. Their bodies are not read:
    /// they are `null` here.
    fn page(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        state: Option<DeliveryState>,
        after: Option<&DeliveryId>,
        limit: usize,
    ) -> Result<Vec<Delivery>>;
    /// A delivery out that is pending or given up is due at `now`, as if it had never been tried; false if there is none
    /// such. One that somebody is sending stays theirs.
    fn retry(&mut self, memory: &MemoryId, id: &DeliveryId, now: Timestamp) -> Result<bool>;
    /// Removes up to `rows` deliveries out that were made before `made`, or given up before `given_up` (their `due`, as
    /// noted with that outcome); how many. Those that came in stay: their ids tell what was seen.
    fn sweep(&mut self, made: Timestamp, given_up: Timestamp, rows: usize) -> Result<usize>;
    /// Deliveries of an order key that are pending, the first that came first, whole.
    fn of_key(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        order_key: &str,
        limit: usize,
    ) -> Result<Vec<Delivery>>;
    /// Writes what became of a delivery in: its state, tries, times, error and body; false if it is not there.
    fn note_received(&mut self, delivery: &Delivery) -> Result<bool>;
    /// Replaces the body of a delivery and the error of its last try; false if it is not there.
    fn reword(&mut self, delivery: &Delivery) -> Result<bool>;
    /// Of the `rows` deliveries in of a memory that came first, removes those that came before `before` and are not pending; how many.
    fn sweep_received(&mut self, memory: &MemoryId, before: Timestamp, rows: usize) -> Result<usize>;
    /// Removes deliveries in whose order key begins so, whatever became of them; how many.
    fn drop_received(&mut self, memory: &MemoryId, prefix: &str) -> Result<usize>;
    /// What waits to be sent.
    fn backlog(&self) -> Result<DeliveryBacklog>;
    /// Removes deliveries out of an order key that were not made; how many.
    fn drop_key(&mut self, memory: &MemoryId, order_key: &str) -> Result<usize>;
    /// Removes deliveries out whose order key begins so, made or not; how many.
    fn drop_prefix(&mut self, memory: &MemoryId, prefix: &str) -> Result<usize>;
    /// Notes the outcome of a try that `holder` made, and ends its lease. False, and nothing is noted, where the lease is
    /// not `holder`'s any more: who has it now tries again, and notes what comes of that. A lease that has run out and that
    /// nobody took is still its holder's. What was said is not kept once a delivery out is made. Where it is to be tried
    /// again, those behind it in its order key are due no sooner.
    fn set_state(
        &mut self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
        holder: &str,
        outcome: &DeliveryOutcome<'_>,
    ) -> Result<bool>;
}
