//! Metadata of records, each distinct set once, so that a filter looks at a set and not at every record that has it.

use std::collections::HashMap;

use loci_model::Timestamp;
use loci_model::metadata::{Metadata, MetadataValue};

use crate::mix::Mix;

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
