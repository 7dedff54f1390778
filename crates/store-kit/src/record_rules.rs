//! Rules for changes of records that are equal in every store: when a record ceased to be active,
//! whether it may become active again, which vectors stay valid, which state it had at a past
//! time, and which records the sweep removes.

use loci_model::ports::store::Confirmation;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::metadata_filter::FilterOperator;
use loci_model::record::provenance::Source;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{NamespaceFilter, StrategyId, Timestamp, limits};

use crate::change::StoredRecord;

/// The metadata key for which stores have an index, for all kinds of records except facts. It
/// holds the fingerprint of the alert that an investigation is about.
pub const INDEXED_KEY: &str = "fingerprint";

/// Returns the time at which a record ceased to be active, after a change from the state `was` to
/// `state` at the time `at`. `left_at` is the value before the change.
pub fn left_at(
    was: RecordState,
    left_at: Option<Timestamp>,
    state: RecordState,
    at: Timestamp,
) -> Option<Timestamp> {
    if state == RecordState::Active {
        None
    } else if was == RecordState::Active {
        Some(at)
    } else {
        left_at
    }
}

/// Updates a record because a new statement repeats it. Returns the sources that the record
/// gains; `None` if the record already has this statement and nothing changes.
pub fn confirm(record: &mut Record, confirmation: &Confirmation<'_>) -> Option<Vec<Source>> {
    let known = &record.provenance.sources;
    let new: Vec<Source> =
        confirmation.sources.iter().filter(|source| !known.contains(source)).cloned().collect();
    let is_later = confirmation.stated_at > record.timestamp;
    if new.is_empty() && !is_later {
        return None;
    }
    let room = limits::RECORD_SOURCES_MAX.saturating_sub(known.len());
    let new: Vec<Source> = new.into_iter().take(room).collect();
    record.provenance.sources.extend(new.iter().cloned());
    if is_later {
        record.timestamp = confirmation.stated_at;
        if let Some(run) = confirmation.run {
            record.provenance.run = Some(run.clone());
        }
    }
    record.expires_at = record.expiry_days.map(|days| confirmation.at.plus_days(days)).or(record.expires_at);
    Some(new)
}

/// Returns true for a state from which a record may become active again.
pub fn may_return(state: RecordState) -> bool {
    match state {
        RecordState::Superseded
        | RecordState::Archived
        | RecordState::Quarantined
        | RecordState::RolledBack
        | RecordState::Candidate => true,
        RecordState::Active
        | RecordState::Invalid
        | RecordState::Stale
        | RecordState::Expired
        | RecordState::Erased => false,
    }
}

/// Returns true if two versions of a record have the same passages: the vectors of one version
/// are then valid for the other.
pub fn same_passages(one: &Record, other: &Record) -> bool {
    one.kind == other.kind && one.indexed() == other.indexed() && one.path == other.path
}

/// The data of a record that the sweep removes in a given state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepEffect {
    /// The sweep erases the content of the record.
    Content,
    /// The sweep removes the record when the retention of history ends.
    History,
    /// The sweep does not touch the record.
    Nothing,
}

/// Returns the data that the sweep removes of a record in this state.
pub fn sweeping(state: RecordState) -> SweepEffect {
    match state {
        RecordState::Erased => SweepEffect::Content,
        RecordState::Superseded | RecordState::Invalid | RecordState::Expired | RecordState::RolledBack => {
            SweepEffect::History
        }
        RecordState::Active
        | RecordState::Candidate
        | RecordState::Quarantined
        | RecordState::Stale
        | RecordState::Archived => SweepEffect::Nothing,
    }
}

/// The form of a record at a past time.
#[derive(Debug)]
pub enum PastRecordState {
    /// Not available: a deleted record is also hidden from reads of past times.
    Hidden,
    /// The current version of the record, in the state that it had at that time.
    This(Box<Record>),
    /// An earlier version applied at that time, or the record did not exist yet. Holds the
    /// current version.
    Earlier(Box<Record>),
}

