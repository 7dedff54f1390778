//! A cheap embedder: words hashed to a unit vector. Texts with common words are similar; it has no
//! other meaning.

use loci_model::Result;
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::{Embedder, QuestionVector, Vector};

/// A bag of terms, hashed to `dimensions` positions with a sign.
pub struct HashEmbedder {
    dimensions: usize,
    model_id: String,
}

impl HashEmbedder {
    /// Returns an embedder with `dimensions` dimensions (at least 1).
    pub fn new(dimensions: usize) -> Self {
        let dimensions = dimensions.max(1);
        Self { dimensions, model_id: format!("hash-{dimensions}") }
    }

    /// Returns the vector of a text, synchronously.
    pub fn vector(&self, text: &str) -> Vector {
        let mut vector = vec![0.0_f32; self.dimensions];
        for term in loci_text::terms(text) {
            let hash = term.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            let place = usize::try_from(hash >> 8).unwrap_or(0) % self.dimensions;
            if let Some(value) = vector.get_mut(place) {
                *value += if hash & 1 == 0 { 1.0 } else { -1.0 };
            }
        }
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|value| *value /= length);
        }
        vector
    }
}

impl Default for HashEmbedder {
    fn default() -> Self {
        Self::new(64)
    }
}

impl Embedder for HashEmbedder {
    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn is_near(&self) -> bool {
        true
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vector>>> {
        Box::pin(std::future::ready(Ok(texts.iter().map(|text| self.vector(text)).collect())))
    }

    fn embed_question(&self, text: String) -> BoxFuture<'_, Result<QuestionVector>> {
        let vector = self.vector(&text);
        Box::pin(std::future::ready(Ok(QuestionVector { vector, shortened: false })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_words_are_close() {
        let embedder = HashEmbedder::new(256);
        let cosine = |a: &str, b: &str| {
            embedder.vector(a).iter().zip(embedder.vector(b)).map(|(a, b)| a * b).sum::<f32>()
        };
        assert!((cosine("red bicycle", "red bicycle") - 1.0).abs() < 1e-5);
        assert!(cosine("red bicycle", "red bicycle shop") > cosine("red bicycle", "green tea"));
    }
}
