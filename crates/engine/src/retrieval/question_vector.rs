//! Computes the vector of a query once for each call, even if the call searches several
//! namespaces. It is not cached longer, because response times would otherwise reveal queries of
//! other callers.

use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::Shared;
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::{Embedder, QuestionVector};

type PendingQuestionVector = Shared<BoxFuture<'static, Option<QuestionVector>>>;

/// The vectors of one call's queries, which may still be being computed.
#[derive(Default)]
pub(crate) struct QuestionVectors(Mutex<Vec<(String, PendingQuestionVector)>>);

impl QuestionVectors {
    /// Returns the vector of a query; `None` if the model does not respond.
    pub(super) async fn vector(&self, embedder: &Arc<dyn Embedder>, text: &str) -> Option<QuestionVector> {
        self.coming(embedder, text).await
    }

    fn coming(&self, embedder: &Arc<dyn Embedder>, text: &str) -> PendingQuestionVector {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, coming)) = asked.iter().find(|(known, _)| known == text) {
            return coming.clone();
        }
        let coming = made(embedder.clone(), text.to_owned()).boxed().shared();
        asked.push((text.to_owned(), coming.clone()));
        coming
    }
}

/// Computes a vector; a failure is logged and gives `None`.
pub(super) async fn made(embedder: Arc<dyn Embedder>, text: String) -> Option<QuestionVector> {
    embedder
        .embed_question(text)
        .await
        .inspect_err(|error| tracing::warn!(%error, "a question got no vector: searching by words alone"))
        .ok()
}

#[cfg(test)]
mod tests {
    use loci_testkit_ports::{HashEmbedder, block_on};

    use super::*;

    #[test]
    fn the_same_question_has_the_same_vector() {
        let embedder: Arc<dyn Embedder> = Arc::new(HashEmbedder::default());
        let once = QuestionVectors::default();
        let both =
            futures::future::join(once.vector(&embedder, "pagination"), once.vector(&embedder, "pagination"));
        let (one, other) = block_on(both);
        assert!(one.is_some());
        assert_eq!(one, other);
        assert_eq!(one, block_on(made(embedder.clone(), "pagination".to_owned())));
        assert_eq!(once.0.lock().unwrap().len(), 1);
        assert_ne!(one, block_on(once.vector(&embedder, "refresh")));
    }
}
