//! The configured embedder for the engine, if it is not the built-in one.
//!
//! Without its key it fails like an unavailable service: searches use words only, vectors are
//! computed when it is available, and `loci doctor` names the missing variable.

use std::sync::Arc;

use anyhow::Result;
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::{Embedder, QuestionVector, Vector};
use loci_model::{Error, ErrorKind};
use loci_providers::registry::{EmbedderConfig, Endpoint, ModelEnvironment, Protocol, embedder};

use crate::config::Config;
use crate::config::embedding::{BUILT_IN, EmbedderEntry, EmbedderProtocol};
use crate::config::environment::Environment;
use crate::wiring::models::Variables;

/// The embedder, or the reason why it is unavailable.
#[derive(Debug, Clone)]
pub(crate) enum ConfiguredEmbedder {
    Ready(EmbedderConfig),
    #[cfg(feature = "onnx")]
    File(crate::wiring::onnx::OnnxPlan),
    Lacks {
        model_id: String,
        dimensions: usize,
        message: String,
    },
}

impl ConfiguredEmbedder {
    /// Returns the configured embedder, or `None` for the built-in one.
    pub(crate) fn read(config: &Config, environment: &Environment) -> Option<Self> {
        Self::named(&config.embedding.used, config, environment)
    }

    /// Returns the embedder with a name, or `None` for the built-in one.
    pub(crate) fn named(name: &str, config: &Config, environment: &Environment) -> Option<Self> {
        if name == BUILT_IN {
            return None;
        }
        let entry = config.embedders.iter().find(|entry| entry.name == name)?;
        #[cfg(feature = "onnx")]
        if entry.protocol == EmbedderProtocol::Onnx {
            return crate::wiring::onnx::OnnxPlan::of(entry, config).map(Self::File);
        }
        configured(entry, config, environment)
    }

    /// True if it makes no network calls.
    pub(crate) fn is_quiet(&self) -> bool {
        match self {
            Self::Ready(_) | Self::Lacks { .. } => false,
            #[cfg(feature = "onnx")]
            Self::File(_) => true,
        }
    }

    pub(crate) fn embedder(&self, around: &ModelEnvironment) -> Result<Arc<dyn Embedder>> {
        match self {
            Self::Ready(config) => {
                embedder(config.clone(), around).map_err(|error| anyhow::anyhow!(error.message))
            }
            #[cfg(feature = "onnx")]
            Self::File(plan) => plan.start(),
            Self::Lacks { model_id, dimensions, message } => {
                tracing::warn!("{message}");
                Ok(Arc::new(KeylessEmbedder {
                    model_id: model_id.clone(),
                    dimensions: *dimensions,
                    message: message.clone(),
                }))
            }
        }
    }
}

/// Returns `None` if the entry is not one of a provider, which the check of the configuration has
/// already rejected.
fn configured(
    entry: &EmbedderEntry,
    config: &Config,
    environment: &Environment,
) -> Option<ConfiguredEmbedder> {
    let protocol = match entry.protocol {
        EmbedderProtocol::OpenAi => Protocol::OpenAi,
        EmbedderProtocol::Bedrock => Protocol::Bedrock,
        EmbedderProtocol::Gemini => Protocol::Gemini,
        EmbedderProtocol::Onnx => return None,
    };
    let (model, dimensions) = (entry.model.clone()?, entry.dimensions?);
    let variables = Variables {
        key: entry.key_env.as_ref(),
        access_key: entry.access_key_env.as_ref(),
        secret_key: entry.secret_key_env.as_ref(),
        session_token: entry.session_token_env.as_ref(),
    };
    let endpoint = |key, aws| Endpoint {
        name: entry.name.clone(),
        protocol,
        base_url: entry.base_url.clone(),
        model,
        key,
        aws,
        region: entry.region.clone(),
        timeout_ms: entry.timeout_ms.unwrap_or(config.outbound.timeout_ms),
        concurrency: entry.concurrency,
    };
    Some(match variables.read(environment) {
        Ok((key, aws)) => {
            ConfiguredEmbedder::Ready(EmbedderConfig { endpoint: endpoint(key, aws), dimensions })
        }
        Err(why) => ConfiguredEmbedder::Lacks {
            model_id: EmbedderConfig { endpoint: endpoint(None, None), dimensions }.model_id(),
            dimensions,
            message: format!("embedder `{}` has no key: {why}", entry.name),
        },
    })
}

/// An embedder without its key.
struct KeylessEmbedder {
    model_id: String,
    dimensions: usize,
    message: String,
}

impl KeylessEmbedder {
    fn error(&self) -> Error {
        Error::new(ErrorKind::Upstream, self.message.clone())
    }
}

impl Embedder for KeylessEmbedder {
    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn embed(&self, _: Vec<String>) -> BoxFuture<'_, loci_model::Result<Vec<Vector>>> {
        Box::pin(std::future::ready(Err(self.error())))
    }

    fn embed_question(&self, _: String) -> BoxFuture<'_, loci_model::Result<QuestionVector>> {
        Box::pin(std::future::ready(Err(self.error())))
    }
}
