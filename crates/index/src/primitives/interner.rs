//! Texts as small numbers, in order of first use. Numbers are valid within one index only.

use std::sync::Arc;

use crate::primitives::compact_list::push_sparing;
use crate::primitives::number_table::NumberTable;

/// The overhead of an allocation in bytes: two counts, and that of the allocator.
const TEXT_COST: usize = 24;

/// A two-way table of texts and numbers. Entries are never removed.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    texts: Vec<Arc<str>>,
    numbers: NumberTable,
    text_bytes: usize,
}

impl Interner {
    /// Returns the number of `text`, and adds it if new.
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        let hash = self.numbers.hash(text);
        if let Some(number) = self.numbers.find(hash, |number| self.text(number) == text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.text_bytes += TEXT_COST + text.len();
        push_sparing(&mut self.texts, text.into());
        self.numbers.insert(hash, number);
        number
    }

    /// Returns the number of `text`, if known.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        self.numbers.find(self.numbers.hash(text), |number| self.text(number) == text)
    }

    /// Returns the text with a number.
    pub(crate) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }

    /// Returns the text with a number, shared.
    pub(crate) fn shared(&self, number: u32) -> Arc<str> {
        self.texts.get(number as usize).map_or_else(|| "".into(), Arc::clone)
    }

    /// Returns all texts, by number.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }

    /// Returns the number of texts.
    pub(crate) fn len(&self) -> u32 {
        self.texts.len() as u32
    }

    /// Returns the memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.text_bytes + self.texts.capacity() * size_of::<Arc<str>>() + self.numbers.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways() {
        let mut words = Interner::default();
        assert_eq!((words.intern("a"), words.intern("b"), words.intern("a")), (0, 1, 0));
        assert_eq!(
            (words.find("b"), words.find("c"), words.text(1), words.text(9)),
            (Some(1), None, "b", "")
        );
        assert_eq!(words.texts().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(&*words.shared(0), "a");
    }
}
