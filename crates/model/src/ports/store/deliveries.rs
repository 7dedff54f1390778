//! Access to deliveries, in and out.

use crate::delivery::{Delivery, DeliveryBacklog, DeliveryDirection, DeliveryState};
use crate::{DeliveryId, MemoryId, Result, Timestamp};

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
    /// Pending deliveries that are due, earliest first, one per order key.
    fn due(&self, direction: DeliveryDirection, now: Timestamp, limit: usize) -> Result<Vec<Delivery>>;
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
    /// Notes the outcome of a try. What was said is not kept once a delivery out is made.
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
