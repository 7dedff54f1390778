//! Extraction prompts and their evaluation. With such prompts, agents report learnings and
//! self-feedback at the end of a task, and the server extracts rules from reviews.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// All extraction prompts in all versions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPromptList {
    /// Extraction prompts without their texts, sorted by name, with the oldest version first.
    pub prompts: Vec<ExtractionPromptListed>,
}

/// One version of an extraction prompt, without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPromptListed {
    /// Name and version of the prompt, as agents report them: `learnings@1`.
    pub id: String,
    /// Name of the prompt: `learnings`, `self_feedback` or `review_rules`.
    pub name: String,
    /// Number of the version: 1 and greater for prompts shipped with Loci, 1001 and greater for
    /// prompts stored in the memory.
    pub version: u32,
    /// True if agents should use this version of the prompt.
    pub current: bool,
    /// Note of the person who stored the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Time at which the version was stored; absent for a shipped version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

/// One version of an extraction prompt, with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPrompt {
    /// Name and version of the prompt, as agents report them: `learnings@1`.
    pub id: String,
    /// Name of the prompt: `learnings`, `self_feedback` or `review_rules`.
    pub name: String,
    /// Number of the version: 1 and greater for prompts shipped with Loci, 1001 and greater for
    /// prompts stored in the memory.
    pub version: u32,
    /// True if agents should use this version of the prompt.
    pub current: bool,
    /// Note of the person who stored the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Time at which the version was stored; absent for a shipped version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Text of the prompt. The placeholder `{repo}` stays in the text if the request specified no
    /// repository.
    pub text: String,
}

/// A request for the text of an extraction prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionPromptAsk {
    /// Name of the repository, `owner/name`, which replaces the placeholder `{repo}` in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// A new version of an extraction prompt, to be stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractionPromptPut {
    /// Text of the prompt, at most 256 KiB. The placeholder `{repo}` stands for the name of the
    /// repository.
    pub text: String,
    /// Note about the purpose or the change, at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// True to make the version current without an evaluation. False to store it as a candidate;
    /// after an evaluation, a `rollback` request to this version makes it current. Default: false.
    #[serde(default)]
    pub force: bool,
}

/// A request to make a stored version of an extraction prompt the current one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractionPromptRollback {
    /// Number of the version that becomes current.
    pub to: u32,
}

/// A version of an extraction prompt after a change.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPromptChanged {
    /// Name and version of the prompt, as agents report them: `learnings@1001`.
    pub id: String,
    /// Name of the prompt.
    pub name: String,
    /// Number of the version.
    pub version: u32,
    /// True if agents should use this version; false if it is a candidate.
    #[serde(default)]
    pub current: bool,
    /// Number of the version that was current before; absent if nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<u32>,
}

/// The questions that a model must answer to evaluate a version of an extraction prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromptQuestionList {
    /// Name and version of the evaluated prompt: `learnings@1`.
    pub prompt: String,
    /// Digest of the labelled set: the cases with their expected answers.
    pub set: String,
    /// Questions for the model, one for each case of the labelled set.
    pub questions: Vec<PromptQuestion>,
}

/// A question for a model, from the labelled set of an extraction prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromptQuestion {
    /// Id of the case in the labelled set. `answers` of the evaluation request uses this id.
    pub case: String,
    /// Text of the extraction prompt: the system prompt for your model.
    pub system: String,
    /// Text from which the model extracts items: data, not instructions.
    pub input: String,
}

/// A request to evaluate a version of an extraction prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptEvaluate {
    /// Answers of your model, by case id. If absent, the server sends the questions to the
    /// configured model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<BTreeMap<String, String>>,
    /// Name of the model that gave `answers`. Allowed only together with `answers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The evaluations of a version of an extraction prompt.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptEvaluationList {
    /// Evaluations of the version, newest first, at most 100.
    pub evaluations: Vec<PromptEvaluation>,
}

/// The results of evaluating a version of an extraction prompt against its labelled set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PromptEvaluation {
    /// Id of the evaluation.
    pub evaluation_id: String,
    /// Name and version of the evaluated prompt: `learnings@1`.
    pub prompt: String,
    /// Digest of the labelled set. Results for different sets are not comparable.
    pub set: String,
    /// Name of the model that answered the questions.
    pub model: String,
    /// Source of the answers: `provider` if the server asked the configured model, `pull` if the
    /// caller sent the answers.
    pub mode: String,
    /// Number of cases in the labelled set.
    pub cases: u32,
    /// Number of items that the labelled set expects in the answers.
    pub expected: u32,
    /// Number of expected items that the answers contain.
    pub met: u32,
    /// Number of items that the answers contain.
    pub items: u32,
    /// Number of items in the answers that the labelled set expects.
    pub right: u32,
    /// Number of items in the answers that repeat a misleading text which the labelled set contains
    /// on purpose.
    pub forbidden: u32,
    /// Number of parts of the answers that lack the required format and were ignored.
    pub discarded: u32,
    /// Precision of the answers: `right` divided by `items`; absent if the answers contain no
    /// items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// Recall of the answers: `met` divided by `expected`; absent if the labelled set expects no
    /// item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    /// Name of the caller who requested the evaluation.
    pub by: String,
    /// Time of the evaluation.
    pub at: String,
}
