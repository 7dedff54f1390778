//! What one verifier has found out already, kept for the length of its life. Not shared between threads.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

/// Answers by question. No borrow is held while an answer is made, so that one answer may need others.
pub(super) struct Memo<K, V>(RefCell<HashMap<K, V>>);

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    pub(super) fn new() -> Self {
        Self(RefCell::new(HashMap::new()))
    }

    /// The answer, made now if nobody asked before.
    pub(super) fn get(&self, key: K, make: impl FnOnce(&K) -> V) -> V {
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let made = make(&key);
        self.0.borrow_mut().insert(key, made.clone());
        made
    }
}
