//! Idempotency: the first response to a token. The data are rows, so that they survive a restart.

use crate::{Document, Timestamp};

/// The scope of a token: a memory (or the server) and an operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TokenScope {
    /// The memory id, or `server`.
    pub place: String,
    /// The name of the operation that the token belongs to.
    pub operation: String,
    /// The token that the caller sent.
    pub token: String,
}

/// The first successful response to a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenAnswer {
    /// The digest of the request's parameters, as parsed JSON without the token.
    pub parameters: String,
    /// The response, in the operation's own form.
    pub answer: Document,
    /// The time after which the response is deleted.
    pub expires: Timestamp,
}
