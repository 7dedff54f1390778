//! Operations on outcomes of tasks: show an outcome, and set it manually.

use loci_api::coding::outcome as shape;
use loci_api::coding::table as api;
use loci_coding::OutcomeByHand;
use loci_model::tasks::outcome::{FirstPush, GradeChange, GradedByHand, Outcome, OutcomeGrade};
use loci_model::{Error, Result, Timestamp};

use super::tasks::task_id;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::time;

pub(super) fn operations(table: Table) -> Table {
    table.plain(api::TASK_OUTCOME, show).json(api::TASK_OUTCOME_SET, set)
}

async fn show(call: Call) -> Result<shape::Outcome> {
    let id = task_id(&call)?;
    let found = call.doors.engine.coding.task_outcome(&call.caller, &standing(&call)?, &id).await?;
    let none = || Error::not_found(format!("task {id} has no outcome yet")).on("task_id");
    found.map(shown).ok_or_else(none)
}

async fn set(call: Call, asked: shape::OutcomeSet) -> Result<shape::Outcome> {
    let said = OutcomeByHand {
        grade: OutcomeGrade::read("outcome", Some(&asked.outcome))?
            .ok_or_else(|| Error::invalid("outcome", "outcome is required"))?,
        merged_at: time("merged_at", asked.merged_at.as_deref())?,
        revision_count: asked.revision_count,
        ci_first_push: FirstPush::read("ci_first_push", asked.ci_first_push.as_deref())?,
        source: asked.source,
    };
    let (standing, id) = (standing(&call)?, task_id(&call)?);
    let set = call.doors.engine.coding.task_outcome_set(&call.caller, &standing, &id, said).await?;
    Ok(shown(set.outcome))
}

/// Returns the grade's name, if there is one.
pub(super) fn graded(outcome: Option<&Outcome>) -> Option<String> {
    outcome.and_then(|outcome| outcome.grade).map(|grade| grade.as_str().to_owned())
}

fn shown(outcome: Outcome) -> shape::Outcome {
    let when = |at: Option<Timestamp>| at.map(Timestamp::to_rfc3339);
    let (grade, facts) = (graded(Some(&outcome)), outcome.facts);
    shape::Outcome {
        task_id: outcome.task.to_string(),
        outcome: grade,
        polarity: outcome.polarity.as_str().to_owned(),
        value: rounded(outcome.value),
        pr: facts.pr,
        pr_url: facts.pr_url,
        opened_at: when(facts.opened_at),
        merged_at: when(facts.merged_at),
        merged_by: facts.merged_by,
        merge_commit_sha: facts.merge_commit_sha,
        closed_at: when(facts.closed_at),
        revision_count: facts.revision_count,
        ci_first_push: facts.ci_first_push.as_str().to_owned(),
        review_comment_count: facts.review_comment_count,
        additions: facts.additions,
        deletions: facts.deletions,
        changed_files: facts.changed_files,
        human_commits: facts.human_commits,
        reverted_by: facts.reverted_by,
        reverted_at: when(facts.reverted_at),
        superseded_by: facts.superseded_by,
        by_hand: outcome.by_hand.map(by_hand),
        history: outcome.history.into_iter().map(change).collect(),
        updated_at: outcome.updated_at.to_rfc3339(),
    }
}

/// Rounds to hundredths, because their sums are not exact: 0.9 less 0.3 must read as 0.6.
fn rounded(value: f64) -> f64 {
    loci_model::tasks::exposure::rounded(value)
}

fn by_hand(set: GradedByHand) -> shape::OutcomeByHand {
    shape::OutcomeByHand { source: set.source, by: set.by, at: set.at.to_rfc3339() }
}

fn change(change: GradeChange) -> shape::OutcomeChange {
    shape::OutcomeChange {
        outcome: change.grade.map(|grade| grade.as_str().to_owned()),
        value: rounded(change.value),
        why: change.why,
        by: change.by,
        at: change.at.to_rfc3339(),
    }
}
