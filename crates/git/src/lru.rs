//! A cache with a bound in bytes that forgets what was longest unused. What the keys mean is its users' matter.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

struct Held<V> {
    value: V,
    bytes: usize,
    used: u64,
}

struct Inner<K, V> {
    held: HashMap<K, Held<V>>,
    by_use: BTreeMap<u64, K>,
    bytes: usize,
    clock: u64,
}

/// The cache. Values are cheap to clone.
pub(crate) struct Lru<K, V> {
    inner: Mutex<Inner<K, V>>,
    bytes_max: usize,
}

impl<K: Hash + Eq + Clone, V: Clone> Lru<K, V> {
    pub(crate) fn new(bytes_max: usize) -> Self {
        let inner = Inner { held: HashMap::new(), by_use: BTreeMap::new(), bytes: 0, clock: 0 };
        Self { inner: Mutex::new(inner), bytes_max }
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let mut inner = self.lock();
        inner.clock += 1;
        let now = inner.clock;
        let held = inner.held.get_mut(key)?;
        let before = std::mem::replace(&mut held.used, now);
        let value = held.value.clone();
        if let Some(key) = inner.by_use.remove(&before) {
            inner.by_use.insert(now, key);
        }
        Some(value)
    }

    /// Keeps a value that weighs `bytes`; one that weighs more than a quarter of the cache is not kept.
    pub(crate) fn put(&self, key: K, value: V, bytes: usize) {
        let bytes = bytes.saturating_add(128);
        if bytes > self.bytes_max / 4 {
            return;
        }
        let mut inner = self.lock();
        inner.clock += 1;
        let used = inner.clock;
        inner.bytes += bytes;
        inner.by_use.insert(used, key.clone());
        if let Some(old) = inner.held.insert(key, Held { value, bytes, used }) {
            inner.bytes -= old.bytes;
            inner.by_use.remove(&old.used);
        }
        while inner.bytes > self.bytes_max {
            let Some((_, key)) = inner.by_use.pop_first() else { break };
            if let Some(old) = inner.held.remove(&key) {
                inner.bytes -= old.bytes;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<K, V>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_unused_goes_first_and_great_values_are_not_kept() {
        let cache = Lru::new(4 * (100 + 128));
        for key in 0..4 {
            cache.put(key, key * 10, 100);
        }
        assert_eq!(cache.get(&0), Some(0));
        cache.put(4, 40, 100);
        let there: Vec<_> = (0..5).map(|key| cache.get(&key).is_some()).collect();
        assert_eq!(there, [true, false, true, true, true]);
        cache.put(9, 90, 10_000);
        assert_eq!((cache.get(&9), cache.get(&0)), (None, Some(0)));
        cache.put(0, 7, 100);
        assert_eq!((cache.get(&0), cache.get(&2)), (Some(7), Some(20)));
    }
}
