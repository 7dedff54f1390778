//! A cache with a bound on the total weight of its values, for readers of code. It evicts the least
//! recently used value first. It holds content that never changes under its key, so no value is
//! stale. Its users define the meaning of keys.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Weight of a value in addition to its content, in bytes.
const OVERHEAD: usize = 128;

struct CacheItem<V> {
    value: V,
    weight: usize,
    used: u64,
}

struct Inner<K, V> {
    held: HashMap<K, CacheItem<V>>,
    by_use: BTreeMap<u64, K>,
    weight: usize,
    uses: u64,
}

/// The cache; values are cheap to clone.
pub struct BoundedCache<K, V> {
    inner: Mutex<Inner<K, V>>,
    weight_max: usize,
}

impl<K: Hash + Eq + Clone, V: Clone> BoundedCache<K, V> {
    /// Returns an empty cache of values with this maximum total weight.
    pub fn new(weight_max: usize) -> Self {
        let inner = Inner { held: HashMap::new(), by_use: BTreeMap::new(), weight: 0, uses: 0 };
        Self { inner: Mutex::new(inner), weight_max }
    }

    /// Returns the value of a key and marks it as used.
    pub fn get(&self, key: &K) -> Option<V> {
        let mut inner = self.lock();
        inner.uses += 1;
        let now = inner.uses;
        let held = inner.held.get_mut(key)?;
        let before = std::mem::replace(&mut held.used, now);
        let value = held.value.clone();
        if let Some(key) = inner.by_use.remove(&before) {
            inner.by_use.insert(now, key);
        }
        Some(value)
    }

    /// Stores a value, unless its weight exceeds half of the cache.
    pub fn put(&self, key: K, value: V, weight: usize) {
        let weight = weight.saturating_add(OVERHEAD);
        if weight > self.weight_max / 2 {
            return;
        }
        let mut inner = self.lock();
        inner.uses += 1;
        let used = inner.uses;
        if let Some(old) = inner.held.insert(key.clone(), CacheItem { value, weight, used }) {
            inner.weight -= old.weight;
            inner.by_use.remove(&old.used);
        }
        inner.by_use.insert(used, key);
        inner.weight += weight;
        while inner.weight > self.weight_max {
            let Some((_, longest_unused)) = inner.by_use.pop_first() else { break };
            if let Some(old) = inner.held.remove(&longest_unused) {
                inner.weight -= old.weight;
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
    fn what_was_longest_unused_goes_first() {
        let cache = BoundedCache::new(3 * (100 + OVERHEAD));
        for key in [1, 2, 3] {
            cache.put(key, key, 100);
        }
        assert_eq!(cache.get(&1), Some(1));
        cache.put(4, 4, 100);
        cache.put(5, 5, 500);
        assert_eq!([1, 2, 3, 4, 5].map(|key| cache.get(&key).is_some()), [true, false, true, true, false]);
        // A repeated key counts its weight once.
        for _ in 0..9 {
            cache.put(4, 4, 100);
        }
        assert_eq!([1, 3, 4].map(|key| cache.get(&key).is_some()), [true, true, true]);
        cache.put(1, 7, 100);
        assert_eq!((cache.get(&1), cache.get(&3)), (Some(7), Some(3)), "the newer value");
    }
}
