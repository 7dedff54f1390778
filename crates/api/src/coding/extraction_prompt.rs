//! Prompts by which agents say at the end of a task what they learned and what they lacked, and by
//! which reviews are read; and their evaluation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// All prompts in all versions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPromptList {
    /// By name, oldest first, without their texts.
    pub prompts: Vec<ExtractionPromptListed>,
}

/// One version, without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPromptListed {
    /// Its name with its version, as reports name it: `learnings@1`.
    pub id: String,
    /// Its name: `learnings`, `self_feedback`, `review_rules`.
    pub name: String,
    /// Its version: from 1 where it was shipped, from 1001 where it is the memory's own.
    pub version: u32,
    /// Agents are to be asked by it.
    pub current: bool,
    /// What its writer said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When it was stored; absent for one that was shipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPrompt {
    /// Its name with its version, as reports name it: `learnings@1`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version: from 1 where it was shipped, from 1001 where it is the memory's own.
    pub version: u32,
    /// Agents are to be asked by it.
    pub current: bool,
    /// What its writer said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When it was stored; absent for one that was shipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// The text; `{repo}` stands for the repository where none was named.
    pub text: String,
}

/// For which repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionPromptAsk {
    /// `owner/name`, put into the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
}

/// A text that is to take the place of the current one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractionPromptPut {
    /// The text, at most 256 KiB; `{repo}` stands for the repository.
    pub text: String,
    /// What it is for, or what changed: at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// It becomes current although it was not evaluated; absent: it is a candidate, which
    /// `rollback` makes current after an evaluation.
    #[serde(default)]
    pub force: bool,
}

/// Which version becomes current again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractionPromptRollback {
    /// Its number.
    pub to: u32,
}

/// What is current now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPromptChanged {
    /// Its name with its version, as reports name it: `learnings@1001`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// The version is current: false for a candidate.
    #[serde(default)]
    pub current: bool,
    /// The version before; absent where nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<u32>,
}

/// The questions by which a version is evaluated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromptQuestionList {
    /// The version: `learnings@1`.
    pub prompt: String,
    /// The digest of the labelled set.
    pub set: String,
    /// One for each case.
    pub questions: Vec<PromptQuestion>,
}

/// A question of the labelled set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromptQuestion {
    /// The case: an answer names it.
    pub case: String,
    /// The prompt's text: your model's system prompt.
    pub system: String,
    /// The input: data, not instructions.
    pub input: String,
}

/// An evaluation to be made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptEvaluate {
    /// The answers of a model of yours, by case; absent: the model that the server has configured
    /// is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<BTreeMap<String, String>>,
    /// The model that answered; with `answers` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Evaluations of a version.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromptEvaluationList {
    /// The newest first, at most 100.
    pub evaluations: Vec<PromptEvaluation>,
}

/// Figures of a version against the labelled set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PromptEvaluation {
    /// Its id.
    pub evaluation_id: String,
    /// The version: `learnings@1`.
    pub prompt: String,
    /// The digest of the labelled set: figures of different sets are not compared.
    pub set: String,
    /// The model that answered.
    pub model: String,
    /// `provider`: the server asked it; `pull`: the caller did.
    pub mode: String,
    /// Cases.
    pub cases: u32,
    /// Items that the labels expect, and those of them that an answer has.
    pub expected: u32,
    /// See `expected`.
    pub met: u32,
    /// Items that answers have, and those of them that the labels expect.
    pub items: u32,
    /// See `items`.
    pub right: u32,
    /// Items that repeat what was planted to mislead.
    pub forbidden: u32,
    /// Parts of answers without the form that was asked for.
    pub discarded: u32,
    /// `right` of `items`; absent without items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// `met` of `expected`; absent where nothing is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    /// The caller who evaluated, by name.
    pub by: String,
    /// The time of the evaluation.
    pub at: String,
}
