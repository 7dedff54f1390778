//! The metadata of records. Each set of entries is stored as a few words. Equal sets of texts are
//! stored once for all their records, and so is each text. `metadata_index` maps values to
//! passages.
//!
//! The words of a set are: the number of records that have it, the number of words that follow,
//! then for each entry a tag and its value.

use std::collections::HashMap;

use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::{Result, Timestamp};

use crate::columns::NONE;
use crate::columns::metadata_texts::{MetadataTexts, TextKind};
use crate::filters::metadata_index::MetadataIndex;
use crate::primitives::interner::Interner;
use crate::primitives::stable_hash::Mix;
use crate::snapshot::bytes::{ByteReader, ByteWriter, damaged};

/// The entry type of a text. A tag has the type in its upper bits and a number below: for texts and
/// lists that of the text, for other types that of the key.
const TEXT: u32 = 0;
/// The entry type of a list of texts. It is followed by the number of texts and their numbers. The
/// tag's number is that of the texts as a set.
const LIST: u32 = 1;
/// The entry type of a whole number. It is followed by the value.
const WHOLE: u32 = 2;
/// The entry type of a number. It is followed by the lower and upper half of the value.
const NUMBER: u32 = 3;
/// The entry type of a time in milliseconds. It is followed by the lower and upper half of the
/// value.
const TIME: u32 = 4;
const KIND_SHIFT: u32 = 29;
const HEAD: usize = 2;
/// The number of words to reserve for further sets when the storage is full.
const SPARE: usize = 256;
/// The number of unused words from which a compaction moves the sets together.
const DEAD_MIN: usize = 4_096;

/// All metadata sets in use, and the passages that have them.
#[derive(Debug, Default)]
pub(crate) struct MetadataSets {
    words: Vec<u32>,
    dead: usize,
    keys: Interner,
    texts: MetadataTexts,
    /// The sets that contain only texts, by hash. Of several sets with the same hash only one is
    /// listed.
    by_hash: HashMap<u64, u32>,
    /// The passages by metadata value.
    pub(crate) index: MetadataIndex,
}

/// An entry of a metadata set.
#[derive(Debug, Clone, Copy, PartialEq)]
enum MetadataSetEntry<'a> {
    Text(u32),
    List(u32, &'a [u32]),
    Number(u32, f64),
    Time(u32, Timestamp),
}

impl MetadataSets {
    /// Returns the number of a metadata set, adds it if it is new, and counts one more record that
    /// uses it.
    pub(crate) fn hold(&mut self, metadata: &Metadata) -> u32 {
        let numbered =
            |value: &MetadataValue| matches!(value, MetadataValue::Number(_) | MetadataValue::DateTime(_));
        let is_shared = !metadata.values().any(numbered);
        let hash = if is_shared { hash(metadata) } else { 0 };
        if let Some(number) = self.by_hash.get(&hash).copied().filter(|_| is_shared)
            && self.get(number) == *metadata
        {
            self.hold_again(number);
            return number;
        }
        let number = self.words.len() as u32;
        if self.words.capacity() - self.words.len() < SPARE {
            self.words.reserve_exact(self.words.len() / 8 + SPARE);
        }
        self.words.extend([1, 0]);
        for (key, value) in metadata {
            let key = self.keys.intern(key);
            self.write(key, value);
        }
        let length = self.words.len() - number as usize - HEAD;
        if let Some(slot) = self.words.get_mut(number as usize + 1) {
            *slot = length as u32;
        }
        if is_shared {
            self.by_hash.insert(hash, number);
        }
        number
    }

    /// Counts one more record that uses the set.
    pub(crate) fn hold_again(&mut self, number: u32) {
        if let Some(holders) = self.words.get_mut(number as usize) {
            *holders += 1;
        }
    }

    /// Writes a set to a snapshot.
    pub(crate) fn save(&self, number: u32, out: &mut ByteWriter) {
        let set = self.get(number);
        out.u32(set.len() as u32);
        for (key, value) in &set {
            out.text(key);
            match value {
                MetadataValue::String(text) => out.u8(1).text(text),
                MetadataValue::StringList(texts) => {
                    out.u8(2).u32(texts.len() as u32);
                    texts.iter().fold(&mut *out, |out, text| out.text(text))
                }
                MetadataValue::Number(number) => out.u8(3).u64(number.to_bits()),
                MetadataValue::DateTime(time) => out.u8(4).time(*time),
            };
        }
    }

