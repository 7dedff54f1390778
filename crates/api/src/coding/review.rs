//! Reviews of pull requests: read from a forge, or given as any forge could tell them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An account of a forge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewPerson {
    /// The forge's number; people are who they are by it.
    #[serde(default)]
    pub id: u64,
    /// The name it has now.
    pub login: String,
    /// What they may do there: `none`, `read`, `triage`, `write`, `maintain`, `admin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// It is a program.
    #[serde(default)]
    pub is_bot: bool,
}

/// A comment on lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReviewComment {
    /// The forge's number.
    pub id: u64,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The last line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What was said.
    pub body: String,
    /// The comment that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<u64>,
    /// Who said it; absent: the reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<ReviewPerson>,
    /// Its thread was resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_resolved: Option<bool>,
    /// When; absent: with the review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// When it was changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

/// A review, whole, as any forge could tell it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReview {
    /// The forge it is at, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// The pull request.
    pub pr: u64,
    /// Who opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_author: Option<ReviewPerson>,
    /// It is a draft.
    #[serde(default)]
    pub draft: bool,
    /// Its branch, by which its task is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The forge's number for the review.
    pub review_id: u64,
    /// `commented`, `changes_requested`, `approved` or `dismissed`.
    pub state: String,
    /// Who reviewed.
    pub author: ReviewPerson,
    /// What was said of the whole.
    #[serde(default)]
    pub body: String,
    /// The commit that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Where it is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// When it was handed in.
    pub submitted_at: String,
    /// All of its comments, with those that answer them.
    #[serde(default)]
    pub comments: Vec<NewReviewComment>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ReviewsPulled {
    /// Reviews that there are.
    pub reviews: usize,
    /// Of these, what was new or changed.
    pub changed: usize,
    /// Nothing is learned from so many, by why: `bot`, `agent`, `pr_author`, `draft`, `unmapped`.
    pub left_out: BTreeMap<String, usize>,
}

/// Which reviews to learn from again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewsReprocess {
    /// This one; absent or null: all of the pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_id: Option<u64>,
}

/// What a round of asking found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ReviewsPolled {
    /// Pull requests that were changed.
    pub pull_requests: usize,
    /// Reviews that they have.
    pub reviews: usize,
    /// Of these, what was new or changed.
    pub changed: usize,
    /// Pull requests that could not be read and were passed over: the server's log says which, and why.
    #[serde(default)]
    pub skipped: usize,
}

/// What of the past to read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BackfillRequest {
    /// Reviews of so many of the latest pull requests; 200 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviews: Option<usize>,
    /// Only say how many there are.
    pub dry_run: bool,
}

/// A backfill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Backfill {
    /// Pull requests that are (or would be) read.
    pub pull_requests: usize,
    /// The job that reads them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
}
