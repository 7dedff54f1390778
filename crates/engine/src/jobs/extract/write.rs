//! The write of a round: one closure that checks the basis of its plan, then writes records
//! (`join.rs`), vectors and progress. If the basis changed, it writes nothing.

use std::sync::Arc;

use loci_model::job::JobMessage;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{PassageVector, ReadTx, StoreExt, Tx};
use loci_model::ports::vault::Vault;
use loci_model::record::{Record, RecordState};
use loci_model::{JobId, MemoryId, RecordId, Result, Timestamp};

use super::ExtractionScope;
use super::draft::Draft;
use super::round::Round;
use crate::Engine;
use crate::events::scheduling::extracting;
use crate::hooks::write_context;
use crate::records::batch;

/// The reason in the state history of a record that rules made and that a model's record
/// replaces.
const REPLACED: &str = "the model's reading took the place of the deterministic one";

/// The reason in the state history of a record that is active again, because the record that
/// superseded it was replaced.
const GIVEN_BACK: &str = "what took its place gave way to the model's reading";

/// Returns the records that these others superseded.
pub(super) fn covered_by(tx: &dyn ReadTx, memory: &MemoryId, others: &[Record]) -> Result<Vec<Record>> {
    let mut covered = Vec::new();
    for other in others {
        let found = tx.records().get_many(memory, &other.supersedes)?;
        covered.extend(found.into_iter().filter(|record| {
            record.state == RecordState::Superseded && record.superseded_by.as_ref() == Some(&other.id)
        }));
    }
    Ok(covered)
}

/// The data that a round stores on its job, if a model extracted it or should have.
#[derive(Debug, Clone, Default)]
pub(super) struct JobRemainder {
    /// True if the job has a window, questions or messages to update.
    pub(super) tidies: bool,
    /// The messages that a model must still extract again.
    pub(super) owed: Vec<JobMessage>,
    /// The records that rules made and that later records of a model replace.
    pub(super) replaces: Vec<RecordId>,
}

/// The input of the closure, made before it.
pub(super) struct RoundWriteInput {
    pub(super) round: Round,
    drafts: Vec<Draft>,
    pub(super) leaving: JobRemainder,
    model: Option<String>,
    embed_job: JobId,
    /// The vault, which identifies messages whose records were deleted.
    pub(super) vault: Arc<dyn Vault>,
    pub(super) now: Timestamp,
}

/// Writes a round. Returns false if its basis changed and nothing was written.
pub(super) async fn write(
    engine: &Engine,
    round: Round,
    drafts: Vec<Draft>,
    leaving: JobRemainder,
) -> Result<bool> {
    let now = engine.clock.now();
    let model = engine.embedder.as_ref().map(|embedder| embedder.model_id().to_owned());
    let embed_job = JobId::parse(uuid7(engine.ids.as_ref(), now.millis()))?;
    let watch = engine.watch("upsert_memory", Some(&round.memory.id));
    let vault = engine.vault.clone();
    let plan = RoundWriteInput { round, drafts, leaving, model, embed_job, vault, now };
    let written = engine.store.write(move |tx| plan.write(tx)).await;
    // A round without new records is not reported as an operation.
    if let Some(watch) = watch.filter(|_| !matches!(written, Ok(None | Some(0)))) {
        watch.tell_records(&written, |written| written.unwrap_or(0));
    }
    Ok(written?.is_some())
}

impl RoundWriteInput {
    /// Returns the number of records written; `None` if the basis changed.
    fn write(&self, tx: &mut dyn Tx) -> Result<Option<usize>> {
        if !self.holds(tx)? {
            return Ok(None);
        }
        self.give_way(tx)?;
        let mut written = Vec::new();
        for draft in &self.drafts {
            if let Some(group) = self.round.groups.get(draft.group)
                && self.write_draft(tx, group, draft)?
            {
                write_context::products()?.record_extracted(tx, &draft.record, self.now)?;
                written.push(draft);
            }
        }
        self.write_vectors(tx, &written)?;
        self.tidy(tx)?;
        self.write_progress(tx)?;
        Ok(Some(written.len()))
    }

