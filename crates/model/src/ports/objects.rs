//! Objects: bytes put under a key in a bucket, for payloads that are too large for a notification.

use super::BoxFuture;
use crate::Result;

/// Where an object went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// `s3://bucket/key` or `file:///folder/key`.
    pub location: String,
    /// False: the configuration maps the bucket nowhere, and the object waits in the local outbox.
    pub mapped: bool,
}

/// Keeps objects.
pub trait Objects: Send + Sync {
    /// Puts an object; the same bucket and key again replaces it.
    ///
    /// # Errors
    /// `Unavailable`, `Throttled` and `Upstream`: try again; anything else: no try will succeed.
    fn put(&self, bucket: &str, key: &str, bytes: Vec<u8>) -> BoxFuture<'_, Result<Stored>>;
}
