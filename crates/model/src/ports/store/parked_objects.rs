//! Access to objects that agents park.

use crate::trees::parked_object::{ObjectHead, ParkedObject};
use crate::{MemoryId, Result, Timestamp};

/// The table of parked objects. Whether one has expired is the caller's to look at.
pub trait ParkedObjects {
    /// One by its key.
    fn get(&self, memory: &MemoryId, key: &str) -> Result<Option<ParkedObject>>;
    /// Those whose keys begin so, behind a key, by the bytes of their keys.
    fn list(
        &self,
        memory: &MemoryId,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<ObjectHead>>;
    /// Writes one, new or in the place of what was there.
    fn put(&mut self, object: &ParkedObject) -> Result<()>;
    /// Removes one; false where there is none.
    fn remove(&mut self, memory: &MemoryId, key: &str) -> Result<bool>;
    /// Removes up to `rows` that expired before `now`, of all memories; how many.
    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize>;
}
