//! Numbers found by the value they represent. The table stores only the numbers and their hashes;
//! the owner stores the values and compares them.
//!
//! A large table consists of many small ones, each of which grows separately, so that no growth
//! causes a noticeable delay.

use std::hash::{BuildHasher, Hash, RandomState};

/// The number of a free slot.
const FREE: u32 = u32::MAX;
/// The number of shards of a large table, as a power of two; the next constant is the minimum size
/// of a large table.
const SHARDS_LOG2: u32 = 8;
const GREAT: usize = 4096;
/// The minimum number of slots of a table that is not empty.
const SLOTS_MIN: usize = 8;

/// A set of numbers, each found by the hash of its value.
#[derive(Debug, Default)]
pub(crate) struct NumberTable {
    /// No shard, one, or one for each value of the upper bits of a hash.
    shards: Vec<Shard>,
    hasher: RandomState,
}

#[derive(Debug, Default, Clone)]
struct Shard {
    /// The slots. Their count is a power of two, and at most three quarters are used.
    slots: Box<[Slot]>,
    taken: usize,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    hash: u32,
    number: u32,
}

impl NumberTable {
    /// Returns the hash of a value.
    pub(crate) fn hash(&self, of: &(impl Hash + ?Sized)) -> u32 {
        self.hasher.hash_one(of) as u32
    }

    /// Returns the number with this hash for which `is` returns true.
    pub(crate) fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.shards.get(self.shard_at(hash))?.find(hash, is)
    }

    /// Adds a number, which must be new.
    pub(crate) fn insert(&mut self, hash: u32, number: u32) {
        if self.shards.is_empty() {
            self.shards.push(Shard::default());
        }
        if let [only] = &mut self.shards[..]
            && only.taken >= GREAT
        {
            let only = std::mem::take(only);
            self.shards = vec![Shard::default(); 1 << SHARDS_LOG2];
            only.held().for_each(|slot| self.put(slot));
        }
        self.put(Slot { hash, number });
    }

    /// Removes a number.
    pub(crate) fn remove(&mut self, hash: u32, number: u32) {
        let at = self.shard_at(hash);
        if let Some(shard) = self.shards.get_mut(at) {
            shard.remove(hash, number);
        }
    }

    /// Returns the memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let slots: usize = self.shards.iter().map(|shard| shard.slots.len()).sum();
        slots * size_of::<Slot>() + self.shards.capacity() * size_of::<Shard>()
    }

    fn put(&mut self, slot: Slot) {
        let at = self.shard_at(slot.hash);
        if let Some(shard) = self.shards.get_mut(at) {
            shard.insert(slot);
        }
    }

    fn shard_at(&self, hash: u32) -> usize {
        if self.shards.len() <= 1 { 0 } else { (hash >> (u32::BITS - SHARDS_LOG2)) as usize }
    }
}

impl Shard {
    fn held(&self) -> impl Iterator<Item = Slot> + '_ {
        self.slots.iter().copied().filter(|slot| slot.number != FREE)
    }

    fn first(&self, hash: u32) -> usize {
        hash as usize & self.slots.len().wrapping_sub(1)
    }

    fn next(&self, at: usize) -> usize {
        (at + 1) & self.slots.len().wrapping_sub(1)
    }

    /// Returns the slot of the number with this hash for which `is` returns true.
    fn place(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<usize> {
        let mut at = self.first(hash);
        loop {
            let slot = self.slots.get(at).filter(|slot| slot.number != FREE)?;
            if slot.hash == hash && is(slot.number) {
                return Some(at);
            }
            at = self.next(at);
        }
    }

    fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.slots.get(self.place(hash, is)?).map(|slot| slot.number)
    }

    fn insert(&mut self, slot: Slot) {
        if (self.taken + 1) * 4 > self.slots.len() * 3 {
            let free = Slot { hash: 0, number: FREE };
            let slots = vec![free; SLOTS_MIN.max(self.slots.len() * 2)];
            let former = std::mem::replace(self, Self { slots: slots.into(), taken: 0 });
            former.held().for_each(|slot| self.put(slot));
        }
        self.put(slot);
    }

    /// Puts a number into the first free slot.
    fn put(&mut self, slot: Slot) {
        let mut at = self.first(slot.hash);
        while self.slots.get(at).is_some_and(|taken| taken.number != FREE) {
            at = self.next(at);
        }
        if let Some(free) = self.slots.get_mut(at) {
            *free = slot;
            self.taken += 1;
        }
    }

    /// Removes a number, and moves back later ones that would no longer be found.
    fn remove(&mut self, hash: u32, number: u32) {
        let Some(mut hole) = self.place(hash, |other| other == number) else { return };
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = hole;
        loop {
            at = self.next(at);
            let Some(slot) = self.slots.get(at).copied().filter(|slot| slot.number != FREE) else { break };
            // It may move back to the hole unless its first slot is after the hole.
            if at.wrapping_sub(self.first(slot.hash)) & mask >= at.wrapping_sub(hole) & mask {
                self.slots.swap(hole, at);
                hole = at;
            }
        }
        if let Some(slot) = self.slots.get_mut(hole) {
            slot.number = FREE;
            self.taken -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn behaves_like_a_set(
            changes in proptest::collection::vec((any::<bool>(), 0u32..200), 0..400),
            hashes in 1u32..90,
        ) {
            let (mut table, mut set) = (NumberTable::default(), BTreeSet::new());
            for (put, number) in changes {
                if put && set.insert(number) {
                    table.insert(number % hashes, number);
                } else if !put && set.remove(&number) {
                    table.remove(number % hashes, number);
                }
            }
            for number in 0..200 {
                let found = table.find(number % hashes, |other| other == number);
                prop_assert_eq!(found.is_some(), set.contains(&number));
            }
        }
    }

    #[test]
    fn a_great_table_loses_nothing() {
        let mut table = NumberTable::default();
        for number in 0..20_000 {
            table.insert(table.hash(&number), number);
        }
        for number in (0..20_000).step_by(3) {
            table.remove(table.hash(&number), number);
        }
        let found = |number: u32| table.find(table.hash(&number), |other| other == number).is_some();
        assert!((0..20_000).all(|number| found(number) == (number % 3 != 0)));
        assert!(table.bytes() < 20_000 * 24, "{}", table.bytes());
    }
}
