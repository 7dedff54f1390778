//! Connections whose client has yet to send the head of a request, new or kept alive, in the order
//! in which they began to wait. Where no place is free, the first of them gives its own to a new
//! connection: clients that send heads slowly, or never, keep nobody out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit};

/// The connections of one kind of places.
#[derive(Default)]
pub(super) struct PendingHeads {
    queue: Mutex<HeadQueue>,
    added: Notify,
}

#[derive(Default)]
struct HeadQueue {
    next: u64,
    waiting: BTreeMap<u64, PendingHead>,
}

/// The place of a connection, which others may have.
struct PendingHead {
    permit: OwnedSemaphorePermit,
    lost: Arc<Notify>,
}

impl PendingHeads {
    /// Adds a connection behind all others; it is notified when it loses its place.
    pub(super) fn add(&self, permit: OwnedSemaphorePermit, lost: Arc<Notify>) -> u64 {
        let mut queue = self.queue();
        let number = queue.next;
        queue.next = queue.next.saturating_add(1);
        queue.waiting.insert(number, PendingHead { permit, lost });
        self.added.notify_one();
        number
    }

    /// Takes a connection out, whose head came or which ended; `None` where it lost its place.
    pub(super) fn remove(&self, number: u64) -> Option<OwnedSemaphorePermit> {
        self.queue().waiting.remove(&number).map(|head| head.permit)
    }

    /// Takes the place of the connection that has waited longest; `None` where none waits.
    pub(super) fn take_first(&self) -> Option<OwnedSemaphorePermit> {
        let (_, head) = self.queue().waiting.pop_first()?;
        head.lost.notify_one();
        Some(head.permit)
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

    fn queue(&self) -> MutexGuard<'_, HeadQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
