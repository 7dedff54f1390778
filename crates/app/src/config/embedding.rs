//! `[embedding]` and `[[embedder]]`: who makes vectors.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

/// The name of the model in the binary.
pub const BUILT_IN: &str = "built-in";

/// `[embedding]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingSection {
    /// `built-in`, or the name of an `[[embedder]]`.
    #[serde(rename = "use")]
    pub used: String,
    /// The one whose vectors are still there while all are made anew.
    pub previous: Option<String>,
}

impl Default for EmbeddingSection {
    fn default() -> Self {
        Self { used: BUILT_IN.to_owned(), previous: None }
    }
}

/// The protocol of an embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderProtocol {
    /// OpenAI's, which many servers speak.
    OpenAi,
    /// Amazon Bedrock's, for Titan.
    Bedrock,
    /// Google's Gemini.
    Gemini,
    /// A model in a file, run here.
    Onnx,
}

/// `[[embedder]]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbedderEntry {
    /// Its name in this configuration.
    pub name: String,
    /// Its protocol.
    pub protocol: EmbedderProtocol,
    /// Where it is; absent: the vendor's.
    pub base_url: Option<String>,
    /// The model, in the vendor's words.
    pub model: Option<String>,
    /// Variable that holds the key.
    pub key_env: Option<String>,
    /// Length of its vectors; absent: as they come.
    pub dimensions: Option<usize>,
    /// Region, for Bedrock.
    pub region: Option<String>,
    /// Variable that holds the access key, for Bedrock.
    pub access_key_env: Option<String>,
    /// Variable that holds the secret key, for Bedrock.
    pub secret_key_env: Option<String>,
    /// Variable that holds the session token, for Bedrock.
    pub session_token_env: Option<String>,
    /// File of the model, for ONNX.
    pub path: Option<std::path::PathBuf>,
    /// File of its tokenizer, for ONNX.
    pub tokenizer: Option<std::path::PathBuf>,
}

/// What section and entries must be.
pub(super) fn check(section: &EmbeddingSection, embedders: &[EmbedderEntry]) -> Result<()> {
    if *section != EmbeddingSection::default() || !embedders.is_empty() {
        bail!(
            "this version has the built-in embedder alone: embedding.use must be \"{BUILT_IN}\", without others"
        );
    }
    Ok(())
}
