//! Prompts by which agents say at the end of a task what they learned and what they lacked.

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
    /// Its name: `learnings`, `self_feedback`.
    pub name: String,
    /// Its version, from 1.
    pub version: u32,
    /// It is the newest of its name.
    pub current: bool,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExtractionPrompt {
    /// Its name with its version, as reports name it: `learnings@1`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version, from 1.
    pub version: u32,
    /// It is the newest of its name.
    pub current: bool,
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
