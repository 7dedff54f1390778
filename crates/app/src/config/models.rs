//! `[[model]]` and `[[model_id]]`: language models, and what the model ids of the wire mean here. Keys are named by the
//! variables that hold them, never written down.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use loci_providers::registry::{self, Protocol};
use serde::{Deserialize, Serialize};

/// Requests at once, at most.
const CONCURRENCY_MAX: usize = 1_024;
/// A request may take ten minutes.
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

/// How freely a model chooses words.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Temperature {
    /// So freely.
    Fixed(f64),
    /// As the vendor thinks best: nothing is said.
    Word(VendorsOwn),
}

/// The one word of a temperature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VendorsOwn {
    /// The vendor's.
    Default,
}

impl Default for Temperature {
    fn default() -> Self {
        Self::Fixed(0.0)
    }
}

impl Temperature {
    /// What is told to the model.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Fixed(value) => Some(value),
            Self::Word(VendorsOwn::Default) => None,
        }
    }
}

impl ModelProtocol {
    /// As the adapters call it.
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
    /// As the adapters call it.
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
    /// Where it is; absent: the vendor's.
    pub base_url: Option<String>,
    /// The model, in the vendor's words.
    pub model: String,
    /// Variable that holds the key.
    pub key_env: Option<String>,
    /// A request is given up after this long; absent: as `[outbound]` says.
    pub timeout_ms: Option<u64>,
    /// Requests at once.
    #[serde(default = "concurrency")]
    pub concurrency: usize,
    /// 0 to 2, or `default`: the vendor's; absent: 0.
    #[serde(default)]
    pub temperature: Temperature,
    /// How it is asked for JSON.
    #[serde(default)]
    pub json: JsonMode,
    /// No answer may have more tokens, whatever a step asks for.
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

pub(super) fn concurrency() -> usize {
    16
}

fn max_output_tokens() -> u32 {
    16_384
}

/// What the entries must be.
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

/// A name of the configuration.
pub(super) fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=64).contains(&name.len()) && name.chars().all(fits)
}

/// How long and how many at once.
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

/// The variables of an access key, its secret and its session token.
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
