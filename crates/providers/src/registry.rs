//! The protocols, and the construction of the engine's ports from configured models and embedders.

use std::fmt;
use std::sync::Arc;

use loci_model::ports::clock::Clock;
use loci_model::ports::embedder::Embedder;
use loci_model::ports::language_model::LanguageModel;
use loci_model::ports::observe::Observe;
use loci_model::{Error, Result, limits};
use loci_outbound::pace::PacedTransport;
use loci_outbound::request::Transport;
use loci_outbound::secret::Secret;

use crate::dialect::Dialect;
use crate::embed::{self, EmbedDialect, Embeds};
use crate::model_call::ConfiguredModel;
use crate::{anthropic, bedrock, gemini, openai};

/// The protocol of a model provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// The OpenAI chat completions API, which vLLM, Ollama and LM Studio support too.
    OpenAi,
    /// The Anthropic Messages API.
    Anthropic,
    /// The Amazon Bedrock Converse API.
    Bedrock,
    /// The Google Gemini API.
    Gemini,
}

/// Every protocol with its implementation.
pub(crate) const DIALECTS: &[(Protocol, &dyn Dialect)] = &[
    (Protocol::OpenAi, &openai::OpenAi),
    (Protocol::Anthropic, &anthropic::Anthropic),
    (Protocol::Bedrock, &bedrock::Bedrock),
    (Protocol::Gemini, &gemini::Gemini),
];

/// Every protocol that supports embedders, with its implementation.
pub(crate) const EMBEDDERS: &[(Protocol, &dyn EmbedDialect)] = &[
    (Protocol::OpenAi, &embed::openai::OpenAi),
    (Protocol::Bedrock, &embed::bedrock::Bedrock),
    (Protocol::Gemini, &embed::gemini::Gemini),
];

/// The form in which JSON output is requested, as configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JsonMode {
    /// The strictest form that the server accepts.
    #[default]
    Auto,
    /// The request contains the JSON schema of the output.
    Schema,
    /// The request asks for any JSON object if the protocol supports that, and otherwise contains
    /// the schema.
    Object,
    /// Only the prompt asks for JSON.
    None,
}

/// AWS credentials.
#[derive(Clone)]
pub struct AwsKeys {
    /// The AWS access key id.
    pub access_key: String,
    /// The AWS secret access key.
    pub secret: Secret,
    /// The session token of temporary credentials.
    pub session_token: Option<Secret>,
}

/// The server of a model or an embedder, with credentials.
#[derive(Clone)]
pub struct Endpoint {
    /// The name of the model or embedder in the configuration.
    pub name: String,
    /// The protocol that the server speaks.
    pub protocol: Protocol,
    /// The base URL of the server. `None` means that of the provider.
    pub base_url: Option<String>,
    /// The name of the model at the provider.
    pub model: String,
    /// The API key. `None` if the server needs none.
    pub key: Option<Secret>,
    /// The AWS credentials, for Bedrock without an API key.
    pub aws: Option<AwsKeys>,
    /// The AWS region, for Bedrock.
    pub region: Option<String>,
    /// The timeout of one attempt of a request, in milliseconds.
    pub timeout_ms: u64,
    /// The maximum number of concurrent requests to the server.
    pub concurrency: usize,
}

impl fmt::Debug for Endpoint {
    /// Hides keys and the base URL, which may contain keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("name", &self.name)
            .field("protocol", &self.protocol)
            .field("model", &self.model)
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}

/// The configuration of a language model.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    /// The server of the model.
    pub endpoint: Endpoint,
    /// The sampling temperature. `None` means the default of the provider.
    pub temperature: Option<f64>,
    /// The form in which JSON output is requested.
    pub json: JsonMode,
    /// The maximum number of output tokens. It also limits completions that request more.
    pub max_output_tokens: u32,
}

/// The configuration of an embedder.
#[derive(Debug, Clone)]
pub struct EmbedderConfig {
    /// The server of the embedder.
    pub endpoint: Endpoint,
    /// The number of dimensions of the vectors.
    pub dimensions: usize,
}

