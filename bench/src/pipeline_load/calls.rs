//! Counts the calls to the provider: by session, and at the same time.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::scripted_model::{ReceivedQuestion, Watch};

/// The prefix of the room in every message. Rooms are sessions.
const MARK: &str = "room-";
const NUMBER_CHARS: usize = 4;

/// Counts since the last `forget`.
#[derive(Debug, Default, Clone)]
pub(super) struct Counts {
    /// Calls by room.
    pub(super) of_room: BTreeMap<String, usize>,
    pub(super) at_once: usize,
    pub(super) most_at_once: usize,
}

/// Watches a model.
#[derive(Debug, Default)]
pub(super) struct Calls(Mutex<Counts>);

impl Calls {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Counts {
        self.counts().clone()
    }

    /// Resets the counts. Running calls still count as running.
    pub(super) fn forget(&self) {
        let mut counts = self.counts();
        *counts = Counts { at_once: counts.at_once, most_at_once: counts.at_once, ..Counts::default() };
    }
}

impl Watch for Calls {
    fn asked(&self, asked: &ReceivedQuestion) -> bool {
        let mut counts = self.counts();
        *counts.of_room.entry(room(&asked.input).to_owned()).or_default() += 1;
        counts.at_once += 1;
        counts.most_at_once = counts.most_at_once.max(counts.at_once);
        true
    }

    fn answers(&self, _asked: &ReceivedQuestion) {
        let mut counts = self.counts();
        counts.at_once = counts.at_once.saturating_sub(1);
    }
}

/// Returns a text that contains its room.
pub(super) fn text(room: u64, number: u64) -> String {
    format!(
        "In {MARK}{room:04} I prefer tool {number} for project {room}, and my desk has number {}.",
        number * 7 + room
    )
}

fn room(input: &str) -> &str {
    let found = input.find(MARK).and_then(|at| input.get(at..at + MARK.len() + NUMBER_CHARS));
    found.unwrap_or("none")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_are_read_from_questions() {
        assert_eq!(room(&format!("{{\"text\":\"{}\"}}", text(7, 3))), "room-0007");
        assert_eq!((room("nothing"), room("room-1")), ("none", "none"));
    }
}
