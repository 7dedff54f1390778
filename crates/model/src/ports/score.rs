//! Injection scores in addition to the patterns, from a classifier if one is configured. It may
//! raise the score of the patterns, and never lower it. If it fails, no text passes.

use super::BoxFuture;
use crate::Result;

/// Scores the degree to which a text looks like instructions to its reader.
pub trait Scorer: Send + Sync {
    /// Returns a score of 0 to 1.
    fn score<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<f32>>;
}
