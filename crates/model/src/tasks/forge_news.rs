//! What a forge tells by a hook, and what it answers when it is asked about reviews: normalised, so that nothing behind the door knows
//! which forge it was. Shapes and the names by which news is told apart; what it means is the
//! engine's matter.

use serde::{Deserialize, Serialize};

use crate::tasks::pull_request::{BranchPush, CheckSuite, PullRequest, PullRequestChange};
use crate::tasks::review::{Authority, ForgeUser, ReviewComment, ReviewState};
use crate::words::closed_words;
use crate::{RepositoryId, Timestamp};

closed_words! {
    /// What happened to a review, or to a comment of one.
    ReviewChange {
        /// It came.
        Submitted = "submitted",
        /// It says something else now.
        Edited = "edited",
        /// It is gone, or counts no more.
        Withdrawn = "withdrawn",
    }
}

/// A review as a forge tells it, without its comments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldReview {
    /// The forge's number.
    pub id: u64,
    /// Who reviewed.
    pub reviewer: ForgeUser,
    /// What they may do, as far as one can guess from this alone.
    #[serde(default)]
    pub guess: Authority,
    /// What they decided.
    pub state: ReviewState,
    /// What they said of the whole; empty where they said nothing.
    #[serde(default)]
    pub body: String,
    /// The commit that was looked at.
    #[serde(default)]
    pub commit: Option<String>,
    /// Where it is seen.
    #[serde(default)]
    pub url: Option<String>,
    /// When it was handed in.
    pub submitted_at: Timestamp,
    /// When it was changed last; none where the forge does not say.
    #[serde(default)]
    pub updated_at: Option<Timestamp>,
}

/// A comment as a forge tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldComment {
    /// The review that it came with; none of what stands alone.
    #[serde(default)]
    pub review: Option<u64>,
    /// What was said; its author's authority is a guess.
    pub comment: ReviewComment,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ForgeNews {
    /// To a review.
    Review {
        /// What.
        change: ReviewChange,
        /// The review.
        review: ToldReview,
        /// Its pull request.
        pr: Box<PullRequest>,
    },
    /// To a comment of a review.
    Comment {
        /// What.
        change: ReviewChange,
        /// The review that it belongs to.
        review: u64,
        /// The comment.
        comment: Box<ReviewComment>,
        /// Its pull request.
        pr: Box<PullRequest>,
    },
    /// A thread was resolved, or opened again.
    Thread {
        /// It is resolved now.
        is_resolved: bool,
        /// The review of its first comment.
        review: u64,
        /// Numbers of its comments.
        comments: Vec<u64>,
        /// Its pull request.
        pr: Box<PullRequest>,
    },
    /// To a pull request.
    PullRequest {
        /// What.
        change: PullRequestChange,
        /// The pull request.
        pr: Box<PullRequest>,
    },
    /// Commits came to a branch.
    Push {
        /// Which.
        push: BranchPush,
    },
    /// A suite of checks ended.
    Checks {
        /// Which.
        checks: CheckSuite,
    },
    /// The repository has another name, or another owner.
    Named {
        /// What it was called before, `owner/name`.
        formerly: String,
    },
}

impl ForgeNews {
    /// What it is about: news of one unit is dealt with together.
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

/// What news is about, in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewsUnit {
    /// A review.
    Review {
        /// The pull request.
        pr: u64,
        /// The forge's number for the review.
        review: u64,
    },
    /// A pull request.
    PullRequest(u64),
    /// Pushes.
    Pushes,
    /// Checks.
    Checks,
    /// Its names.
    Names,
}

impl NewsUnit {
    /// The key of a unit: deliveries and the job of one unit have it.
    pub fn key(self, repository: &RepositoryId) -> String {
        match self {
            Self::Review { pr, review } => format!("{repository}/review/{pr}/{review}"),
            Self::PullRequest(pr) => format!("{repository}/pull/{pr}"),
            Self::Pushes => format!("{repository}/pushes"),
            Self::Checks => format!("{repository}/checks"),
            Self::Names => format!("{repository}/names"),
        }
    }

    /// The repository and the unit of a key.
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

/// Who a repository is, as its forge says beside the news.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticedRepository {
    /// The forge's host.
    pub host: String,
    /// The forge's number for it, which nothing changes.
    pub id: u64,
    /// What it is called now, `owner/name`.
    pub path: String,
}

/// News, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgeNotice {
    /// The repository, as the forge calls it now.
    pub repository: NoticedRepository,
    /// The forge's own word for what happened.
    pub event: String,
    /// What happened; none of what is of no use.
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
