//! The write of a reflection: one closure that checks its basis, then writes records, vectors,
//! notifications, and the end of the job. After a crash at any point, nothing is written twice.

use loci_model::job::{Job, JobState};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{PassageVector, StoreExt, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::{JobId, RecordId, Result, Timestamp};

use super::super::{JobAttemptEnd, deliverer, lease};
use super::draft::Draft;
use super::window::{Ground, ReflectionInput};
use crate::Engine;
use crate::records::batch;
use crate::records::state_transition::StateTransition;
use crate::settings::JobWebhook;

/// The author of these changes in the state history: the engine itself.
const BY: &str = "loci";

/// The input of the closure, made before it.
struct ReflectionWriteInput {
    job: Job,
    look: ReflectionInput,
    ground: Ground,
    drafts: Vec<Draft>,
    hooks: Vec<JobWebhook>,
    model: Option<String>,
    embed_job: JobId,
    now: Timestamp,
}

/// Writes the drafts and the job's end. Returns false if the basis changed and nothing was written.
pub(super) async fn write(
    engine: &Engine,
    job: &Job,
    look: &ReflectionInput,
    ground: &Ground,
    drafts: Vec<Draft>,
) -> Result<bool> {
    let now = engine.clock.now();
    let plan = ReflectionWriteInput {
        job: job.clone(),
        look: look.clone(),
        ground: ground.clone(),
        drafts,
        hooks: engine.job_news(&job.kind),
        model: engine.embedder.as_ref().map(|embedder| embedder.model_id().to_owned()),
        embed_job: JobId::parse(uuid7(engine.ids.as_ref(), now.millis()))?,
        now,
    };
    engine.store.write(move |tx| plan.write(tx)).await
}

/// Ends a job without a result: removes its window and questions.
pub async fn nothing(engine: &Engine, job: &Job) -> Result<JobAttemptEnd> {
    let (job, hooks, now) = (job.clone(), engine.job_news(&job.kind), engine.clock.now());
    engine.store.write(move |tx| end(tx, &hooks, &job, now)).await?;
    Ok(JobAttemptEnd::Noted)
}

/// Removes the window and the questions of a job: a restart opens a new window.
pub async fn close(engine: &Engine, job: &Job) -> Result<()> {
    let job = job.clone();
    engine.store.write(move |tx| clear(tx, &job)).await
}

fn clear(tx: &mut dyn Tx, job: &Job) -> Result<()> {
    if tx.jobs_mut().set_window(&job.memory, &job.id, lease::holder(job), None)? {
        tx.exchanges_mut().drop_of_job(&job.memory, &job.id)?;
    }
    Ok(())
}

fn end(tx: &mut dyn Tx, hooks: &[JobWebhook], job: &Job, now: Timestamp) -> Result<()> {
    clear(tx, job)?;
    if tx.jobs_mut().finish(&job.memory, &job.id, lease::holder(job), None, now)? {
        deliverer::job_ended(tx, hooks, job, JobState::Done, now)?;
    }
    Ok(())
}

impl ReflectionWriteInput {
    fn write(&self, tx: &mut dyn Tx) -> Result<bool> {
        if !self.holds(tx)? {
            return Ok(false);
        }
        let mut vectors = Vec::new();
        let mut written = 0;
        for draft in &self.drafts {
            match draft {
                Draft::Written(record, vector) => {
                    self.write_record(tx, record)?;
                    written += 1;
                    vectors.extend(self.vector(record, vector.as_ref()));
                }
                Draft::Expired(record, reason) => {
                    self.changing().set_state(tx, record, RecordState::Expired, reason)?;
                }
            }
        }
        if !vectors.is_empty() {
            tx.records_mut().put_vectors(&self.job.memory, &vectors)?;
        }
        if self.model.is_some() && vectors.len() < written {
            batch::ask_for_vectors(tx, &self.job.memory, &self.embed_job, self.now)?;
        }
        end(tx, &self.hooks, &self.job, self.now)?;
        Ok(true)
    }

    /// Returns true if this process holds the job and its strategy and records are unchanged.
    fn holds(&self, tx: &mut dyn Tx) -> Result<bool> {
        let (memory, strategy) = (&self.job.memory, &self.look.strategy);
        let held = tx.jobs().get(memory, &self.job.id)?;
        if held.is_none_or(|job| job.lease_host != self.job.lease_host) {
            return Ok(false);
        }
        let current = tx.memories().get(memory)?;
        if current.as_ref().and_then(|memory| memory.strategy(&strategy.id)) != Some(strategy) {
            return Ok(false);
        }
        let rests_on: Vec<RecordId> = self
            .ground
            .standing
            .iter()
            .filter_map(|at| self.look.episodes.get(*at))
            .map(|episode| episode.id.clone())
            .collect();
        let there = tx.records().get_many(memory, &rests_on)?;
        if there.iter().filter(|record| record.state == RecordState::Active).count() < rests_on.len() {
            return Ok(false);
        }
        let place = super::ReflectionParameters::of(&self.job)?;
        let sequence = tx.records().group_sequence(memory, Some(&strategy.id), &place.namespace)?;
        Ok(sequence == self.ground.sequence)
    }

    fn write_record(&self, tx: &mut dyn Tx, record: &Record) -> Result<()> {
        if record.version > 1 {
            tx.records_mut().put_version(record)?;
            return self.changing().note(
                tx,
                record,
                Some(RecordState::Active),
                record.state,
                "counted again",
            );
        }
        tx.records_mut().insert(record)?;
        self.changing().note(tx, record, None, record.state, "several episodes bear it out")
    }

    fn vector(&self, record: &Record, vector: Option<&Vec<f32>>) -> Option<PassageVector> {
        Some(PassageVector {
            record: record.id.clone(),
            version: record.version,
            part: 0,
            model: self.model.clone()?,
            vector: vector?.clone(),
        })
    }

    fn changing(&self) -> StateTransition<'_> {
        StateTransition { memory: &self.look.memory, by: BY, at: self.now }
    }
}
