//! `[embedding]` and `[[embedder]]`: the source of vectors.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use loci_model::limits;
use serde::{Deserialize, Serialize};

use super::models;

/// The name of the model in the binary.
pub const BUILT_IN: &str = "built-in";

/// `[embedding]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingSection {
    /// `built-in`, or the name of an `[[embedder]]`.
    #[serde(rename = "use")]
    pub used: String,
    /// The embedder whose vectors remain in use while new ones are computed. Absent means the
    /// built-in one if another is configured.
    pub previous: Option<String>,
}

impl EmbeddingSection {
    /// Returns the name of the previous embedder.
    pub fn previous(&self) -> Option<&str> {
        self.previous.as_deref().or((self.used != BUILT_IN).then_some(BUILT_IN))
    }
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
    /// A model in a file, run in this process.
    Onnx,
}

/// The pooling of an encoder's rows to one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderPooling {
    /// Their mean.
    #[default]
    Mean,
    /// The first row.
    Cls,
}

/// `[[embedder]]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbedderEntry {
    /// Its name in this configuration.
    pub name: String,
    /// Its protocol.
    pub protocol: EmbedderProtocol,
    /// Its address. Absent means the vendor's.
    pub base_url: Option<String>,
    /// The model, by the vendor's name.
    pub model: Option<String>,
    /// The variable with the key.
    pub key_env: Option<String>,
    /// The dimension of its vectors. Required.
    pub dimensions: Option<usize>,
    /// The time limit of a request in milliseconds. Absent means that of `[outbound]`.
    pub timeout_ms: Option<u64>,
    /// The maximum number of concurrent requests.
    #[serde(default = "models::concurrency")]
    pub concurrency: usize,
    /// The region, for Bedrock.
    pub region: Option<String>,
    /// The variable with the access key, for Bedrock.
    pub access_key_env: Option<String>,
    /// The variable with the secret key, for Bedrock.
    pub secret_key_env: Option<String>,
    /// The variable with the session token, for Bedrock.
    pub session_token_env: Option<String>,
    /// The file of the model, for ONNX.
    pub path: Option<std::path::PathBuf>,
    /// The file of its tokenizer, for ONNX.
    pub tokenizer: Option<std::path::PathBuf>,
    /// The pooling of its rows, for ONNX.
    pub pooling: Option<EmbedderPooling>,
}

/// Checks the section and the entries.
pub(super) fn check(section: &EmbeddingSection, embedders: &[EmbedderEntry]) -> Result<()> {
    let mut names = BTreeSet::from([BUILT_IN]);
    for embedder in embedders {
        embedder.check()?;
        if !names.insert(embedder.name.as_str()) {
            bail!("two [[embedder]] are named {}", embedder.name);
        }
    }
    if !names.contains(section.used.as_str()) {
        bail!("embedding.use is {}: it must be \"{BUILT_IN}\", or the name of an [[embedder]]", section.used);
    }
    if let Some(previous) = &section.previous
        && (!names.contains(previous.as_str()) || *previous == section.used)
    {
        bail!(
            "embedding.previous is {previous}: it must be \"{BUILT_IN}\", or the name of an [[embedder]], and another than embedding.use"
        );
    }
    Ok(())
}

impl EmbedderEntry {
    fn check(&self) -> Result<()> {
        let name = &self.name;
        if !models::is_name(name) {
            bail!("embedder.name must be 1 to 64 letters, digits, `-`, `_` or `.`: {name:?} is not");
        }
        if self.protocol == EmbedderProtocol::Onnx {
            return self.check_file();
        }
        if self.path.is_some() || self.tokenizer.is_some() || self.pooling.is_some() {
            bail!(
                "embedder.path, embedder.tokenizer and embedder.pooling of {name} are for protocol = \"onnx\""
            );
        }
        if self.model.as_deref().is_none_or(str::is_empty) {
            bail!("embedder.model of {name} must name a model");
        }
        if self.dimensions.is_none_or(|numbers| !(1..=limits::VECTOR_DIMENSIONS_MAX).contains(&numbers)) {
            bail!(
                "embedder.dimensions of {name} must be 1 to {}: the length of the model's vectors",
                limits::VECTOR_DIMENSIONS_MAX
            );
        }
        models::check_calls("embedder", name, self.timeout_ms, self.concurrency)?;
        let keys = [&self.access_key_env, &self.secret_key_env, &self.session_token_env];
        models::check_keys("embedder", name, keys)
    }

    /// Checks a model in a file.
    fn check_file(&self) -> Result<()> {
        let name = &self.name;
        if !cfg!(feature = "onnx") {
            bail!(
                "this build of loci runs no model from a file: build it with `--features onnx`, or give embedder {name} another protocol"
            );
        }
        let is_set = |path: &Option<std::path::PathBuf>| {
            path.as_ref().is_some_and(|path| !path.as_os_str().is_empty())
        };
        if !is_set(&self.path) || !is_set(&self.tokenizer) {
            bail!("embedder {name} needs path, its .onnx file, and tokenizer, its tokenizer.json");
        }
        let calls = [&self.base_url, &self.model, &self.key_env, &self.region];
        let keys = [&self.access_key_env, &self.secret_key_env, &self.session_token_env];
        if calls.into_iter().chain(keys).any(Option::is_some) || self.dimensions.is_some() {
            bail!(
                "embedder {name} is a file: it takes path, tokenizer and pooling only; the file sets its dimensions"
            );
        }
        Ok(())
    }
}