    /// Reads a set written by [`MetadataSets::save`].
    pub(crate) fn load(from: &mut ByteReader<'_>) -> Result<Metadata> {
        let mut set = Metadata::new();
        for _ in 0..from.count(5)? {
            let key = from.text()?.to_owned();
            let value = match from.u8()? {
                1 => MetadataValue::String(from.text()?.to_owned()),
                2 => {
                    let texts = (0..from.count(4)?).map(|_| from.text().map(str::to_owned));
                    MetadataValue::StringList(texts.collect::<Result<_>>()?)
                }
                3 => MetadataValue::Number(f64::from_bits(from.u64()?)),
                4 => MetadataValue::DateTime(from.time()?),
                _ => return Err(damaged("a value of unknown type")),
            };
            set.insert(key, value);
        }
        Ok(set)
    }

    /// Counts one record less that uses the set, and frees the set after the last one.
    pub(crate) fn release(&mut self, number: u32) {
        let Some(holders) = self.words.get_mut(number as usize) else { return };
        *holders = holders.saturating_sub(1);
        if *holders > 0 {
            return;
        }
        let hash = self.hash(number);
        if self.by_hash.get(&hash) == Some(&number) {
            self.by_hash.remove(&hash);
        }
        for entry in entries(body(&self.words, number)) {
            let (text, items) = match entry {
                MetadataSetEntry::Text(text) => (Some(text), &[][..]),
                MetadataSetEntry::List(set, items) => (Some(set), items),
                MetadataSetEntry::Number(..) | MetadataSetEntry::Time(..) => (None, &[][..]),
            };
            for text in text.iter().chain(items) {
                if self.texts.release(*text) {
                    self.index.forget_text(*text);
                }
            }
        }
        self.dead += body(&self.words, number).len() + HEAD;
    }

    /// Returns the set with a number.
    pub(crate) fn get(&self, number: u32) -> Metadata {
        let text = |number: u32| self.texts.text(number).to_owned();
        let value = |entry| match entry {
            MetadataSetEntry::Text(at) => (self.texts.key(at), MetadataValue::String(text(at))),
            MetadataSetEntry::List(set, items) => {
                (self.texts.key(set), MetadataValue::StringList(items.iter().map(|at| text(*at)).collect()))
            }
            MetadataSetEntry::Number(key, number) => (key, MetadataValue::Number(number)),
            MetadataSetEntry::Time(key, time) => (key, MetadataValue::DateTime(time)),
        };
        let named = |(key, value)| (self.keys.text(key).to_owned(), value);
        entries(body(&self.words, number)).map(value).map(named).collect()
    }

    /// Returns the hash of a set. It is the same on every machine.
    pub(crate) fn hash(&self, number: u32) -> u64 {
        let mut mix = Mix::default();
        for entry in entries(body(&self.words, number)) {
            match entry {
                MetadataSetEntry::Text(text) => {
                    mix.text(self.keys.text(self.texts.key(text))).number(1).text(self.texts.text(text));
                }
                MetadataSetEntry::List(set, items) => {
                    mix.text(self.keys.text(self.texts.key(set))).number(2).number(items.len() as u64);
                    for item in items {
                        mix.text(self.texts.text(*item));
                    }
                }
                MetadataSetEntry::Number(key, number) => {
                    mix.text(self.keys.text(key)).number(3).number(number.to_bits());
                }
                MetadataSetEntry::Time(key, time) => {
                    mix.text(self.keys.text(key)).number(4).number(millis(time));
                }
            }
        }
        mix.finish()
    }

    /// Records that a passage, the newest one, belongs to a record with this set.
    pub(crate) fn list(&mut self, number: u32, passage: u32) {
        let index = &mut self.index;
        for entry in entries(body(&self.words, number)) {
            match entry {
                MetadataSetEntry::Text(text) => index.list_text(self.texts.key(text), text, passage),
                MetadataSetEntry::List(set, items) => {
                    let key = self.texts.key(set);
                    for text in items.iter().chain([&set]) {
                        index.list_text(key, *text, passage);
                    }
                }
                MetadataSetEntry::Number(key, number) => index.list_number(key, number, passage),
                MetadataSetEntry::Time(key, time) => index.list_time(key, time, passage),
            }
        }
    }