    /// Replaces the records of the deterministic extraction before the model's records are written,
    /// because both may have the same content. Records that they superseded become active again,
    /// unless the model's records supersede them.
    fn give_way(&self, tx: &mut dyn Tx) -> Result<()> {
        let memory = &self.round.memory;
        // A session's own record is continued, not replaced.
        let continued = |id: &RecordId| self.drafts.iter().any(|draft| draft.record.id == *id);
        let replaces: Vec<RecordId> =
            self.leaving.replaces.iter().filter(|id| !continued(id)).cloned().collect();
        for old in tx.records().get_many(&memory.id, &replaces)? {
            for covered in covered_by(tx, &memory.id, std::slice::from_ref(&old))? {
                if self.changing().restore(tx, &covered, GIVEN_BACK)? {
                    batch::ask_for_vectors(tx, &memory.id, &self.embed_job, self.now)?;
                }
            }
            if old.state == RecordState::Active {
                self.changing().set_state(tx, &old, RecordState::Superseded, REPLACED)?;
            }
        }
        Ok(())
    }

    /// Removes the window and its questions, which contain user text, after the window was read.
    fn tidy(&self, tx: &mut dyn Tx) -> Result<()> {
        if !self.leaving.tidies {
            return Ok(());
        }
        let ExtractionScope { job, holder, .. } = &self.round.place;
        let memory = &self.round.memory.id;
        tx.exchanges_mut().drop_of_job(memory, job)?;
        tx.jobs_mut().set_window(memory, job, holder, None)?;
        tx.jobs_mut().set_messages(memory, job, holder, &self.leaving.owed)?;
        Ok(())
    }

    /// Returns true if progress and neighbours are unchanged, this job still has its lease, and
    /// memory and strategy still exist. Forgetting an actor cancels the jobs that contain the
    /// actor's text.
    fn holds(&self, tx: &mut dyn Tx) -> Result<bool> {
        let Round { place, memory, strategy, .. } = &self.round;
        let Some(job) = tx.jobs().get(&memory.id, &place.job)? else { return Ok(false) };
        // A host that lost the job leaves it to its new holder.
        if job.lease_host.as_ref() != Some(&place.holder) {
            return Ok(false);
        }
        let current = tx.memories().get(&memory.id)?;
        if current.and_then(|memory| memory.strategy(&strategy.id).cloned()).as_ref() != Some(strategy) {
            return Ok(false);
        }
        let progress = tx.events().progress(&memory.id, &strategy.id, &place.actor, &place.session)?;
        if progress != self.round.progress {
            return Ok(false);
        }
        for group in &self.round.groups {
            let sequence = tx.records().group_sequence(&memory.id, Some(&strategy.id), &group.namespace)?;
            if sequence != group.sequence {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes the vectors of the records; a job embeds missing ones.
    fn write_vectors(&self, tx: &mut dyn Tx, written: &[&Draft]) -> Result<()> {
        let Some(model) = &self.model else { return Ok(()) };
        let vectors: Vec<PassageVector> = written
            .iter()
            .filter_map(|draft| {
                Some(PassageVector {
                    record: draft.record.id.clone(),
                    version: draft.record.version,
                    part: 0,
                    model: model.clone(),
                    vector: draft.vector.clone()?,
                })
            })
            .collect();
        if !vectors.is_empty() {
            tx.records_mut().put_vectors(&self.round.memory.id, &vectors)?;
        }
        if vectors.len() < written.len() {
            batch::ask_for_vectors(tx, &self.round.memory.id, &self.embed_job, self.now)?;
        }
        Ok(())
    }

    /// Updates the progress of the session. Data kept only for extraction is removed when all
    /// strategies have read it and no job will read it again.
    fn write_progress(&self, tx: &mut dyn Tx) -> Result<()> {
        let Round { place, memory, strategy, reached, progress, has_hidden, .. } = &self.round;
        if reached > progress {
            tx.events_mut().set_progress(&memory.id, &strategy.id, &place.actor, &place.session, *reached)?;
        }
        if *has_hidden {
            let all: Vec<_> = extracting(memory).map(|strategy| strategy.id.clone()).collect();
            tx.events_mut().drop_ingested(&memory.id, &place.actor, &place.session, &all)?;
        }
        Ok(())
    }
}
