//! The representations of users, pull requests, reviews and comments in GitHub's API and webhooks.
//! States are upper case in the API and lower case in webhooks.

use loci_model::Timestamp;
use loci_model::tasks::forge_notifications::{ForgeComment, ForgeReview};
use loci_model::tasks::pull_request::{CheckSuite, PullRequest, PullRequestCommit};
use loci_model::tasks::review::{Authority, ForgeUser, RepositoryRole, ReviewComment, ReviewState};
use serde::{Deserialize, Deserializer};

/// A user account in GitHub's format.
#[derive(Debug, Clone)]
pub(crate) struct User {
    login: String,
    id: u64,
    kind: String,
}

/// A user account that may be missing: `{}` if the account is unknown or deleted.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ToldUser {
    login: Option<String>,
    id: Option<u64>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// Parses an account. `null`, `{}` and absence mean that there is none.
pub(crate) fn user<'de, D: Deserializer<'de>>(from: D) -> Result<Option<User>, D::Error> {
    let told: Option<ToldUser> = Deserialize::deserialize(from)?;
    Ok(told.and_then(|told| {
        let (id, kind) = (told.id.unwrap_or_default(), told.kind.unwrap_or_default());
        Some(User { login: told.login?, id, kind })
    }))
}

/// The login that stands for a deleted account.
const GHOST: &str = "ghost";

