//! Prompts by which agents say at the end of a task what they learned and what they lacked, and by which reviews are read.

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

/// A text in the place of the current one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractionPromptPut {
    /// The text, at most 256 KiB; `{repo}` stands for the repository.
    pub text: String,
    /// What it is for, or what changed: at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// It becomes current although it was not evaluated against a golden set: must be true.
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
    /// The version before; absent where nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<u32>,
}
