//! The verbs `task_outcome` and `task_outcome_set`: the outcome of a task, which a client may also
//! set by hand, such as for another forge. A grade set by hand counts until the forge reports a new
//! state.

use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::safety::kept;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::outcome::{FirstPush, GradedByHand, Outcome, OutcomeFacts, OutcomeGrade};
use loci_model::tasks::task::Task;
use loci_model::{Error, JobId, Result, TaskId, Timestamp, limits};

use super::outcome_write::{OutcomeInput, Recording, begun, tell};
use super::{grades, revert_state};
use crate::Coding;
use crate::tasks::log_fields::Call;
use crate::tasks::{field_checks, task_namespaces};

/// An outcome that a caller sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeByHand {
    /// The grade of the task's outcome.
    pub grade: OutcomeGrade,
    /// The time at which the task's pull request was merged.
    pub merged_at: Option<Timestamp>,
    /// The number of revision rounds of the task's pull request.
    pub revision_count: Option<u32>,
    /// The result of the first checks.
    pub ci_first_push: Option<FirstPush>,
    /// The source of the grade, 1 to 64 characters.
    pub source: Option<String>,
}

/// The result of setting an outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeSet {
    /// The outcome.
    pub outcome: Outcome,
    /// True if this call changed the grade.
    pub is_regraded: bool,
}

/// The default source of a grade.
const BY_HAND: &str = "manual";
/// The maximum number of rounds. A higher number is rejected.
const ROUNDS_MAX: u32 = 1_000;

impl OutcomeByHand {
    fn check(&self) -> Result<()> {
        field_checks::name("source", self.source.as_ref())?;
        if self
            .source
            .as_ref()
            .is_some_and(|source| source.chars().count() > limits::OUTCOME_SOURCE_CHARS_MAX)
        {
            return Err(Error::invalid("source", "source must have at most 64 characters"));
        }
        if self.revision_count.is_some_and(|rounds| rounds > ROUNDS_MAX) {
            return Err(Error::invalid("revision_count", "revision_count must be at most 1000"));
        }
        Ok(())
    }

    fn onto(&self, mut facts: OutcomeFacts) -> OutcomeFacts {
        facts.merged_at = self.merged_at.or(facts.merged_at);
        facts.revision_count = self.revision_count.unwrap_or(facts.revision_count);
        facts.ci_first_push = self.ci_first_push.unwrap_or(facts.ci_first_push);
        revert_state::settle(&mut facts);
        facts
    }
}

impl Coding {
    /// Returns the outcome of a task. `None` if it is undecided and no report exists.
    ///
    /// # Errors
    /// `NotFound`; `Denied`.
    pub async fn task_outcome(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
    ) -> Result<Option<Outcome>> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let caller = self.acting(caller, &memory, id).await?;
        let (id, now) = (id.clone(), self.engine.now());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let task =
                    task_namespaces::visible(&caller, &id, tx.tasks().get(&memory, &id)?, Capability::Read)?;
                outcome_of(tx, &task, now)
            })
            .await
    }

    /// Returns the outcomes of tasks that the caller was shown.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn outcomes_of(&self, tasks: &[Task]) -> Result<Vec<Option<Outcome>>> {
        let (tasks, now) = (tasks.to_vec(), self.engine.now());
        self.engine.store().read(move |tx| tasks.iter().map(|task| outcome_of(tx, task, now)).collect()).await
    }

    /// Sets the outcome of a task. The answer to a caller who may not read the task has only the
    /// facts that this call set, and the grade by them alone.
    ///
    /// # Errors
    /// `Invalid`; `NotFound`; `Denied` if the caller may not write all data of the task's actor,
    /// such as the task's own agent.
    pub async fn task_outcome_set(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        said: OutcomeByHand,
    ) -> Result<OutcomeSet> {
        Call::write("task_outcome_set", Some(id))
            .told(async {
                said.check()?;
                let memory = self.verified.code_memory(caller, standing).await?;
                self.known_task(&memory, id).await?;
                let now = self.engine.now();
                let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
                let (caller, id) = (caller.clone(), id.clone());
                let (outcome, set) = self
                    .engine
                    .store()
                    .write(move |tx| {
                        let memory = existing(tx, &memory)?;
                        let task = tx.tasks().get(&memory.id, &id)?;
                        let task = task_namespaces::visible(&caller, &id, task, Capability::Write)?;
                        task_namespaces::require_all(&caller, &memory.id, &task.actor, Capability::Write)?;
                        let recording = Recording { memory: &memory, by: &caller.name, at: now, job: &job };
                        let before = recording.of(tx, &task)?;
                        let source = said.source.clone().map_or_else(|| BY_HAND.to_owned(), kept);
                        let by_hand =
                            GradedByHand { grade: said.grade, source, by: caller.name.clone(), at: now };
                        let facts = said.onto(before.facts.clone());
                        let heard = OutcomeInput { facts, by_hand: Some(by_hand), why: "set by hand" };
                        let (outcome, is_regraded) = recording.record(tx, &task, before, heard)?;
                        let shown = as_set(&caller, &task, &said, outcome.clone());
                        Ok((outcome, OutcomeSet { outcome: shown, is_regraded }))
                    })
                    .await?;
                if set.is_regraded {
                    tell(&outcome);
                    self.engine.wake().call();
                }
                Ok(set)
            })
            .await
    }
}

/// Returns an outcome for the answer to the call that set it. For a caller who may not read the
/// task, it omits the facts of others.
fn as_set(caller: &Principal, task: &Task, said: &OutcomeByHand, outcome: Outcome) -> Outcome {
    if task_namespaces::may(caller, task, Capability::Read) {
        return outcome;
    }
    let (facts, at) = (said.onto(OutcomeFacts::default()), outcome.updated_at);
    let graded = grades::grade(&facts, Some(said.grade), task.status, at);
    Outcome {
        grade: graded.grade,
        value: graded.value,
        polarity: graded.polarity,
        facts,
        history: Vec::new(),
        created_at: at,
        ..outcome
    }
}

/// Returns the outcome of a task: the reported one, else one derived from the status of the task.
/// `None` if both are unknown.
pub(crate) fn outcome_of(tx: &dyn ReadTx, task: &Task, now: Timestamp) -> Result<Option<Outcome>> {
    let known = tx.ledger().noun::<Outcome>(&task.memory, task.id.as_str())?;
    if known.is_some() {
        return Ok(known);
    }
    let begun = begun(task, task.completed_at.unwrap_or(task.updated_at));
    let graded = grades::grade(&begun.facts, None, task.status, now);
    let ended = Outcome { grade: graded.grade, value: graded.value, polarity: graded.polarity, ..begun };
    Ok(ended.grade.is_some().then_some(ended))
}
