//! Common parts of operations on several records: limits, checks for distinct ids, outcomes of
//! single items, and the jobs that a change schedules.

use std::collections::BTreeSet;
use std::hash::Hash;

use loci_model::job::{DueRule, JobKind, NewJob};
use loci_model::ports::store::Tx;
use loci_model::record::metadata::{Metadata, MetadataValue, SYSTEM_PREFIX};
use loci_model::{
    Error, ErrorKind, ErrorText, FieldName, JobId, MemoryId, RecordId, Result, Timestamp, limits,
};

use super::{BatchOutcome, ItemOutcome};

/// Checks that a batch does not have too many items and that no two items have the same id.
pub(super) fn check_distinct<'a, T: Hash + Ord + 'a>(
    ids: impl ExactSizeIterator<Item = &'a T>,
    field: FieldName,
) -> Result<()> {
    let count = ids.len();
    if count > limits::BATCH_RECORDS_MAX {
        return Err(Error::invalid("records", "a batch must have at most 100 records"));
    }
    let distinct: BTreeSet<&T> = ids.collect();
    if distinct.len() == count {
        Ok(())
    } else {
        let rule = ErrorText::from("a batch must name each ") + field + " once";
        Err(Error::invalid(ErrorText::from("records.") + field, rule))
    }
}

/// Checks the metadata of a record that a client sends: no system keys, no values of type time,
/// at most twenty keys.
pub(super) fn check_metadata(metadata: &Metadata) -> Result<()> {
    if metadata.len() > limits::RECORD_METADATA_KEYS_MAX {
        return Err(Error::invalid("metadata", "a record has at most 20 metadata keys"));
    }
    for (key, value) in metadata {
        if key.starts_with(SYSTEM_PREFIX) {
            return Err(Error::invalid(
                "metadata",
                format!("keys that start with {SYSTEM_PREFIX} are reserved"),
            ));
        }
        match value {
            MetadataValue::DateTime(_) => {
                let rule = FieldName::MetadataDateTime + " is reserved for system keys";
                return Err(Error::invalid("metadata", rule));
            }
            MetadataValue::Number(number) if !number.is_finite() => {
                return Err(Error::invalid("metadata", FieldName::MetadataNumber + " must be finite"));
            }
            MetadataValue::String(_) | MetadataValue::StringList(_) | MetadataValue::Number(_) => {}
        }
    }
    Ok(())
}

/// The outcomes of the items of a batch. An error that concerns one item is stored as the outcome
/// of that item; an error of the store fails the whole batch.
pub(super) struct Outcomes(Vec<ItemOutcome>);

impl Outcomes {
    pub(super) fn with_capacity(items: usize) -> Self {
        Self(Vec::with_capacity(items))
    }

    pub(super) fn add(&mut self, id: RecordId, request: Option<String>, result: Result<()>) -> Result<()> {
        let result = match result {
            Ok(()) => Ok(()),
            Err(error) => match error.kind {
                ErrorKind::NotFound
                | ErrorKind::Conflict
                | ErrorKind::Invalid
                | ErrorKind::TooLarge
                | ErrorKind::Denied => Err((error.kind, error.message)),
                ErrorKind::Unauthenticated
                | ErrorKind::Throttled
                | ErrorKind::Unavailable
                | ErrorKind::Upstream
                | ErrorKind::Bug => return Err(error),
            },
        };
        self.0.push(ItemOutcome { id, request, result });
        Ok(())
    }

    pub(super) fn finish(self) -> BatchOutcome {
        BatchOutcome { items: self.0 }
    }
}

/// Schedules a job that embeds the passages of a record that have no vector.
pub fn ask_for_vectors(tx: &mut dyn Tx, memory: &MemoryId, id: &JobId, now: Timestamp) -> Result<()> {
    ask(tx, memory, id, JobKind::EMBED, "embed", now, now)
}

/// Schedules a job that erases the content of deleted records when it is due.
pub fn ask_for_purge(
    tx: &mut dyn Tx,
    memory: &loci_model::memory::Memory,
    id: &JobId,
    now: Timestamp,
) -> Result<()> {
    let wait_ms = i64::try_from(memory.settings.erase_after_ms).unwrap_or(i64::MAX);
    ask(tx, &memory.id, id, JobKind::PURGE, "purge", now.plus_millis(wait_ms), now)
}

fn ask(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    id: &JobId,
    kind: JobKind,
    key: &str,
    due: Timestamp,
    now: Timestamp,
) -> Result<()> {
    let job = NewJob {
        id: id.clone(),
        memory: memory.clone(),
        kind,
        unique_key: key.to_owned(),
        strategy: None,
        actor: None,
        session: None,
        due,
        due_rule: DueRule::Earlier,
    };
    tx.jobs_mut().enqueue(&job, now).map(drop)
}
