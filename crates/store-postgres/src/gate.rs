//! How many of a server's writers may be in one memory at once. Writes of a memory follow one another, so more than a few
//! would only wait there, each on a connection that writes of other memories could use.
//!
//! Decides nothing about order: who is let in next is who comes first after there is room.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::channel::oneshot::{Receiver, Sender, channel};

/// One that writes and one that is ready to: the memory is never idle.
const PLACES_MIN: usize = 2;
/// A memory has at most this part of the writers.
const PART: usize = 4;
/// Writes that wait for one memory at most, as for the pool: a flood shows as an error and not as memory.
const WAITING_MAX: usize = 4_096;

/// Who is in a memory, and who waits before it.
#[derive(Default)]
struct Held {
    inside: usize,
    waiting: VecDeque<Sender<()>>,
}

/// The places of every memory that is written to at this moment, by its number.
pub(crate) struct Gate {
    places: usize,
    memories: Mutex<HashMap<i64, Held>>,
}

impl Gate {
    /// For a server with so many writers.
    pub(crate) fn new(writers: usize) -> Self {
        Self { places: (writers / PART).max(PLACES_MIN), memories: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, Held>> {
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place in a memory: true where there is one, which is then to be left.
    pub(crate) fn enter(&self, memory: i64) -> bool {
        let mut memories = self.lock();
        let held = memories.entry(memory).or_default();
        let has_room = held.inside < self.places;
        held.inside += usize::from(has_room);
        has_room
    }

    /// Gives a place back.
    pub(crate) fn leave(&self, memory: i64) {
        let mut memories = self.lock();
        let Some(held) = memories.get_mut(&memory) else { return };
        held.inside = held.inside.saturating_sub(1);
        if held.inside == 0 {
            // All of them: one that was told before may not come any more, and nobody is inside who could tell the next.
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

    /// Answers when there may be room in a memory; `None`: too many wait for that.
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
        // The first does not wait any more: the second is told.
        drop(waiting.remove(0));
        gate.leave(1);
        assert_eq!(waiting.iter_mut().map(is_told).collect::<Vec<_>>(), [true, false, false]);
        // It does not come: when the last is out, all are told.
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
        // Who waits no more makes room.
        waiting.pop();
        assert!(gate.room(1).is_some());
    }
}
