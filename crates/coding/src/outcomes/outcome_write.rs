//! Writes the outcome of a task with its history, and updates the task's episode: its metadata hold
//! the grade for hydration and searches. Runs within the write of the report. An unchanged outcome
//! is not written.

use loci_engine::records::batch;
use loci_engine::records::state_transition::StateTransition;
use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::tasks::outcome::{FirstPush, GradeChange, GradedByHand, Outcome, OutcomeFacts, Polarity};
use loci_model::tasks::task::Task;
use loci_model::{JobId, Result, Timestamp};

use super::grades;
use crate::tasks::reports::episode_record::existing_episode;

/// The maximum length of the history of one task's grades.
const HISTORY_MAX: usize = 100;
/// The name of a grade change, in histories of episodes and in the log.
const EVENT: &str = "pr_outcome_recorded";
const OUTCOME: &str = "outcome";
const POLARITY: &str = "polarity";
const VALUE: &str = "outcome_value";

/// The author and the time of a record.
pub(super) struct Recording<'a> {
    pub(super) memory: &'a Memory,
    pub(super) by: &'a str,
    pub(super) at: Timestamp,
    /// The job that computes the vector of a new version of an episode.
    pub(super) job: &'a JobId,
}

/// The data to record.
pub(super) struct OutcomeInput<'a> {
    pub(super) facts: OutcomeFacts,
    pub(super) by_hand: Option<GradedByHand>,
    /// The word of the report, for the history.
    pub(super) why: &'a str,
}

impl Recording<'_> {
    /// Returns the outcome of a task, or a new one.
    pub(super) fn of(&self, tx: &dyn Tx, task: &Task) -> Result<Outcome> {
        let known = tx.ledger().noun::<Outcome>(&task.memory, task.id.as_str())?;
        Ok(known.unwrap_or_else(|| begun(task, self.at)))
    }

    /// Records a report on a task. Returns the outcome, and a flag that is true if its grade
    /// changed.
    pub(super) fn record(
        &self,
        tx: &mut dyn Tx,
        task: &Task,
        before: Outcome,
        heard: OutcomeInput<'_>,
    ) -> Result<(Outcome, bool)> {
        let mut outcome = Outcome { facts: heard.facts, by_hand: heard.by_hand, ..before.clone() };
        let set = outcome.by_hand.as_ref().map(|set| set.grade);
        let graded = grades::grade(&outcome.facts, set, task.status, self.at);
        (outcome.grade, outcome.value, outcome.polarity) = (graded.grade, graded.value, graded.polarity);
        let is_regraded = (outcome.grade, outcome.value) != (before.grade, before.value);
        if is_regraded {
            if outcome.history.len() >= HISTORY_MAX {
                outcome.history.remove(0);
            }
            outcome.history.push(GradeChange {
                grade: outcome.grade,
                value: outcome.value,
                why: heard.why.to_owned(),
                by: self.by.to_owned(),
                at: self.at,
            });
        }
        if outcome != before {
            outcome.updated_at = self.at;
            tx.ledger_mut().put_noun(&outcome)?;
        }
        if is_regraded {
            self.tell_episode(tx, task, &outcome)?;
        }
        Ok((outcome, is_regraded))
    }

    /// Updates the metadata of the task's episode, as a new version.
    fn tell_episode(&self, tx: &mut dyn Tx, task: &Task, outcome: &Outcome) -> Result<()> {
        let Some(old) = existing_episode(tx, &task.memory, task)? else { return Ok(()) };
        let mut record = old.clone();
        note(&mut record.metadata, outcome);
        let next = record.version.checked_add(1);
        let (false, Some(version)) = (record.metadata == old.metadata, next) else { return Ok(()) };
        (record.version, record.updated_at) = (version, self.at);
        tx.records_mut().put_version(&record)?;
        let grade = outcome.grade.map_or("open", |grade| grade.as_str());
        let changing = StateTransition { memory: self.memory, by: self.by, at: self.at };
        changing.note(tx, &record, Some(old.state), record.state, &format!("{EVENT}: {grade}"))?;
        batch::ask_for_vectors(tx, &task.memory, self.job, self.at)
    }
}

/// Returns an outcome without any report.
pub(super) fn begun(task: &Task, at: Timestamp) -> Outcome {
    Outcome {
        memory: task.memory.clone(),
        actor: task.actor.clone(),
        repository: task.repository.clone(),
        task: task.id.clone(),
        grade: None,
        value: 0.0,
        polarity: Polarity::Neutral,
        facts: OutcomeFacts { pr: task.pr.as_ref().map(|pr| pr.number), ..OutcomeFacts::default() },
        by_hand: None,
        history: Vec::new(),
        created_at: at,
        updated_at: at,
    }
}

/// Sets the metadata of an episode that describe the outcome of its task.
fn note(metadata: &mut Metadata, outcome: &Outcome) {
    for key in [OUTCOME, POLARITY, VALUE] {
        metadata.remove(key);
    }
    let Some(grade) = outcome.grade else { return };
    let text = |text: &str| MetadataValue::String(text.to_owned());
    metadata.insert(OUTCOME.to_owned(), text(grade.as_str()));
    metadata.insert(POLARITY.to_owned(), text(outcome.polarity.as_str()));
    metadata.insert(VALUE.to_owned(), MetadataValue::Number(outcome.value));
}

/// Sets these metadata on a rewritten episode, if its task has an outcome.
pub(crate) fn noted_on(tx: &dyn Tx, task: &Task, metadata: &mut Metadata) -> Result<()> {
    let known = tx.ledger().noun::<Outcome>(&task.memory, task.id.as_str())?;
    known.iter().for_each(|outcome| note(metadata, outcome));
    Ok(())
}

/// Writes the outcome of a task to the log.
pub(super) fn tell(outcome: &Outcome) {
    let (task_id, repo) = (outcome.task.as_str(), outcome.actor.as_str());
    let grade = outcome.grade.map_or("open", |grade| grade.as_str());
    let checks = match outcome.facts.ci_first_push {
        FirstPush::Pass => "pass",
        FirstPush::Fail => "fail",
        FirstPush::Unknown => "unknown",
    };
    tracing::info!(metric_type = EVENT, task_id, repo, outcome = grade, ci_first_push = checks, "outcome");
}
