//! Rules for changes of records, equal in every store: the time when a record ceased to be active,
//! whether it may become active again, the validity of its vectors, its state at a past time, and
//! the conditions of sweeps.

use loci_model::ports::store::Confirmation;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::metadata_filter::FilterOperator;
use loci_model::record::provenance::Source;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{NamespaceFilter, StrategyId, Timestamp, limits};

use crate::change::StoredRecord;

/// The key of record metadata for which stores have an index, for all kinds except facts: the
/// fingerprint of an investigation's alert.
pub const INDEXED_KEY: &str = "fingerprint";

/// Returns the time when a record ceased to be active, if it changes from `was` to `state` at `at`;
/// `left_at` is the previous value.
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

/// Applies a statement that repeats a record. Returns the sources that the record gains; `None` if
/// the statement is already known and nothing changes.
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

/// True for a state from which a record may become active again.
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

/// True if two versions have the same passages, so that the vectors of one are valid for the other.
pub fn same_passages(one: &Record, other: &Record) -> bool {
    one.kind == other.kind && one.indexed() == other.indexed() && one.path == other.path
}

/// The effect of a state on sweeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepEffect {
    /// The content is erased.
    Content,
    /// The record is history, which retention removes.
    History,
    /// The record stays.
    Nothing,
}

/// Returns the effect of a state on sweeps.
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

/// The state of a record at a past time.
#[derive(Debug)]
pub enum PastRecordState {
    /// Not available: deletion hides past states too.
    Hidden,
    /// The current version, in its state at that time.
    This(Box<Record>),
    /// A version before this one, if any.
    Earlier(Box<Record>),
}

/// Returns the state of a record at `time`, as far as its row shows it.
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

/// True if a version known at `time` was in scope then.
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

/// True if a record meets the scope's conditions on metadata, and those of the caller's grants.
pub fn meets(scope: &RecordScope, record: &Record) -> bool {
    (!scope.is_bound() || scope.may_see_record(record))
        && scope.metadata.iter().all(|filter| filter.admits(record.metadata_value(&filter.key).as_ref()))
}

/// Returns the text under [`INDEXED_KEY`] that a scope requires of current records, if it requires
/// one and excludes facts. Stores find those records with an index, and test the other conditions
/// on metadata on the rows.
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

/// Returns the name of a strategy in groups; `""` for none.
pub fn strategy_name(strategy: Option<&StrategyId>) -> &str {
    strategy.map_or("", |strategy| strategy.as_str())
}

/// Returns the exclusive end of the range of normal forms with this prefix: each ends with a slash,
/// and `0` follows the slash.
pub fn range_end(prefix: &str) -> String {
    let mut end = prefix.to_owned();
    end.pop();
    end.push('0');
    end
}

/// Returns the nodes that contain the whole scope; `None` if it is unlimited.
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
