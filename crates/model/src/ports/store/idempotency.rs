//! Access to idempotency tokens.

use crate::idempotency::{TokenAnswer, TokenScope};
use crate::{Result, Timestamp};

/// The table of tokens.
pub trait Idempotency {
    /// What the token answered, if it is remembered at `now`.
    fn get(&self, scope: &TokenScope, now: Timestamp) -> Result<Option<TokenAnswer>>;
    /// Remembers an answer, in the transaction of the write it answers.
    fn put(&mut self, scope: &TokenScope, answer: &TokenAnswer) -> Result<()>;
    /// Forgets up to `rows` tokens that expired before `now`; how many.
    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize>;
}