    /// Returns the number of a metadata key. `None` if no record ever had the key.
    pub(crate) fn key(&self, key: &str) -> Option<u32> {
        self.keys.find(key)
    }

    /// Returns the number of a text under a key. `None` if no record has it.
    pub(crate) fn text(&self, key: u32, kind: TextKind, text: &str) -> Option<u32> {
        self.texts.find(key, kind, text)
    }

    /// Renumbers the passages, and moves the sets together if many words are unused. In that case
    /// `moved` receives a function from old to new set numbers.
    pub(crate) fn compact(&mut self, renamed: &[u32], moved: impl FnOnce(&dyn Fn(u32) -> u32)) {
        self.index.rename(renamed);
        if self.dead < DEAD_MIN || self.dead * 2 < self.words.len() {
            return;
        }
        let mut places = HashMap::new();
        let mut kept = Vec::with_capacity(self.words.len() - self.dead);
        let mut at = 0;
        while let Some([holders, length]) =
            self.words.get(at..at + HEAD).and_then(|head| <[u32; HEAD]>::try_from(head).ok())
        {
            let end = at + HEAD + length as usize;
            if holders > 0 {
                places.insert(at as u32, kept.len() as u32);
                kept.extend_from_slice(self.words.get(at..end).unwrap_or_default());
            }
            at = end;
        }
        self.words = kept;
        self.dead = 0;
        let new = |old: u32| places.get(&old).copied().unwrap_or(NONE);
        self.by_hash.values_mut().for_each(|number| *number = new(*number));
        moved(&new);
    }

    /// Returns the approximate memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * 4
            + self.by_hash.capacity() * 17
            + self.keys.bytes()
            + self.texts.bytes()
            + self.index.bytes()
    }

    fn write(&mut self, key: u32, value: &MetadataValue) {
        let tag = |kind: u32, number: u32| kind << KIND_SHIFT | number;
        let halves = |bits: u64| [bits as u32, (bits >> 32) as u32];
        match value {
            MetadataValue::String(text) => {
                let text = self.texts.hold(key, TextKind::Text, text);
                self.words.push(tag(TEXT, text));
            }
            MetadataValue::StringList(texts) => {
                let set = self.texts.hold(key, TextKind::Set, &set_of(texts));
                self.words.extend([tag(LIST, set), texts.len() as u32]);
                for text in texts {
                    let item = self.texts.hold(key, TextKind::Item, text);
                    self.words.push(item);
                }
            }
            MetadataValue::Number(number) => match *number as i32 {
                small if f64::from(small).to_bits() == number.to_bits() => {
                    self.words.extend([tag(WHOLE, key), small.cast_unsigned()]);
                }
                _ => {
                    self.words.push(tag(NUMBER, key));
                    self.words.extend(halves(number.to_bits()));
                }
            },
            MetadataValue::DateTime(time) => {
                self.words.push(tag(TIME, key));
                self.words.extend(halves(millis(*time)));
            }
        }
    }
}

/// Returns a text that is the same for lists with the same texts, in any order, and for no others.
pub(crate) fn set_of(texts: &[String]) -> String {
    let mut sorted: Vec<&str> = texts.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.iter().map(|text| format!("{}:{text}", text.len())).collect()
}

fn body(words: &[u32], number: u32) -> &[u32] {
    let Some((head, rest)) = words.get(number as usize..).and_then(<[u32]>::split_first_chunk::<HEAD>) else {
        return &[];
    };
    rest.get(..head[1] as usize).unwrap_or_default()
}

fn entries(mut words: &[u32]) -> impl Iterator<Item = MetadataSetEntry<'_>> {
    std::iter::from_fn(move || {
        let (tag, rest) = words.split_first()?;
        let number = tag & ((1 << KIND_SHIFT) - 1);
        let long = |rest: &[u32]| {
            rest.first_chunk().map_or(0, |[low, high]| u64::from(*low) | u64::from(*high) << 32)
        };
        let (entry, length) = match tag >> KIND_SHIFT {
            TEXT => (MetadataSetEntry::Text(number), 0),
            LIST => {
                let count = rest.first().map_or(0, |count| *count as usize);
                (MetadataSetEntry::List(number, rest.get(1..=count).unwrap_or_default()), 1 + count)
            }
            WHOLE => (
                MetadataSetEntry::Number(
                    number,
                    f64::from(rest.first().map_or(0, |small| small.cast_signed())),
                ),
                1,
            ),
            NUMBER => (MetadataSetEntry::Number(number, f64::from_bits(long(rest))), 2),
            _ => (MetadataSetEntry::Time(number, Timestamp::clamped(long(rest).cast_signed())), 2),
        };
        words = rest.get(length..).unwrap_or_default();
        Some(entry)
    })
}

