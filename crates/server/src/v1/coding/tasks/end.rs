//! The end of a task: the report of its agent and of the system that runs it; and notes during the
//! task.

use loci_api::coding::table as api;
use loci_api::coding::task::end as shape;
use loci_coding::{Completion, Learned, LearnedAction, pull_request};
use loci_model::tasks::task::TaskStatus;
use loci_model::{Result, TaskId};

use super::task_id;
use crate::authenticated_call::AuthenticatedCall;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::time;
use crate::v1::verified::repositories::asking;

pub(in crate::v1) fn operations(table: Table) -> Table {
    table.json(api::TASK_COMPLETE, complete).json(api::TASK_FINALIZE, finalize).json(api::TASK_NOTE, note)
}

async fn complete(call: Call, asked: shape::TaskComplete) -> Result<shape::TaskCompleted> {
    let said = Completion {
        status: TaskStatus::read("status", asked.status.as_deref())?,
        summary: asked.summary,
        approach: asked.approach,
        files_changed: asked.files_changed,
        difficulties: asked.difficulties,
        pr: asked.pr.map(pull_request),
        branch: asked.branch,
        commits: asked.commits,
        cost_usd: asked.cost_usd,
        duration_s: asked.duration_s,
        verification: asked.verification,
        error_message: asked.error_message,
        failure_category: asked.failure_category,
        learnings_text: asked.learnings_text,
        self_feedback_text: asked.self_feedback_text,
        observed_at: time("observed_at", asked.observed_at.as_deref())?,
        extraction_prompts: asked.extraction_prompts,
        used_memory_ids: asked.used_memory_ids,
        helpful_memory_ids: asked.helpful_memory_ids,
        harmful_memory_ids: asked.harmful_memory_ids,
    };
    let (standing, id, token) = (standing(&call)?, task_id(&call)?, call.token()?);
    let left = call.doors.engine.coding.task_complete(&call.caller, &standing, &id, said, token).await?;
    Ok(shape::TaskCompleted {
        episode_id: left.episode.to_string(),
        learnings: left.learnings.into_iter().map(learned).collect(),
        self_feedback: left.self_feedback.into_iter().map(learned).collect(),
        memory_written: true,
        jobs: Vec::new(),
        degraded: left.degraded,
        warnings: left.warnings,
    })
}

async fn finalize(call: Call, end: shape::TaskFinalize) -> Result<shape::TaskFinalized> {
    let (standing, id) = (standing(&call)?, task_id(&call)?);
    call.doors.engine.coding.task_finalize(&call.caller, &standing, &id, end).await
}

async fn note(call: Call, asked: shape::TaskNote) -> Result<shape::TaskNoted> {
    noted(&asking(&call)?, &task_id(&call)?, asked).await
}

/// Stores a note.
pub(crate) async fn noted(
    asking: &AuthenticatedCall<'_>,
    id: &TaskId,
    note: shape::TaskNote,
) -> Result<shape::TaskNoted> {
    let noted = asking.engine.coding.task_note(asking.caller, &asking.standing, id, note).await?;
    Ok(shape::TaskNoted {
        learning: learned(noted.learned),
        degraded: !noted.warnings.is_empty(),
        warnings: noted.warnings,
    })
}

pub(in crate::v1) fn learned(learned: Learned) -> shape::Learned {
    shape::Learned {
        id: learned.id.map(|id| id.to_string()),
        action: LearnedAction::as_str(learned.action).to_owned(),
        reason: learned.reason,
        topic: learned.topic,
    }
}
