//! The verb `task_patch`: updates the status and the data of a task.

use std::sync::Arc;

use loci_api::coding::task::TaskPatch;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::{RedactionMode, SafetyPolicy};
use loci_model::facts::code::ObjectId;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::commit::TaskCommit;
use loci_model::tasks::task::{Task, TaskPullRequest, TaskStatus};
use loci_model::{Error, Result, TaskId, Timestamp};

use super::log_fields::Call;
use super::{field_checks, name_secrets, task_answer, task_namespaces};
use crate::Coding;
use crate::code_graph::co_change::task_files;
use crate::commits::task_commits;
use crate::{reflection, rules};

/// The result of changing a task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskPatched {
    /// The task.
    pub task: Task,
    /// Warnings about changes that were not applied.
    pub warnings: Vec<String>,
}

impl Coding {
    /// Changes a task. An ended task keeps its status, and the response reports it.
    ///
    /// # Errors
    /// `NotFound`; `Conflict` if the new status may not follow the present one.
    pub async fn task_patch(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        patch: TaskPatch,
    ) -> Result<TaskPatched> {
        let status = TaskStatus::read("status", patch.status.as_deref())?;
        Call::write("task_patch", Some(id))
            .told(async {
                field_checks::name("branch", patch.branch.as_ref())?;
                field_checks::trace(patch.trace_id.as_ref())?;
                let merged = patch.merge_commit_sha.as_deref();
                let merged = merged.map(|sha| task_commits::id("merge_commit_sha", sha)).transpose()?;
                let memory = self.verified.code_memory(caller, standing).await?;
                self.known_task(&memory, id).await?;
                let (caller, id, now) = (caller.clone(), id.clone(), self.engine.now());
                let [job, _] = self.two_jobs(now)?;
                let own = Arc::clone(&self.parts.settings);
                let settings = self.engine.settings().clone();
                let patched = self
                    .engine
                    .store()
                    .write(move |tx| {
                        let memory = existing(tx, &memory)?;
                        let task = tx.tasks().get(&memory.id, &id)?;
                        let before = task_namespaces::visible(&caller, &id, task, Capability::Write)?;
                        let mut task = before.clone();
                        let mut warnings = apply(&mut task, &patch, status, now)?;
                        if let (Some(pr), Some(sha)) = (&mut task.pr, &merged) {
                            pr.merge_commit_sha = Some(sha.to_string());
                        }
                        let policy = SafetyPolicy::of(&settings, &memory.settings);
                        name_secrets::mask(&mut task, policy.secrets);
                        if task != before {
                            task.updated_at = now;
                            tx.tasks_mut().put(&task)?;
                            // A newly known pull request merges two changes of the graph into one.
                            task_files::note(tx, &task, &[], &[], now)?;
                        }
                        let changing = StateTransition { memory: &memory, by: &caller.name, at: now };
                        rules::told(tx, &changing, &own, (&before, &task))?;
                        if !before.status.is_terminal() && task.status.is_terminal() {
                            reflection::finished(tx, &memory, &task, &job, now)?;
                        }
                        if let Some(sha) = &merged {
                            merge(tx, &task, sha, now)?;
                        }
                        let sent = || Ok(as_told(&task, &patch, policy.secrets));
                        let (task, left_out) = task_answer::known(&caller, task.clone(), sent)?;
                        warnings.extend(left_out);
                        Ok(TaskPatched { task, warnings })
                    })
                    .await?;
                self.engine.wake().call();
                for warning in &patched.warnings {
                    tracing::warn!("{warning}");
                }
                Ok(patched)
            })
            .await
    }
}

/// Returns the task with the values of a patch.
fn as_told(task: &Task, patch: &TaskPatch, mode: RedactionMode) -> Task {
    let mut told = Task {
        branch: patch.branch.clone(),
        pr: patch.pr.clone().map(pull_request),
        trace_id: patch.trace_id.clone(),
        ..task_answer::bare(task)
    };
    name_secrets::mask(&mut told, mode);
    told
}

/// Records that a commit merged the task's pull request.
fn merge(tx: &mut dyn Tx, task: &Task, sha: &ObjectId, now: Timestamp) -> Result<()> {
    let rule = "merge_commit_sha is of a pull request, and none is known of the task: send pr too";
    let pr = task.pr.as_ref().ok_or_else(|| Error::invalid("merge_commit_sha", rule))?;
    let (row, _) = task_commits::row(tx, (&task.memory, &task.actor), sha, now)?;
    if row.merged_pr == Some(pr.number) {
        return Ok(());
    }
    tx.commits_mut().put(&TaskCommit { merged_pr: Some(pr.number), ..row })
}

/// Converts a pull request of a request.
pub fn pull_request(pr: loci_api::coding::task::TaskPullRequest) -> TaskPullRequest {
    let loci_api::coding::task::TaskPullRequest { number, url, head_sha } = pr;
    TaskPullRequest { number, url, head_sha, merge_commit_sha: None }
}

fn apply(
    task: &mut Task,
    patch: &TaskPatch,
    status: Option<TaskStatus>,
    now: Timestamp,
) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    if let Some(status) = status {
        warnings.extend(move_on(task, status, now)?);
    }
    task.branch = patch.branch.clone().or_else(|| task.branch.take());
    task.trace_id = patch.trace_id.clone().or_else(|| task.trace_id.take());
    if let Some(pr) = patch.pr.clone() {
        meet(task, pull_request(pr));
    }
    Ok(warnings)
}

/// Sets the next status of a task. Returns a warning if the task has ended.
pub(super) fn move_on(task: &mut Task, next: TaskStatus, now: Timestamp) -> Result<Option<String>> {
    if task.status == next {
        return Ok(None);
    }
    if task.status.is_terminal() {
        let (is, asked) = (task.status.as_str(), next.as_str());
        return Ok(Some(format!("STATUS_STAYS: the task has ended as {is}; {asked} is not noted")));
    }
    if !task.status.may_become(next) {
        let (is, asked) = (task.status.as_str(), next.as_str());
        return Err(Error::conflict(format!("a task that is {is} does not become {asked}")).on("status"));
    }
    task.status = next;
    if next.is_terminal() {
        task.completed_at = Some(now);
    }
    Ok(None)
}

/// Adds the data of a pull request to a task.
pub(crate) fn meet(task: &mut Task, mut pr: TaskPullRequest) {
    if let Some(known) = task.pr.take().filter(|known| known.number == pr.number) {
        pr.url = pr.url.or(known.url);
        pr.head_sha = pr.head_sha.or(known.head_sha);
        pr.merge_commit_sha = pr.merge_commit_sha.or(known.merge_commit_sha);
    }
    task.pr = Some(pr);
}
