//! The passages that share an attribute, ascending: a list while there are few, a bit set when that
//! is smaller. Removed passages stay listed until a compaction; callers use it only to narrow sets
//! of current passages.

use crate::columns::NONE;
use crate::primitives::bits::Bits;
use crate::primitives::compact_list::push_sparing;
use crate::primitives::mask::Mask;

/// The ratio of all passages to listed ones below which a bit set is smaller than a list.
const BITS_FROM: usize = 32;
/// The minimum number of listed passages for a bit set.
const BITS_MIN: usize = 64;

/// A set of passages that share an attribute.
#[derive(Debug, Default)]
pub(crate) enum Holders {
    /// The empty set.
    #[default]
    None,
    /// A single passage. Many attribute values are unique.
    One(u32),
    /// A few passages, ascending.
    List(Vec<u32>),
    /// Many passages.
    Bits(Box<Bits>),
}

impl Holders {
    /// Adds a passage that is not smaller than any other. Adding the last one again changes
    /// nothing.
    pub(crate) fn push(&mut self, passage: u32) {
        match self {
            Self::None => *self = Self::One(passage),
            Self::One(only) if *only == passage => {}
            Self::One(only) => *self = Self::List(vec![*only, passage]),
            Self::List(list) if list.last() == Some(&passage) => {}
            Self::List(list) => {
                push_sparing(list, passage);
                if list.len() >= BITS_MIN && list.len() * BITS_FROM > passage as usize {
                    *self = Self::Bits(Box::new(list.iter().copied().collect()));
                }
            }
            Self::Bits(bits) => {
                bits.set(passage);
                // Convert back only at a quarter of the density, so that the form does not
                // alternate.
                if bits.count() * BITS_FROM * 4 < passage as usize {
                    *self = Self::List(bits.iter().collect());
                }
            }
        }
    }

    /// Returns the passages below `limit`.
    pub(crate) fn mask(&self, limit: usize) -> Mask {
        if let Self::Bits(bits) = self {
            return Mask::of(bits, limit);
        }
        let mut mask = Mask::none(limit);
        mask.add_each(self.listed().iter().copied());
        mask
    }

    /// Keeps only these passages in `mask`.
    pub(crate) fn narrow(&self, mask: &mut Mask) {
        match self {
            Self::None => mask.clear(),
            Self::One(only) => mask.keep_each(&[*only]),
            Self::List(list) => mask.keep_each(list),
            Self::Bits(bits) => mask.keep(bits.words()),
        }
    }

    /// Removes these passages from `mask`.
    pub(crate) fn exclude(&self, mask: &mut Mask) {
        if let Self::Bits(bits) = self {
            return mask.drop_all(bits.words());
        }
        let words = mask.words_mut();
        for passage in self.listed() {
            if let Some(word) = words.get_mut(*passage as usize / 64) {
                *word &= !(1 << (passage % 64));
            }
        }
    }

    /// Removes the passages that a compaction removed, and renumbers the others.
    pub(crate) fn rename(&mut self, renamed: &[u32]) {
        let new = |old: u32| renamed.get(old as usize).copied().filter(|new| *new != NONE);
        let kept: Vec<u32> = match self {
            Self::Bits(bits) => bits.iter().filter_map(new).collect(),
            Self::None | Self::One(_) | Self::List(_) => {
                self.listed().iter().copied().filter_map(new).collect()
            }
        };
        *self = match kept.as_slice() {
            [] => Self::None,
            [only] => Self::One(*only),
            [.., last] if kept.len() >= BITS_MIN && kept.len() * BITS_FROM > *last as usize => {
                Self::Bits(Box::new(kept.into_iter().collect()))
            }
            [..] => Self::List(kept),
        };
    }

    /// Returns the memory use outside the value in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::None | Self::One(_) => 0,
            Self::List(list) => list.capacity() * 4,
            Self::Bits(bits) => size_of::<Bits>() + bits.bytes(),
        }
    }

    fn listed(&self) -> &[u32] {
        match self {
            Self::None | Self::Bits(_) => &[],
            Self::One(only) => std::slice::from_ref(only),
            Self::List(list) => list,
        }
    }
}

impl FromIterator<u32> for Holders {
    /// Collects ascending passages.
    fn from_iter<I: IntoIterator<Item = u32>>(passages: I) -> Self {
        let mut holders = Self::None;
        passages.into_iter().for_each(|passage| holders.push(passage));
        holders
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(holders: &Holders, limit: usize) -> Vec<u32> {
        let mut mask = Mask::all(limit);
        holders.narrow(&mut mask);
        let mut others = Mask::all(limit);
        holders.exclude(&mut others);
        others.add(mask.words());
        assert_eq!(others, Mask::all(limit));
        assert_eq!(holders.mask(limit), mask);
        mask.into_bits().iter().collect()
    }

    proptest! {
        #[test]
        fn every_form_holds_the_same(steps in proptest::collection::vec((0u32..3, 0u32..4_000), 0..400)) {
            let (mut holders, mut list) = (Holders::default(), Vec::new());
            let mut at = 0;
            for (near, far) in steps {
                at += if near == 0 { far } else { near - 1 };
                holders.push(at);
                list.push(at);
            }
            list.dedup();
            let limit = at as usize + 1;
            prop_assert_eq!(of(&holders, limit), list.clone());
            let new_name = |old: u32| if old.is_multiple_of(3) { NONE } else { old / 3 * 2 + old % 3 - 1 };
            let renamed: Vec<u32> = (0..limit as u32).map(new_name).collect();
            holders.rename(&renamed);
            let kept = list.iter().map(|old| renamed[*old as usize]);
            let kept: Vec<u32> = kept.filter(|new| *new != NONE).collect();
            prop_assert_eq!(of(&holders, limit), kept);
        }
    }

    #[test]
    fn many_become_bits_and_thin_ones_a_list_again() {
        let mut holders = Holders::default();
        (0..200).for_each(|at| holders.push(at));
        assert!(matches!(holders, Holders::Bits(_)));
        holders.push(100_000);
        assert!(matches!(&holders, Holders::List(list) if list.len() == 201));
    }
}
