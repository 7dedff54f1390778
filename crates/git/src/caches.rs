//! What is kept of all open repositories together, each kind with its bound. Keys are content addresses and the number of the
//! repository: nothing goes out of date, and nothing of one repository is seen through another.

use std::sync::Arc;

use loci_model::code::{CodeFile, ObjectId, Rename};

use crate::commits::Commit;
use crate::follow::{Line, Moves};
use crate::likeness::SharedFingerprint;
use crate::lru::Lru;
use crate::objects::Bases;

/// A repository, over the life of the process.
pub(crate) type Number = u64;

/// Bytes of blobs that are kept (verified-memory.md §11, L3).
const BLOBS_BYTES: usize = 64 << 20;

pub(crate) struct Caches {
    pub(crate) blobs: Lru<(Number, ObjectId), Arc<[u8]>>,
    pub(crate) bases: Arc<Bases>,
    pub(crate) trees: Lru<(Number, ObjectId), Arc<[u8]>>,
    pub(crate) commits: Lru<(Number, ObjectId), Arc<Commit>>,
    pub(crate) listings: Lru<(Number, ObjectId), Arc<Vec<CodeFile>>>,
    /// By the two trees and the percentage.
    pub(crate) renames: Lru<(Number, ObjectId, ObjectId, u8), Arc<Vec<Rename>>>,
    pub(crate) fingerprints: Lru<(Number, ObjectId), SharedFingerprint>,
    /// Older, newer.
    pub(crate) ancestry: Lru<(Number, ObjectId, ObjectId), bool>,
    pub(crate) roots: Lru<(Number, ObjectId), Arc<[ObjectId]>>,
    /// By tip, and by how many commits the clone is cut off at.
    pub(crate) lines: Lru<(Number, ObjectId, usize), Arc<Line>>,
    /// Paths that files left from one commit to the next.
    pub(crate) steps: Lru<(Number, ObjectId, ObjectId), Arc<Moves>>,
}

impl Caches {
    pub(crate) fn new() -> Self {
        Self {
            blobs: Lru::new(BLOBS_BYTES),
            bases: Arc::new(Lru::new(32 << 20)),
            trees: Lru::new(16 << 20),
            commits: Lru::new(32 << 20),
            listings: Lru::new(128 << 20),
            renames: Lru::new(8 << 20),
            fingerprints: Lru::new(16 << 20),
            ancestry: Lru::new(2 << 20),
            roots: Lru::new(1 << 20),
            lines: Lru::new(64 << 20),
            steps: Lru::new(32 << 20),
        }
    }
}
