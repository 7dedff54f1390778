//! Looking at what was chosen before any of it may stand in a block: sanitising, masking, scoring. This is work, not waiting, and it
//! grows with what is remembered; so it has the deadline of all the rest, goes rank by rank through all kinds, and steps aside for
//! others on the same thread. What was not looked at is not shown.

use std::collections::BTreeMap;

use loci_engine::calls::deadline::{Deadline, Turn};
use loci_engine::retrieval::render::Screened;
use loci_engine::safety::Patterns;
use loci_model::Timestamp;

use super::candidate::{Candidate, Left};
use super::choosing::Chosen;
use super::kind::HydrationKind;
use super::lines::entry;

/// Why a candidate is not shown that there was no time to look at.
const DEADLINE: &str = "deadline";

/// Candidates of one kind that may be shown, in order, and what is left out of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Ready {
    pub(super) kept: Vec<(Candidate, Screened)>,
    pub(super) left: Vec<Left>,
    /// Lines that tell of no record, of the same share.
    pub(super) beside: Vec<Screened>,
}

impl Ready {
    /// How many there was no time to look at.
    pub(super) fn late(&self) -> usize {
        self.left.iter().filter(|left| left.reason == DEADLINE).count()
    }
}

/// Looks at what was chosen until time is over, the best of every kind first.
pub(super) async fn screen(
    chosen: BTreeMap<HydrationKind, Chosen>,
    now: Timestamp,
    patterns: &Patterns,
    deadline: &Deadline,
) -> BTreeMap<HydrationKind, Ready> {
    let (mut ready, mut waiting) = (BTreeMap::<HydrationKind, Ready>::new(), Vec::new());
    for (kind, chosen) in chosen {
        waiting.extend((0..).zip(chosen.kept).map(|(place, candidate): (usize, _)| (place, kind, candidate)));
        ready.insert(kind, Ready { left: chosen.left, ..Ready::default() });
    }
    waiting.sort_by_key(|(place, kind, _)| (*place, *kind));
    let mut turn = Turn::default();
    for (_, kind, candidate) in waiting {
        let has_time = deadline.has_time(&mut turn).await;
        let of = ready.entry(kind).or_default();
        if has_time {
            let screened = Screened::new(&entry(&candidate, now), patterns);
            of.kept.push((candidate, screened));
        } else {
            of.left.push(Left::new(candidate, DEADLINE));
        }
    }
    ready
}
