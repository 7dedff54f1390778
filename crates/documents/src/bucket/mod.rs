//! A memory's part below a namespace as a bucket: bytes under keys. A key that names a memory file
//! of a stock store is a document of the tree of its namespace, with versions and search; every
//! other is an object that is parked until it expires.
//!
//! One key is one thing: what writes it decides which, in the write, and what was there before as the other gives way. Nothing here knows a
//! wire: how requests are signed, paged and worded is the door's matter.

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
    /// Below this namespace; `/` is all of it.
    pub namespace: Namespace,
}
