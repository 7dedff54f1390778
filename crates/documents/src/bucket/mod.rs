//! Buckets: a part of a memory below a namespace as bytes under keys. A key that names a memory
//! file of a Strands file store is a document in the tree of its namespace, with versions and
//! search. Every other key is an object that expires.
//!
//! A key has one content. The transaction of a write decides if the content is a document or an
//! object, and removes the former content of the other kind. Nothing here depends on a wire format:
//! the API crate verifies signatures, divides pages and formats answers.

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

/// A namespace of a memory, used as a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// The memory that contains the bucket.
    pub memory: MemoryId,
    /// The namespace of the bucket. `/` is the whole memory.
    pub namespace: Namespace,
}
