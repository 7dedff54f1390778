//! Access to deliveries, in and out.

use crate::delivery::{Delivery, DeliveryDirection, DeliveryState};
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
    /// Deliveries of a memory in a direction (and state) that came before `after`, newest first.
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
    /// Removes up to `rows` deliveries out that were made and came before `before`; how many. Those that came in stay:
    /// their ids tell what was seen.
    fn sweep(&mut self, before: Timestamp, rows: usize) -> Result<usize>;
    /// Notes the outcome of a try.
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
