//! `[[model]]` and `[[model_id]]`: language models, and the models for the model ids of the wire.
//! The configuration contains the names of variables with keys, never keys.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use loci_providers::registry::{self, Protocol};
use serde::{Deserialize, Serialize};

/// The maximum number of concurrent requests.
const CONCURRENCY_MAX: usize = 1_024;
/// The maximum time limit of a request in milliseconds.
const TIMEOUT_MS_MAX: u64 = 600_000;

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

/// The method of requesting JSON from a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JsonMode {
    /// The strictest method that the model supports.
    #[default]
    Auto,
    /// By a schema.
    Schema,
    /// As any object.
    Object,
    /// Only by the prompt.
    None,
}

/// The sampling temperature of a model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Temperature {
    /// A fixed value.
    Fixed(f64),
    /// The vendor's default, which is not sent.
    Word(VendorsOwn),
}

/// The word for the vendor's default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VendorsOwn {
    /// The vendor's default.
    Default,
}

impl Default for Temperature {
    fn default() -> Self {
        Self::Fixed(0.0)
    }
}

impl Temperature {
    /// Returns the value to send to the model.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Fixed(value) => Some(value),
            Self::Word(VendorsOwn::Default) => None,
        }
    }
}

impl ModelProtocol {
    /// Returns the protocol as a type of the adapters.
    pub fn provider(self) -> Protocol {
        match self {
            Self::OpenAi => Protocol::OpenAi,
            Self::Anthropic => Protocol::Anthropic,
            Self::Bedrock => Protocol::Bedrock,
            Self::Gemini => Protocol::Gemini,
        }
    }
}

impl JsonMode {
    /// Returns the mode as a type of the adapters.
    pub fn provider(self) -> registry::JsonMode {
        match self {
            Self::Auto => registry::JsonMode::Auto,
            Self::Schema => registry::JsonMode::Schema,
            Self::Object => registry::JsonMode::Object,
            Self::None => registry::JsonMode::None,
        }
    }
}

/// `[[model]]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelEntry {
    /// Its name in this configuration.
    pub name: String,
    /// Its protocol.
    pub protocol: ModelProtocol,
    /// Its address. Absent means the vendor's.
    pub base_url: Option<String>,
    /// The model, by the vendor's name.
    pub model: String,
    /// The variable with the key.
    pub key_env: Option<String>,
    /// The time limit of a request in milliseconds. Absent means that of `[outbound]`.
    pub timeout_ms: Option<u64>,
    /// The maximum number of concurrent requests.
    #[serde(default = "concurrency")]
    pub concurrency: usize,
    /// 0 to 2, or `default` for the vendor's. Absent means 0.
    #[serde(default)]
    pub temperature: Temperature,
    /// The method of requesting JSON.
    #[serde(default)]
    pub json: JsonMode,
    /// The maximum number of tokens of an answer, regardless of the step.
    #[serde(default = "max_output_tokens")]
    pub max_output_tokens: u32,
    /// The region, for Bedrock.
    pub region: Option<String>,
    /// The variable with the access key, for Bedrock.
    pub access_key_env: Option<String>,
    /// The variable with the secret key, for Bedrock.
    pub secret_key_env: Option<String>,
    /// The variable with the session token, for Bedrock.
    pub session_token_env: Option<String>,
}

/// `[[model_id]]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelIdEntry {
    /// The model id in strategies of the wire.
    pub id: String,
    /// The `[[model]]` for it.
    pub model: String,
}

pub(super) fn concurrency() -> usize {
    16
}

fn max_output_tokens() -> u32 {
    16_384
}

/// Checks the entries.
pub(super) fn check(models: &[ModelEntry], ids: &[ModelIdEntry]) -> Result<()> {
    let mut names = BTreeSet::new();
    for model in models {
        model.check()?;
        if !names.insert(model.name.as_str()) {
            bail!("two [[model]] are named {}", model.name);
        }
    }
    let mut seen = BTreeSet::new();
    for entry in ids {
        if !names.contains(entry.model.as_str()) {
            bail!("[[model_id]] {} means {}: there is no [[model]] of that name", entry.id, entry.model);
        }
        if !seen.insert(entry.id.as_str()) {
            bail!("two [[model_id]] are for {}", entry.id);
        }
    }
    Ok(())
}

impl ModelEntry {
    fn check(&self) -> Result<()> {
        let name = &self.name;
        if !is_name(name) {
            bail!("model.name must be 1 to 64 letters, digits, `-`, `_` or `.`: {name:?} is not");
        }
        check_calls("model", name, self.timeout_ms, self.concurrency)?;
        if self.max_output_tokens == 0 {
            bail!("model.max_output_tokens of {name} must be at least 1");
        }
        if self.temperature.value().is_some_and(|value| !(0.0..=2.0).contains(&value)) {
            bail!("model.temperature of {name} must be 0 to 2, or \"default\"");
        }
        check_keys("model", name, [&self.access_key_env, &self.secret_key_env, &self.session_token_env])
    }
}

/// True for a valid name in the configuration.
pub(super) fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=64).contains(&name.len()) && name.chars().all(fits)
}

/// Checks the time limit and the concurrency.
pub(super) fn check_calls(
    section: &str,
    name: &str,
    timeout_ms: Option<u64>,
    concurrency: usize,
) -> Result<()> {
    if timeout_ms.is_some_and(|millis| !(1..=TIMEOUT_MS_MAX).contains(&millis)) {
        bail!("{section}.timeout_ms of {name} must be 1 to {TIMEOUT_MS_MAX}");
    }
    if !(1..=CONCURRENCY_MAX).contains(&concurrency) {
        bail!("{section}.concurrency of {name} must be 1 to {CONCURRENCY_MAX}");
    }
    Ok(())
}

/// Checks the variables of an access key, its secret and its session token.
pub(super) fn check_keys(
    section: &str,
    name: &str,
    [access, secret, token]: [&Option<String>; 3],
) -> Result<()> {
    if access.is_some() != secret.is_some() {
        bail!(
            "{section}.access_key_env and {section}.secret_key_env of {name} belong together: give both or none"
        );
    }
    if token.is_some() && access.is_none() {
        bail!("{section}.session_token_env of {name} needs access_key_env and secret_key_env");
    }
    Ok(())
}
