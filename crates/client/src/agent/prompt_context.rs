//! The port for texts that injection adds to every model call, whatever the user's query is.

use futures::future::BoxFuture;

use super::error::StoreError;

/// A text for every prompt, such as the documents of a memory that a session always loads.
pub trait PromptContext: Send + Sync {
    /// Returns the text, within the token budget of this context. It is empty if there is nothing
    /// to add.
    fn text(&self) -> BoxFuture<'_, Result<String, StoreError>>;
}
