//! Remote embedders: texts become requests, and responses become unit vectors. Long texts are
//! split, and the vectors of the pieces are averaged.
//!
//! A question bypasses the rate limiting of batches, is sent once, and has a timeout of two
//! seconds; without its vector, a search uses only words. To add a protocol: a file here with an
//! `impl EmbedDialect`, and one line in `registry::EMBEDDERS`.

pub(crate) mod bedrock;
pub(crate) mod gemini;
pub(crate) mod openai;
mod text_pieces;

use std::sync::Arc;

use futures::stream::{self, StreamExt, TryStreamExt};
use loci_model::job::exchange::Usage;
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::{Embedder, QuestionVector, Vector};
use loci_model::ports::language_model::{ModelError, ModelErrorKind};
use loci_model::ports::observe::ModelCallObservation;
use loci_model::ports::trace;
use loci_model::{Error, ErrorKind, Result};
use loci_outbound::request::{OutboundAnswer, OutboundRequest, Retry, Transport};
use serde_json::Value;

use crate::failure::{ProviderFailure, garbled, refused, unanswered};
use crate::registry::{EmbedderConfig, ModelEnvironment};

/// The maximum time for the vector of a question, in milliseconds.
const QUESTION_MS_MAX: u64 = 2_000;
/// The maximum number of concurrent requests of one batch.
const REQUESTS_AHEAD: usize = 8;

/// The use of a vector. Some models embed queries differently from stored passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Passage,
    Question,
}

/// A provider's protocol for embeddings.
pub(crate) trait EmbedDialect: Send + Sync {
    /// Returns the maximum number of texts in a request.
    fn texts_max(&self, config: &EmbedderConfig) -> usize;

    /// Returns the maximum number of characters of a text in a request. A longer text is divided
    /// into pieces.
    fn piece_chars(&self, _: &EmbedderConfig) -> usize {
        text_pieces::PIECE_CHARS
    }

    /// Creates the request for some texts.
    fn request(&self, config: &EmbedderConfig, texts: &[&str], purpose: Purpose) -> OutboundRequest;

    /// Parses the vectors of a response, in the order of the texts. `None` if the body is not valid
    /// in this protocol.
    fn read(&self, body: &Value) -> Option<Vec<Vector>>;

    /// Returns the meaning of an error response.
    fn failure(&self, answer: &OutboundAnswer) -> ProviderFailure;
}

/// The reason why texts could not be embedded.
struct NoVectors {
    error: ModelError,
    /// True if one of the texts may be the cause, so that the others may succeed without it.
    of_texts: bool,
}

impl From<ModelError> for NoVectors {
    fn from(error: ModelError) -> Self {
        Self { error, of_texts: false }
    }
}

/// An embedder from the configuration.
pub(crate) struct Embeds {
    config: EmbedderConfig,
    dialect: &'static dyn EmbedDialect,
    around: ModelEnvironment,
    /// The transport without rate limiting, for the vectors of queries.
    direct: Arc<dyn Transport>,
    id: String,
    who: String,
}

impl Embeds {
    pub(crate) fn new(
        config: EmbedderConfig,
        dialect: &'static dyn EmbedDialect,
        around: ModelEnvironment,
        direct: Arc<dyn Transport>,
    ) -> Self {
        let (id, who) = (config.model_id(), format!("embedder `{}`", config.endpoint.name));
        Self { config, dialect, around, direct, id, who }
    }

    /// Returns the vectors of pieces, in their order.
    async fn of_pieces(&self, pieces: &[&str]) -> std::result::Result<Vec<Vector>, NoVectors> {
        let mut calls: Vec<BoxFuture<'_, std::result::Result<Vec<Vector>, NoVectors>>> = Vec::new();
        for some in pieces.chunks(self.dialect.texts_max(&self.config).max(1)) {
            calls.push(Box::pin(self.call(some, Purpose::Passage)));
        }
        let vectors: Vec<Vec<Vector>> = stream::iter(calls).buffered(REQUESTS_AHEAD).try_collect().await?;
        Ok(vectors.into_iter().flatten().collect())
    }

    /// Sends one request, and reports it to the observer.
    async fn call(&self, texts: &[&str], purpose: Purpose) -> std::result::Result<Vec<Vector>, NoVectors> {
        let began = self.around.clock.monotonic_us();
        let mut tries = 0;
        let span = self.around.observe.open_span();
        let outcome = trace::under(span, self.answer(texts, purpose, &mut tries)).await;
        self.around.observe.model_call(&ModelCallObservation {
            provider: &self.config.endpoint.name,
            model: &self.config.endpoint.model,
            answered_by: None,
            step: None,
            outcome: outcome.as_ref().map_or_else(|none| none.error.kind.as_str(), |_| "complete"),
            usage: Usage::default(),
            tries,
            elapsed_ms: self.around.clock.monotonic_us().saturating_sub(began) / 1_000,
            span,
        });
        outcome
    }

