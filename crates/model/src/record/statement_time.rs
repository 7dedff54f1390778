//! The time of a statement, for deciding which of two statements is the later one. The events of
//! one client batch arrive in any order, microseconds apart, and only their position in its run is
//! reliable.

use crate::event::RunPlace;
use crate::record::Record;
use crate::record::provenance::Provenance;
use crate::{ActorId, SessionId, Timestamp};

/// Maximum distance of times, in milliseconds, at which positions of a run decide. The events of a
/// batch differ at most by the retries of a send. Tokens based on a session start again when the
/// session is restored, perhaps days later, so the time decides then.
const NEAR_MS: u64 = 10 * 60 * 1000;

/// The time of a statement.
#[derive(Debug, Clone, Copy)]
pub struct StatementTime<'a> {
    /// The time from which the statement is valid.
    pub time: Timestamp,
    run: Option<(&'a ActorId, &'a SessionId, &'a RunPlace)>,
}

impl<'a> StatementTime<'a> {
    /// Returns a time outside of any client's run.
    #[must_use]
    pub fn at(time: Timestamp) -> Self {
        Self { time, run: None }
    }

    /// Returns the time of a record's statement.
    #[must_use]
    pub fn of(record: &'a Record) -> Self {
        let Provenance { actor, session, run, .. } = &record.provenance;
        let run = match (actor, session, run) {
            (Some(actor), Some(session), Some(run)) => Some((actor, session, run)),
            _ => None,
        };
        Self { time: record.timestamp, run }
    }

    /// True if this statement precedes the other one. If both belong to one run and are near in
    /// time, their positions decide; otherwise their times do. Two messages of one event are
    /// simultaneous, as are statements with equal times.
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
        let telling = |actor: usize, at: Option<usize>, time| StatementTime {
            time: Timestamp::clamped(time),
            run: at.map(|at| (&actors[actor], &session, &places[at])),
        };
        let check = |one: StatementTime<'_>, other: StatementTime<'_>, expect: (bool, bool)| {
            assert_eq!((one.is_before(&other), other.is_before(&one)), expect, "{one:?} {other:?}");
        };
        check(telling(0, None, 1), telling(0, None, 2), (true, false));
        check(telling(0, None, 1), telling(0, None, 1), (false, false));
        // The run's order applies for equal times and for other times.
        check(telling(0, Some(0), 1), telling(0, Some(1), 1), (true, false));
        check(telling(0, Some(0), 2), telling(0, Some(1), 1), (true, false));
        // Far apart in time, the run has started again.
        let far = i64::try_from(NEAR_MS).unwrap();
        check(telling(0, Some(0), far + 1), telling(0, Some(1), 1), (true, false));
        check(telling(0, Some(0), far + 2), telling(0, Some(1), 1), (false, true));
        // For another run, another actor, the same event, or no run, the time decides.
        check(telling(0, Some(1), 1), telling(0, Some(2), 2), (true, false));
        check(telling(0, Some(1), 1), telling(1, Some(0), 2), (true, false));
        check(telling(0, Some(1), 1), telling(0, Some(1), 2), (true, false));
        check(telling(0, Some(1), 1), telling(0, None, 2), (true, false));
    }
}
