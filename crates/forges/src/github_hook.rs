//! Parsing of GitHub's webhook bodies into events that are the same for all forges. Kinds of events
//! that Loci does not use are ignored.

use loci_model::ports::forge::NoticeReader;
use loci_model::tasks::forge_notifications::{ForgeNews, ForgeNotice, NoticedRepository, ReviewChange};
use loci_model::tasks::pull_request::{BranchPush, PullRequestChange, PullRequestCommit};
use loci_model::tasks::review::ForgeUser;
use loci_model::{Error, Reason, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::github_shapes::{Commented, Pull, Reviewed, Suite, time};

/// The prefix of branch names.
const BRANCH: &str = "refs/heads/";
/// The null id: the branch was deleted.
const NONE: &str = "0000000000000000000000000000000000000000";

/// The parser of GitHub's webhooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct GitHubHooks;

/// The body of a webhook. Members are parsed only for the events that use them, because other
/// events may use the same name differently.
#[derive(Deserialize)]
struct Body {
    action: Option<Value>,
    repository: Option<Repository>,
    pull_request: Option<Value>,
    review: Option<Value>,
    comment: Option<Value>,
    thread: Option<Value>,
    check_suite: Option<Value>,
    changes: Option<Value>,
    // Members of pushes.
    #[serde(rename = "ref")]
    reference: Option<Value>,
    after: Option<Value>,
    commits: Option<Value>,
}

#[derive(Deserialize)]
struct Repository {
    id: u64,
    full_name: String,
    html_url: Option<String>,
    default_branch: Option<String>,
    #[serde(default)]
    pushed_at: Option<Value>,
}

#[derive(Deserialize)]
struct Thread {
    #[serde(default)]
    comments: Vec<Value>,
}

#[derive(Deserialize)]
struct PushedCommit {
    id: String,
    message: String,
    timestamp: Option<String>,
    author: Option<PushedAuthor>,
}

#[derive(Deserialize)]
struct PushedAuthor {
    username: Option<String>,
}

impl NoticeReader for GitHubHooks {
    fn read(&self, event: &str, body: &[u8]) -> Result<Option<ForgeNotice>> {
        let body: Body =
            loci_json::from_slice(body).map_err(|error| unreadable("the body").caused_by(error))?;
        let Some(named) = body.repository.as_ref() else { return Ok(None) };
        let repository = NoticedRepository {
            host: host(named.html_url.as_deref()),
            id: named.id,
            path: named.full_name.clone(),
        };
        let action = body.action.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        let word = if action.is_empty() { event.to_owned() } else { format!("{event}.{action}") };
        let news = news(event, &action, body)?;
        Ok(Some(ForgeNotice { repository, event: word, news }))
    }
}

fn news(event: &str, action: &str, body: Body) -> Result<Option<ForgeNews>> {
    match (event, action) {
        ("pull_request_review", "submitted") => reviewed(body, ReviewChange::Submitted),
        ("pull_request_review", "edited") => reviewed(body, ReviewChange::Edited),
        ("pull_request_review", "dismissed") => reviewed(body, ReviewChange::Withdrawn),
        ("pull_request_review_comment", "created") => commented(body, ReviewChange::Submitted),
        ("pull_request_review_comment", "edited") => commented(body, ReviewChange::Edited),
        ("pull_request_review_comment", "deleted") => commented(body, ReviewChange::Withdrawn),
        ("pull_request_review_thread", "resolved" | "unresolved") => thread(body, action == "resolved"),
        ("pull_request", "opened") => pull(body, PullRequestChange::Opened),
        ("pull_request", "closed") => pull(body, PullRequestChange::Closed),
        ("pull_request", "reopened") => pull(body, PullRequestChange::Reopened),
        ("pull_request", "synchronize") => pull(body, PullRequestChange::Synchronized),
        ("pull_request", "ready_for_review" | "edited" | "labeled" | "unlabeled") => {
            pull(body, PullRequestChange::Seen)
        }
        ("push", _) => pushed(body),
        ("check_suite", "completed") => {
            let suite: Suite = part("check_suite", body.check_suite)?;
            Ok(suite.told().map(|checks| ForgeNews::Checks { checks }))
        }
        ("repository", "renamed" | "transferred") => {
            Ok(formerly(&body).map(|formerly| ForgeNews::Named { formerly }))
        }
        _ => Ok(None),
    }
}

fn reviewed(body: Body, change: ReviewChange) -> Result<Option<ForgeNews>> {
    let (review, pr): (Reviewed, Pull) =
        (part("review", body.review)?, part("pull_request", body.pull_request)?);
    // A review that is not submitted yet yields no news.
    let Some(review) = review.told() else { return Ok(None) };
    Ok(Some(ForgeNews::Review { change, review, pr: Box::new(whole(pr)?) }))
}

fn commented(body: Body, change: ReviewChange) -> Result<Option<ForgeNews>> {
    let (comment, pr): (Commented, Pull) =
        (part("comment", body.comment)?, part("pull_request", body.pull_request)?);
    let told = comment.told().ok_or_else(|| unreadable("comment.created_at"))?;
    let Some(review) = told.review else { return Ok(None) };
    Ok(Some(ForgeNews::Comment { change, review, comment: Box::new(told.comment), pr: Box::new(whole(pr)?) }))
}

fn thread(body: Body, is_resolved: bool) -> Result<Option<ForgeNews>> {
    let pr: Pull = part("pull_request", body.pull_request)?;
    let told = part::<Option<Thread>>("thread", Some(body.thread.unwrap_or_default()))?;
    let told = told.map(|thread| thread.comments).unwrap_or_default();
    let told: Vec<Commented> =
        told.into_iter().map(|one| part("thread.comments", Some(one))).collect::<Result<_>>()?;
    let Some(review) = told.first().and_then(|first| first.pull_request_review_id) else { return Ok(None) };
    let comments = told.iter().map(|comment| comment.id).collect();
    Ok(Some(ForgeNews::Thread { is_resolved, review, comments, pr: Box::new(whole(pr)?) }))
}

fn pull(body: Body, change: PullRequestChange) -> Result<Option<ForgeNews>> {
    let pr = whole(part("pull_request", body.pull_request)?)?;
    Ok(Some(ForgeNews::PullRequest { change, pr: Box::new(pr) }))
}

/// Returns the event for a push to a branch. `None` for a tag, and for a deleted branch.
fn pushed(body: Body) -> Result<Option<ForgeNews>> {
    let text = |value: Option<Value>| value.as_ref().and_then(Value::as_str).map(str::to_owned);
    let branch = text(body.reference).and_then(|name| name.strip_prefix(BRANCH).map(str::to_owned));
    let after = text(body.after).filter(|after| after != NONE);
    let (Some(branch), Some(after), Some(repository)) = (branch, after, body.repository) else {
        return Ok(None);
    };
    let commits = part::<Option<Vec<PushedCommit>>>("commits", Some(body.commits.unwrap_or_default()))?;
    let commits = commits.unwrap_or_default();
    // The time of the forge's clock, as for merges. The times of commits come from the clocks of
    // their authors.
    let latest = || commits.iter().filter_map(|commit| time(commit.timestamp.as_deref())).max();
    let Some(at) = seconds(repository.pushed_at.as_ref()).or_else(latest) else { return Ok(None) };
    let told = |commit: PushedCommit| PullRequestCommit {
        sha: commit.id,
        author: commit.author.and_then(|author| author.username).map(|login| {
            let is_bot = login.ends_with("[bot]");
            ForgeUser { id: 0, login, is_bot }
        }),
        message: commit.message,
    };
    let is_default = repository.default_branch.as_deref() == Some(branch.as_str());
    let commits = commits.into_iter().map(told).collect();
    Ok(Some(ForgeNews::Push { push: BranchPush { branch, is_default, after, commits, at } }))
}

/// Parses a time, which is a number of seconds in a push and text in other events.
fn seconds(at: Option<&Value>) -> Option<loci_model::Timestamp> {
    match at? {
        Value::Number(seconds) => {
            loci_model::Timestamp::from_millis(seconds.as_i64()?.checked_mul(1_000)?).ok()
        }
        Value::String(text) => time(Some(text)),
        _ => None,
    }
}

/// Returns the repository's previous path after a change of its name or owner.
fn formerly(body: &Body) -> Option<String> {
    let (changes, now) = (body.changes.as_ref()?, &body.repository.as_ref()?.full_name);
    let (owner, name) = now.split_once('/')?;
    let text = |path: &str| changes.pointer(path).and_then(Value::as_str).map(str::to_owned);
    let former_name = text("/repository/name/from");
    let former_owner = text("/owner/from/user/login").or_else(|| text("/owner/from/organization/login"));
    if former_name.is_none() && former_owner.is_none() {
        return None;
    }
    let owner = former_owner.unwrap_or_else(|| owner.to_owned());
    Some(format!("{owner}/{}", former_name.unwrap_or_else(|| name.to_owned())))
}

fn whole(pr: Pull) -> Result<loci_model::tasks::pull_request::PullRequest> {
    pr.told(Vec::new()).ok_or_else(|| unreadable("pull_request.created_at"))
}

fn part<T: serde::de::DeserializeOwned>(name: &'static str, value: Option<Value>) -> Result<T> {
    let value = value.ok_or_else(|| unreadable(name))?;
    loci_json::from_value(&value).map_err(|error| unreadable(name).caused_by(error))
}

/// Returns the host of a page's address.
fn host(url: Option<&str>) -> String {
    let host = url.and_then(|url| url.split_once("://")).and_then(|(_, rest)| rest.split('/').next());
    host.filter(|host| !host.is_empty()).unwrap_or("github.com").to_ascii_lowercase()
}

fn unreadable(what: &str) -> Error {
    Error::invalid("payload", format!("{what} is missing, or is not what this event has"))
        .because(Reason::CannotParse)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn repository() -> Value {
        json!({"id": 186853002, "full_name": "acme/shop", "html_url": "https://github.com/acme/shop",
            "default_branch": "main", "pushed_at": 1_795_334_400})
    }

    fn pr() -> Value {
        json!({"number": 7, "id": 70, "state": "open", "draft": false, "user": {"login": "shop-agent[bot]", "id": 9, "type": "Bot"},
            "title": "Add totals", "body": null, "merged_at": null, "merge_commit_sha": null, "closed_at": null,
            "head": {"ref": "agent/t-1", "sha": "a".repeat(40), "repo": {"id": 186853002}},
            "base": {"ref": "main", "sha": "b".repeat(40), "repo": {"id": 186853002}},
            "html_url": "https://github.com/acme/shop/pull/7", "created_at": "2026-11-22T08:00:00Z",
            "updated_at": "2026-11-22T08:10:00Z"})
    }

    fn read(event: &str, body: &Value) -> ForgeNotice {
        let mut body = body.clone();
        body["repository"] = repository();
        GitHubHooks.read(event, body.to_string().as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn a_review_and_its_comments() {
        let alice = json!({"login": "alice", "id": 5, "type": "User"});
        let body = json!({"action": "submitted", "pull_request": pr(), "sender": alice, "review": {"id": 80, "user": alice,
            "body": null, "state": "changes_requested", "commit_id": "a".repeat(40), "submitted_at": "2026-11-22T08:05:00Z",
            "author_association": "CONTRIBUTOR", "html_url": "https://github.com/acme/shop/pull/7#r80"}});
        let notice = read("pull_request_review", &body);
        assert_eq!(
            (notice.event.as_str(), notice.repository.id),
            ("pull_request_review.submitted", 186853002)
        );
        assert_eq!(notice.repository.host, "github.com");
        let Some(ForgeNews::Review { change, review, pr: told }) = notice.news else { panic!("a review") };
        assert_eq!((change, review.id, review.body.as_str()), (ReviewChange::Submitted, 80, ""));
        assert!(told.is_open && !told.is_fork && told.author.is_bot && told.head_ref == "agent/t-1");
        let comment = json!({"id": 800, "pull_request_review_id": 80, "in_reply_to_id": 700, "path": "src/a.rs", "line": 3,
            "diff_hunk": "@@", "body": "use Money", "user": alice, "author_association": "MEMBER",
            "created_at": "2026-11-22T08:05:00Z", "updated_at": "2026-11-22T08:06:00Z"});
        let body = json!({"action": "deleted", "pull_request": pr(), "comment": comment});
        let Some(ForgeNews::Comment { change, review, comment, .. }) =
            read("pull_request_review_comment", &body).news
        else {
            panic!("a comment")
        };
        assert_eq!((change, review, comment.in_reply_to), (ReviewChange::Withdrawn, 80, Some(700)));
        let body = json!({"action": "resolved", "pull_request": pr(), "thread": {"node_id": "x", "comments": [
            {"id": 800, "pull_request_review_id": 80}, {"id": 801, "pull_request_review_id": 81}]}});
        let Some(ForgeNews::Thread { is_resolved, review, comments, .. }) =
            read("pull_request_review_thread", &body).news
        else {
            panic!("a thread")
        };
        assert_eq!((is_resolved, review, comments), (true, 80, vec![800, 801]));
    }

    #[test]
    fn half_a_letter_costs_no_body() {
        let body = json!({"action": "opened", "pull_request": pr(), "repository": repository()}).to_string();
        let body = body.replace("Add totals", "Add totals \\ud83d");
        let read = GitHubHooks.read("pull_request", body.as_bytes()).unwrap().unwrap();
        let Some(ForgeNews::PullRequest { pr, .. }) = read.news else { panic!("a pull request") };
        assert_eq!(pr.title, "Add totals \u{fffd}");
    }

    #[test]
    fn pushes_checks_and_names() {
        let body = json!({"ref": "refs/heads/main", "after": "c".repeat(40), "commits": [{"id": "c".repeat(40),
            "message": "This reverts commit x", "timestamp": "2026-11-22T09:00:00+01:00", "author": {"username": "bob"}}]});
        let Some(ForgeNews::Push { push }) = read("push", &body).news else { panic!("a push") };
        assert!(push.is_default && push.commits.len() == 1 && push.branch == "main");
        assert_eq!(push.at.millis(), 1_795_334_400_000, "by the forge's clock");
        for none in
            [json!({"ref": "refs/tags/v1", "after": "c"}), json!({"ref": "refs/heads/x", "after": NONE})]
        {
            assert_eq!(read("push", &none).news, None, "{none}");
        }
        let body = json!({"action": "completed", "check_suite": {"id": 1, "head_sha": "a", "status": "completed",
            "conclusion": "success", "updated_at": "2026-11-22T08:00:00Z"}});
        assert!(matches!(read("check_suite", &body).news, Some(ForgeNews::Checks { .. })));
        let check = |changes: Value, expect: Option<&str>| {
            let body = json!({"action": "renamed", "changes": changes});
            let told = read("repository", &body).news.map(|news| match news {
                ForgeNews::Named { formerly } => formerly,
                _ => "another".to_owned(),
            });
            assert_eq!(told.as_deref(), expect);
        };
        check(json!({"repository": {"name": {"from": "store"}}}), Some("acme/store"));
        check(json!({"owner": {"from": {"user": {"login": "alice"}}}}), Some("alice/shop"));
        check(json!({}), None);
    }

    #[test]
    fn what_is_of_no_use_has_no_news_and_what_is_odd_is_refused() {
        assert_eq!(read("star", &json!({"action": "created"})).news, None);
        for (event, body) in [
            ("installation", r#"{"action":"created","installation":{"id":1}}"#),
            ("organization", r#"{"action":"member_added","repository":null}"#),
            ("pull_request_review", "{}"),
        ] {
            assert_eq!(GitHubHooks.read(event, body.as_bytes()).unwrap(), None, "{event}: of no repository");
        }
        // Unused members in an unexpected format cause no error.
        let odd =
            json!({"action": 7, "ref": {}, "after": [], "commits": 3, "thread": "x", "comment": "fine"});
        assert_eq!(read("deployment_review", &odd).news, None);
        assert_eq!(
            read("push", &json!({"ref": "refs/heads/x", "after": "c", "commits": null})).event,
            "push"
        );
        for (event, body) in [
            ("pull_request_review", "not JSON"),
            ("pull_request", r#"{"action":"closed","repository":{"id":1,"full_name":"a/b"}}"#),
        ] {
            let refused = GitHubHooks.read(event, body.as_bytes()).unwrap_err();
            assert_eq!(refused.field.as_deref(), Some("payload"), "{event} {body}");
        }
    }
}
