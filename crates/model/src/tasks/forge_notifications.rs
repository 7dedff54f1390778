//! News that a forge sends to a hook or returns for a request about reviews, normalised so that no
//! code behind the HTTP layer depends on the forge. This module holds the data types and the keys
//! of news. The engine interprets them.

use serde::{Deserialize, Serialize};

use crate::tasks::pull_request::{BranchPush, CheckSuite, PullRequest, PullRequestChange};
use crate::tasks::review::{Authority, ForgeUser, ReviewComment, ReviewState};
use crate::words::closed_words;
use crate::{RepositoryId, Timestamp};

closed_words! {
    /// A change of a review or of one of its comments.
    ReviewChange {
        /// The review or comment was submitted.
        Submitted = "submitted",
        /// The text of the review or comment was edited.
        Edited = "edited",
        /// The review or comment was deleted, or the review was dismissed.
        Withdrawn = "withdrawn",
    }
}

/// A review from a forge, without its comments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgeReview {
    /// The forge's id of the review.
    pub id: u64,
    /// The reviewer who wrote the review.
    pub reviewer: ForgeUser,
    /// The authority of the reviewer, estimated from this payload alone.
    #[serde(default)]
    pub guess: Authority,
    /// The decision of the review.
    pub state: ReviewState,
    /// The text of the review; empty if there is none.
    #[serde(default)]
    pub body: String,
    /// The reviewed commit.
    #[serde(default)]
    pub commit: Option<String>,
    /// The URL of the review.
    #[serde(default)]
    pub url: Option<String>,
    /// The time at which the review was submitted.
    pub submitted_at: Timestamp,
    /// The time at which the review was last changed; `None` if the forge does not report it.
    #[serde(default)]
    pub updated_at: Option<Timestamp>,
}

/// A comment from a forge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgeComment {
    /// The forge's id of the review that the comment belongs to; `None` for a single comment.
    #[serde(default)]
    pub review: Option<u64>,
    /// The comment. The authority of its author is an estimate.
    pub comment: ReviewComment,
}

/// A change at a forge that a webhook or a poll reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ForgeNews {
    /// A change of a review.
    Review {
        /// The kind of the change.
        change: ReviewChange,
        /// The review after the change.
        review: ForgeReview,
        /// The pull request that the change belongs to.
        pr: Box<PullRequest>,
    },
    /// A change of a comment of a review.
    Comment {
        /// The kind of the change.
        change: ReviewChange,
        /// The review that it belongs to.
        review: u64,
        /// The comment after the change.
        comment: Box<ReviewComment>,
        /// The pull request that the change belongs to.
        pr: Box<PullRequest>,
    },
    /// A thread was resolved, or opened again.
    Thread {
        /// True if the thread is resolved now.
        is_resolved: bool,
        /// The forge's id of the review that contains the first comment of the thread.
        review: u64,
        /// The forge's ids of the comments in the thread.
        comments: Vec<u64>,
        /// The pull request that the change belongs to.
        pr: Box<PullRequest>,
    },
    /// A change of a pull request.
    PullRequest {
        /// The kind of the change.
        change: PullRequestChange,
        /// The pull request after the change.
        pr: Box<PullRequest>,
    },
    /// A push of commits to a branch.
    Push {
        /// The push.
        push: BranchPush,
    },
    /// The end of a check suite.
    Checks {
        /// The check suite.
        checks: CheckSuite,
    },
    /// The repository has a new name or owner.
    Named {
        /// The previous name of the repository, `owner/name`.
        formerly: String,
    },
}

impl ForgeNews {
    /// Returns the unit of the news. News of one unit is processed together.
    pub fn unit(&self) -> NewsUnit {
        match self {
            Self::Review { review, pr, .. } => NewsUnit::Review { pr: pr.number, review: review.id },
            Self::Comment { review, pr, .. } | Self::Thread { review, pr, .. } => {
                NewsUnit::Review { pr: pr.number, review: *review }
            }
            Self::PullRequest { pr, .. } => NewsUnit::PullRequest(pr.number),
            Self::Push { .. } => NewsUnit::Pushes,
            Self::Checks { .. } => NewsUnit::Checks,
            Self::Named { .. } => NewsUnit::Names,
        }
    }
}

/// The subject of a forge's notification, by which notifications are processed one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewsUnit {
    /// The notification is about a review.
    Review {
        /// The number of the pull request.
        pr: u64,
        /// The forge's id of the review.
        review: u64,
    },
    /// The notification is about the pull request with this number.
    PullRequest(u64),
    /// The notification is about a push.
    Pushes,
    /// The notification is about a check suite.
    Checks,
    /// The notification is about the names of the repository.
    Names,
}

impl NewsUnit {
    /// Returns the key of a unit, which its deliveries and its job share.
    pub fn key(self, repository: &RepositoryId) -> String {
        match self {
            Self::Review { pr, review } => format!("{repository}/review/{pr}/{review}"),
            Self::PullRequest(pr) => format!("{repository}/pull/{pr}"),
            Self::Pushes => format!("{repository}/pushes"),
            Self::Checks => format!("{repository}/checks"),
            Self::Names => format!("{repository}/names"),
        }
    }

    /// Parses a key into its repository and unit.
    pub fn of_key(key: &str) -> Option<(RepositoryId, Self)> {
        let parts: Vec<&str> = key.split('/').collect();
        let number = |text: &str| text.parse::<u64>().ok();
        let (repository, unit) = match parts.as_slice() {
            [id, "review", pr, review] => (id, Self::Review { pr: number(pr)?, review: number(review)? }),
            [id, "pull", pr] => (id, Self::PullRequest(number(pr)?)),
            [id, "pushes"] => (id, Self::Pushes),
            [id, "checks"] => (id, Self::Checks),
            [id, "names"] => (id, Self::Names),
            _ => return None,
        };
        let repository = RepositoryId::parse(*repository).ok()?;
        Some((repository, unit))
    }
}

/// The identity of a repository, as its forge states it with the news.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticedRepository {
    /// The forge's host.
    pub host: String,
    /// The forge's id of the repository, which never changes.
    pub id: u64,
    /// The current name of the repository, `owner/name`.
    pub path: String,
}

/// A notification of a forge, with the repository that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgeNotice {
    /// The repository, under its current name at the forge.
    pub repository: NoticedRepository,
    /// The forge's own word for the event.
    pub event: String,
    /// The change that the notification reports; `None` for an event without effect.
    #[serde(default)]
    pub news: Option<ForgeNews>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_units_are_read_back() {
        let repository = RepositoryId::parse("0190f5fe-7c00-7a00-8000-000000000001").unwrap();
        for unit in [
            NewsUnit::Review { pr: 7, review: 80 },
            NewsUnit::PullRequest(7),
            NewsUnit::Pushes,
            NewsUnit::Checks,
            NewsUnit::Names,
        ] {
            let key = unit.key(&repository);
            assert_eq!(NewsUnit::of_key(&key), Some((repository.clone(), unit)), "{key}");
        }
        for none in ["", "x", "-/ignored", "0190f5fe-7c00-7a00-8000-000000000001/review/7"] {
            assert_eq!(NewsUnit::of_key(none), None, "{none}");
        }
    }
}
