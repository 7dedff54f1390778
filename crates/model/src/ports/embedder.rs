//! The embedder: text in, unit vectors out.

use super::BoxFuture;
use crate::Result;

/// A vector of unit length.
pub type Vector = Vec<f32>;

/// The vector of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionVector {
    /// The vector.
    pub vector: Vector,
    /// The question was longer than the model reads; only its ends were used.
    pub shortened: bool,
}

/// Turns texts into vectors. Work on the CPU happens in the adapter's own threads; questions go before batches.
pub trait Embedder: Send + Sync {
    /// Length of the vectors.
    fn dimensions(&self) -> usize;

    /// Model and quantisation: stored beside every vector; vectors of different ids are never compared.
    fn model_id(&self) -> &str;

    /// One vector per text, however long the text (read in windows). Low priority.
    ///
    /// # Errors
    /// Invalid: one of the texts is refused as it is, and the others may get vectors without it. Any other: none would.
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vector>>>;

    /// True where a question's vector takes milliseconds and nothing outside this process: then a search begins with the
    /// words while it is made.
    fn is_near(&self) -> bool {
        false
    }

    /// The vector of a question. High priority.
    fn embed_question(&self, text: String) -> BoxFuture<'_, Result<QuestionVector>>;
}
