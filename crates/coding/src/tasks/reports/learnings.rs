//! `task_learnings`: learnings that are said apart from a report, stored at once on the way that all learnings go. No episode comes of
//! them: that is for the report, or for whoever ends the task.

use loci_engine::access;
use loci_engine::calls::standing::Standing;
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::records::changing::Changing;
use loci_engine::records::writing::Building;
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
use crate::learnings::learning_write::{LearnedKind, Learner};
use crate::tasks::log_fields::Call;
use crate::tasks::task_namespaces;

/// What became of learnings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LearningsTaken {
    /// The learnings, in the order of the text; none where it says that nothing was learned.
    pub learned: Vec<Learned>,
    /// What could not be looked at.
    pub warnings: Vec<String>,
}

/// What is to be learned.
pub(crate) struct Lessons {
    pub(crate) learnings: Vec<Learning>,
    /// What their records say beside the usual, by their order; none: nothing.
    pub(crate) marks: Vec<Metadata>,
    /// When it was seen to be so; `None`: now.
    pub(crate) observed_at: Option<Timestamp>,
}

impl Coding {
    /// Stores what a text says was learned about the repository, a paragraph or list item each.
    ///
    /// # Errors
    /// `NotFound`; `Denied`.
    pub async fn task_learnings(
        &self,
        caller: &Principal,
        standing: &Standing,
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
        standing: &Standing,
        id: &TaskId,
        learnings: Vec<Learning>,
        observed_at: Option<Timestamp>,
    ) -> Result<LearningsTaken> {
        let said = Lessons { learnings, marks: Vec::new(), observed_at };
        let (taken, ()) = self.learn_and(caller, standing, id, said, |_, _, _| Ok(())).await?;
        Ok(taken)
    }

    /// The same, and what else is to be written with them, or not at all.
    pub(crate) async fn learn_and<T: Send + 'static>(
        &self,
        caller: &Principal,
        standing: &Standing,
        id: &TaskId,
        said: Lessons,
        mut also: impl FnMut(&mut dyn Tx, &Changing<'_>, &[Learned]) -> Result<T> + Send + 'static,
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
                let learner = Learner {
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
                let also = also(tx, &Changing { memory: &memory, by, at: now }, &learned)?;
                Ok((learned, found, also))
            })
            .await?;
        found.tell(self.engine.observe().as_ref());
        self.engine.wake().call();
        Ok((LearningsTaken { learned, warnings }, also))
    }
}

/// Counts what a task added, and asks for vectors of it.
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
