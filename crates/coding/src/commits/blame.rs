//! The verb `blame`: the tasks that led to a commit. Reports of hooks take precedence. For a commit
//! without a report, the verb follows the commit that it replaced, the pull request that merged it,
//! or a commit with the same patch id. Trailers are hints: they count if nothing else is known and
//! the named task can have made the commit.

use std::collections::BTreeSet;

use loci_api::coding::commit::{Blame, BlamedTask};
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::facts::code::ObjectId;
use loci_model::ports::store::{ReadTx, StoreExt, TaskQuery};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::commit::{BlameHow, TaskCommit};
use loci_model::tasks::task::Task;
use loci_model::{ActorId, MemoryId, Result, TaskId, Timestamp, limits};
use loci_verified::find_repository;

use super::task_commits;
use crate::Coding;
use crate::tasks::{field_checks, task_namespaces};

/// The maximum number of commits that are followed back from one.
const STEPS_MAX: usize = 1_000;
/// The maximum number of commits with the same patch id, and of tasks of a pull request.
const ALIKE_MAX: usize = 20;
/// The tolerance before the creation of a task, in milliseconds. Clocks differ, and a commit may be
/// written before the server knows its task.
const BEFORE_MS: i64 = 60 * 60 * 1_000;
/// The tolerance after the end of a task, in milliseconds, for commits of its remaining changes.
const AFTER_MS: i64 = 24 * 60 * 60 * 1_000;

/// A commit as a caller with the clone describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlameAsk {
    /// The id of the commit.
    pub commit: String,
    /// The stable patch id of its change.
    pub patch_id: Option<String>,
    /// The tasks that its trailers name.
    pub task_ids: Vec<String>,
    /// The time at which the commit was authored.
    pub authored_at: Option<Timestamp>,
}

/// A task, and the commit that it made, if known.
type CommittingTask = (TaskId, Option<TaskCommit>);

/// The repository and the caller of a request.
struct BlameContext<'a> {
    tx: &'a dyn ReadTx,
    caller: &'a Principal,
    memory: &'a MemoryId,
    actor: &'a ActorId,
}

impl Coding {
    /// Returns the tasks that a commit of a repository leads back to.
    ///
    /// # Errors
    /// `Invalid`; `REPO_UNKNOWN`; `Denied`.
    pub async fn blame(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        ask: BlameAsk,
    ) -> Result<Blame> {
        let sha = task_commits::id("commit", &ask.commit)?;
        field_checks::name("patch_id", ask.patch_id.as_ref())?;
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, repo, now) = (caller.clone(), repo.to_owned(), self.engine.now());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory, &repo, Capability::Read)?;
                let actor = task_namespaces::actor_of(&repository)?;
                task_namespaces::require_all(&caller, &memory, &actor, Capability::Read)?;
                BlameContext { tx, caller: &caller, memory: &memory, actor: &actor }.answer(&sha, &ask, now)
            })
            .await
    }
}

/// Returns the tasks that a commit leads back to according to the reports, without an access check,
/// and the way in which it does.
pub(crate) fn reported(
    tx: &dyn ReadTx,
    caller: &Principal,
    (memory, actor): (&MemoryId, &ActorId),
    sha: &ObjectId,
) -> Result<(BlameHow, Vec<TaskId>)> {
    let (how, found) = BlameContext { tx, caller, memory, actor }.by_rows(sha, &BlameAsk::default())?;
    Ok((how, found.into_iter().map(|(task, _)| task).collect()))
}

