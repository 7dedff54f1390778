//! The embedder: text in, unit vectors out.

use super::BoxFuture;
use crate::Result;

/// A vector of unit length.
pub type Vector = Vec<f32>;

/// The vector of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionVector {
    /// The vector.
    pub vector: Vector,
    /// True if the query was longer than the model's input; only its beginning and end were used.
    pub shortened: bool,
}

/// Turns texts into vectors. CPU work runs in the adapter's own threads; queries take precedence
/// over batches.
pub trait Embedder: Send + Sync {
    /// Returns the dimension of the vectors.
    fn dimensions(&self) -> usize;

    /// Returns model and quantisation. The id is stored with every vector, and vectors of different
    /// ids are never compared.
    fn model_id(&self) -> &str;

    /// Returns one vector for each text of any length (it is read in windows). Low priority.
    ///
    /// # Errors
    /// `Invalid`: one of the texts is rejected, and the others may get vectors without it. Any
    /// other error affects all texts.
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vector>>>;

    /// True if a query's vector takes milliseconds and only this process. A search then starts with
    /// the terms while the vector is computed.
    fn is_near(&self) -> bool {
        false
    }

    /// Returns the vector of a query. High priority.
    fn embed_question(&self, text: String) -> BoxFuture<'_, Result<QuestionVector>>;
}
