//! Runs of consolidation over trees of documents: what is asked for, what is planned, what became of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A run to be planned, and applied where that is said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationStart {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What may be done: `resolve_contradictions`, `deduplicate`, `derive_insights`, `reorganize`,
    /// `prune`; absent: `resolve_contradictions`,
    /// `deduplicate` and `reorganize`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Vec<String>>,
    /// What is looked at; absent: what changed since the last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ConsolidationScope>,
    /// `auto` (absent: this), `deterministic`, `llm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planner: Option<String>,
    /// Only the plan; absent: so. `false`: it is applied, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// What the model is told beside, at most 4,096 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// How large the run may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<ConsolidationLimits>,
}

/// What of a tree is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationScope {
    /// `since_last`, `all` or `paths`.
    pub kind: String,
    /// The paths, of `paths`: with what lies below them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// How large a run may be; each is a whole number from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationLimits {
    /// Documents that a model is shown at once; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_files: Option<u64>,
    /// Bytes of them; 131,072 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_input_bytes: Option<u64>,
    /// Actions of the plan; 1,000 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_actions: Option<u64>,
    /// Directories below `knowledge/` afterwards; 8 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_directories: Option<u64>,
    /// Calls of a model for what it is shown at once; 3 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    /// Tokens of all calls; any number where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Milliseconds from its beginning until a model has answered all; any number where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What is larger than a model may be shown at once is parted; absent: so. `false`: it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<bool>,
}

/// Which run: the tree it is of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationAsk {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

/// What of a plan is applied.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationApply {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Ids of actions; absent: all that are not held. One that is held needs a grant of admin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<String>>,
}

/// How a run is undone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationRevert {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Documents that were changed since, too.
    pub force: bool,
}

/// Which runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationListing {
    /// The namespace whose tree it is; `/` where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Only those that stand there: `planning`, `planned`, `applied`, `failed`, `cancelled`, `reverted`, `conflict`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// `1`: only those of which an action waits for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Runs, the newest first; without differences.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct ConsolidationList {
    /// The runs.
    pub runs: Vec<ConsolidationRun>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationRun {
    /// The id.
    pub id: String,
    /// The namespace whose tree it is.
    pub namespace: String,
    /// `planning`, `planned`, `applied`, `failed`, `cancelled`, `reverted`, `conflict`.
    pub status: String,
    /// What may be done, in the order in which it is.
    pub operations: Vec<String>,
    /// What is looked at.
    pub scope: ConsolidationScope,
    /// Who planned: rules or a prompt, in their version.
    pub planner: String,
    /// Only the plan was asked for.
    pub dry_run: bool,
    /// What is to be done.
    pub plan: Vec<ConsolidationAction>,
    /// Pairs of documents that a person should look at, and no action settles.
    pub reviews: Vec<ConsolidationReview>,
    /// Rules that the plan breaks: then nothing of it can be applied.
    pub violations: Vec<ConsolidationViolation>,
    /// What it does, in a sentence.
    pub summary: String,
    /// Before and after: documents, tokens of a listing, duplicates; actions by kind; what is held, left out, derived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<serde_json::Value>,
    /// What a model cost.
    pub usage: ConsolidationUsage,
    /// How often it was planned anew because the tree had changed.
    pub replans: u32,
    /// Documents that were in the way, or that a revert left alone.
    pub conflicts: Vec<String>,
    /// What changes, or changed, in documents.
    pub differences: Vec<ConsolidationDifference>,
    /// The run that it undoes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverts: Option<String>,
    /// The run that undid it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverted_by: Option<String>,
    /// Why it ended without being applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Who asked.
    pub by: String,
    /// When it began.
    pub created_at: String,
    /// When it changed last.
    pub updated_at: String,
}

/// An action of a plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationAction {
    /// Its id within the run.
    pub id: String,
    /// `planned`, `held`, `applied`, `conflict`.
    pub status: String,
    /// Of which operation it is.
    pub operation: String,
    /// What is done: `type` (`merge`, `update`, `supersede`, `create`, `move`, `archive`), the paths, and the words while they are not written.
    pub action: serde_json::Value,
    /// Why.
    pub reason: String,
    /// Why a person decides first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
}

/// Two documents that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationReview {
    /// Why.
    pub reason: String,
    /// The documents.
    pub paths: Vec<String>,
}

/// A rule that a plan breaks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationViolation {
    /// The rule: `V01` to `V18`, or `Bounds`.
    pub code: String,
    /// The action's id, where it is one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// What is wrong.
    pub message: String,
}

/// What a model cost.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationUsage {
    /// Tokens of questions.
    pub input_tokens: u64,
    /// Tokens of answers.
    pub output_tokens: u64,
    /// Answers that were read.
    pub calls: u32,
}

/// What becomes of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct ConsolidationDifference {
    /// The action that is to do it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Where it lay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_a: Option<String>,
    /// Where it lies then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_b: Option<String>,
    /// Lines that differ, as a unified diff; absent where there was no room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unified: Option<String>,
}
