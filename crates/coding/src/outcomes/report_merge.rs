//! Merges a report on a pull request into the known facts. Pure. Newer known facts stay.

use loci_model::tasks::outcome::{OutcomeFacts, PushedHead};
use loci_model::tasks::pull_request::PullRequest;

/// The maximum number of heads kept for one pull request.
const HEADS_MAX: usize = 200;
/// Labels of requests that were closed because another one superseded them.
const SUPERSEDING: &[&str] = &["duplicate", "superseded", "replaced", "obsolete"];
/// The prefix of a label as the superseding reason.
pub(super) const BY_LABEL: &str = "label:";
pub(super) const BY_TASK: &str = "task:";

/// Returns the facts after a report. `told_head` is the head that the task reported at its end,
/// which may have been replaced since.
pub(super) fn seen(before: &OutcomeFacts, pr: &PullRequest, told_head: Option<&str>) -> OutcomeFacts {
    let mut facts = before.clone();
    facts.pr = Some(pr.number);
    facts.pr_url = pr.url.clone().or(facts.pr_url);
    facts.opened_at = Some(pr.created_at);
    pushed(&mut facts, pr, told_head);
    if before.seen_at.is_some_and(|at| at > pr.updated_at) {
        return facts;
    }
    facts.seen_at = Some(pr.updated_at);
    facts.active_at = before.active_at.max(Some(pr.updated_at));
    facts.is_open = Some(pr.is_open);
    facts.merged_at = pr.merged_at;
    facts.merged_by = pr.merged_by.as_ref().map(|user| user.login.clone()).or(facts.merged_by);
    if pr.merged_at.is_some() {
        // For an open request, this is the commit of a trial merge.
        facts.merge_commit_sha = pr.merge_commit_sha.clone().or(facts.merge_commit_sha);
    }
    facts.closed_at = if pr.is_open { None } else { pr.closed_at.or(pr.merged_at).or(facts.closed_at) };
    facts.superseded_by = superseded(before, pr);
    facts.review_comment_count = facts.review_comment_count.max(pr.review_comment_count);
    if pr.additions > 0 || pr.deletions > 0 || pr.changed_files > 0 {
        // Lists of pull requests contain no sizes.
        (facts.additions, facts.deletions, facts.changed_files) =
            (pr.additions, pr.deletions, pr.changed_files);
    }
    facts
}

/// Adds the head if it is new. The first one is the first push.
fn pushed(facts: &mut OutcomeFacts, pr: &PullRequest, told_head: Option<&str>) {
    if facts.heads.is_empty() {
        let first = told_head.unwrap_or(&pr.head_sha);
        facts.heads.push(PushedHead { sha: first.to_owned(), at: pr.created_at });
    }
    let is_known = facts.heads.iter().any(|head| head.sha == pr.head_sha);
    if !is_known && facts.heads.len() < HEADS_MAX {
        facts.heads.push(PushedHead { sha: pr.head_sha.clone(), at: pr.updated_at });
        // The sort is stable, so the first head stays first.
        facts.heads.sort_by_key(|head| head.at);
    }
}

fn superseded(before: &OutcomeFacts, pr: &PullRequest) -> Option<String> {
    if pr.is_open || pr.merged_at.is_some() {
        return None;
    }
    let said = |label: &&String| SUPERSEDING.iter().any(|word| label.eq_ignore_ascii_case(word));
    let by_task = before.superseded_by.clone().filter(|by| by.starts_with(BY_TASK));
    pr.labels.iter().find(said).map(|label| format!("{BY_LABEL}{}", label.to_lowercase())).or(by_task)
}
