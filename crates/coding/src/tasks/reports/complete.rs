//! The verb `task_complete`: stores an agent's report at the end of a task as the task's episode,
//! learnings and self-feedback, in one write. Repeating a report returns the same answer; a
//! different report writes the next version of the episode.

use std::sync::Arc;

use loci_engine::access::{self, View};
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::idempotency::{ClientToken, Replay, look_up, recall, remember, replayed};
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::records::record_builder::Building;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::{SafetyPolicy, Tally, kept, secrets};
use loci_engine::strategies::learnings::{self, Learning};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::ports::vault::Vault;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task::Task;
use loci_model::{Error, JobId, RecordId, Result, TaskId, Timestamp, limits};

use super::completion::{Completion, CompletionRecords};
use super::episode_record::put_episode;
use super::episode_text::TaskEpisode;
use crate::Coding;
use crate::code_graph::co_change::task_files;
use crate::commits::task_commits;
use crate::learnings::consolidation::SimilarRecords;
use crate::learnings::learning_write::{LearnedKind, LearningWriter};
use crate::repositories::docs_at_commit::RepositoryDocsData;
use crate::tasks::exposures::feedback::{self, NewFeedback};
use crate::tasks::log_fields::Call;
use crate::tasks::patch::{meet, move_on};
use crate::tasks::{field_checks, name_secrets, task_namespaces};
use crate::{reflection, rules};

const OPERATION: &str = "TaskComplete";

/// The data that one report writes.
struct ReportWrite {
    said: Completion,
    /// Parts of the report that were not accepted.
    left_out: Vec<String>,
    learnings: Vec<Learning>,
    self_feedback: Vec<Learning>,
    /// The current commit of the task.
    commit: Option<String>,
    /// Ids that were generated before the write.
    ids: Ids,
}

/// The data that was read before the write.
struct CompletionContext<'a> {
    /// The documents and files of the repository.
    read: &'a RepositoryDocsData,
    /// Records that are similar to the learnings.
    around: &'a SimilarRecords,
}

struct Ids {
    episode: RecordId,
    learnings: Vec<RecordId>,
    self_feedback: Vec<RecordId>,
    job: JobId,
    /// The job that reflects on several tasks, if one is due.
    reflection: JobId,
}

impl Coding {
    /// Stores an agent's report.
    ///
    /// # Errors
    /// `Invalid` by the rules of the report's members; `TooLarge`; `NotFound`; `Denied`.
    pub async fn task_complete(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        said: Completion,
        token: Option<ClientToken>,
    ) -> Result<CompletionRecords> {
        Call::write("task_complete", Some(id))
            .told(async {
                said.check()?;
                let memory = self.verified.code_memory(caller, standing).await?;
                let caller = &self.acting(caller, &memory, id).await?;
                let view = access::record_view(caller, &memory, Capability::Write)?;
                // A caller with write access only receives no stored content.
                let reads = access::record_view(caller, &memory, Capability::Read).ok();
                let (task, known) = self.task_at(caller, &memory, id).await?;
                let natural = natural_token(id, &said)?.of(caller, &memory)?;
                let token = token.map(|token| token.of(caller, &memory)).transpose()?;
                let work = self.work_of(said, known)?;
                let read = if work.learnings.is_empty() {
                    RepositoryDocsData::default()
                } else {
                    self.read_docs(&task, work.commit.as_deref()).await?
                };
                let around = self.around_learnings(&task, &work.learnings).await?;
                let (caller, id, now, settings) =
                    (caller.clone(), id.clone(), self.engine.now(), self.engine.settings().clone());
                let (own, vault) = (Arc::clone(&self.parts.settings), self.engine.vault().clone());
                let (completed, found) = self
                    .engine
                    .store()
                    .write(move |tx| {
                        let memory = existing(tx, &memory)?;
                        let place = Some(&memory.id);
                        let task = tx.tasks().get(&memory.id, &id)?;
                        let mut task = task_namespaces::visible(&caller, &id, task, Capability::Write)?;
                        let tokens = [token.as_ref(), Some(&natural)];
                        if let Some(first) = answered(tx, vault.as_ref(), tokens, &task, &work, now)? {
                            return Ok((first, Tally::default()));
                        }
                        let policy = SafetyPolicy::of(&settings, &memory.settings);
                        let by = caller.name.as_str();
                        let building =
                            Building { memory: &memory, view: &view, policy, expiry: None, by, now };
                        let (mut found, had_ended) = (Tally::default(), task.status.is_terminal());
                        let reads = reads.as_ref();
                        let before = task.clone();
                        let known = CompletionContext { read: &read, around: &around };
                        let completed = write(tx, &building, reads, &mut task, &work, &known, &mut found)?;
                        let changing = StateTransition { memory: &memory, by, at: now };
                        rules::told(tx, &changing, &own, (&before, &task))?;
                        batch::ask_for_vectors(tx, &memory.id, &work.ids.job, now)?;
                        if !had_ended && task.status.is_terminal() {
                            reflection::finished(tx, &memory, &task, &work.ids.reflection, now)?;
                        }
                        let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                        let kept = topicless(&completed);
                        for token in tokens {
                            remember(tx, token, place, OPERATION, &kept, expires)?;
                        }
                        Ok((completed, found))
                    })
                    .await?;
                found.tell(self.engine.observe().as_ref());
                self.engine.wake().call();
                Ok(completed)
            })
            .await
    }