/// Returns the form of a record at `time`, as far as its current row shows it.
pub fn known_at(row: StoredRecord, time: Timestamp) -> PastRecordState {
    let mut record = row.record;
    if row.gone || record.state == RecordState::Erased {
        return PastRecordState::Hidden;
    }
    if record.updated_at > time {
        return PastRecordState::Earlier(Box::new(record));
    }
    if row.left_at.is_some_and(|left| left > time) {
        // The end of its active state was not known then.
        record.state = RecordState::Active;
        record.state_reason = None;
        record.superseded_by = None;
    }
    PastRecordState::This(Box::new(record))
}

/// Returns true if the version of a record that was current at `time` was in the scope then.
pub fn was_in_scope(scope: &RecordScope, record: &Record, time: Timestamp) -> bool {
    let (normal, strategy) = (record.namespace.normal(), record.strategy.as_ref());
    let (actor, session) = (record.provenance.actor.as_ref(), record.provenance.session.as_ref());
    scope.may_see(&normal, strategy, actor, session)
        && scope.asks_for(&normal, strategy)
        && scope.states.contains(&record.state)
        && (scope.kinds.is_empty() || scope.kinds.contains(&record.kind))
        && record.valid_from <= time
        && record.valid_to.is_none_or(|end| end > time)
        && !record.is_expired(scope.now)
        && meets(scope, record)
}

/// Returns true if a record meets the conditions of the scope on metadata, and those of the
/// caller's grants.
pub fn meets(scope: &RecordScope, record: &Record) -> bool {
    (!scope.is_bound() || scope.may_see_record(record))
        && scope.metadata.iter().all(|filter| filter.admits(record.metadata_value(&filter.key).as_ref()))
}

/// Returns the text that a scope requires of records under [`INDEXED_KEY`]; `None` if it requires
/// no such text, reads a past time, or includes facts. Stores find these records with an index,
/// and test the other conditions on each row.
pub fn indexed_value(scope: &RecordScope) -> Option<&str> {
    let has_facts = scope.kinds.is_empty() || scope.kinds.contains(&RecordKind::Fact);
    if scope.as_of.is_some() || has_facts {
        return None;
    }
    scope.metadata.iter().find_map(|filter| match (&filter.operator, &filter.right) {
        (FilterOperator::EqualsTo, Some(MetadataValue::String(text))) if filter.key == INDEXED_KEY => {
            Some(text.as_str())
        }
        _ => None,
    })
}

/// Returns the name of a strategy for grouping; `""` for records without a strategy.
pub fn strategy_name(strategy: Option<&StrategyId>) -> &str {
    strategy.map_or("", |strategy| strategy.as_str())
}

/// Returns the exclusive end of the range of namespaces that start with this normal form. The
/// normal form ends with a slash, and `0` is the character after the slash.
pub fn range_end(prefix: &str) -> String {
    let mut end = prefix.to_owned();
    end.pop();
    end.push('0');
    end
}

/// Returns the namespaces that together contain the whole scope; `None` if the scope is not
/// limited to namespaces.
pub fn namespaces_of(scope: &RecordScope) -> Option<Vec<NamespaceFilter>> {
    if !scope.namespaces.is_empty() {
        return Some(scope.namespaces.clone());
    }
    scope
        .view
        .iter()
        .map(|clause| clause.namespace.clone())
        .collect::<Option<Vec<_>>>()
        .filter(|all| !all.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_a_subtree() {
        for (prefix, inside, outside) in
            [("/a/", "/a/b/", "/ab/"), ("/", "/z/", "0"), ("/a.b/", "/a.b/", "/a.b-c/")]
        {
            let end = range_end(prefix);
            assert!(prefix <= inside && *inside < *end, "{inside}");
            assert!(outside < prefix || outside >= end.as_str(), "{outside}");
        }
    }
}
