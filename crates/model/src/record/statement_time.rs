//! When something was told, as far as it decides which of two statements is the later one:
//! the events of one batch of a client arrive in any order, microseconds apart, and only their place in its run tells.

use crate::event::RunPlace;
use crate::record::Record;
use crate::record::provenance::Provenance;
use crate::{ActorId, SessionId, Timestamp};

/// Places of a run count for times this near to each other: the events of a batch are apart by the tries of a send at most. Tokens that hang on a
/// session begin anew when it is restored, days later perhaps: then the time tells.
const NEAR_MS: u64 = 10 * 60 * 1000;

/// When something was told.
#[derive(Debug, Clone, Copy)]
pub struct Telling<'a> {
    /// When it was so.
    pub time: Timestamp,
    run: Option<(&'a ActorId, &'a SessionId, &'a RunPlace)>,
}

impl<'a> Telling<'a> {
    /// Told at a time, in no client's run.
    #[must_use]
    pub fn at(time: Timestamp) -> Self {
        Self { time, run: None }
    }

    /// As a record tells.
    #[must_use]
    pub fn of(record: &'a Record) -> Self {
        let Provenance { actor, session, run, .. } = &record.provenance;
        let run = match (actor, session, run) {
            (Some(actor), Some(session), Some(run)) => Some((actor, session, run)),
            _ => None,
        };
        Self { time: record.timestamp, run }
    }

    /// True when this was told before the other: by their places where both are of one run and near in time, else by their times. Two
    /// messages of one event are told at once; so is what has the same time.
    #[must_use]
    pub fn is_before(&self, other: &Self) -> bool {
        if let (Some((actor, session, place)), Some((other_actor, other_session, other_place))) =
            (self.run, other.run)
            && (actor, session, &place.run) == (other_actor, other_session, &other_place.run)
            && place.first != other_place.first
            && self.time.millis().abs_diff(other.time.millis()) <= NEAR_MS
        {
            return place.first < other_place.first;
        }
        self.time < other.time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_count_before_times() {
        let actors = ["alice", "bob"].map(|name| ActorId::parse(name).unwrap());
        let session = SessionId::parse("s").unwrap();
        let place = |run: &str, first| RunPlace { run: run.to_owned(), first, last: first };
        let places = [place("a", 1), place("a", 5), place("b", 1)];
        let telling = |actor: usize, at: Option<usize>, time| Telling {
            time: Timestamp::clamped(time),
            run: at.map(|at| (&actors[actor], &session, &places[at])),
        };
        let check = |one: Telling<'_>, other: Telling<'_>, expect: (bool, bool)| {
            assert_eq!((one.is_before(&other), other.is_before(&one)), expect, "{one:?} {other:?}");
        };
        check(telling(0, None, 1), telling(0, None, 2), (true, false));
        check(telling(0, None, 1), telling(0, None, 1), (false, false));
        // The run's order stands against equal and against other times.
        check(telling(0, Some(0), 1), telling(0, Some(1), 1), (true, false));
        check(telling(0, Some(0), 2), telling(0, Some(1), 1), (true, false));
        // Far in time, the run began anew.
        let far = i64::try_from(NEAR_MS).unwrap();
        check(telling(0, Some(0), far + 1), telling(0, Some(1), 1), (true, false));
        check(telling(0, Some(0), far + 2), telling(0, Some(1), 1), (false, true));
        // Another run, another actor, the same event, or none: the time.
        check(telling(0, Some(1), 1), telling(0, Some(2), 2), (true, false));
        check(telling(0, Some(1), 1), telling(1, Some(0), 2), (true, false));
        check(telling(0, Some(1), 1), telling(0, Some(1), 2), (true, false));
        check(telling(0, Some(1), 1), telling(0, None, 2), (true, false));
    }
}
