//! A limit on the number of a server's writers per memory. Writes to the same memory run one after
//! the other, so more writers would only wait, and occupy connections that writes to other memories
//! need.
//!
//! The gate does not guarantee any order: the first writer that arrives after another one leaves
//! may enter.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::channel::oneshot::{Receiver, Sender, channel};

/// The minimum number of writers per memory: one that writes and one that is ready, so that the
/// memory is never idle.
const PLACES_MIN: usize = 2;
/// The part of all writers that one memory may occupy: one divided by this number.
const PART: usize = 4;
/// The maximum number of writes that wait for one memory. More fail with an error, so that an
/// overload does not use unlimited memory.
const WAITING_MAX: usize = 4_096;

/// The number of writers that a memory has, and the writes that wait.
#[derive(Default)]
struct MemoryWriters {
    inside: usize,
    waiting: VecDeque<Sender<()>>,
}

/// The slots of each memory that is currently written, by its number.
pub(crate) struct Gate {
    places: usize,
    memories: Mutex<HashMap<i64, MemoryWriters>>,
}

impl Gate {
    /// Returns a gate for a server with `writers` writers.
    pub(crate) fn new(writers: usize) -> Self {
        Self { places: (writers / PART).max(PLACES_MIN), memories: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, MemoryWriters>> {
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a memory as a writer. Returns true on success, and the caller must then leave.
    /// Returns false if the memory has enough writers.
    pub(crate) fn enter(&self, memory: i64) -> bool {
        let mut memories = self.lock();
        let held = memories.entry(memory).or_default();
        let has_room = held.inside < self.places;
        held.inside += usize::from(has_room);
        has_room
    }

    /// Leaves a memory, so that another writer may enter.
    pub(crate) fn leave(&self, memory: i64) {
        let mut memories = self.lock();
        let Some(held) = memories.get_mut(&memory) else { return };
        held.inside = held.inside.saturating_sub(1);
        if held.inside == 0 {
            // Notify all: a writer notified before may never arrive, and no other writer remains to
            // notify the next one.
            let waiting = std::mem::take(&mut held.waiting);
            memories.remove(&memory);
            for waits in waiting {
                let _ = waits.send(());
            }
            return;
        }
        while let Some(waits) = held.waiting.pop_front() {
            if waits.send(()).is_ok() {
                break;
            }
        }
    }

    /// Returns a receiver that is notified when a writer leaves the memory. `None` if too many
    /// writes wait.
    pub(crate) fn room(&self, memory: i64) -> Option<Receiver<()>> {
        let (sender, receiver) = channel();
        match self.lock().get_mut(&memory) {
            Some(held) if held.inside >= self.places => {
                if held.waiting.len() >= WAITING_MAX {
                    held.waiting.retain(|waits| !waits.is_canceled());
                }
                if held.waiting.len() >= WAITING_MAX {
                    return None;
                }
                held.waiting.push_back(sender);
            }
            Some(_) | None => drop(sender),
        }
        Some(receiver)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_told(receiver: &mut Receiver<()>) -> bool {
        !matches!(receiver.try_recv(), Ok(None))
    }

    #[test]
    fn nobody_is_left_waiting() {
        let gate = Gate::new(8);
        assert!(gate.enter(1) && gate.enter(1) && !gate.enter(1) && gate.enter(2));
        let mut waiting: Vec<_> = (0..4).map(|_| gate.room(1).unwrap()).collect();
        assert!(!waiting.iter_mut().any(is_told));
        // The first one stopped waiting: the second is notified.
        drop(waiting.remove(0));
        gate.leave(1);
        assert_eq!(waiting.iter_mut().map(is_told).collect::<Vec<_>>(), [true, false, false]);
        // It never arrives: when the last writer leaves, all are notified.
        gate.leave(1);
        assert!(waiting.iter_mut().skip(1).all(is_told));
        assert!(is_told(&mut gate.room(1).unwrap()) && is_told(&mut gate.room(2).unwrap()));
        gate.leave(2);
        assert!(gate.lock().is_empty());
    }

    #[test]
    fn a_flood_is_refused() {
        let gate = Gate::new(8);
        assert!(gate.enter(1) && gate.enter(1));
        let mut waiting: Vec<_> = (0..WAITING_MAX).map(|_| gate.room(1).unwrap()).collect();
        assert!(gate.room(1).is_none());
        // A writer that stops waiting makes room.
        waiting.pop();
        assert!(gate.room(1).is_some());
    }
}
