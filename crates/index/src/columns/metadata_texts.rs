//! The texts of metadata, stored once per key. Each text counts the sets that use it, and its
//! number is reused after the last one.

use std::collections::HashMap;

use crate::columns::NONE;
use crate::primitives::stable_hash::Mix;

/// The role of a text under its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// A single value.
    Text,
    /// An element of a list.
    Item,
    /// A whole list, regardless of order.
    Set,
}

#[derive(Debug)]
struct InternedText {
    key: u32,
    kind: TextKind,
    text: Box<str>,
    uses: u32,
    /// The next text with the same hash.
    next: u32,
}

/// All texts of metadata, by key.
#[derive(Debug, Default)]
pub(crate) struct MetadataTexts {
    texts: Vec<InternedText>,
    free: Vec<u32>,
    first_by_hash: HashMap<u64, u32>,
    bytes: usize,
}

impl MetadataTexts {
    /// Returns the number of a text, adds it if it is new, and counts one more set that uses it.
    pub(crate) fn hold(&mut self, key: u32, kind: TextKind, text: &str) -> u32 {
        if let Some(number) = self.find(key, kind, text) {
            if let Some(held) = self.texts.get_mut(number as usize) {
                held.uses += 1;
            }
            return number;
        }
        let number = self.free.pop().unwrap_or(self.texts.len() as u32);
        let next = self.first_by_hash.insert(hash(key, kind, text), number).unwrap_or(NONE);
        let held = InternedText { key, kind, text: text.into(), uses: 1, next };
        self.bytes += text.len();
        match self.texts.get_mut(number as usize) {
            Some(slot) => *slot = held,
            None => self.texts.push(held),
        }
        number
    }

    /// Counts one set less that uses the text. Returns true if it was the last one, so that the
    /// number becomes free.
    pub(crate) fn release(&mut self, number: u32) -> bool {
        let Some(held) = self.texts.get_mut(number as usize) else { return false };
        held.uses = held.uses.saturating_sub(1);
        if held.uses > 0 {
            return false;
        }
        let (hash, next) = (hash(held.key, held.kind, &held.text), held.next);
        self.bytes -= held.text.len();
        held.text = Box::default();
        let mut before = self.first_by_hash.get(&hash).copied().unwrap_or(NONE);
        if before == number {
            match next {
                NONE => self.first_by_hash.remove(&hash),
                next => self.first_by_hash.insert(hash, next),
            };
        }
        while let Some(other) = self.texts.get_mut(before as usize) {
            if other.next == number {
                other.next = next;
            }
            before = other.next;
        }
        self.free.push(number);
        true
    }

    /// Returns the number of a stored text.
    pub(crate) fn find(&self, key: u32, kind: TextKind, text: &str) -> Option<u32> {
        let mut number = *self.first_by_hash.get(&hash(key, kind, text))?;
        while let Some(held) = self.texts.get(number as usize) {
            if held.key == key && held.kind == kind && *held.text == *text {
                return Some(number);
            }
            number = held.next;
        }
        None
    }

    /// Returns the text with a number.
    pub(crate) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |held| &held.text)
    }

    /// Returns the key of a number.
    pub(crate) fn key(&self, number: u32) -> u32 {
        self.texts.get(number as usize).map_or(NONE, |held| held.key)
    }

    /// Returns the memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.capacity() * size_of::<InternedText>()
            + self.free.capacity() * 4
            + self.first_by_hash.capacity() * 17
            + self.bytes
    }
}

fn hash(key: u32, kind: TextKind, text: &str) -> u64 {
    Mix::default().number(u64::from(key)).number(kind as u64).text(text).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_held_once_until_its_last_use() {
        let mut texts = MetadataTexts::default();
        let one = texts.hold(1, TextKind::Text, "a");
        assert_eq!(texts.hold(1, TextKind::Text, "a"), one);
        let others = [texts.hold(2, TextKind::Text, "a"), texts.hold(1, TextKind::Item, "a")];
        assert_eq!((others, texts.key(others[0])), ([1, 2], 2));
        assert!(!texts.release(one));
        assert!(texts.release(one));
        assert_eq!(texts.find(1, TextKind::Text, "a"), None);
        assert_eq!(texts.find(1, TextKind::Item, "a"), Some(2));
        assert_eq!((texts.hold(3, TextKind::Set, "b"), texts.text(0)), (0, "b"));
    }

    #[test]
    fn equal_hashes_are_kept_apart() {
        let mut texts = MetadataTexts::default();
        let numbers: Vec<u32> =
            ["a", "b", "c"].iter().map(|text| texts.hold(0, TextKind::Text, text)).collect();
        // Simulate that all three have the hash of the last one.
        texts.first_by_hash.retain(|_, number| *number == 2);
        texts.texts[2].next = 1;
        texts.texts[1].next = 0;
        let of_c = |texts: &MetadataTexts| {
            let mut at = texts.first_by_hash.values().next().copied().unwrap_or(NONE);
            let mut chain = Vec::new();
            while let Some(held) = texts.texts.get(at as usize) {
                chain.push(at);
                at = held.next;
            }
            chain
        };
        assert_eq!((numbers, of_c(&texts)), (vec![0, 1, 2], vec![2, 1, 0]));
        assert!(texts.release(2));
        assert_eq!(of_c(&texts), [1, 0]);
    }
}
