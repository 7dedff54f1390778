//! What a change of a record means for its row, the same in every store: when it ceased to be active, whether it may come
//! back, whether its vectors still hold, what was known of it at a time, and what sweeps have to look for.

use loci_model::ports::store::Confirmation;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::metadata_filter::FilterOperator;
use loci_model::record::provenance::Source;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{NamespaceFilter, StrategyId, Timestamp, limits};

use crate::change::StoredRecord;

/// The key of a record's metadata by which stores have an index, of all kinds but facts: what tells the alert of an investigation from others.
pub const INDEXED_KEY: &str = "fingerprint";

/// When a record that changes from `was` to `state` at `at` ceased to be active; `left_at` is when it had.
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

/// Applies a statement that repeats a record: the sources that the record gains; `None` where the statement is known
/// already and nothing changes.
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

/// True where two versions have the same passages: the vectors of one are those of the other.
pub fn same_passages(one: &Record, other: &Record) -> bool {
    one.kind == other.kind && one.indexed() == other.indexed() && one.path == other.path
}

/// What a state asks of sweeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweeping {
    /// Its content goes.
    Content,
    /// It is history: retention ends it.
    History,
    /// It stays.
    Nothing,
}

/// What a record of this state is to sweeps.
pub fn sweeping(state: RecordState) -> Sweeping {
    match state {
        RecordState::Erased => Sweeping::Content,
        RecordState::Superseded | RecordState::Invalid | RecordState::Expired | RecordState::RolledBack => {
            Sweeping::History
        }
        RecordState::Active
        | RecordState::Candidate
        | RecordState::Quarantined
        | RecordState::Stale
        | RecordState::Archived => Sweeping::Nothing,
    }
}

/// What was known of a record at a time.
#[derive(Debug)]
pub enum Known {
    /// Nothing may be said: deleting hides the past too.
    Hidden,
    /// The version that is there, in the state it had then.
    This(Box<Record>),
    /// An earlier version than this, if there was one.
    Earlier(Box<Record>),
}

/// What was known of a record at `time`, as far as its row says.
pub fn known_at(row: StoredRecord, time: Timestamp) -> Known {
    let mut record = row.record;
    if row.gone || record.state == RecordState::Erased {
        return Known::Hidden;
    }
    if record.updated_at > time {
        return Known::Earlier(Box::new(record));
    }
    if row.left_at.is_some_and(|left| left > time) {
        // What ended it was not known then.
        record.state = RecordState::Active;
        record.state_reason = None;
        record.superseded_by = None;
    }
    Known::This(Box::new(record))
}

/// True where a version that was known at `time` was in scope then.
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

/// True where a record meets the scope's conditions on metadata, and those of the caller's grants.
pub fn meets(scope: &RecordScope, record: &Record) -> bool {
    (!scope.is_bound() || scope.may_see_record(record))
        && scope.metadata.iter().all(|filter| filter.admits(record.metadata_value(&filter.key).as_ref()))
}

/// The text that current records of a scope have under [`INDEXED_KEY`], where the scope asks for one and for no facts: stores find those by an
/// index, and test the rest of the scope's metadata on the rows.
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

/// A strategy as groups are named by it: `""` for none.
pub fn strategy_name(strategy: Option<&StrategyId>) -> &str {
    strategy.map_or("", |strategy| strategy.as_str())
}

/// The end of the range of normal forms that start with `prefix`: every one ends with a slash, and `0` follows it.
pub fn range_end(prefix: &str) -> String {
    let mut end = prefix.to_owned();
    end.pop();
    end.push('0');
    end
}

/// Nodes outside which the scope has nothing; `None`: it reaches everywhere.
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
