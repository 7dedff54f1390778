//! Which protocols there are, and a configured model or embedder as the engine's port.

use std::fmt;
use std::sync::Arc;

use loci_model::ports::clock::Clock;
use loci_model::ports::embedder::Embedder;
use loci_model::ports::language_model::LanguageModel;
use loci_model::ports::observe::Observe;
use loci_model::{Error, Result, limits};
use loci_outbound::pace::Paced;
use loci_outbound::request::Transport;
use loci_outbound::secret::Secret;

use crate::asking::Asked;
use crate::dialect::Dialect;
use crate::embed::{self, EmbedDialect, Embeds};
use crate::{anthropic, bedrock, gemini, openai};

/// A protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// OpenAI's chat completions, which vLLM, Ollama and LM Studio speak too.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Amazon Bedrock's Converse.
    Bedrock,
    /// Google's Gemini.
    Gemini,
}

/// Every protocol with what speaks it.
pub(crate) const DIALECTS: &[(Protocol, &dyn Dialect)] = &[
    (Protocol::OpenAi, &openai::OpenAi),
    (Protocol::Anthropic, &anthropic::Anthropic),
    (Protocol::Bedrock, &bedrock::Bedrock),
    (Protocol::Gemini, &gemini::Gemini),
];

/// Every protocol that has embedders with what speaks it.
pub(crate) const EMBEDDERS: &[(Protocol, &dyn EmbedDialect)] = &[
    (Protocol::OpenAi, &embed::openai::OpenAi),
    (Protocol::Bedrock, &embed::bedrock::Bedrock),
    (Protocol::Gemini, &embed::gemini::Gemini),
];

/// How a model is asked for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JsonMode {
    /// As strictly as it turns out to take.
    #[default]
    Auto,
    /// By a schema.
    Schema,
    /// As any object, where the protocol knows that; else by a schema.
    Object,
    /// By words alone.
    None,
}

/// Keys of AWS.
#[derive(Clone)]
pub struct AwsKeys {
    /// Id of the access key.
    pub access_key: String,
    /// Its secret.
    pub secret: Secret,
    /// Token of temporary keys.
    pub session_token: Option<Secret>,
}

/// Where a model or an embedder is, and how to come in.
#[derive(Clone)]
pub struct Endpoint {
    /// Its name in the configuration.
    pub name: String,
    /// Its protocol.
    pub protocol: Protocol,
    /// Where it is; `None`: the vendor's.
    pub base_url: Option<String>,
    /// The model, in the vendor's words.
    pub model: String,
    /// The key, where one is needed.
    pub key: Option<Secret>,
    /// Keys of AWS, for Bedrock without a key of its own.
    pub aws: Option<AwsKeys>,
    /// Region, for Bedrock.
    pub region: Option<String>,
    /// A try is given up after this long.
    pub timeout_ms: u64,
    /// Requests at once.
    pub concurrency: usize,
}

impl fmt::Debug for Endpoint {
    /// Keys and addresses with keys are not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("name", &self.name)
            .field("protocol", &self.protocol)
            .field("model", &self.model)
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}

/// A model as configured.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    /// Where it is.
    pub endpoint: Endpoint,
    /// How freely it chooses words; `None`: as the vendor thinks best.
    pub temperature: Option<f64>,
    /// How it is asked for JSON.
    pub json: JsonMode,
    /// An answer is never allowed more tokens, whatever is asked.
    pub max_output_tokens: u32,
}

/// An embedder as configured.
#[derive(Debug, Clone)]
pub struct EmbedderConfig {
    /// Where it is.
    pub endpoint: Endpoint,
    /// Length of its vectors.
    pub dimensions: usize,
}

impl EmbedderConfig {
    /// What its vectors are told apart by: `openai/text-embedding-3-small/1536`. Where the model is served makes no
    /// difference to them.
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

/// What a model needs of the world.
#[derive(Clone)]
pub struct Around {
    /// Sends requests.
    pub transport: Arc<dyn Transport>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Is told of every call.
    pub observe: Arc<dyn Observe>,
}

/// A configured model as the engine's port.
///
/// # Errors
/// `Invalid` with the member of the configuration that is missing or cannot be used.
pub fn language_model(config: ModelConfig, around: &Around) -> Result<Arc<dyn LanguageModel>> {
    let Some((_, dialect)) = DIALECTS.iter().find(|(protocol, _)| *protocol == config.endpoint.protocol)
    else {
        return Err(Error::bug("a protocol without a line in the table of dialects"));
    };
    check(&config.endpoint, "model")?;
    dialect.check(&config.endpoint, "model")?;
    let around = paced(&config.endpoint, around);
    Ok(Arc::new(Asked::new(config, *dialect, around)))
}

/// A configured embedder as the engine's port.
///
/// # Errors
/// `Invalid` with the member of the configuration that is missing or cannot be used.
pub fn embedder(config: EmbedderConfig, around: &Around) -> Result<Arc<dyn Embedder>> {
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

/// The same world at the pace of one provider.
fn paced(endpoint: &Endpoint, around: &Around) -> Around {
    let paced = Paced::new(Arc::clone(&around.transport), Arc::clone(&around.clock), endpoint.concurrency);
    Around { transport: Arc::new(paced), ..around.clone() }
}

/// What every protocol needs; `section` is `model` or `embedder`.
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

/// A member of the configuration that is not as it must be.
pub(crate) fn lacks(endpoint: &Endpoint, section: &str, member: &str, rule: &str) -> Error {
    Error::invalid(format!("{section}.{member}"), format!("{section}.{member} of `{}` {rule}", endpoint.name))
}
