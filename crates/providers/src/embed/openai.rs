//! OpenAI's embeddings API, as served by OpenAI, vLLM, Ollama, LM Studio and many others.

use loci_model::ports::embedder::Vector;
use loci_outbound::request::{OutboundAnswer, OutboundRequest};
use serde_json::{Value, json};

use super::{EmbedDialect, Purpose, numbers};
use crate::dialect::Dialect;
use crate::failure::ProviderFailure;
use crate::openai as chat;
use crate::registry::EmbedderConfig;

/// The prefix of models that accept a requested vector length; others reject the parameter.
const ANY_LENGTH: &str = "text-embedding-3";

/// The implementation of the OpenAI embeddings API.
pub(crate) struct OpenAi;

impl EmbedDialect for OpenAi {
    fn texts_max(&self, _: &EmbedderConfig) -> usize {
        64
    }

    fn request(&self, config: &EmbedderConfig, texts: &[&str], _: Purpose) -> OutboundRequest {
        let endpoint = &config.endpoint;
        let mut body = json!({"model": endpoint.model, "input": texts, "encoding_format": "float"});
        if endpoint.model.starts_with(ANY_LENGTH) {
            body["dimensions"] = json!(config.dimensions);
        }
        let mut request = endpoint.post(chat::BASE, "/embeddings", &body);
        endpoint.with_key(&mut request, "authorization", "Bearer ");
        request
    }

    fn read(&self, body: &Value) -> Option<Vec<Vector>> {
        let data = body.get("data")?.as_array()?;
        let mut vectors: Vec<(u64, Vector)> = data
            .iter()
            .map(|item| Some((item.get("index")?.as_u64()?, numbers(item.get("embedding")?)?)))
            .collect::<Option<_>>()?;
        vectors.sort_by_key(|(index, _)| *index);
        Some(vectors.into_iter().map(|(_, vector)| vector).collect())
    }

    fn failure(&self, answer: &OutboundAnswer) -> ProviderFailure {
        chat::OpenAi.failure(answer)
    }
}
