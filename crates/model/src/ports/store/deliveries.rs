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
