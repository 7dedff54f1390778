//! Versions of prompts in both stores: read from rows.

use loci_model::Result;
use loci_model::prompt_version::PromptVersion;

use crate::codes::stored;
use crate::fields::Fields;

/// A version of a prompt: body.
///
/// # Errors
/// A bug, where the row is damaged.
pub fn prompt(row: &impl Fields) -> Result<PromptVersion> {
    stored(serde_json::from_str(row.text(0)?), "prompt")
}
