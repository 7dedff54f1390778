//! Access to idempotency tokens.

use crate::idempotency::{TokenAnswer, TokenScope};
use crate::{Document, MemoryId, Result, Timestamp};

/// The table of tokens.
pub trait Idempotency {
    /// Returns the response to the token, if it is remembered at `now`.
    fn get(&self, scope: &TokenScope, now: Timestamp) -> Result<Option<TokenAnswer>>;
    /// Stores a response, in the transaction of the write that it belongs to.
    fn put(&mut self, scope: &TokenScope, answer: &TokenAnswer) -> Result<()>;
    /// Returns the name under which a token is stored. It is not a text that a caller sent.
    fn name(&self, scope: &TokenScope) -> Result<String>;
    /// Returns the tokens of a memory after a name, with their names and ordered by them.
    fn list(
        &self,
        memory: &MemoryId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, TokenAnswer)>>;
    /// Replaces the response of the token of that name; false if there is none.
    fn rewrite(&mut self, memory: &MemoryId, name: &str, answer: &Document) -> Result<bool>;
    /// Removes the token of that name from a memory; false if there is none.
    fn remove(&mut self, memory: &MemoryId, name: &str) -> Result<bool>;
    /// Deletes up to `rows` tokens that expired before `now`; returns their number.
    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize>;
}
