//! Texts as small numbers, in order of first sight. Numbers mean something within one index only.

use std::sync::Arc;

use crate::primitives::compact_list::push_sparing;
use crate::primitives::number_table::NumberTable;

/// What an allocation costs beside the text: two counts, and the allocator's own.
const TEXT_COST: usize = 24;

/// A two-way table of texts and numbers. Nothing is ever taken out.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    texts: Vec<Arc<str>>,
    numbers: NumberTable,
    text_bytes: usize,
}

impl Interner {
    /// The number of `text`, a new one at first sight.
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

    /// The number of `text`, where it was seen.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        self.numbers.find(self.numbers.hash(text), |number| self.text(number) == text)
    }

    /// The text of a number.
    pub(crate) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }

    /// The text of a number, shared.
    pub(crate) fn shared(&self, number: u32) -> Arc<str> {
        self.texts.get(number as usize).map_or_else(|| "".into(), Arc::clone)
    }

    /// Every text, by number.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }

    /// How many texts.
    pub(crate) fn len(&self) -> u32 {
        self.texts.len() as u32
    }

    /// Bytes held.
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
