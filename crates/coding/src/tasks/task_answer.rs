//! The task in the answer to a write: the stored task for a caller who may read it, else the data
//! that the caller sent.

use loci_engine::access::keys::Secret;
use loci_model::Result;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task::{Task, TaskFeedback, TaskWritten};

use super::task_namespaces;
use crate::Coding;
use crate::preferences;

/// The warning about a task that is not shown in its stored form.
const UNREADABLE: &str =
    "UNREADABLE: the key has no grant of read on the task: the answer shows only what this call sent";

/// Returns a stored task for an answer, and warnings. A caller who may not read it receives the
/// data that it `sent`, with the stored ids, status and times.
///
/// # Errors
/// Errors of `sent`.
pub(super) fn known(
    caller: &Principal,
    task: Task,
    sent: impl FnOnce() -> Result<Task>,
) -> Result<(Task, Vec<String>)> {
    if task_namespaces::may(caller, &task, Capability::Read) {
        return Ok((task, Vec::new()));
    }
    let shown = Task {
        status: task.status,
        arm: task.arm,
        completed_at: task.completed_at,
        created_at: task.created_at,
        updated_at: task.updated_at,
        ..sent()?
    };
    Ok((shown, vec![UNREADABLE.to_owned()]))
}

impl Coding {
    /// Returns a token for the agent of a task that the caller created. `None` for a caller who may
    /// not read everything that the agent may: the task, and the preferences of the person who is
    /// proved to have requested it, by any caller. A caller who may act as that agent may also
    /// receive it. The token opens those preferences, and no others that are proved later.
    ///
    /// # Errors
    /// `Unavailable` if the master key cannot be read.
    pub async fn agent_token_for(&self, caller: &Principal, task: &Task) -> Result<Option<Secret>> {
        if !task_namespaces::may(caller, task, Capability::Read) {
            return Ok(None);
        }
        let (by, of) = (caller.clone(), task.clone());
        let claim = self.engine.store().read(move |tx| preferences::token_claim(tx, &by, &of)).await?;
        match claim {
            Some(claim) => self.engine.agent_token(&claim).await.map(Some),
            None => Ok(None),
        }
    }
}

/// Returns a task with only its ids, kind, status and times.
pub(super) fn bare(task: &Task) -> Task {
    Task {
        forge: None,
        forge_repo_id: None,
        snapshot: None,
        user: None,
        user_id: None,
        requester_proof: None,
        description: String::new(),
        issue: None,
        pr: None,
        branch: None,
        base: None,
        base_sha: None,
        prompt: None,
        prompt_version: None,
        input_hash: None,
        memory_hash: None,
        model: None,
        variant: None,
        parent: None,
        trace_id: None,
        cost_usd: None,
        duration_s: None,
        error_message: None,
        failure_category: None,
        written: TaskWritten::default(),
        feedback: TaskFeedback::default(),
        security_alert: None,
        ..task.clone()
    }
}
