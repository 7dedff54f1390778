//! Connections that give way, in the order in which they began to wait: for the head of a request,
//! or for the rest of a body that is discarded. If no slot is free, the first of them gives its
//! slot to a new connection. Clients that send slowly, or never, therefore lock out no others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit};

/// The connections that wait for one thing, in one kind of slots.
#[derive(Default)]
pub(super) struct YieldQueue {
    queue: Mutex<QueuedPlaces>,
    added: Notify,
}

#[derive(Default)]
struct QueuedPlaces {
    next: u64,
    waiting: BTreeMap<u64, QueuedPlace>,
}

/// The slot of a connection that others may take.
struct QueuedPlace {
    permit: OwnedSemaphorePermit,
    lost: Arc<Notify>,
}

impl YieldQueue {
    /// Adds a connection after all others. It is notified when it loses its slot.
    pub(super) fn add(&self, permit: OwnedSemaphorePermit, lost: Arc<Notify>) -> u64 {
        let mut queue = self.queue();
        let number = queue.next;
        queue.next = queue.next.saturating_add(1);
        queue.waiting.insert(number, QueuedPlace { permit, lost });
        self.added.notify_one();
        number
    }

    /// Removes a connection that no longer waits; `None` if it lost its slot.
    pub(super) fn remove(&self, number: u64) -> Option<OwnedSemaphorePermit> {
        self.queue().waiting.remove(&number).map(|place| place.permit)
    }

    /// Takes the slot of the connection that has waited longest; `None` if none waits.
    pub(super) fn take_first(&self) -> Option<OwnedSemaphorePermit> {
        let (_, place) = self.queue().waiting.pop_first()?;
        place.lost.notify_one();
        Some(place.permit)
    }

    /// Waits for a waiting connection, and takes the slot of the one that has waited longest.
    pub(super) async fn first(&self) -> OwnedSemaphorePermit {
        loop {
            if let Some(permit) = self.take_first() {
                return permit;
            }
            self.added.notified().await;
        }
    }

    /// Returns true for a connection that still has its slot.
    #[cfg(test)]
    pub(super) fn has(&self, number: u64) -> bool {
        self.queue().waiting.contains_key(&number)
    }

    fn queue(&self) -> MutexGuard<'_, QueuedPlaces> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
