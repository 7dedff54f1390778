//! The repository in GitHub's JSON, for responses of its API and bodies of its webhooks, as its
//! documentation specifies. States of reviews are upper case in responses and lower case in
//! webhooks.

use loci_model::Timestamp;
use serde_json::{Value, json};

use super::forge_state::{Comment, Person, Pull, Review, Stage, World};

/// The name of the repository.
pub(super) const REPO: &str = "acme/shop";
const NUMBER: u64 = 186_853_002;
const PAGE: &str = "https://github.com/acme/shop";

fn time(seconds: i64) -> String {
    Timestamp::clamped(seconds.saturating_mul(1_000)).to_rfc3339()
}

pub(super) fn user(person: Person) -> Value {
    json!({"login": person.login, "id": person.id, "type": if person.is_bot() { "Bot" } else { "User" }})
}

pub(super) fn repository(full_name: &str) -> Value {
    let id = if full_name == REPO { NUMBER } else { NUMBER + 1 };
    json!({"id": id, "full_name": full_name, "html_url": format!("https://github.com/{full_name}"), "default_branch": "main"})
}

pub(super) fn pull(world: &World, pull: &Pull) -> Value {
    let is_open = matches!(pull.stage, Stage::Planned | Stage::Open);
    let is_merged = matches!(pull.stage, Stage::Merged | Stage::Reverted | Stage::Relanded);
    let closed = pull.closed_s.map(time);
    let labels: Vec<Value> = pull.label.iter().map(|name| json!({"name": name})).collect();
    let merged_by = is_merged
        .then(|| user(super::forge_state::PEOPLE.first().copied().unwrap_or(super::forge_state::AGENT)));
    let comments = world.comments.values().filter(|comment| comment.pr == pull.number).count();
    json!({"number": pull.number, "state": if is_open { "open" } else { "closed" }, "draft": pull.is_draft,
        "user": user(super::forge_state::AGENT), "title": "Add totals", "body": null,
        "head": {"ref": format!("agent/{}", pull.task()), "sha": pull.head(), "repo": {"id": NUMBER}},
        "base": {"ref": "main", "sha": "b".repeat(40), "repo": {"id": NUMBER}}, "labels": labels,
        "html_url": format!("{PAGE}/pull/{}", pull.number), "merged": is_merged, "merged_by": merged_by,
        "merged_at": closed.clone().filter(|_| is_merged), "closed_at": closed, "merge_commit_sha": pull.merge_sha,
        "commits": pull.commits.len(), "review_comments": comments, "additions": 10, "deletions": 2, "changed_files": 1,
        "created_at": time(pull.created_s), "updated_at": time(pull.updated_s)})
}

pub(super) fn commits(pull: &Pull) -> Vec<Value> {
    let told = |commit: &super::forge_state::Commit| json!({"sha": commit.sha, "commit": {"message": "Add totals"}, "author": user(commit.author)});
    pull.commits.iter().map(told).collect()
}

/// Returns a review in the format of the API.
pub(super) fn review(review: &Review) -> Value {
    json!({"id": review.id, "user": user(review.reviewer), "body": review.body, "state": review.state.to_uppercase(),
        "commit_id": review.commit, "html_url": format!("{PAGE}/pull/{}#pullrequestreview-{}", review.pr, review.id),
        "submitted_at": time(review.submitted_s), "author_association": "CONTRIBUTOR"})
}

pub(super) fn comment(comment: &Comment) -> Value {
    json!({"id": comment.id, "pull_request_review_id": comment.review, "in_reply_to_id": comment.answers, "path": comment.path,
        "line": 3, "diff_hunk": "@@ -1 +1 @@", "body": comment.body, "user": user(comment.author),
        "html_url": format!("{PAGE}/pull/{}#discussion_r{}", comment.pr, comment.id), "author_association": "CONTRIBUTOR",
        "created_at": time(comment.created_s), "updated_at": time(comment.updated_s)})
}

/// Returns the GraphQL response that states which threads of a pull request are resolved.
pub(super) fn threads(world: &World, pr: u64) -> Value {
    let roots = world.comments.values().filter(|comment| comment.pr == pr && comment.answers.is_none());
    let nodes: Vec<Value> = roots
        .map(|root| json!({"isResolved": root.is_resolved, "comments": {"nodes": [{"databaseId": root.id}]}}))
        .collect();
    let page = json!({"hasNextPage": false, "endCursor": null});
    json!({"data": {"repository": {"pullRequest": {"reviewThreads": {"pageInfo": page, "nodes": nodes}}}}})
}

/// Returns the body of a webhook about a pull request, with further members.
pub(super) fn about(world: &World, pr: &Pull, action: &str, sender: Person, with: &[(&str, Value)]) -> Value {
    let mut body = json!({"action": action, "pull_request": pull(world, pr), "sender": user(sender), "repository": repository(REPO)});
    if let Some(members) = body.as_object_mut() {
        members.extend(with.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    }
    body
}

/// Returns a review in the format of a webhook.
pub(super) fn hooked(told: &Review) -> Value {
    let mut shown = review(told);
    if let Some(members) = shown.as_object_mut() {
        members.insert("state".to_owned(), told.state.into());
    }
    shown
}

/// Returns the body of a push to the default branch that reverts a commit.
pub(super) fn reverting(sha: &str, back: &str, at_s: i64) -> Value {
    let message = format!("Revert \"Add totals\"\n\nThis reverts commit {back}.");
    json!({"ref": "refs/heads/main", "before": "b".repeat(40), "after": sha, "repository": repository(REPO), "commits": [
        {"id": sha, "message": message, "timestamp": time(at_s), "author": {"username": "alice"}}]})
}

/// Returns the body of a webhook about a completed check suite.
pub(super) fn checked(id: u64, sha: &str, has_passed: bool, at_s: i64) -> Value {
    let conclusion = if has_passed { "success" } else { "failure" };
    json!({"action": "completed", "repository": repository(REPO), "check_suite": {"id": id, "head_sha": sha,
        "status": "completed", "conclusion": conclusion, "updated_at": time(at_s)}})
}
