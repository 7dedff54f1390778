//! Objects: bytes under a key in a bucket, for payloads that are too large for a notification.

use super::BoxFuture;
use crate::Result;

/// The result of an object that was not rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectStoreResult {
    /// The object is stored at this address: `s3://bucket/key` or `file:///folder/key`.
    At(String),
    /// The configuration maps the bucket nowhere, and nothing was stored; it may map it later.
    NoMapping,
}

/// Stores objects.
pub trait Objects: Send + Sync {
    /// Puts an object. A repeated bucket and key replaces it.
    ///
    /// # Errors
    /// `Unavailable`, `Throttled` and `Upstream`: try again. For any other error, no attempt will
    /// succeed.
    fn put(&self, bucket: &str, key: &str, bytes: Vec<u8>) -> BoxFuture<'_, Result<ObjectStoreResult>>;
}
