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

/// The table of deliveries.
pub trait Deliveries {
    /// Adds a delivery; false if one of that direction and id is there already.
    fn insert(&mut self, delivery: &Delivery) -> Result<bool>;
    /// The delivery of that direction and id.
    fn get(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
    ) -> Result<Option<Delivery>>;
    /// The targets for which a delivery of a direction is due, in order.
    fn targets(&self, direction: DeliveryDirection, now: Timestamp) -> Result<Vec<String>>;
    /// Pending deliveries for a target that are due, earliest first, one per order key. Their bodies are not read: they are
    /// `null` here.
    fn due(
        &self,
        direction: DeliveryDirection,
        target: &str,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Delivery>>;
    /// Puts up to `rows` deliveries out off that are due for a target which cannot be reached; how many. No try is counted.
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
    /// such.
    fn retry(&mut self, memory: &MemoryId, id: &DeliveryId, now: Timestamp) -> Result<bool>;
    /// Removes up to `rows` deliveries out that were made before `made`, or given up before `given_up` (their `due`, as
    /// noted with that outcome); how many. Those that came in stay: their ids tell what was seen.
    fn sweep(&mut self, made: Timestamp, given_up: Timestamp, rows: usize) -> Result<usize>;
    /// What waits to be sent.
    fn backlog(&self) -> Result<DeliveryBacklog>;
    /// Removes deliveries out of an order key that were not made; how many.
    fn drop_key(&mut self, memory: &MemoryId, order_key: &str) -> Result<usize>;
    /// Removes deliveries out whose order key begins so, made or not; how many.
    fn drop_prefix(&mut self, memory: &MemoryId, prefix: &str) -> Result<usize>;
    /// Notes the outcome of a try. What was said is not kept once a delivery out is made. Where it is to be tried again,
    /// those behind it in its order key are due no sooner.
    fn set_state(
        &mut self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
        state: DeliveryState,
        due: Timestamp,
        error: Option<&str>,
    ) -> Result<bool>;
}