    /// Returns the work of a report. `known` is the task's commit if the report names none.
    fn work_of(&self, said: Completion, known: Option<String>) -> Result<ReportWrite> {
        let (said, left_out) = said.valid();
        let commit = commit(&said).or(known);
        let [job, reflection] = self.two_jobs(self.engine.now())?;
        let now = self.engine.now().millis();
        let fresh = || RecordId::compose(&uuid7(self.engine.ids().as_ref(), now));
        let learnings = learnings::parse(said.learnings_text.as_deref().unwrap_or_default());
        let self_feedback = learnings::parse(said.self_feedback_text.as_deref().unwrap_or_default());
        let some = |count: usize| {
            (0..count.min(limits::LEARNINGS_PER_REPORT_MAX)).map(|_| fresh()).collect::<Result<Vec<_>>>()
        };
        let ids = Ids {
            episode: fresh()?,
            learnings: some(learnings.len())?,
            self_feedback: some(self_feedback.len())?,
            job,
            reflection,
        };
        Ok(ReportWrite { said, left_out, learnings, self_feedback, commit, ids })
    }
}

/// Returns the token of a report without one: the task and the content.
fn natural_token(id: &TaskId, said: &Completion) -> Result<ClientToken> {
    let value = serde_json::to_value(said)
        .map_err(|error| Error::bug("a report that cannot be written down").caused_by(error))?;
    ClientToken::new(format!("task:{id}"), &value)
}

/// Returns the answer to the same report before, by the client's token or by the report's own. The
/// answer is ignored if it belongs to an erased task whose id was created again, because the
/// present task does not have that episode.
fn answered(
    tx: &mut dyn Tx,
    vault: &dyn Vault,
    [of_client, natural]: [Option<&ClientToken>; 2],
    task: &Task,
    work: &ReportWrite,
    now: Timestamp,
) -> Result<Option<CompletionRecords>> {
    let place = Some(&task.memory);
    let first = match replayed(look_up(tx, vault, of_client, place, OPERATION, now)?)? {
        Some(first) => Some(first),
        None => match recall(tx, natural, place, OPERATION, now)? {
            Replay::Same(first) => Some(first),
            Replay::Fresh | Replay::Other(_) => None,
        },
    };
    let first =
        first.filter(|first: &CompletionRecords| task.written.episode.as_ref() == Some(&first.episode));
    Ok(first.map(|mut first| {
        let said = |learned: &mut [crate::Learned], said: &[Learning]| {
            learned.iter_mut().zip(said).for_each(|(one, said)| one.topic = said.topic.clone().map(kept));
        };
        said(&mut first.learnings, &work.learnings);
        said(&mut first.self_feedback, &work.self_feedback);
        first
    }))
}