/// Returns the value of [`MetadataSets::hash`] for metadata that is not stored.
fn hash(metadata: &Metadata) -> u64 {
    let mut mix = Mix::default();
    for (key, value) in metadata {
        mix.text(key);
        match value {
            MetadataValue::String(text) => mix.number(1).text(text),
            MetadataValue::StringList(texts) => {
                mix.number(2).number(texts.len() as u64);
                texts.iter().fold(&mut mix, |mix, text| mix.text(text))
            }
            MetadataValue::Number(number) => mix.number(3).number(number.to_bits()),
            MetadataValue::DateTime(time) => mix.number(4).number(millis(*time)),
        };
    }
    mix.finish()
}

fn millis(time: Timestamp) -> u64 {
    time.millis().cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(texts: &[&str]) -> MetadataValue {
        MetadataValue::StringList(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    fn set(entries: &[(&str, MetadataValue)]) -> Metadata {
        entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
    }

    #[test]
    fn sets_come_back_as_they_were_with_the_same_hash() {
        let all = [
            set(&[]),
            set(&[("a", MetadataValue::String("x".into()))]),
            set(&[("b", MetadataValue::String("x".into()))]),
            set(&[("a", list(&["y", "x", "x"])), ("b", list(&[]))]),
            set(&[("a", list(&["x", "y"]))]),
            set(&[("a", MetadataValue::Number(-0.0)), ("c", MetadataValue::Number(7.0))]),
            set(&[("a", MetadataValue::Number(0.5)), ("b", MetadataValue::DateTime(Timestamp::clamped(5)))]),
            set(&[("a", MetadataValue::Number(5e9))]),
        ];
        let mut sets = MetadataSets::default();
        let numbers: Vec<u32> = all.iter().map(|metadata| sets.hold(metadata)).collect();
        for (number, metadata) in numbers.iter().zip(&all) {
            let got = sets.get(*number);
            assert_eq!(got, *metadata);
            assert_eq!(sets.hash(*number), hash(metadata));
            assert_eq!(hash(&got), hash(metadata));
        }
        assert_eq!(set_of(&["a".into(), "b".into()]), set_of(&["b".into(), "a".into(), "a".into()]));
        assert_ne!(set_of(&["ab".into()]), set_of(&["a".into(), "b".into()]));
    }

    #[test]
    fn a_set_of_texts_is_kept_once_and_until_its_last_holder_leaves() {
        let mut sets = MetadataSets::default();
        let one = set(&[("a", MetadataValue::String("1".into()))]);
        let (first, second) = (sets.hold(&one), sets.hold(&set(&[("a", MetadataValue::Number(1.0))])));
        assert_eq!(sets.hold(&one), first);
        sets.release(first);
        assert_eq!(sets.get(first), one);
        sets.release(first);
        assert_eq!(sets.text(0, TextKind::Text, "1"), None);
        assert_ne!(sets.hold(&one), first);
        assert_eq!(sets.get(second), set(&[("a", MetadataValue::Number(1.0))]));
    }

    #[test]
    fn sets_that_are_gone_are_given_up() {
        let mut sets = MetadataSets::default();
        let of = |number: u32| set(&[("n", MetadataValue::Number(f64::from(number)))]);
        let numbers: Vec<u32> = (0..4_000).map(|number| sets.hold(&of(number))).collect();
        let before = sets.words.len();
        numbers.iter().skip(100).for_each(|number| sets.release(*number));
        let mut kept = Vec::new();
        sets.compact(&[], |new| kept = numbers.iter().take(100).map(|old| new(*old)).collect());
        assert!(sets.words.len() * 30 < before);
        for (number, at) in (0..100).zip(kept) {
            assert_eq!(sets.get(at), of(number));
        }
    }
}