impl EmbedderConfig {
    /// Returns the id of the embedding model, such as `openai/text-embedding-3-small/1536`. Vectors
    /// with equal ids can be compared. The id does not depend on the server, because the vectors do
    /// not either.
    pub fn model_id(&self) -> String {
        let protocol = match self.endpoint.protocol {
            Protocol::OpenAi => "openai",
            Protocol::Anthropic => "anthropic",
            Protocol::Bedrock => "bedrock",
            Protocol::Gemini => "gemini",
        };
        format!("{protocol}/{}/{}", self.endpoint.model, self.dimensions)
    }
}

/// The ports that models and embedders use.
#[derive(Clone)]
pub struct ModelEnvironment {
    /// The sender of requests.
    pub transport: Arc<dyn Transport>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The observer of all calls.
    pub observe: Arc<dyn Observe>,
}

/// Creates the engine's port for a configured model.
///
/// # Errors
/// `Invalid`, naming the member of the configuration that is missing or invalid.
pub fn language_model(config: ModelConfig, around: &ModelEnvironment) -> Result<Arc<dyn LanguageModel>> {
    let Some((_, dialect)) = DIALECTS.iter().find(|(protocol, _)| *protocol == config.endpoint.protocol)
    else {
        return Err(Error::bug("a protocol without a line in the table of dialects"));
    };
    check(&config.endpoint, "model")?;
    dialect.check(&config.endpoint, "model")?;
    let around = paced(&config.endpoint, around);
    Ok(Arc::new(ConfiguredModel::new(config, *dialect, around)))
}

/// Creates the engine's port for a configured embedder.
///
/// # Errors
/// `Invalid`, naming the member of the configuration that is missing or invalid.
pub fn embedder(config: EmbedderConfig, around: &ModelEnvironment) -> Result<Arc<dyn Embedder>> {
    let endpoint = &config.endpoint;
    check(endpoint, "embedder")?;
    let Some(dialect) = EMBEDDERS.iter().find(|(protocol, _)| *protocol == endpoint.protocol) else {
        return Err(Error::invalid(
            "embedder.protocol",
            format!("embedder.protocol of `{}` must be openai, bedrock or gemini", endpoint.name),
        ));
    };
    if let Some((_, model)) = DIALECTS.iter().find(|(protocol, _)| *protocol == endpoint.protocol) {
        model.check(endpoint, "embedder")?;
    }
    if !(1..=limits::VECTOR_DIMENSIONS_MAX).contains(&config.dimensions) {
        return Err(Error::invalid(
            "embedder.dimensions",
            format!(
                "embedder.dimensions of `{}` must be 1 to {}: the length of its vectors",
                endpoint.name,
                limits::VECTOR_DIMENSIONS_MAX
            ),
        ));
    }
    let (direct, around) = (Arc::clone(&around.transport), paced(endpoint, around));
    Ok(Arc::new(Embeds::new(config, dialect.1, around, direct)))
}

/// Returns the ports with a transport that limits the requests to one provider.
fn paced(endpoint: &Endpoint, around: &ModelEnvironment) -> ModelEnvironment {
    let paced =
        PacedTransport::new(Arc::clone(&around.transport), Arc::clone(&around.clock), endpoint.concurrency);
    ModelEnvironment { transport: Arc::new(paced), ..around.clone() }
}

/// Checks the settings that every protocol requires; `section` is `model` or `embedder`.
fn check(endpoint: &Endpoint, section: &str) -> Result<()> {
    if endpoint.model.is_empty() {
        return Err(lacks(endpoint, section, "model", "must name a model"));
    }
    if let Some(url) = &endpoint.base_url {
        if !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(lacks(endpoint, section, "base_url", "must begin with http:// or https://"));
        }
        if url.contains(['?', '#', '@']) {
            let rule = "must hold neither a user nor a query: keys are named by key_env";
            return Err(lacks(endpoint, section, "base_url", rule));
        }
    }
    if endpoint.key.as_ref().is_some_and(|key| key.header("").is_none()) {
        let rule = "names a variable with characters that no key has: look for line ends";
        return Err(lacks(endpoint, section, "key_env", rule));
    }
    Ok(())
}

/// Returns the error for a member of the configuration that is missing or invalid. `section` is
/// `model` or `embedder`.
pub(crate) fn lacks(endpoint: &Endpoint, section: &str, member: &str, rule: &str) -> Error {
    Error::invalid(format!("{section}.{member}"), format!("{section}.{member} of `{}` {rule}", endpoint.name))
}
