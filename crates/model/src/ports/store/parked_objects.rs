//! Access to objects that agents park.

use crate::trees::parked_object::{ObjectHead, ParkedObject};
use crate::{MemoryId, Result, Timestamp};

/// The table of parked objects. The caller checks their expiry.
pub trait ParkedObjects {
    /// Returns an object by its key.
    fn get(&self, memory: &MemoryId, key: &str) -> Result<Option<ParkedObject>>;
    /// Returns objects with this key prefix after a key, ordered by the bytes of their keys.
    fn list(
        &self,
        memory: &MemoryId,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<ObjectHead>>;
    /// Writes an object, and replaces an existing one.
    fn put(&mut self, object: &ParkedObject) -> Result<()>;
    /// Removes an object; false if there is none.
    fn remove(&mut self, memory: &MemoryId, key: &str) -> Result<bool>;
    /// Removes up to `rows` objects of all memories that expired before `now`; returns their
    /// number.
    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize>;
}
