//! The state of a record at an earlier time, from its state changes. Pure. If rows beyond the
//! retention of the history are deleted, the state before the first remaining row is used.

use loci_model::Timestamp;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};

/// Returns the state of a record at a time; `None` if the record did not exist yet.
pub(crate) fn state_at(record: &Record, changes: &[StateChange], at: Timestamp) -> Option<RecordState> {
    if record.created_at > at {
        return None;
    }
    if let Some(last) = changes.iter().rfind(|change| change.at <= at) {
        return Some(last.to);
    }
    match changes.first() {
        Some(next) => next.from,
        None => Some(record.state),
    }
}

/// Returns the time of its latest change.
pub(super) fn last_change(record: &Record, changes: &[StateChange]) -> Timestamp {
    changes.iter().map(|change| change.at).max().map_or(record.updated_at, |at| at.max(record.updated_at))
}

#[cfg(test)]
mod tests {
    use loci_model::{MemoryId, RecordId};
    use loci_testkit_ports::samples;

    use super::*;

    fn change(from: Option<RecordState>, to: RecordState, at: i64) -> StateChange {
        StateChange {
            memory: MemoryId::parse("m-0123456789").unwrap(),
            record: RecordId::compose("00000000-0000-7000-8000-0000000000ff").unwrap(),
            version: 1,
            from,
            to,
            reason: String::new(),
            by: "tester".to_owned(),
            at: Timestamp::EPOCH.plus_millis(at),
        }
    }

    #[test]
    fn what_stood_then() {
        let mut record = samples::record(&MemoryId::parse("m-0123456789").unwrap(), 1, "It is so.").unwrap();
        record.created_at = Timestamp::EPOCH.plus_millis(10);
        record.state = RecordState::Superseded;
        let (active, held, superseded) =
            (RecordState::Active, RecordState::Quarantined, RecordState::Superseded);
        let all =
            [change(None, active, 10), change(Some(active), held, 20), change(Some(held), superseded, 30)];
        let check = |changes: &[StateChange], at: i64, expect: Option<RecordState>| {
            assert_eq!(state_at(&record, changes, Timestamp::EPOCH.plus_millis(at)), expect, "at {at}");
        };
        check(&all, 9, None);
        check(&all, 10, Some(active));
        check(&all, 19, Some(active));
        check(&all, 20, Some(held));
        check(&all, 99, Some(superseded));
        // The first rows were deleted by retention.
        check(&all[2..], 15, Some(held));
        check(&[], 15, Some(superseded));
        assert_eq!(last_change(&record, &all), record.updated_at.max(all[2].at));
    }
}
