//! Objects: bytes put under a key in a bucket, for payloads that are too large for a notification.

use super::BoxFuture;
use crate::Result;

/// What became of an object that was not refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// It is at `s3://bucket/key` or `file:///folder/key`.
    At(String),
    /// The configuration maps the bucket nowhere, and nothing was kept; it may map it later.
    NoMapping,
}

/// Keeps objects.
pub trait Objects: Send + Sync {
    /// Puts an object; the same bucket and key again replaces it.
    ///
    /// # Errors
    /// `Unavailable`, `Throttled` and `Upstream`: try again; anything else: no try will succeed.
    fn put(&self, bucket: &str, key: &str, bytes: Vec<u8>) -> BoxFuture<'_, Result<Stored>>;
}
