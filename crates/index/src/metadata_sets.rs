//! Metadata of records, each distinct set once, so that a filter looks at a set and not at every record that has it.

use std::collections::HashMap;

use loci_model::metadata::{Metadata, MetadataValue};
use loci_model::{Result, Timestamp};

use crate::mix::Mix;
use crate::snapshot::bytes::{Reading, Writing, damaged};

#[derive(Debug)]
struct Set {
    metadata: Metadata,
    hash: u64,
    holders: u32,
}

/// All sets in use.
#[derive(Debug, Default)]
pub(crate) struct MetadataSets {
    sets: Vec<Set>,
    free: Vec<u32>,
    by_hash: HashMap<u64, Vec<u32>>,
}

impl MetadataSets {
    /// The number of a set, with one more holder.
    pub(crate) fn hold(&mut self, metadata: &Metadata) -> u32 {
        let hash = hash(metadata);
        let bucket = self.by_hash.entry(hash).or_default();
        let found = bucket
            .iter()
            .copied()
            .find(|at| self.sets.get(*at as usize).is_some_and(|set| set.metadata == *metadata));
        if let Some(number) = found {
            if let Some(set) = self.sets.get_mut(number as usize) {
                set.holders += 1;
            }
            return number;
        }
        let set = Set { metadata: metadata.clone(), hash, holders: 1 };
        let number = self.free.pop().unwrap_or(self.sets.len() as u32);
        bucket.push(number);
        match self.sets.get_mut(number as usize) {
            Some(slot) => *slot = set,
            None => self.sets.push(set),
        }
        number
    }

    /// One more holder of a set that has one.
    pub(crate) fn hold_again(&mut self, number: u32) {
        if let Some(set) = self.sets.get_mut(number as usize) {
            set.holders += 1;
        }
    }

    /// Writes a set into a snapshot.
    pub(crate) fn save(&self, number: u32, out: &mut Writing) {
        let empty = Metadata::new();
        let set = self.get(number).unwrap_or(&empty);
        out.u32(set.len() as u32);
        for (key, value) in set {
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

    /// Reads what [`MetadataSets::save`] wrote.
    pub(crate) fn load(from: &mut Reading<'_>) -> Result<Metadata> {
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

    /// One holder less.
    pub(crate) fn release(&mut self, number: u32) {
        let Some(set) = self.sets.get_mut(number as usize) else { return };
        set.holders = set.holders.saturating_sub(1);
        if set.holders > 0 {
            return;
        }
        set.metadata = Metadata::new();
        if let Some(bucket) = self.by_hash.get_mut(&set.hash) {
            bucket.retain(|other| *other != number);
            if bucket.is_empty() {
                self.by_hash.remove(&set.hash);
            }
        }
        self.free.push(number);
    }

    /// The set of a number.
    pub(crate) fn get(&self, number: u32) -> Option<&Metadata> {
        self.sets.get(number as usize).map(|set| &set.metadata)
    }

    /// A hash of the set of a number that is the same on every machine.
    pub(crate) fn hash(&self, number: u32) -> u64 {
        self.sets.get(number as usize).map_or(0, |set| set.hash)
    }

    /// Sets given out, free ones included.
    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    /// Bytes held, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let size = |metadata: &Metadata| metadata.keys().map(|key| key.len() + 80).sum::<usize>();
        self.sets.iter().map(|set| 64 + size(&set.metadata)).sum()
    }
}

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

    #[test]
    fn a_set_is_kept_once_and_until_its_last_holder_leaves() {
        let mut sets = MetadataSets::default();
        let one = Metadata::from([("a".to_owned(), MetadataValue::Number(1.0))]);
        let two = Metadata::from([("a".to_owned(), MetadataValue::String("1".into()))]);
        let (first, second) = (sets.hold(&one), sets.hold(&two));
        assert_ne!(first, second);
        assert_eq!(sets.hold(&one), first);
        sets.release(first);
        assert_eq!(sets.get(first), Some(&one));
        sets.release(first);
        assert_eq!(sets.hold(&Metadata::new()), first);
        assert_eq!(sets.get(first), Some(&Metadata::new()));
        assert_eq!((sets.len(), sets.get(second)), (2, Some(&two)));
    }
}
