//! Rules of a repository that the server learned from reviews, or that a person wrote.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request to list rules. A rule must meet all conditions that are present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RuleListing {
    /// State of the rules, such as `active`, `candidate` or `stale`. Default: `active`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Scope of the rules, exactly as stored: a path, a glob or `module:<name>`. Default: every
    /// scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Earliest creation time, inclusive, RFC 3339. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Latest creation time, exclusive, RFC 3339. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Text that the rule must contain; letter case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Login of a reviewer who stated the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Number of a pull request on which the rule was stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// `true` to list only rules for which the server suggests that a person approves them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_suggested: Option<bool>,
    /// Maximum number of rules per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of rules, newest first. With a filter, a page may be short although more rules follow. In
/// that case `next_cursor` is present.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleList {
    /// The rules on this page.
    pub rules: Vec<Rule>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A rule of a repository: a requirement for changes of its code.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Rule {
    /// Id of the record that contains the rule.
    pub id: String,
    /// Version of the record.
    pub version: u32,
    /// Text of the rule.
    pub text: String,
    /// Part of the repository that the rule applies to; absent if it applies to the whole
    /// repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Weight by which a hydration sorts the rule. If absent, the hydration uses the trust in the
    /// rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// State of the rule, such as `active`, `candidate` or `stale`.
    pub state: String,
    /// Reason for the state of the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// Impact of following the rule: `style`, or `high` for a rule that may change the behavior of
    /// the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<String>,
    /// Sum of the weights of the review statements that support the rule.
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
    /// Reason for which the rule needs the approval of a person, regardless of its support; absent
    /// if it does not need one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// Name of the person who activated the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// True if a person decided that the rule stays active without further support.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Ids of rules that contradict this one. A person must choose between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// Time at which the rule was created.
    pub created_at: String,
    /// Time of the last change of the rule.
    pub updated_at: String,
}

/// A rule that a person writes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRule {
    /// Text of the rule: one line of 10 to 300 characters.
    pub text: String,
    /// Part of the repository that the rule applies to: a path, a glob or `module:<name>`. Default:
    /// the whole repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// True to keep the rule active even if no review repeats it and no task uses it. Default:
    /// false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pin: bool,
    /// Reason for the rule, at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The decision of a person about a rule.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RuleDecision {
    /// Reason for the decision, at most 500 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Id of the rule that replaces this one. Only for the decision `supersede`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A rule after the decision of a person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleDecided {
    /// Id of the record that contains the rule.
    pub id: String,
    /// State of the rule after the decision.
    pub state: String,
    /// Version of the record after the decision.
    pub version: u32,
}

/// The provenance of a rule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleProvenance {
    /// The rule whose provenance follows.
    pub rule: Rule,
    /// Review statements that support the rule, sorted by pull request and review.
    pub items: Vec<RuleItem>,
    /// Review statements that contradict the rule.
    pub dissent: Vec<RuleItem>,
    /// Changes of the rule's state, oldest first.
    pub transitions: Vec<RuleTransition>,
    /// Tasks that were shown the rule: the newest hundred, newest first.
    pub exposures: Vec<RuleExposure>,
}

/// A statement in a review, for or against a rule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleItem {
    /// Number of the reviewed pull request.
    pub pr: u64,
    /// Id of the review that contains the statement.
    pub review_id: u64,
    /// Ids of the comments that contain the statement.
    pub comment_ids: Vec<u64>,
    /// Number by which the forge identifies the author of the statement; absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer_id: Option<u64>,
    /// Login of the author of the statement.
    pub reviewer: String,
    /// Role of the author in the repository when the statement was made.
    pub role: String,
    /// True if the server could not read the role and assumed one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// Decision of the review, such as `changes_requested`; absent for a statement against the
    /// rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Weight of the statement, from the authority of its author.
    pub weight: f64,
    /// URL of the statement at the forge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Time of the statement.
    pub date: String,
    /// Quotation of the statement, at most 300 characters.
    pub excerpt: String,
    /// Id of the job that extracted the statement from the review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// Version of the prompt, or of the deterministic rules, that extracted the statement from the
    /// review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extraction_prompt_version: Option<String>,
    /// True if the statement was read later, by a backfill of earlier reviews.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub past: bool,
}

/// A change of a rule's state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleTransition {
    /// State before the change; absent if the rule was new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// State after the change.
    pub to: String,
    /// Name of the person or program that made the change.
    pub by: String,
    /// Reason for the change.
    pub reason: String,
    /// Time of the change.
    pub at: String,
}

/// A task that was shown a rule.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleExposure {
    /// Id of the exposure, the stored list of records that the task was shown.
    pub exposure_id: String,
    /// Id of the task.
    pub task_id: String,
    /// Time at which the task was shown the rule.
    pub at: String,
}

/// A request to propose a patch that writes a rule into a file of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RulePromote {
    /// Name of the file: `AGENTS.md`, `CLAUDE.md`, `GEMINI.md`, `CONTRIBUTING.md` or
    /// `.github/copilot-instructions.md`. Default: `AGENTS.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// A patch that adds a rule to a file of the repository. The server only returns the patch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RulePromotion {
    /// Id of the rule.
    pub id: String,
    /// Path of the patched file.
    pub target: String,
    /// Id of the commit of the default branch to which the patch applies.
    pub commit: String,
    /// True if the patch creates the file.
    pub new_file: bool,
    /// Unified diff for `git apply`; empty if the file already contains the rule.
    pub patch: String,
}
