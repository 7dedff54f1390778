//! `[[model]]` and `[[model_id]]`: language models, and what the model ids of the wire mean here. Keys are named by the
//! variables that hold them, never written down.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

/// The protocol of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelProtocol {
    /// OpenAI's, which many servers speak.
    OpenAi,
    /// Anthropic's.
    Anthropic,
    /// Amazon Bedrock's Converse.
    Bedrock,
    /// Google's Gemini.
    Gemini,
}

/// How a model is asked for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JsonMode {
    /// As strictly as it takes.
    #[default]
    Auto,
    /// By a schema.
    Schema,
    /// As any object.
    Object,
    /// By words alone.
    None,
}

/// `[[model]]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelEntry {
    /// Its name in this configuration.
    pub name: String,
    /// Its protocol.
    pub protocol: ModelProtocol,
    /// Where it is; absent: the vendor's.
    pub base_url: Option<String>,
    /// The model, in the vendor's words.
    pub model: String,
    /// Variable that holds the key.
    pub key_env: Option<String>,
    /// A request is given up after this long.
    #[serde(default = "timeout_ms")]
    pub timeout_ms: u64,
    /// Requests at once.
    #[serde(default = "concurrency")]
    pub concurrency: usize,
    /// 0 to 2; absent: 0.
    pub temperature: Option<f64>,
    /// How it is asked for JSON.
    #[serde(default)]
    pub json: JsonMode,
    /// An answer is cut off after so many tokens.
    #[serde(default = "max_output_tokens")]
    pub max_output_tokens: u32,
    /// Region, for Bedrock.
    pub region: Option<String>,
    /// Variable that holds the access key, for Bedrock.
    pub access_key_env: Option<String>,
    /// Variable that holds the secret key, for Bedrock.
    pub secret_key_env: Option<String>,
    /// Variable that holds the session token, for Bedrock.
    pub session_token_env: Option<String>,
}

/// `[[model_id]]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelIdEntry {
    /// The model id that strategies on the wire name.
    pub id: String,
    /// The `[[model]]` it means.
    pub model: String,
}

fn timeout_ms() -> u64 {
    60_000
}

fn concurrency() -> usize {
    16
}

fn max_output_tokens() -> u32 {
    4_096
}

/// What the entries must be.
pub(super) fn check(models: &[ModelEntry], ids: &[ModelIdEntry]) -> Result<()> {
    if !models.is_empty() || !ids.is_empty() {
        bail!("this version asks no language model: leave [[model]] and [[model_id]] out");
    }
    Ok(())
}
