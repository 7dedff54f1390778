//! Places for the connections of a listener: the usual ones, a few beyond them for health checks alone, and
//! the usual ones that may be slow.

use std::sync::Arc;

use loci_model::limits;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The places of one listener.
pub(super) struct Slots {
    usual: Arc<Semaphore>,
    health: Arc<Semaphore>,
    /// Half of the usual ones: slow connections never take the last one.
    pub(super) slow: Arc<Semaphore>,
}

/// The place of one connection.
pub(super) struct Slot {
    /// Only health checks are answered.
    pub(super) is_for_health: bool,
    _permit: OwnedSemaphorePermit,
}

impl Slots {
    pub(super) fn new(connections_max: usize) -> Self {
        let places = |count: usize| Arc::new(Semaphore::new(count.clamp(1, Semaphore::MAX_PERMITS)));
        Self {
            usual: places(connections_max),
            health: places(limits::HEALTH_CONNECTIONS_MAX),
            slow: places(connections_max / 2),
        }
    }

    /// Waits until a connection can be taken in, in a usual place where there is one.
    pub(super) async fn free(&self) -> std::io::Result<Slot> {
        let (permit, is_for_health) = tokio::select! {
            biased;
            permit = Arc::clone(&self.usual).acquire_owned() => (permit, false),
            permit = Arc::clone(&self.health).acquire_owned() => (permit, true),
        };
        Ok(Slot { is_for_health, _permit: permit.map_err(std::io::Error::other)? })
    }

    /// The usual place that became free meanwhile, else the same.
    pub(super) fn better(&self, slot: Slot) -> Slot {
        match slot.is_for_health.then(|| Arc::clone(&self.usual).try_acquire_owned()) {
            Some(Ok(permit)) => Slot { is_for_health: false, _permit: permit },
            Some(Err(_)) | None => slot,
        }
    }
}
