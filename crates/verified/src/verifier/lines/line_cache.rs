//! The cache of parsed files by content address, shared by all verifiers of a process and bounded
//! by bytes.
//!
//! A blob's id is trusted within one scope only (a repository of one tenant), because another
//! repository could hold other bytes under that id. Nothing is ever invalidated, only dropped.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Unverifiable;

use super::file_lines::FileLines;
use crate::verifier::statements::support_cache::SupportCache;

/// The result for a blob: its lines, or the reason why it has none.
pub(in crate::verifier) type Parsed = Result<Arc<FileLines>, Unverifiable>;

type Key = (Arc<str>, ObjectId);

/// The cache of recently parsed files.
pub struct LineCache {
    bytes_max: usize,
    held: Mutex<CachedFiles>,
    /// Cached support reports that depend on the content of blobs alone.
    pub(in crate::verifier) supports: SupportCache,
}

#[derive(Default)]
struct CachedFiles {
    files: HashMap<Key, Entry>,
    bytes: usize,
    clock: u64,
}

struct Entry {
    parsed: Parsed,
    bytes: usize,
    used: u64,
}

impl LineCache {
    /// The default capacity in bytes, 64 MiB.
    pub const BYTES_DEFAULT: usize = 64 << 20;

    /// Creates an empty cache with an approximate capacity in bytes.
    pub fn new(bytes_max: usize) -> Self {
        Self { bytes_max, held: Mutex::default(), supports: SupportCache::default() }
    }

    /// Returns true if a blob is cached, without counting as a use.
    pub(in crate::verifier) fn holds(&self, scope: &Arc<str>, blob: ObjectId) -> bool {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.files.contains_key(&(Arc::clone(scope), blob))
    }

    pub(in crate::verifier) fn get(&self, scope: &Arc<str>, blob: ObjectId) -> Option<Parsed> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.clock += 1;
        let now = held.clock;
        held.files.get_mut(&(Arc::clone(scope), blob)).map(|entry| {
            entry.used = now;
            entry.parsed.clone()
        })
    }

    pub(in crate::verifier) fn put(&self, scope: &Arc<str>, blob: ObjectId, parsed: &Parsed) {
        let bytes = 128 + parsed.as_ref().map_or(0, |file| file.bytes());
        if bytes > self.bytes_max {
            return;
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.clock += 1;
        let entry = Entry { parsed: parsed.clone(), bytes, used: held.clock };
        held.bytes += bytes;
        if let Some(before) = held.files.insert((Arc::clone(scope), blob), entry) {
            held.bytes -= before.bytes;
        }
        if held.bytes > self.bytes_max {
            held.make_room(self.bytes_max - self.bytes_max / 4);
        }
    }
}

impl CachedFiles {
    /// Drops the least recently used entries, down to three quarters of the capacity at once, so
    /// that it runs rarely.
    fn make_room(&mut self, bytes_max: usize) {
        let mut ages: Vec<u64> = self.files.values().map(|entry| entry.used).collect();
        ages.sort_unstable();
        let mut by_age: HashMap<u64, usize> = HashMap::new();
        for entry in self.files.values() {
            by_age.insert(entry.used, entry.bytes);
        }
        let mut bytes = self.bytes;
        let mut oldest_kept = 0;
        for age in ages {
            if bytes <= bytes_max {
                break;
            }
            bytes -= by_age.get(&age).copied().unwrap_or(0);
            oldest_kept = age + 1;
        }
        self.files.retain(|_, entry| entry.used >= oldest_kept);
        self.bytes = bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u8) -> ObjectId {
        ObjectId::from_bytes(&[n; 20]).unwrap()
    }

    #[test]
    fn what_was_not_used_longest_goes_first_and_scopes_are_apart() {
        let file = |text: &str| Ok(Arc::new(FileLines::parse(text.as_bytes()).unwrap()));
        let one = 128 + file("a").unwrap().bytes();
        let cache = LineCache::new(one * 3);
        let (here, there) = (Arc::from("here"), Arc::from("there"));
        for n in 0..3 {
            cache.put(&here, id(n), &file("a"));
        }
        assert!(cache.get(&here, id(0)).is_some());
        assert!(cache.get(&there, id(0)).is_none());
        cache.put(&here, id(3), &file("b"));
        let left: Vec<_> = (0..4).filter(|n| cache.get(&here, id(*n)).is_some()).collect();
        assert_eq!(left, [0, 3]);
        cache.put(&here, id(9), &Err(Unverifiable::Binary));
        assert!(matches!(cache.get(&here, id(9)), Some(Err(Unverifiable::Binary))));
    }
}
