//! Rules that reviews of a repository left.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which rules; every member that is given must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RuleListing {
    /// In this state; absent: `active`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// What they apply to, as it is written there: a path, a glob, `module:<name>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// First written then or later, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// First written before, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The text holds this, whatever the case of its letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Somebody of this login said it in a review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// It was said on this pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// `true`: those alone of which a person is asked whether they should be in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_suggested: Option<bool>,
    /// 1 to 100; absent: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// From the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of rules, the newest first. With a filter a page may hold fewer than there are behind it: the cursor says so.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleList {
    /// The rules.
    pub rules: Vec<Rule>,
    /// More is behind this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Rule {
    /// The record.
    pub id: String,
    /// Its version.
    pub version: u32,
    /// What is asked for.
    pub text: String,
    /// To what it applies; absent: everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// By which hydration orders it, where it has a weight of its own; absent: by how far it is trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Where it stands.
    pub state: String,
    /// Why it stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// What following it changes: `style` or `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<String>,
    /// What reviews say for it, weighed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<f64>,
    /// So many people said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewers: Option<u64>,
    /// On so many pull requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prs: Option<u64>,
    /// One maintainer says it again and again: a person is asked whether it should be in force.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approval_suggested: bool,
    /// Why it waits for a person, whatever supports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// Who put it in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// A person keeps it in force.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Rules that say otherwise, of which a person must choose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// When it was first written.
    pub created_at: String,
    /// When it was last changed.
    pub updated_at: String,
}

/// A rule that a person writes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRule {
    /// What is asked for: one line of 10 to 300 characters.
    pub text: String,
    /// To what it applies: a path, a glob, `module:<name>`; absent: everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// It stays in force, whatever reviews say and however long it is not used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pin: bool,
    /// Why, in at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a person decides about a rule.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RuleDecision {
    /// Why, in at most 500 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `supersede`: the rule that takes its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A rule after a decision.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleDecided {
    /// The record.
    pub id: String,
    /// Where it stands.
    pub state: String,
    /// Its version.
    pub version: u32,
}

/// Where a rule comes from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleProvenance {
    /// The rule.
    pub rule: Rule,
    /// What is said for it, by pull request and review.
    pub items: Vec<RuleItem>,
    /// What is said against it.
    pub dissent: Vec<RuleItem>,
    /// Changes of its state, oldest first.
    pub transitions: Vec<RuleTransition>,
    /// Calls by which the newest hundred tasks were shown it, newest first.
    pub exposures: Vec<RuleExposure>,
}

/// What somebody said for a rule, or against it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleItem {
    /// The pull request.
    pub pr: u64,
    /// The review.
    pub review_id: u64,
    /// The comments.
    pub comment_ids: Vec<u64>,
    /// Who, by the forge's number; absent where none was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer_id: Option<u64>,
    /// Who, by name.
    pub reviewer: String,
    /// What they could do here then.
    pub role: String,
    /// That role is a guess.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// What they decided; absent of what is said against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// What it weighs.
    pub weight: f64,
    /// Where it is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// When it was said.
    pub date: String,
    /// Their words, at most 300 characters of them.
    pub excerpt: String,
    /// The job in which it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// The prompt, or the rules, by which it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extraction_prompt_version: Option<String>,
    /// It came from the past.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub past: bool,
}

/// A change of a rule's state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleTransition {
    /// The state before; absent for a new rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The state after.
    pub to: String,
    /// Who.
    pub by: String,
    /// Why.
    pub reason: String,
    /// When.
    pub at: String,
}

/// A call that showed a rule.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleExposure {
    /// Its exposure.
    pub exposure_id: String,
    /// The task.
    pub task_id: String,
    /// When.
    pub at: String,
}

/// To which file a rule is to go.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RulePromote {
    /// `AGENTS.md` (where absent), `CLAUDE.md`, `GEMINI.md`, `CONTRIBUTING.md` or `.github/copilot-instructions.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// A rule as a proposed change of a file: nothing is written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RulePromotion {
    /// The rule.
    pub id: String,
    /// The file.
    pub target: String,
    /// The commit of the default branch that the patch is against.
    pub commit: String,
    /// The file is not there yet.
    pub new_file: bool,
    /// The change, as a unified diff for `git apply`; empty where the file has the rule already.
    pub patch: String,
}