    async fn answer(
        &self,
        texts: &[&str],
        purpose: Purpose,
        tries: &mut u32,
    ) -> std::result::Result<Vec<Vector>, NoVectors> {
        let mut request = self.dialect.request(&self.config, texts, purpose);
        let transport = match purpose {
            Purpose::Passage => &self.around.transport,
            Purpose::Question => {
                request.timeout_ms = Some(self.config.endpoint.timeout_ms.min(QUESTION_MS_MAX));
                request.retry = Retry::Never;
                &self.direct
            }
        };
        *tries = 1;
        let answer = transport.send(request).await.map_err(|error| unanswered(&self.who, &error))?;
        *tries = answer.tries;
        if !(200..300).contains(&answer.status) {
            let failure = self.dialect.failure(&answer);
            let of_texts =
                failure.kind == ModelErrorKind::Rejected && matches!(answer.status, 400 | 413 | 422);
            return Err(NoVectors { error: refused(&self.who, &answer, &failure, None), of_texts });
        }
        let body: Value = loci_json::from_slice(&answer.body).map_err(|_| garbled(&self.who))?;
        let vectors = self.dialect.read(&body).filter(|vectors| vectors.len() == texts.len());
        vectors.ok_or_else(|| garbled(&self.who))?.into_iter().map(|vector| self.checked(vector)).collect()
    }

    /// Checks the length of a vector, and normalises it to unit length.
    fn checked(&self, mut vector: Vector) -> std::result::Result<Vector, NoVectors> {
        let bad = |of_texts, message: String| {
            Err(NoVectors { error: ModelError::new(ModelErrorKind::Garbled, message), of_texts })
        };
        if vector.len() != self.config.dimensions {
            let said =
                format!("{} gives vectors of {} numbers: set its dimensions to that", self.who, vector.len());
            return bad(false, said);
        }
        if !text_pieces::to_unit(&mut vector) {
            return bad(true, format!("{} gives vectors that have no direction", self.who));
        }
        Ok(vector)
    }
}

impl Embedder for Embeds {
    fn dimensions(&self) -> usize {
        self.config.dimensions
    }

    fn model_id(&self) -> &str {
        &self.id
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vector>>> {
        Box::pin(async move {
            let chars = self.dialect.piece_chars(&self.config);
            let cut: Vec<Vec<&str>> = texts.iter().map(|text| text_pieces::of(text, chars)).collect();
            let all: Vec<&str> = cut.iter().flatten().copied().collect();
            let mut vectors = self.of_pieces(&all).await.map_err(of_texts)?.into_iter();
            let of_text = |pieces: &Vec<&str>| {
                let weighted = pieces.iter().map(|piece| piece.len()).zip(vectors.by_ref());
                text_pieces::joined(weighted.collect())
            };
            Ok(cut.iter().map(of_text).collect())
        })
    }

    fn embed_question(&self, text: String) -> BoxFuture<'_, Result<QuestionVector>> {
        Box::pin(async move {
            let pieces = text_pieces::of(&text, self.dialect.piece_chars(&self.config));
            let first = pieces.first().copied().unwrap_or_default();
            let vectors =
                self.call(&[first], Purpose::Question).await.map_err(|none| of_model(none.error))?;
            let vector = vectors.into_iter().next().ok_or_else(|| of_model(garbled(&self.who)))?;
            Ok(QuestionVector { vector, shortened: pieces.len() > 1 })
        })
    }
}

/// Returns the error for a batch of texts. It is permanent if the provider rejects the texts
/// themselves.
fn of_texts(none: NoVectors) -> Error {
    if none.of_texts { Error::new(ErrorKind::Invalid, none.error.message) } else { of_model(none.error) }
}

/// Returns an error that permits a retry. The caller retries without limit, because records without
/// vectors are still found by words.
fn of_model(error: ModelError) -> Error {
    let kind = match error.kind {
        ModelErrorKind::Throttled => ErrorKind::Throttled,
        ModelErrorKind::Denied
        | ModelErrorKind::QuotaUsedUp
        | ModelErrorKind::Timeout
        | ModelErrorKind::Unavailable
        | ModelErrorKind::Rejected
        | ModelErrorKind::Garbled => ErrorKind::Upstream,
    };
    Error::new(kind, error.message)
}

/// Returns the numbers of a vector in a body.
pub(crate) fn numbers(value: &Value) -> Option<Vector> {
    // Vectors are stored in single precision.
    let number = |value: &Value| value.as_f64().map(|number| number as f32);
    value.as_array()?.iter().map(number).collect()
}
