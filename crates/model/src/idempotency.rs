//! Idempotency: what a token answered the first time. Rows, so that they survive a restart.

use crate::{Document, Timestamp};

/// Where a token counts: a memory (or the server) and an operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TokenScope {
    /// The memory id, or `server`.
    pub place: String,
    /// The operation's name.
    pub operation: String,
    /// The caller's token.
    pub token: String,
}

/// The first successful answer to a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenAnswer {
    /// Digest of the parameters, as parsed JSON without the token.
    pub parameters: String,
    /// What was answered, in a form of the operation's own.
    pub answer: Document,
    /// Forgotten after this.
    pub expires: Timestamp,
}
