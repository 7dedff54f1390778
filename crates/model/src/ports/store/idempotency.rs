//! Access to idempotency tokens.

use crate::idempotency::{TokenAnswer, TokenScope};
use crate::{Document, MemoryId, Result, Timestamp};

/// The table of tokens.
pub trait Idempotency {
    /// What the token answered, if it is remembered at `now`.
    fn get(&self, scope: &TokenScope, now: Timestamp) -> Result<Option<TokenAnswer>>;
    /// Remembers an answer, in the transaction of the write it answers.
    fn put(&mut self, scope: &TokenScope, answer: &TokenAnswer) -> Result<()>;
    /// Returns the name under which a token is kept, which is no text that anybody sent.
    fn name(&self, scope: &TokenScope) -> Result<String>;
    /// Tokens of a memory behind a name, with their names and in the order of these.
    fn list(
        &self,
        memory: &MemoryId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, TokenAnswer)>>;
    /// Replaces the answer of the token of that name; false where there is none.
    fn rewrite(&mut self, memory: &MemoryId, name: &str, answer: &Document) -> Result<bool>;
    /// Removes the token of that name from a memory; false where there is none.
    fn remove(&mut self, memory: &MemoryId, name: &str) -> Result<bool>;
    /// Forgets up to `rows` tokens that expired before `now`; how many.
    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize>;
}
