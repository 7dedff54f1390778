//! Attribution: the tasks, prompts, people and statements from which something originates.

use loci_api::coding::attribution as shape;
use loci_api::coding::table as api;
use loci_coding::Attributed;
use loci_model::Result;
use loci_model::tasks::commit::{BlameHow, TaskCommit};
use loci_model::tasks::outcome::Outcome;
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::ToldEnd;

use super::outcomes::graded;
use super::tasks::shown;
use crate::authenticated_call::AuthenticatedCall;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;
use crate::v1::verified::repositories::asking;

pub(super) fn operations(table: Table) -> Table {
    table.query(api::ATTRIBUTION, attribution)
}

async fn attribution(call: Call, asked: shape::AttributionAsk) -> Result<shape::Attribution> {
    attributed(&asking(&call)?, asked).await
}

/// Returns the attribution.
pub(crate) async fn attributed(
    asking: &AuthenticatedCall<'_>,
    asked: shape::AttributionAsk,
) -> Result<shape::Attribution> {
    let place = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let page = asking.engine.coding.attribution(asking.caller, &asking.standing, asked, place).await?;
    let tasks: Vec<Task> = page.items.iter().map(|found| found.task.clone()).collect();
    let outcomes = asking.engine.coding.outcomes_of(&tasks).await?;
    Ok(shape::Attribution {
        items: page.items.into_iter().zip(outcomes).map(item).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

fn item((found, outcome): (Attributed, Option<Outcome>)) -> shape::Attributed {
    let Attributed { task, template, commits, has_more_commits, told, snippets } = found;
    let version = task.prompt_version.clone();
    let has_prompt = version.is_some() || template.is_some();
    let pr = task.pr.clone().map(|pr| shape::AttributedPullRequest {
        number: pr.number,
        url: pr.url,
        merge_commit_sha: pr.merge_commit_sha,
    });
    shape::Attributed {
        prompt: has_prompt.then_some(shape::AttributedPrompt { version, template_id: template }),
        user: task.user.clone(),
        commits: commits.into_iter().map(commit).collect(),
        has_more_commits,
        pr,
        outcome: graded(outcome.as_ref()),
        told: told_end(told),
        snippets,
        task: shown(task),
    }
}

fn commit((commit, how): (TaskCommit, BlameHow)) -> shape::AttributedCommit {
    let state = if commit.rewritten_to.is_some() { "rewritten" } else { "live" };
    shape::AttributedCommit {
        sha: commit.sha.to_string(),
        state: state.to_owned(),
        how: how.as_str().to_owned(),
    }
}

fn told_end(told: ToldEnd) -> shape::ToldEnd {
    let ToldEnd { summary, approach, difficulties, error_message, files_changed } = told;
    shape::ToldEnd { summary, approach, difficulties, error_message, files_changed }
}
