//! A report in parts: the episode alone and the learnings alone, in the narrow forms that some
//! platforms send. They are aliases of a report.

use loci_api::coding::table as api;
use loci_api::coding::task::end as shape;
use loci_coding::{Completion, Learned, LearnedAction};
use loci_model::tasks::task::{TaskPullRequest, TaskStatus};
use loci_model::{Error, Result};

use super::task_id;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;

/// The warning about a text without a learning.
const NOTHING: &str = "NOTHING_TO_STORE: the text states that nothing was learned";

pub(in crate::v1) fn operations(table: Table) -> Table {
    table.json(api::TASK_EPISODE, episode).json(api::TASK_LEARNINGS, learnings)
}

async fn episode(call: Call, asked: shape::TaskEpisode) -> Result<shape::TaskWrote> {
    let said = Completion {
        status: TaskStatus::read("status", asked.status.as_deref())?,
        pr: asked.pr_url.as_deref().map(pull_request).transpose()?,
        cost_usd: asked.cost,
        duration_s: asked.duration,
        self_feedback_text: asked.self_feedback,
        ..Completion::default()
    };
    let (standing, id, token) = (standing(&call)?, task_id(&call)?, call.token()?);
    let left = call.doors.engine.coding.task_complete(&call.caller, &standing, &id, said, token).await?;
    let mut warnings = left.warnings;
    warnings.extend(left.self_feedback.iter().filter_map(left_out));
    Ok(shape::TaskWrote { written: true, warnings })
}

async fn learnings(call: Call, asked: shape::TaskLearnings) -> Result<shape::TaskWrote> {
    let (standing, id) = (standing(&call)?, task_id(&call)?);
    let taken = call.doors.engine.coding.task_learnings(&call.caller, &standing, &id, &asked.text).await?;
    let mut warnings = taken.warnings;
    if taken.learned.is_empty() {
        warnings.push(NOTHING.to_owned());
    }
    warnings.extend(taken.learned.iter().filter_map(left_out));
    Ok(shape::TaskWrote { written: taken.learned.iter().any(|one| one.id.is_some()), warnings })
}

/// Returns the warning about a learning that the next task does not get.
fn left_out(learned: &Learned) -> Option<String> {
    let reason = learned.reason.as_deref().unwrap_or_default();
    let of = learned.topic.as_deref().map(|topic| format!(" of {topic}")).unwrap_or_default();
    match learned.action {
        LearnedAction::Added | LearnedAction::Superseded | LearnedAction::Duplicate => None,
        LearnedAction::Conflict => {
            Some(format!("CONFLICT: a learning{of} contradicts a more trusted memory: a person must decide"))
        }
        LearnedAction::Outdated => {
            Some(format!("OUTDATED: a learning{of} is kept as history, for what contradicts it is newer"))
        }
        LearnedAction::Held | LearnedAction::Quarantined => {
            Some(format!("HELD_BACK: a learning{of} waits for a person ({reason})"))
        }
        LearnedAction::Rejected => Some(format!("REJECTED: a learning{of} is not stored ({reason})")),
    }
}

/// Returns the pull request at a URL.
fn pull_request(url: &str) -> Result<TaskPullRequest> {
    let path = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let number = path.rsplit('/').next().and_then(|last| last.parse().ok());
    let rule = "pr_url must end in the number of the pull request, such as …/pull/57: or send complete";
    let number = number.ok_or_else(|| Error::invalid("pr_url", rule))?;
    Ok(TaskPullRequest { number, url: Some(url.to_owned()), ..TaskPullRequest::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pull_requests_by_where_they_are_seen() {
        let check = |url: &str, expect: Option<u64>| {
            assert_eq!(pull_request(url).ok().map(|pr| pr.number), expect, "{url}");
        };
        check("https://github.com/acme/shop/pull/57", Some(57));
        check("https://git.example/acme/shop/-/merge_requests/57/?tab=1#note", Some(57));
        check("https://github.com/acme/shop/pulls", None);
        check("", None);
    }
}
