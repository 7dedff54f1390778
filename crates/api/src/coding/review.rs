//! Reviews of pull requests: read from a forge, or sent in a format that is independent of the
//! forge.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A user account at a forge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewPerson {
    /// Number of the account at the forge. It identifies the person.
    #[serde(default)]
    pub id: u64,
    /// Current login of the account.
    pub login: String,
    /// Role of the account in the repository: `none`, `read`, `triage`, `write`, `maintain` or
    /// `admin`; absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// True if the account belongs to a program, not to a person.
    #[serde(default)]
    pub is_bot: bool,
}

/// A review comment on lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReviewComment {
    /// Number of the comment at the forge.
    pub id: u64,
    /// Path of the file that the comment is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Number of the last line that the comment is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Text of the comment.
    pub body: String,
    /// Number of the comment that this one replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<u64>,
    /// Author of the comment. Default: the reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<ReviewPerson>,
    /// True if the thread of the comment was resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_resolved: Option<bool>,
    /// Time of the comment, RFC 3339. Default: the time of the review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Time at which the comment was last edited, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

/// A complete review, in a format that is independent of the forge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReview {
    /// Name of the forge, for people who read the review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// Number of the reviewed pull request.
    pub pr: u64,
    /// Author of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_author: Option<ReviewPerson>,
    /// True if the pull request is a draft.
    #[serde(default)]
    pub draft: bool,
    /// Name of the pull request's branch, by which the server finds the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Number of the review at the forge.
    pub review_id: u64,
    /// Decision of the reviewer: `commented`, `changes_requested`, `approved` or `dismissed`.
    pub state: String,
    /// The reviewer.
    pub author: ReviewPerson,
    /// Text of the whole review.
    #[serde(default)]
    pub body: String,
    /// Id of the commit that was reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// URL of the review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Time at which the review was submitted, RFC 3339.
    pub submitted_at: String,
    /// All comments of the review, including replies.
    #[serde(default)]
    pub comments: Vec<NewReviewComment>,
}

/// The result of reading the reviews of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ReviewsPulled {
    /// Number of reviews that were read.
    pub reviews: usize,
    /// Number of these reviews that were new or changed.
    pub changed: usize,
    /// Numbers of reviews from which the server learns nothing, by reason: `bot`, `agent`,
    /// `pr_author` (the author's own review), `draft`, `unmapped` (the pull request belongs to no
    /// task).
    pub left_out: BTreeMap<String, usize>,
}

/// A request to learn again from reviews that are already stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewsReprocess {
    /// Number of the review at the forge. If absent or null, the request covers all reviews of the
    /// pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_id: Option<u64>,
}

/// The result of polling a repository for reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ReviewsPolled {
    /// Number of pull requests that changed since the last poll.
    pub pull_requests: usize,
    /// Number of reviews of these pull requests.
    pub reviews: usize,
    /// Number of these reviews that were new or changed.
    pub changed: usize,
    /// Number of pull requests that were skipped because they could not be read. The server log
    /// contains their numbers and the reasons.
    #[serde(default)]
    pub skipped: usize,
}

/// A request to read the reviews of earlier pull requests.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BackfillRequest {
    /// Number of latest pull requests whose reviews are read, 1 to 2000. Default: 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviews: Option<usize>,
    /// True to return the number of pull requests without reading them. Default: false.
    pub dry_run: bool,
}

/// A background job that reads the reviews of earlier pull requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Backfill {
    /// Number of pull requests that the job reads, or would read.
    pub pull_requests: usize,
    /// Id of the job; absent for a dry run, and if there is no pull request to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
}
