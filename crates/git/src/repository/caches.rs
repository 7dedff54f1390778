//! The caches shared by all open repositories, each with its limit. Keys are content addresses with
//! the number of the repository: entries never become outdated, and no repository sees entries of
//! another.

use std::sync::Arc;

use loci_model::bounded_cache::BoundedCache;
use loci_model::facts::code::{ObjectId, Rename};

use crate::history::commits::Commit;
use crate::history::follow::{FirstParents, Moves};
use crate::history::likeness::SharedFingerprint;
use crate::objects::Bases;
use crate::trees::Listing;

/// The number of a repository, unique within the process.
pub(crate) type Number = u64;

/// The maximum size of cached blobs, in bytes.
const BLOBS_BYTES: usize = 64 << 20;

pub(crate) struct Caches {
    pub(crate) blobs: BoundedCache<(Number, ObjectId), Arc<[u8]>>,
    pub(crate) bases: Arc<Bases>,
    pub(crate) trees: BoundedCache<(Number, ObjectId), Arc<[u8]>>,
    pub(crate) commits: BoundedCache<(Number, ObjectId), Arc<Commit>>,
    pub(crate) listings: BoundedCache<(Number, ObjectId), Listing>,
    /// The renames between two trees, by the trees and the minimum similarity in percent.
    pub(crate) renames: BoundedCache<(Number, ObjectId, ObjectId, u8), Arc<Vec<Rename>>>,
    pub(crate) fingerprints: BoundedCache<(Number, ObjectId), SharedFingerprint>,
    /// The answers whether a commit is an ancestor of another, by both commits.
    pub(crate) ancestry: BoundedCache<(Number, ObjectId, ObjectId), bool>,
    pub(crate) roots: BoundedCache<(Number, ObjectId), Arc<[ObjectId]>>,
    /// The first parents of a commit, by the commit and the number of commits where the clone ends.
    pub(crate) lines: BoundedCache<(Number, ObjectId, usize), Arc<FirstParents>>,
    /// The paths removed and added from one commit to the next.
    pub(crate) steps: BoundedCache<(Number, ObjectId, ObjectId), Arc<Moves>>,
}

impl Caches {
    pub(crate) fn new() -> Self {
        Self {
            blobs: BoundedCache::new(BLOBS_BYTES),
            bases: Arc::new(BoundedCache::new(32 << 20)),
            trees: BoundedCache::new(16 << 20),
            commits: BoundedCache::new(32 << 20),
            listings: BoundedCache::new(128 << 20),
            renames: BoundedCache::new(8 << 20),
            fingerprints: BoundedCache::new(16 << 20),
            ancestry: BoundedCache::new(2 << 20),
            roots: BoundedCache::new(1 << 20),
            lines: BoundedCache::new(64 << 20),
            steps: BoundedCache::new(32 << 20),
        }
    }
}
