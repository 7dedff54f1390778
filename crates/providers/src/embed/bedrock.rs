//! Embedders on Amazon Bedrock: Titan with one text per request, and Cohere with many. Other models
//! there have their own formats.

use loci_model::ports::embedder::Vector;
use loci_outbound::request::{OutboundAnswer, OutboundRequest};
use serde_json::{Value, json};

use super::text_pieces::PIECE_CHARS;
use super::{EmbedDialect, Purpose, numbers};
use crate::bedrock as chat;
use crate::failure::ProviderFailure;
use crate::registry::EmbedderConfig;

/// The maximum number of texts in a request to Cohere.
const COHERE_TEXTS: usize = 96;
/// The maximum length of a text for Cohere on Bedrock, in characters; a longer one is rejected.
const COHERE_CHARS: usize = 2_048;

/// The implementation of embeddings on Bedrock.
pub(crate) struct Bedrock;

impl EmbedDialect for Bedrock {
    fn texts_max(&self, config: &EmbedderConfig) -> usize {
        if is_cohere(config) { COHERE_TEXTS } else { 1 }
    }

    fn piece_chars(&self, config: &EmbedderConfig) -> usize {
        if is_cohere(config) { COHERE_CHARS } else { PIECE_CHARS }
    }

    fn request(&self, config: &EmbedderConfig, texts: &[&str], purpose: Purpose) -> OutboundRequest {
        let endpoint = &config.endpoint;
        let body = if is_cohere(config) {
            let kind = match purpose {
                Purpose::Passage => "search_document",
                Purpose::Question => "search_query",
            };
            json!({"texts": texts, "input_type": kind, "truncate": "END"})
        } else if endpoint.model.contains("embed-text-v2") {
            json!({"inputText": texts.first(), "dimensions": config.dimensions, "normalize": true})
        } else {
            json!({"inputText": texts.first()})
        };
        chat::signed(endpoint, &format!("/model/{}/invoke", chat::segment(&endpoint.model)), &body)
    }

    fn read(&self, body: &Value) -> Option<Vec<Vector>> {
        if let Some(vector) = body.get("embedding") {
            return Some(vec![numbers(vector)?]);
        }
        let vectors = body.pointer("/embeddings/float").or_else(|| body.get("embeddings"))?;
        vectors.as_array()?.iter().map(numbers).collect()
    }

    fn failure(&self, answer: &OutboundAnswer) -> ProviderFailure {
        chat::failure(answer)
    }
}

fn is_cohere(config: &EmbedderConfig) -> bool {
    config.endpoint.model.contains("cohere.")
}
