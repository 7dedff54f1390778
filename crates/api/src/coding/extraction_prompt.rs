//! Extraction prompts and their evaluation. Agents report learnings and self-feedback at the end of
//! a task by such prompts, and the server reads reviews by them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// All prompts in all versions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPromptList {
    /// Prompts without their texts, by name and oldest first.
    pub prompts: Vec<ExtractionPromptListed>,
}

/// One version of a prompt, without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPromptListed {
    /// Name and version, as in reports: `learnings@1`.
    pub id: String,
    /// Name: `learnings`, `self_feedback` or `review_rules`.
    pub name: String,
    /// Version: starting at 1 for shipped prompts, and at 1001 for the memory's own.
    pub version: u32,
    /// True if agents should use this version.
    pub current: bool,
    /// Note of the author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Time at which the version was stored; absent for a shipped version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

/// One version of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPrompt {
    /// Name and version, as in reports: `learnings@1`.
    pub id: String,
    /// Name of the prompt.
    pub name: String,
    /// Version: starting at 1 for shipped prompts, and at 1001 for the memory's own.
    pub version: u32,
    /// True if agents should use this version.
    pub current: bool,
    /// Note of the author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Time at which the version was stored; absent for a shipped version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Text of the prompt. `{repo}` remains in it if the request specified no repository.
    pub text: String,
}

/// A request for a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionPromptAsk {
    /// Repository `owner/name`, which replaces `{repo}` in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// A new version of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractionPromptPut {
    /// Text of the prompt, at most 256 KiB. `{repo}` stands for the repository.
    pub text: String,
    /// Note about the purpose or the change, at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// True to make the version current without an evaluation. False to store it as a candidate,
    /// which `rollback` makes current after an evaluation. Default: false.
    #[serde(default)]
    pub force: bool,
}

/// A request to make a version current again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractionPromptRollback {
    /// Number of the version.
    pub to: u32,
}

/// The current version after a change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPromptChanged {
    /// Name and version, as in reports: `learnings@1001`.
    pub id: String,
    /// Name of the prompt.
    pub name: String,
    /// Version of the prompt.
    pub version: u32,
    /// True if the version is current, false for a candidate.
    #[serde(default)]
    pub current: bool,
    /// Previous version; absent if nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<u32>,
}

/// The questions for the evaluation of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromptQuestionList {
    /// Name and version: `learnings@1`.
    pub prompt: String,
    /// Digest of the labelled set.
    pub set: String,
    /// Questions, one for each case.
    pub questions: Vec<PromptQuestion>,
}

/// A question of the labelled set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromptQuestion {
    /// Id of the case. The answer must refer to it.
    pub case: String,
    /// Text of the prompt: the system prompt for your model.
    pub system: String,
    /// Input: data, not instructions.
    pub input: String,
}

/// A request to evaluate a version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptEvaluate {
    /// Answers of your model, by case. If absent, the server asks the configured model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<BTreeMap<String, String>>,
    /// Name of the model that answered. Only together with `answers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The evaluations of a version.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptEvaluationList {
    /// Evaluations, newest first, at most 100.
    pub evaluations: Vec<PromptEvaluation>,
}

/// The results of evaluating a version against the labelled set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PromptEvaluation {
    /// Id of the evaluation.
    pub evaluation_id: String,
    /// Name and version: `learnings@1`.
    pub prompt: String,
    /// Digest of the labelled set. Results for different sets are not comparable.
    pub set: String,
    /// Name of the model that answered.
    pub model: String,
    /// `provider` if the server asked the model, `pull` if the caller did.
    pub mode: String,
    /// Number of cases.
    pub cases: u32,
    /// Number of items that the labels expect.
    pub expected: u32,
    /// Number of expected items that an answer contains.
    pub met: u32,
    /// Number of items that the answers contain.
    pub items: u32,
    /// Number of answered items that the labels expect.
    pub right: u32,
    /// Number of items that repeat a text planted to mislead.
    pub forbidden: u32,
    /// Number of parts of answers without the required format.
    pub discarded: u32,
    /// Precision: `right` divided by `items`; absent if there are no items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// Recall: `met` divided by `expected`; absent if no item is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    /// Name of the caller who requested the evaluation.
    pub by: String,
    /// Time of the evaluation.
    pub at: String,
}
