//! Rules of a repository that reviews left.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to list rules. A rule must meet all conditions that are present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RuleListing {
    /// State of the rules. Default: `active`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Scope of the rules, exactly as stored: a path, a glob or `module:<name>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Start of the creation time, inclusive, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// End of the creation time, exclusive, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Text that the rule must contain. Letter case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Login of a reviewer who stated the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Number of a pull request on which the rule was stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// `true` to list only rules for which the approval of a person is suggested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_suggested: Option<bool>,
    /// Maximum number of rules per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of rules, newest first. With a filter, a page may be short although more rules follow. In
/// that case `next_cursor` is present.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleList {
    /// The rules.
    pub rules: Vec<Rule>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Rule {
    /// Id of the rule, a record.
    pub id: String,
    /// Version of the rule.
    pub version: u32,
    /// Text of the rule.
    pub text: String,
    /// Scope that the rule applies to; absent if it applies to everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Weight by which a hydration orders the rule. If absent, the hydration uses the trust in the
    /// rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// State of the rule.
    pub state: String,
    /// Reason for the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// Impact of following the rule: `style` or `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<String>,
    /// Weighted support by reviews.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<f64>,
    /// Number of people who stated the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewers: Option<u64>,
    /// Number of pull requests on which the rule was stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prs: Option<u64>,
    /// True if one maintainer states the rule repeatedly. The server then suggests that a person
    /// approves it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approval_suggested: bool,
    /// Reason that the rule waits for a person regardless of its support.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// Name of the person who activated the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// True if a person keeps the rule active.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Ids of rules that contradict this one. A person must choose between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// Time of creation.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
}

/// A rule that a person writes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRule {
    /// Text of the rule: one line of 10 to 300 characters.
    pub text: String,
    /// Scope that the rule applies to: a path, a glob or `module:<name>`. Default: everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// True to keep the rule active, regardless of reviews and of its use. Default: false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pin: bool,
    /// Reason, at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The decision of a person about a rule.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RuleDecision {
    /// Reason, at most 500 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// For `supersede`: id of the rule that replaces this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A rule after a decision.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleDecided {
    /// Id of the rule, a record.
    pub id: String,
    /// State of the rule.
    pub state: String,
    /// Version of the rule.
    pub version: u32,
}

/// The provenance of a rule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleProvenance {
    /// The rule.
    pub rule: Rule,
    /// Statements that support the rule, by pull request and review.
    pub items: Vec<RuleItem>,
    /// Statements against the rule.
    pub dissent: Vec<RuleItem>,
    /// Changes of the rule's state, oldest first.
    pub transitions: Vec<RuleTransition>,
    /// Exposures of the rule to the newest hundred tasks, newest first.
    pub exposures: Vec<RuleExposure>,
}

/// A statement for or against a rule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleItem {
    /// Number of the pull request.
    pub pr: u64,
    /// Id of the review.
    pub review_id: u64,
    /// Ids of the comments.
    pub comment_ids: Vec<u64>,
    /// Number of the author at the forge; absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer_id: Option<u64>,
    /// Login of the author.
    pub reviewer: String,
    /// Role of the author in the repository at that time.
    pub role: String,
    /// True if the role is a guess.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// Decision of the review; absent for a statement against the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Weight of the statement.
    pub weight: f64,
    /// URL of the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Time of the statement.
    pub date: String,
    /// Quotation of the statement, at most 300 characters.
    pub excerpt: String,
    /// Id of the job that read the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// Version of the prompt or of the deterministic rules that read the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extraction_prompt_version: Option<String>,
    /// True if the statement comes from a backfill.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub past: bool,
}

/// A change of a rule's state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleTransition {
    /// State before; absent for a new rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// State after.
    pub to: String,
    /// Name of the person or program that made the change.
    pub by: String,
    /// Reason for the change.
    pub reason: String,
    /// Time of the change.
    pub at: String,
}

/// An exposure of a rule to a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleExposure {
    /// Id of the exposure.
    pub exposure_id: String,
    /// Id of the task.
    pub task_id: String,
    /// Time of the exposure.
    pub at: String,
}

/// A request to render a rule as a patch of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RulePromote {
    /// File: `AGENTS.md`, `CLAUDE.md`, `GEMINI.md`, `CONTRIBUTING.md` or
    /// `.github/copilot-instructions.md`. Default: `AGENTS.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// A proposed patch that adds a rule to a file. The server writes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RulePromotion {
    /// Id of the rule.
    pub id: String,
    /// Path of the file.
    pub target: String,
    /// Commit of the default branch that the patch applies to.
    pub commit: String,
    /// True if the file does not exist yet.
    pub new_file: bool,
    /// Unified diff for `git apply`; empty if the file already contains the rule.
    pub patch: String,
}
