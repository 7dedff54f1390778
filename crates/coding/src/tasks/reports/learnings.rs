//! The verb `task_learnings`: learnings outside of a report, stored at once like all learnings. It
//! writes no episode; a report or the end of the task does.

use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::records::record_builder::Building;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::{SafetyPolicy, Tally};
use loci_engine::strategies::learnings::{self, Learning};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::metadata::Metadata;
use loci_model::tasks::task::Task;
use loci_model::{JobId, RecordId, Result, TaskId, Timestamp, limits};

use super::completion::Learned;
use crate::Coding;
use crate::learnings::learning_write::{LearnedKind, LearningWriter};
use crate::tasks::log_fields::Call;
use crate::tasks::task_namespaces;

/// The result of storing learnings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LearningsTaken {
    /// The learnings, in the order of the text; empty if the text states that there are none.
    pub learned: Vec<Learned>,
    /// Warnings about checks that could not run.
    pub warnings: Vec<String>,
}

/// The learnings to store.
pub(crate) struct NewLearnings {
    pub(crate) learnings: Vec<Learning>,
    /// Metadata that adds to or overrides the metadata of their records, by position; empty: none.
    pub(crate) marks: Vec<Metadata>,
    /// The time of their observation; `None`: now.
    pub(crate) observed_at: Option<Timestamp>,
}

impl Coding {
    /// Stores the learnings in a text about the repository: one for each paragraph or list item.
    ///
    /// # Errors
    /// `NotFound`; `Denied`.
    pub async fn task_learnings(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        text: &str,
    ) -> Result<LearningsTaken> {
        Call::write("task_learnings", Some(id))
            .told(async { self.learn(caller, standing, id, learnings::parse(text), None).await })
            .await
    }

    /// Stores learnings of a task, in one write.
    pub(super) async fn learn(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        learnings: Vec<Learning>,
        observed_at: Option<Timestamp>,
    ) -> Result<LearningsTaken> {
        let said = NewLearnings { learnings, marks: Vec::new(), observed_at };
        let (taken, ()) = self.learn_and(caller, standing, id, said, |_, _, _| Ok(())).await?;
        Ok(taken)
    }

    /// Stores learnings of a task together with further data, in one write.
    pub(crate) async fn learn_and<T: Send + 'static>(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        said: NewLearnings,
        mut also: impl FnMut(&mut dyn Tx, &StateTransition<'_>, &[Learned]) -> Result<T> + Send + 'static,
    ) -> Result<(LearningsTaken, T)> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let caller = &self.acting(caller, &memory, id).await?;
        let view = access::record_view(caller, &memory, Capability::Write)?;
        let (task, commit) = self.task_at(caller, &memory, id).await?;
        let read = self.read_docs(&task, commit.as_deref()).await?;
        let warnings = read.warnings.clone();
        let around = self.around_learnings(&task, &said.learnings).await?;
        let now = self.engine.now();
        let observed_at = said.observed_at.map_or(now, |at| at.min(now));
        let fresh = || RecordId::compose(&uuid7(self.engine.ids().as_ref(), now.millis()));
        let most = said.learnings.len().min(limits::LEARNINGS_PER_REPORT_MAX);
        let ids = (0..most).map(|_| fresh()).collect::<Result<Vec<_>>>()?;
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let (caller, id, settings) = (caller.clone(), id.clone(), self.engine.settings().clone());
        let (learned, found, also) = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let task = tx.tasks().get(&memory.id, &id)?;
                let task = task_namespaces::visible(&caller, &id, task, Capability::Write)?;
                let policy = SafetyPolicy::of(&settings, &memory.settings);
                let by = caller.name.as_str();
                let building = Building { memory: &memory, view: &view, policy, expiry: None, by, now };
                let learner = LearningWriter {
                    building: &building,
                    task: &task,
                    read: &read,
                    commit: commit.as_deref(),
                    prompt: None,
                    sources: &[],
                    kind: LearnedKind::Knowledge,
                    around: &around,
                    observed_at,
                    marks: &said.marks,
                };
                let mut found = Tally::default();
                let learned = learner.write_all(tx, &said.learnings, &ids, &mut found)?;
                count(tx, &task, &learned, (&job, now))?;
                let also = also(tx, &StateTransition { memory: &memory, by, at: now }, &learned)?;
                Ok((learned, found, also))
            })
            .await?;
        found.tell(self.engine.observe().as_ref());
        self.engine.wake().call();
        Ok((LearningsTaken { learned, warnings }, also))
    }
}

/// Counts the learnings that a task added, and requests their vectors.
fn count(tx: &mut dyn Tx, task: &Task, learned: &[Learned], (job, now): (&JobId, Timestamp)) -> Result<()> {
    let added = learned.iter().filter(|one| one.action.is_added()).count();
    if added == 0 {
        return Ok(());
    }
    let mut task = task.clone();
    task.written.learnings = task.written.learnings.saturating_add(u32::try_from(added).unwrap_or(u32::MAX));
    task.updated_at = now;
    tx.tasks_mut().put(&task)?;
    batch::ask_for_vectors(tx, &task.memory, job, now)
}