/// Returns an answer without words of the report, which the report repeats: a stored answer
/// outlives an erasure.
fn topicless(answer: &CompletionRecords) -> CompletionRecords {
    let mut kept = answer.clone();
    for one in kept.learnings.iter_mut().chain(&mut kept.self_feedback) {
        one.topic = None;
    }
    kept
}

/// Returns the commit at which the agent learned, if its report names one.
fn commit(said: &Completion) -> Option<String> {
    let head = said.pr.as_ref().and_then(|pr| pr.head_sha.clone());
    head.or_else(|| said.commits.last().cloned())
}

fn write(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    reads: Option<&View>,
    task: &mut Task,
    work: &ReportWrite,
    known: &CompletionContext<'_>,
    found: &mut Tally,
) -> Result<CompletionRecords> {
    let CompletionContext { read, around } = *known;
    let mut warnings = read.warnings.clone();
    warnings.extend(work.left_out.iter().cloned());
    warnings.extend(note(task, building, &work.said)?);
    if let Some(reads) = reads {
        let changing = StateTransition { memory: building.memory, by: building.by, at: building.now };
        let said = NewFeedback::of_report(&work.said);
        warnings.extend(feedback::take(tx, &changing, reads, task, &said)?.warnings);
    }
    let versions = &work.said.extraction_prompts;
    let masked = |version: &String| secrets::redact(version.clone(), building.policy.secrets).0;
    let [of_learnings, of_feedback] =
        ["learnings", "self_feedback"].map(|name| versions.get(name).map(masked));
    warnings.extend(task_commits::told(tx, task, &work.said.commits, building.now)?);
    task_files::note(tx, task, &work.said.files_changed, &work.said.commits, building.now)?;
    let learner = |kind, prompt| LearningWriter {
        building,
        task,
        read,
        commit: work.commit.as_deref(),
        prompt,
        sources: &[],
        kind,
        around,
        observed_at: work.said.observed_at.map_or(building.now, |at| at.min(building.now)),
        marks: &[],
    };
    let learnings = learner(LearnedKind::Knowledge, of_learnings.as_deref()).write_all(
        tx,
        &work.learnings,
        &work.ids.learnings,
        found,
    )?;
    let self_feedback = learner(LearnedKind::SelfFeedback, of_feedback.as_deref()).write_all(
        tx,
        &work.self_feedback,
        &work.ids.self_feedback,
        found,
    )?;
    let degraded = !read.warnings.is_empty();
    let mut left =
        CompletionRecords { episode: work.ids.episode.clone(), learnings, self_feedback, degraded, warnings };
    let told = TaskEpisode::of_agent(task, &work.said, &left, building.policy.secrets);
    left.episode = put_episode(tx, building, task, &told, &work.ids.episode, found)?;
    let added = |learned: &[crate::Learned]| {
        let count = learned.iter().filter(|one| one.action.is_added()).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    task.written.learnings = task.written.learnings.saturating_add(added(&left.learnings));
    task.written.self_feedback = task.written.self_feedback.saturating_add(added(&left.self_feedback));
    task.updated_at = building.now;
    tx.tasks_mut().put(task)?;
    Ok(left)
}

/// Stores the report's data on the task. Data that cannot be stored is a warning, so that the
/// report is stored in any case.
fn note(task: &mut Task, building: &Building<'_>, said: &Completion) -> Result<Option<String>> {
    if let Some(pr) = &said.pr {
        meet(task, pr.clone());
    }
    task.branch = said.branch.clone().or_else(|| task.branch.take());
    task.cost_usd = field_checks::dollars(said.cost_usd).or(task.cost_usd);
    task.duration_s = field_checks::amount(said.duration_s).or(task.duration_s);
    let error = said.error_message.clone().map(field_checks::error_message);
    let error = error.map(|error| secrets::redact(error, building.policy.secrets).0);
    task.error_message = error.or_else(|| task.error_message.take());
    task.failure_category = said.failure_category.clone().or_else(|| task.failure_category.take());
    name_secrets::mask(task, building.policy.secrets);
    match said.status {
        Some(status) => move_on(task, status, building.now),
        None => Ok(None),
    }
}
