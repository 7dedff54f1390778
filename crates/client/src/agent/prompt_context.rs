//! The port of texts that a model reads with every query of the user, independent of the query.

use futures::future::BoxFuture;

use super::error::StoreError;

/// A text for prompts, such as the documents of a memory that are always loaded.
pub trait PromptContext: Send + Sync {
    /// Returns the text within the budget of the context; empty if there is none.
    fn text(&self) -> BoxFuture<'_, Result<String, StoreError>>;
}
