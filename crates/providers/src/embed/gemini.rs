//! Google's Gemini embeddings, in batches. Questions and passages get different kinds of vectors.

use loci_model::ports::embedder::Vector;
use loci_outbound::request::{OutboundAnswer, OutboundRequest};
use serde_json::{Value, json};

use super::{EmbedDialect, Purpose, numbers};
use crate::failure::ProviderFailure;
use crate::gemini as chat;
use crate::registry::EmbedderConfig;

/// The implementation of the Gemini embeddings.
pub(crate) struct Gemini;

impl EmbedDialect for Gemini {
    fn texts_max(&self, _: &EmbedderConfig) -> usize {
        64
    }

    fn request(&self, config: &EmbedderConfig, texts: &[&str], purpose: Purpose) -> OutboundRequest {
        let endpoint = &config.endpoint;
        let kind = match purpose {
            Purpose::Passage => "RETRIEVAL_DOCUMENT",
            Purpose::Question => "RETRIEVAL_QUERY",
        };
        let place = chat::place(&endpoint.model);
        let one = |text: &&str| {
            json!({"model": place, "content": {"parts": [{"text": text}]}, "taskType": kind,
                "outputDimensionality": config.dimensions})
        };
        let body = json!({"requests": texts.iter().map(one).collect::<Vec<_>>()});
        let mut request = endpoint.post(chat::BASE, &format!("/v1beta/{place}:batchEmbedContents"), &body);
        endpoint.with_key(&mut request, "x-goog-api-key", "");
        request
    }

    fn read(&self, body: &Value) -> Option<Vec<Vector>> {
        body.get("embeddings")?.as_array()?.iter().map(|one| numbers(one.get("values")?)).collect()
    }

    fn failure(&self, answer: &OutboundAnswer) -> ProviderFailure {
        chat::failure(answer)
    }
}
