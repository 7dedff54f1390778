//! Tasks of coding agents: create, show, list, update.

pub(super) mod alerts;
pub(crate) mod end;
pub(crate) mod feedback;
pub(crate) mod hydration;
mod hydration_shape;
pub(super) mod report_parts;
pub(super) mod sessions;

use loci_api::coding::table as api;
use loci_api::coding::task as shape;
use loci_model::tasks::outcome::Outcome;
use loci_model::tasks::task::{Task, TaskAlert, TaskPrompt, TaskPullRequest};
use loci_model::{Result, TaskId, Timestamp};

use super::outcomes::graded;
use crate::authenticated_call::AuthenticatedCall;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;
use crate::v1::verified::repositories::asking;

/// The warning about a task without a token for its agent.
const NO_AGENT_TOKEN: &str = "NO_AGENT_TOKEN: the key has no grant of read on the task, or on the preferences of the \
                              person who is proved to have asked for it, and its agent reads both: take the task in \
                              with a key that may read them, or hand the agent a key of its own";

pub(super) fn operations(table: Table) -> Table {
    table
        .made(api::TASK_CREATE, add)
        .query(api::TASK_LIST, list)
        .plain(api::TASK_GET, show)
        .json(api::TASK_PATCH, patch)
}

/// Returns the task of the path.
pub(super) fn task_id(call: &Call) -> Result<TaskId> {
    TaskId::parse(call.path("task")?)
}

async fn add(call: Call, asked: shape::TaskCreate) -> Result<(shape::TaskTaken, bool)> {
    let token = call.token()?;
    let engine = &call.doors.engine;
    let mut made = engine.coding.task_create(&call.caller, &standing(&call)?, asked, token).await?;
    // Without required credentials a token would have no effect.
    let agent_token = if call.doors.gate.any_keys().await? {
        let token = engine.coding.agent_token_for(&call.caller, &made.task).await?;
        if token.is_none() {
            made.warnings.push(NO_AGENT_TOKEN.to_owned());
        }
        token.map(|token| shape::AgentToken(token.expose().to_owned()))
    } else {
        None
    };
    let taken = shape::TaskTaken { task: shown(made.task), agent_token, warnings: made.warnings };
    Ok((taken, made.created))
}

async fn show(call: Call) -> Result<shape::Task> {
    let task = call.doors.engine.coding.task_get(&call.caller, &standing(&call)?, &task_id(&call)?).await?;
    let outcomes = call.doors.engine.coding.outcomes_of(std::slice::from_ref(&task)).await?;
    Ok(shape::Task { outcome: graded(outcomes.into_iter().flatten().next().as_ref()), ..shown(task) })
}

async fn list(call: Call, asked: shape::TaskListing) -> Result<shape::TaskList> {
    listed(&asking(&call)?, asked).await
}

/// Returns a page of tasks.
pub(crate) async fn listed(
    asking: &AuthenticatedCall<'_>,
    asked: shape::TaskListing,
) -> Result<shape::TaskList> {
    let place = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let page = asking.engine.coding.task_list(asking.caller, &asking.standing, asked, place).await?;
    let outcomes = asking.engine.coding.outcomes_of(&page.items).await?;
    let with_outcome = |(task, outcome): (Task, Option<Outcome>)| shape::Task {
        outcome: graded(outcome.as_ref()),
        ..shown(task)
    };
    Ok(shape::TaskList {
        tasks: page.items.into_iter().zip(outcomes).map(with_outcome).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn patch(call: Call, patch: shape::TaskPatch) -> Result<shape::TaskPatched> {
    let (standing, id) = (standing(&call)?, task_id(&call)?);
    let patched = call.doors.engine.coding.task_patch(&call.caller, &standing, &id, patch).await?;
    Ok(shape::TaskPatched { task: shown(patched.task), warnings: patched.warnings })
}

/// Returns the reason why a task is not trusted.
pub(super) fn alert(alert: TaskAlert) -> shape::TaskAlert {
    shape::TaskAlert { reason: alert.reason, by: alert.by, at: alert.at.to_rfc3339() }
}

pub(super) fn shown(task: Task) -> shape::Task {
    let pr = |pr: TaskPullRequest| shape::TaskPullRequest {
        number: pr.number,
        url: pr.url,
        head_sha: pr.head_sha,
    };
    let prompt = |prompt: TaskPrompt| shape::TaskPrompt {
        template_id: prompt.template_id,
        template_sha256: prompt.template_sha256,
        overrides_sha256: prompt.overrides_sha256,
    };
    shape::Task {
        task_id: task.id.to_string(),
        repo: task.repository.is_some().then(|| task.actor.to_string()),
        forge: task.forge,
        forge_repo_id: task.forge_repo_id,
        snapshot_id: task.snapshot,
        actor: task.actor.to_string(),
        session: task.session.to_string(),
        kind: task.kind.as_str().to_owned(),
        status: task.status.as_str().to_owned(),
        memory_arm: task.arm.as_str().to_owned(),
        user: task.user,
        user_id: task.user_id,
        description: task.description,
        issue: task.issue,
        pr: task.pr.map(pr),
        branch: task.branch,
        base: task.base,
        base_sha: task.base_sha,
        prompt: task.prompt.map(prompt),
        prompt_version: task.prompt_version,
        input_hash: task.input_hash,
        memory_hash: task.memory_hash,
        model: task.model,
        variant: task.variant,
        parent_task_id: task.parent.map(|parent| parent.to_string()),
        trace_id: task.trace_id,
        cost_usd: task.cost_usd,
        duration_s: task.duration_s,
        error_message: task.error_message,
        failure_category: task.failure_category,
        security_alert: task.security_alert.map(alert),
        outcome: None,
        written: shape::TaskWritten {
            episode_id: task.written.episode.map(|episode| episode.to_string()),
            minimal: task.written.is_minimal,
            learnings: task.written.learnings,
            self_feedback: task.written.self_feedback,
        },
        completed_at: task.completed_at.map(Timestamp::to_rfc3339),
        created_at: task.created_at.to_rfc3339(),
        updated_at: task.updated_at.to_rfc3339(),
    }
}