impl BlameContext<'_> {
    fn answer(&self, sha: &ObjectId, ask: &BlameAsk, now: Timestamp) -> Result<Blame> {
        let (how, found) = self.by_rows(sha, ask)?;
        let mut tasks: Vec<BlamedTask> = Vec::new();
        for (id, commit) in found {
            let task = self.tx.tasks().get(self.memory, &id)?;
            // A deleted task, or one that the caller may not see, does not appear.
            if let Ok(task) = task_namespaces::visible(self.caller, &id, task, Capability::Read) {
                tasks.push(blamed(task, commit));
            }
        }
        let named = self.named(ask, now)?;
        if tasks.is_empty() {
            let how = if named.is_empty() { BlameHow::None } else { BlameHow::Trailer };
            let unproven = named.len() < distinct(&ask.task_ids);
            let warnings = if unproven { vec![UNPROVEN.to_owned()] } else { Vec::new() };
            let tasks = named.into_iter().map(|task| blamed(task, None)).collect();
            return Ok(shown(ask, how, tasks, false, warnings));
        }
        let known = |id: &String| tasks.iter().any(|one| one.task_id == *id);
        let conflict = !ask.task_ids.iter().all(known);
        let warnings = if conflict { vec![CONFLICT.to_owned()] } else { Vec::new() };
        Ok(shown(ask, how, tasks, conflict, warnings))
    }

    fn by_rows(&self, sha: &ObjectId, ask: &BlameAsk) -> Result<(BlameHow, Vec<CommittingTask>)> {
        let row = self.tx.commits().get(self.memory, self.actor, sha)?;
        if let Some(row) = row {
            let (is_its_own, pr) = (row.task.is_some(), row.merged_pr);
            let found = self.followed(row)?;
            if !found.is_empty() {
                return Ok((if is_its_own { BlameHow::PostCommit } else { BlameHow::Rewrite }, found));
            }
            let found = pr.map(|pr| self.of_pull_request(pr)).transpose()?.unwrap_or_default();
            if !found.is_empty() {
                return Ok((BlameHow::MergeSha, found));
            }
        }
        if let Some(patch) = &ask.patch_id {
            let alike = self.tx.commits().by_patch(self.memory, self.actor, patch, ALIKE_MAX)?;
            for commit in alike.into_iter().filter(|commit| commit.sha != *sha) {
                let found = self.followed(commit)?;
                if !found.is_empty() {
                    return Ok((BlameHow::PatchId, found));
                }
            }
        }
        Ok((BlameHow::None, Vec::new()))
    }

    /// Returns the tasks of a commit and of the commits that it replaced, back to the first.
    fn followed(&self, from: TaskCommit) -> Result<Vec<CommittingTask>> {
        let mut seen = BTreeSet::from([from.sha]);
        let mut open = vec![from];
        let mut found: Vec<CommittingTask> = Vec::new();
        let mut next = 0;
        while let Some(commit) = open.get(next).cloned() {
            next += 1;
            for sha in &commit.rewritten_from {
                if seen.len() < STEPS_MAX && seen.insert(*sha) {
                    open.extend(self.tx.commits().get(self.memory, self.actor, sha)?);
                }
            }
            let Some(task) = commit.task.clone() else { continue };
            if !found.iter().any(|(known, _)| *known == task) {
                found.push((task, Some(commit)));
            }
        }
        Ok(found)
    }

    fn of_pull_request(&self, pr: u64) -> Result<Vec<CommittingTask>> {
        let query = TaskQuery {
            actors: vec![self.actor.clone()],
            pr: Some(pr),
            ..TaskQuery::all(self.memory.clone(), ALIKE_MAX)
        };
        let tasks = self.tx.tasks().list(&query)?;
        // The last reported commit of each task determines the user and the prompt.
        let with_last = |task: Task| {
            let mut commits = self.tx.commits().of_task(self.memory, &task.id, STEPS_MAX)?;
            Ok((task.id, commits.pop()))
        };
        tasks.into_iter().map(with_last).collect()
    }

    /// Returns the tasks that trailers name, if they can have made the commit.
    fn named(&self, ask: &BlameAsk, now: Timestamp) -> Result<Vec<Task>> {
        let mut tasks: Vec<Task> = Vec::new();
        for id in ask.task_ids.iter().take(limits::COMMIT_TRAILERS_MAX) {
            let Ok(id) = TaskId::parse(id.as_str()) else { continue };
            let task = self.tx.tasks().get(self.memory, &id)?.filter(|task| task.actor == *self.actor);
            let Ok(task) = task_namespaces::visible(self.caller, &id, task, Capability::Read) else {
                continue;
            };
            let fits = ask.authored_at.is_some_and(|at| {
                let end = task.completed_at.unwrap_or(now);
                at >= task.created_at.plus_millis(-BEFORE_MS) && at <= end.plus_millis(AFTER_MS)
            });
            if fits && !tasks.iter().any(|known| known.id == task.id) {
                tasks.push(task);
            }
        }
        Ok(tasks)
    }
}

fn shown(
    ask: &BlameAsk,
    how: BlameHow,
    tasks: Vec<BlamedTask>,
    attribution_conflict: bool,
    warnings: Vec<String>,
) -> Blame {
    Blame { commit: ask.commit.clone(), how: how.as_str().to_owned(), tasks, attribution_conflict, warnings }
}

/// Data reported for the commit takes precedence over the data of the task.
fn blamed(task: Task, commit: Option<TaskCommit>) -> BlamedTask {
    let of = |commit: Option<String>, task: Option<String>| commit.or(task);
    let (sha, user, prompt) = commit
        .map(|commit| (Some(commit.sha.to_string()), commit.user, commit.prompt_version))
        .unwrap_or_default();
    BlamedTask {
        task_id: task.id.to_string(),
        commit: sha,
        user: of(user, task.user),
        prompt_version: of(prompt, task.prompt_version),
        input_hash: task.input_hash,
        memory_hash: task.memory_hash,
        model: task.model,
        description: task.description,
        status: task.status.as_str().to_owned(),
        pr: task.pr.map(|pr| pr.number),
        session: task.session.to_string(),
        episode_id: task.written.episode.map(|episode| episode.to_string()),
    }
}

const UNPROVEN: &str =
    "TRAILER_UNPROVEN: the commit's trailers name a task that cannot have made it, or is not known here";
const CONFLICT: &str =
    "ATTRIBUTION_CONFLICT: the commit's trailers name a task that did not make it; what was reported counts";

fn distinct(ids: &[String]) -> usize {
    ids.iter().collect::<BTreeSet<_>>().len()
}
