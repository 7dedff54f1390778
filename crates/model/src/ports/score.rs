//! Scoring texts for injection beside the patterns: a classifier, where one is set up. It may raise what the patterns say, and never
//! lower it; one that fails lets nothing pass.

use super::BoxFuture;
use crate::Result;

/// Says how much a text looks like instructions to whoever reads it.
pub trait Scorer: Send + Sync {
    /// 0 to 1.
    fn score<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<f32>>;
}
