//! A part of a memory below a namespace as a bucket: bytes under keys. A key that names a memory
//! file of a stock store is a document of the tree of its namespace, with versions and search.
//! Every other key is an object that is parked until it expires.
//!
//! One key has one content. The write decides in its transaction if it is a document or an object,
//! and removes the former content of the other kind. Nothing here depends on a wire format: the API
//! layer signs, pages and formats the requests.

mod conditions;
mod get;
mod key;
mod list;
pub(super) mod parked_objects;
mod put;
mod reconcile;
mod remove;

use loci_model::{MemoryId, Namespace};

pub use get::BucketContent;
pub use list::{BucketEntry, BucketItem, BucketListing, collapsed};
pub use put::{BucketPut, BucketWritten};

/// A part of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// The memory.
    pub memory: MemoryId,
    /// The namespace; `/` is the whole memory.
    pub namespace: Namespace,
}
