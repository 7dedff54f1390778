//! Learnings whose citations are pending because the repository could not be read when they were
//! stored.
//!
//! A mark in their metadata records this, until the repository has been read. Their own job retries
//! for a limited time, and so does the pass over the repository at each new tip of its default
//! branch.

use loci_engine::records::state_transition::StateTransition;
use loci_engine::strategies::learnings::KNOWLEDGE;
use loci_model::facts::repository::Repository;
use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, RecordPage, StoreExt, Tx};
use loci_model::record::Record;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::scope::RecordScope;
use loci_model::time::DAY_MS;
use loci_model::{Error, JobId, NamespaceFilter, NamespaceMatch, RecordId, Result, Timestamp};

use super::path_refs::{PATH_REFS, as_metadata};
use super::proposals;
use crate::Verified;
use crate::repositories::knowledge_namespace;
use crate::verifier::PathRef;

/// The metadata key and its value.
const CITATIONS_PENDING: &str = "citations_pending";
const TRUE: &str = "true";
/// The delay before the next attempt for a repository that has a place but cannot be read, in
/// milliseconds.
const AGAIN_MS: i64 = 3_600_000;
/// The number of days in which the job retries. After them only a new tip triggers an attempt.
const WAITS_DAYS: i64 = 30;
/// The number of records in one read.
const PAGE: usize = 100;
/// The author of record changes made here, in telemetry.
const BY: &str = "loci";

/// Marks a learning whose repository could not be read.
pub fn mark_pending(metadata: &mut Metadata) {
    metadata.insert(CITATIONS_PENDING.to_owned(), MetadataValue::String(TRUE.to_owned()));
}

/// Returns true if a record has the mark.
pub(super) fn is_pending(record: &Record) -> bool {
    matches!(record.metadata.get(CITATIONS_PENDING), Some(MetadataValue::String(word)) if word == TRUE)
}

/// Returns the time of the next attempt for a marked record whose repository cannot be read.
pub(super) fn again_at(record: &Record, repository: &Repository, now: Timestamp) -> Option<Timestamp> {
    let waits = now.millis() - record.created_at.millis() < WAITS_DAYS * DAY_MS;
    // Without a place there is nothing to read. Adding one leads to a new tip.
    (is_pending(record) && waits && !repository.places.is_empty()).then(|| now.plus_millis(AGAIN_MS))
}

/// Writes the next version of a marked record: without the mark, with the files that it names.
pub(super) fn settle(
    tx: &mut dyn Tx,
    memory: &Memory,
    record: &Record,
    named: &[PathRef],
    at: Timestamp,
) -> Result<()> {
    let full = || Error::conflict("the record has too many versions: create a new one");
    let mut next = record.clone();
    next.version = record.version.checked_add(1).ok_or_else(full)?;
    next.updated_at = at;
    next.metadata.remove(CITATIONS_PENDING);
    next.metadata.extend(as_metadata(named).map(|named| (PATH_REFS.to_owned(), named)));
    tx.records_mut().put_version(&next)?;
    let changing = StateTransition { memory, by: BY, at };
    changing.note(tx, &next, Some(record.state), next.state, "its repository could be read")
}

impl Verified {
    /// Enqueues the citation jobs of all marked learnings of a readable repository again.
    pub(crate) async fn ask_pending(&self, repository: &Repository) -> Result<()> {
        let mut after = None;
        loop {
            let (of, now, behind) = (repository.clone(), self.engine.now(), after.take());
            let marked = self.engine.store().read(move |tx| pending(tx, &of, behind.clone(), now)).await?;
            after =
                marked.last().filter(|_| marked.len() == PAGE).map(|last| (last.created_at, last.id.clone()));
            let fresh = |record: Record| {
                let id = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
                Ok((record, id))
            };
            let jobs = marked.into_iter().map(fresh).collect::<Result<Vec<_>>>()?;
            if !jobs.is_empty() {
                let ask = move |tx: &mut dyn Tx| {
                    jobs.iter().try_for_each(|(record, id)| proposals::ask_as(tx, record, id.clone(), now))
                };
                self.engine.store().write(ask).await?;
                self.engine.wake().call();
            }
            if after.is_none() {
                return Ok(());
            }
        }
    }
}

fn pending(
    tx: &dyn ReadTx,
    repository: &Repository,
    after: Option<(Timestamp, RecordId)>,
    now: Timestamp,
) -> Result<Vec<Record>> {
    let namespace = knowledge_namespace(repository)?;
    let scope = RecordScope {
        namespaces: vec![NamespaceFilter::new(&namespace, NamespaceMatch::Exact)],
        metadata: vec![MetadataFilter {
            key: CITATIONS_PENDING.to_owned(),
            operator: FilterOperator::EqualsTo,
            right: Some(MetadataValue::String(TRUE.to_owned())),
        }],
        ..RecordScope::whole(repository.memory.clone(), now)
    };
    tx.records().of_subtype(&RecordPage { scope, after, limit: PAGE }, KNOWLEDGE)
}
