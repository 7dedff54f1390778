//! The results that one verifier has computed, kept for its lifetime. Not shared between threads.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

/// Results by key. No borrow is held while a result is computed, so that it can depend on others.
pub(super) struct Memo<K, V>(RefCell<HashMap<K, V>>);

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    pub(super) fn new() -> Self {
        Self(RefCell::new(HashMap::new()))
    }

    /// Returns the result, computed now if it is missing.
    pub(super) fn get(&self, key: K, make: impl FnOnce(&K) -> V) -> V {
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let made = make(&key);
        self.0.borrow_mut().insert(key, made.clone());
        made
    }
}
