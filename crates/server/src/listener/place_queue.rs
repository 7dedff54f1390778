//! Connections that give way, in the order in which they began to wait: their client has yet to
//! send the head of a request, or the rest of a body that nobody reads. Where no place is free, the
//! first of them gives its own to a new connection: clients that send slowly, or never, keep nobody
//! out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit};

/// Connections that wait for one thing, in one kind of places.
#[derive(Default)]
pub(super) struct PlaceQueue {
    queue: Mutex<QueuedPlaces>,
    added: Notify,
}

#[derive(Default)]
struct QueuedPlaces {
    next: u64,
    waiting: BTreeMap<u64, QueuedPlace>,
}

/// The place of a connection, which others may have.
struct QueuedPlace {
    permit: OwnedSemaphorePermit,
    lost: Arc<Notify>,
}

impl PlaceQueue {
    /// Adds a connection behind all others; it is notified when it loses its place.
    pub(super) fn add(&self, permit: OwnedSemaphorePermit, lost: Arc<Notify>) -> u64 {
        let mut queue = self.queue();
        let number = queue.next;
        queue.next = queue.next.saturating_add(1);
        queue.waiting.insert(number, QueuedPlace { permit, lost });
        self.added.notify_one();
        number
    }

    /// Takes a connection out, which waits no longer or ended; `None` where it lost its place.
    pub(super) fn remove(&self, number: u64) -> Option<OwnedSemaphorePermit> {
        self.queue().waiting.remove(&number).map(|place| place.permit)
    }

    /// Takes the place of the connection that has waited longest; `None` where none waits.
    pub(super) fn take_first(&self) -> Option<OwnedSemaphorePermit> {
        let (_, place) = self.queue().waiting.pop_first()?;
        place.lost.notify_one();
        Some(place.permit)
    }

    /// Waits until a connection waits, and takes the place of the one that has waited longest.
    pub(super) async fn first(&self) -> OwnedSemaphorePermit {
        loop {
            if let Some(permit) = self.take_first() {
                return permit;
            }
            self.added.notified().await;
        }
    }

    /// True for a connection that has its place still.
    #[cfg(test)]
    pub(super) fn has(&self, number: u64) -> bool {
        self.queue().waiting.contains_key(&number)
    }

    fn queue(&self) -> MutexGuard<'_, QueuedPlaces> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