impl User {
    pub(crate) fn told(user: Option<Self>) -> ForgeUser {
        match user {
            Some(user) => {
                // Apps are also recognised by the suffix of their logins.
                let is_bot = user.kind.eq_ignore_ascii_case("Bot") || user.login.ends_with("[bot]");
                ForgeUser { id: user.id, login: user.login, is_bot }
            }
            None => ForgeUser { id: 0, login: GHOST.to_owned(), is_bot: false },
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Side {
    #[serde(default)]
    sha: String,
    #[serde(rename = "ref", default)]
    name: String,
    #[serde(default)]
    repo: Option<Numbered>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Numbered {
    id: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Label {
    name: String,
}

/// A pull request in GitHub's format, complete or as a part of a review.
#[derive(Debug, Deserialize)]
pub(crate) struct Pull {
    pub(crate) number: u64,
    #[serde(default, deserialize_with = "user")]
    user: Option<User>,
    title: Option<String>,
    body: Option<String>,
    #[serde(default)]
    state: String,
    #[serde(default)]
    draft: Option<bool>,
    merged_at: Option<String>,
    #[serde(default, deserialize_with = "user")]
    merged_by: Option<User>,
    merge_commit_sha: Option<String>,
    closed_at: Option<String>,
    head: Side,
    base: Side,
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(default)]
    review_comments: u32,
    #[serde(default)]
    additions: u32,
    #[serde(default)]
    deletions: u32,
    #[serde(default)]
    changed_files: u32,
    html_url: Option<String>,
    created_at: Option<String>,
    pub(crate) updated_at: Option<String>,
}

impl Pull {
    /// Returns the pull request in the common format. `None` if its creation time is invalid.
    pub(crate) fn told(self, commits: Vec<PullRequestCommit>) -> Option<PullRequest> {
        let created_at = time(self.created_at.as_deref())?;
        // A pull request from a deleted repository counts as one from a fork.
        let is_fork = self.head.repo.map(|repo| repo.id) != self.base.repo.map(|repo| repo.id);
        Some(PullRequest {
            number: self.number,
            author: User::told(self.user),
            title: self.title.unwrap_or_default(),
            body: self.body.unwrap_or_default(),
            is_open: self.state.eq_ignore_ascii_case("open"),
            is_draft: self.draft.unwrap_or_default(),
            is_fork,
            merged_at: time(self.merged_at.as_deref()),
            merged_by: self.merged_by.map(|user| User::told(Some(user))),
            merge_commit_sha: self.merge_commit_sha,
            closed_at: time(self.closed_at.as_deref()),
            head_sha: self.head.sha,
            head_ref: self.head.name,
            base_ref: self.base.name,
            labels: self.labels.into_iter().map(|label| label.name).collect(),
            commits,
            review_comment_count: self.review_comments,
            additions: self.additions,
            deletions: self.deletions,
            changed_files: self.changed_files,
            url: self.html_url,
            created_at,
            updated_at: time(self.updated_at.as_deref()).unwrap_or(created_at),
        })
    }
}

/// A review in GitHub's format.
#[derive(Debug, Deserialize)]
pub(crate) struct Reviewed {
    id: u64,
    #[serde(default, deserialize_with = "user")]
    user: Option<User>,
    body: Option<String>,
    state: String,
    commit_id: Option<String>,
    html_url: Option<String>,
    submitted_at: Option<String>,
    updated_at: Option<String>,
    author_association: Option<String>,
}

impl Reviewed {
    /// Returns the review in the common format. `None` if it is not submitted yet, or its state or
    /// time is invalid.
    pub(crate) fn told(self) -> Option<ForgeReview> {
        let state = ReviewState::parse(&self.state.to_ascii_lowercase())?;
        Some(ForgeReview {
            id: self.id,
            reviewer: User::told(self.user),
            guess: guess(self.author_association.as_deref()),
            state,
            body: self.body.unwrap_or_default(),
            commit: self.commit_id,
            url: self.html_url,
            submitted_at: time(self.submitted_at.as_deref()).or(time(self.updated_at.as_deref()))?,
            updated_at: time(self.updated_at.as_deref()),
        })
    }
}

/// A comment on lines of code in GitHub's format.
#[derive(Debug, Deserialize)]
pub(crate) struct Commented {
    pub(crate) id: u64,
    pub(crate) pull_request_review_id: Option<u64>,
    in_reply_to_id: Option<u64>,
    path: Option<String>,
    line: Option<u32>,
    original_line: Option<u32>,
    diff_hunk: Option<String>,
    body: Option<String>,
    #[serde(default, deserialize_with = "user")]
    user: Option<User>,
    author_association: Option<String>,
    html_url: Option<String>,
    created_at: Option<String>,
    updated_at: Option<String>,
}

impl Commented {
    pub(crate) fn told(self) -> Option<ForgeComment> {
        let created_at = time(self.created_at.as_deref())?;
        Some(ForgeComment {
            review: self.pull_request_review_id,
            comment: ReviewComment {
                id: self.id,
                author: User::told(self.user),
                path: self.path,
                // `line` is null if the code has changed since the comment.
                line: self.line.or(self.original_line),
                is_outdated: Some(self.line.is_none() && self.original_line.is_some()),
                authority: Some(guess(self.author_association.as_deref())),
                diff_hunk: self.diff_hunk,
                body: self.body.unwrap_or_default(),
                in_reply_to: self.in_reply_to_id,
                is_resolved: None,
                url: self.html_url,
                created_at,
                updated_at: time(self.updated_at.as_deref()).unwrap_or(created_at),
            },
        })
    }
}

/// A check suite in GitHub's format.
#[derive(Debug, Deserialize)]
pub(crate) struct Suite {
    id: u64,
    head_sha: String,
    conclusion: Option<String>,
    #[serde(default)]
    status: Option<String>,
    updated_at: Option<String>,
}

impl Suite {
    /// Returns the check suite in the common format. `None` if it is not completed.
    pub(crate) fn told(self) -> Option<CheckSuite> {
        if self.status.as_deref().is_some_and(|status| !status.eq_ignore_ascii_case("completed")) {
            return None;
        }
        let passed = match self.conclusion?.to_ascii_lowercase().as_str() {
            "success" => Some(true),
            "failure" | "timed_out" | "startup_failure" | "action_required" => Some(false),
            _ => None,
        };
        let at = time(self.updated_at.as_deref())?;
        Some(CheckSuite { id: self.id, head_sha: self.head_sha, passed, at })
    }
}

/// Parses a time of the API.
pub(crate) fn time(text: Option<&str>) -> Option<Timestamp> {
    Timestamp::parse(text?).ok()
}

/// Returns a provisional authority from the association of a user with the repository. GitHub
/// reports private members as contributors, and members may lack write access. So it counts at
/// most 0.5, and is used only if the forge does not report permissions.
pub(crate) fn guess(association: Option<&str>) -> Authority {
    let of = |role, has_merged| Authority { role, is_provisional: true, has_merged, ..Authority::default() };
    match association.unwrap_or_default().to_ascii_uppercase().as_str() {
        "OWNER" => of(RepositoryRole::Admin, true),
        "MEMBER" | "COLLABORATOR" => of(RepositoryRole::Write, true),
        "CONTRIBUTOR" => of(RepositoryRole::Read, true),
        _ => of(RepositoryRole::None, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a67_states_are_upper_and_lower_case() {
        let state = |state: &str| {
            let review = serde_json::json!({"id": 80, "user": null, "body": null, "state": state,
                "submitted_at": "2026-11-22T08:00:00Z"});
            serde_json::from_value::<Reviewed>(review).unwrap().told().map(|told| told.state)
        };
        for word in ["changes_requested", "CHANGES_REQUESTED", "Changes_Requested"] {
            assert_eq!(state(word), Some(ReviewState::ChangesRequested), "{word}");
        }
        assert_eq!(state("APPROVED"), Some(ReviewState::Approved));
        assert_eq!(state("dismissed"), Some(ReviewState::Dismissed));
        assert_eq!(state("PENDING"), None);
    }

    #[test]
    fn a66_a_review_without_words() {
        let review = serde_json::json!({"id": 80, "user": {"login": "alice", "id": 5, "type": "User"}, "body": null,
            "state": "COMMENTED", "submitted_at": "2026-11-22T08:00:00Z"});
        let told = serde_json::from_value::<Reviewed>(review).unwrap().told().unwrap();
        assert_eq!((told.body.as_str(), told.reviewer.id), ("", 5));
    }

    #[test]
    fn nobody_is_told_in_many_ways() {
        let check = |user: serde_json::Value, expect: (u64, &str)| {
            let mut review = serde_json::json!({"id": 80, "body": "x", "state": "COMMENTED", "submitted_at": "2026-11-22T08:00:00Z"});
            if user != serde_json::json!("absent") {
                review["user"] = user.clone();
            }
            let reviewer = serde_json::from_value::<Reviewed>(review).unwrap().told().unwrap().reviewer;
            assert_eq!((reviewer.id, reviewer.login.as_str()), expect, "{user}");
        };
        check(serde_json::json!("absent"), (0, GHOST));
        check(serde_json::json!(null), (0, GHOST));
        check(serde_json::json!({}), (0, GHOST));
        check(serde_json::json!({"login": null, "id": null}), (0, GHOST));
        check(serde_json::json!({"login": "alice", "id": 5, "node_id": "x"}), (5, "alice"));
    }

    #[test]
    fn associations_are_guesses() {
        for (association, role) in [
            ("OWNER", RepositoryRole::Admin),
            ("member", RepositoryRole::Write),
            ("CONTRIBUTOR", RepositoryRole::Read),
            ("FIRST_TIMER", RepositoryRole::None),
            ("", RepositoryRole::None),
        ] {
            let guessed = guess(Some(association));
            assert_eq!((guessed.role, guessed.is_provisional), (role, true), "{association}");
        }
    }

    #[test]
    fn conclusions() {
        let check = |status: &str, conclusion: Option<&str>, expect: Option<Option<bool>>| {
            let suite = serde_json::json!({"id": 1, "head_sha": "a", "status": status, "conclusion": conclusion,
                "updated_at": "2026-11-22T08:00:00Z"});
            let told = serde_json::from_value::<Suite>(suite).unwrap().told();
            assert_eq!(told.map(|told| told.passed), expect, "{status} {conclusion:?}");
        };
        check("completed", Some("success"), Some(Some(true)));
        check("completed", Some("failure"), Some(Some(false)));
        check("completed", Some("neutral"), Some(None));
        check("in_progress", None, None);
    }
}
