//! The numbers or times that passages have under one metadata key, for range filters.

use crate::columns::NONE;
use crate::filters::slices::{Range, Slices};
use crate::primitives::compact_list::push_sparing;
use crate::primitives::mask::{Mask, ones};

/// The ratio of stored numbers to passages in a mask above which looking up each passage is faster.
const FEW: usize = 128;

/// The passages that have a number under the key, ascending, with the numbers. Removed ones stay
/// until a compaction.
#[derive(Debug, Default)]
pub(crate) struct NumberColumn {
    holders: Places,
    numbers: Numbers,
    slices: Slices,
}

/// The passages by position.
#[derive(Debug)]
enum Places {
    /// Contiguous passages, from the first one.
    Run(u32, u32),
    /// Any passages.
    List(Vec<u32>),
}

/// Numbers as order-preserving integers. Fewer bytes are used if all are small and whole.
#[derive(Debug)]
enum Numbers {
    Whole(Vec<i32>),
    Any(Vec<u64>),
}

impl Default for Places {
    fn default() -> Self {
        Self::Run(0, 0)
    }
}

impl Default for Numbers {
    fn default() -> Self {
        Self::Whole(Vec::new())
    }
}

/// Returns a number as an order-preserving integer. Both zeros are equal.
pub(crate) fn ordered_number(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// Returns a time as an order-preserving integer.
pub(crate) fn ordered_time(millis: i64) -> u64 {
    millis.cast_unsigned() ^ 1 << 63
}

impl NumberColumn {
    /// Sets the number of the newest passage. If the passage already has one, that number stays.
    pub(crate) fn push(&mut self, passage: u32, number: u64) {
        if self.holders.push(passage) {
            self.numbers.push(number);
            self.slices.push(number);
        }
    }

    /// Keeps the passages in `mask` whose number is in the range.
    pub(crate) fn narrow(&self, mask: &mut Mask, range: Range) {
        let number = |place: usize| self.numbers.get(place);
        if let Places::Run(0, count) = self.holders {
            mask.keep(Mask::all(count as usize).words());
            let words = mask.words_mut();
            let within = words.len().min((count as usize).div_ceil(64));
            return self.slices.narrow(words.get_mut(..within).unwrap_or_default(), range, number);
        }
        if mask.count() * FEW < self.numbers.len() {
            return self.narrow_few(mask, range);
        }
        let mut places = Mask::all(self.numbers.len());
        self.slices.narrow(places.words_mut(), range, number);
        let mut found = Mask::none(mask.words().len() * 64);
        for (at, word) in places.words().iter().enumerate().filter(|(_, word)| **word != 0) {
            match &self.holders {
                Places::Run(first, _) => found.add_word(first + at as u32 * 64, *word),
                Places::List(list) => {
                    let list = list.get(at * 64..).unwrap_or_default();
                    found.add_each(ones(*word).filter_map(|one| list.get(one as usize).copied()));
                }
            }
        }
        mask.keep(found.words());
    }

    /// Like `narrow`, by looking up the number of each passage in `mask`.
    fn narrow_few(&self, mask: &mut Mask, range: Range) {
        let admits = |passage| {
            let number = self.holders.find(passage).map(|place| self.numbers.get(place));
            number.is_some_and(|number| (range.0..=range.1).contains(&number))
        };
        for (at, word) in mask.words_mut().iter_mut().enumerate() {
            let kept = ones(*word).filter(|one| admits(at as u32 * 64 + one));
            *word = kept.fold(0, |kept, one| kept | 1 << one);
        }
    }

    /// Compacts and renumbers.
    pub(crate) fn rename(&mut self, renamed: &[u32]) {
        let former = std::mem::take(self);
        for place in 0..former.numbers.len() {
            let new = former.holders.get(place).and_then(|old| renamed.get(old as usize).copied());
            if let Some(passage) = new.filter(|new| *new != NONE) {
                self.push(passage, former.numbers.get(place));
            }
        }
    }

    /// Returns the memory use outside the value in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let holders = if let Places::List(list) = &self.holders { list.capacity() * 4 } else { 0 };
        let numbers = match &self.numbers {
            Numbers::Whole(numbers) => numbers.capacity() * 4,
            Numbers::Any(numbers) => numbers.capacity() * 8,
        };
        holders + numbers + self.slices.bytes()
    }
}

impl Places {
    /// Adds a passage. Returns false if it is already the last one.
    fn push(&mut self, passage: u32) -> bool {
        match self {
            Self::Run(first, count) if *count == 0 => (*first, *count) = (passage, 1),
            Self::Run(first, count) if *first + *count == passage => *count += 1,
            Self::Run(first, count) if *first + *count - 1 == passage => return false,
            Self::Run(first, count) => {
                *self = Self::List((*first..*first + *count).chain([passage]).collect())
            }
            Self::List(list) if list.last() == Some(&passage) => return false,
            Self::List(list) => push_sparing(list, passage),
        }
        true
    }

    fn get(&self, place: usize) -> Option<u32> {
        match self {
            Self::Run(first, count) => (place < *count as usize).then_some(first + place as u32),
            Self::List(list) => list.get(place).copied(),
        }
    }

    fn find(&self, passage: u32) -> Option<usize> {
        match self {
            Self::Run(first, count) => {
                passage.checked_sub(*first).filter(|place| place < count).map(|place| place as usize)
            }
            Self::List(list) => list.binary_search(&passage).ok(),
        }
    }
}

impl Numbers {
    fn push(&mut self, number: u64) {
        match self {
            Self::Whole(numbers) => match whole(number) {
                Some(small) => push_sparing(numbers, small),
                None => {
                    let mut any: Vec<u64> = numbers.iter().map(|small| of_whole(*small)).collect();
                    any.push(number);
                    *self = Self::Any(any);
                }
            },
            Self::Any(numbers) => push_sparing(numbers, number),
        }
    }

    #[inline]
    fn get(&self, place: usize) -> u64 {
        match self {
            Self::Whole(numbers) => numbers.get(place).map_or(0, |small| of_whole(*small)),
            Self::Any(numbers) => numbers.get(place).copied().unwrap_or(0),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Whole(numbers) => numbers.len(),
            Self::Any(numbers) => numbers.len(),
        }
    }
}

fn of_whole(small: i32) -> u64 {
    ordered_number(f64::from(small))
}

fn whole(ordered: u64) -> Option<i32> {
    let bits = if ordered >> 63 == 1 { ordered & !(1 << 63) } else { !ordered };
    let small = f64::from_bits(bits) as i32;
    (of_whole(small) == ordered).then_some(small)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_keep_their_order(a in any::<f64>(), b in any::<f64>(), small in any::<i32>()) {
            if let Some(order) = a.partial_cmp(&b) {
                prop_assert_eq!(ordered_number(a).cmp(&ordered_number(b)), order);
            }
            prop_assert_eq!(whole(of_whole(small)), Some(small));
            prop_assert_eq!(ordered_number(0.0), ordered_number(-0.0));
            prop_assert!(ordered_time(-1) < ordered_time(0));
        }

        #[test]
        fn a_range_finds_its_passages(
            first in 0u32..3,
            gaps in proptest::collection::vec(prop_oneof![Just(1u32), Just(1), 1u32..9], 0..300),
            whole in any::<bool>(), (low, high) in (0u64..40, 0u64..40),
        ) {
            let (mut column, mut all) = (NumberColumn::default(), Vec::new());
            let mut passage = first;
            for (at, gap) in gaps.iter().enumerate() {
                let number = if whole { of_whole(at as i32 * 7 % 40) } else { at as u64 * 7 % 40 };
                column.push(passage, number);
                column.push(passage, 0);
                all.push((passage, number));
                passage += gap;
            }
            let range = if whole { (of_whole(low as i32), of_whole(high as i32)) } else { (low, high) };
            let check = |column: &NumberColumn, all: &[(u32, u64)]| {
                let mut mask = Mask::all(passage as usize + 70);
                column.narrow(&mut mask, range);
                let expect = all.iter().filter(|(_, number)| (range.0..=range.1).contains(number));
                let expect: Vec<u32> = expect.map(|(at, _)| *at).collect();
                assert_eq!(mask.into_bits().iter().collect::<Vec<_>>(), expect);
                let mut each = Mask::all(passage as usize + 70);
                column.narrow_few(&mut each, range);
                assert_eq!(each.into_bits().iter().collect::<Vec<_>>(), expect);
            };
            check(&column, &all);
            let new_name = |old: u32| if old % 4 == 1 { NONE } else { old - old.div_ceil(4) };
            let renamed: Vec<u32> = (0..passage).map(new_name).collect();
            column.rename(&renamed);
            let kept = all.iter().map(|(old, number)| (renamed[*old as usize], *number));
            check(&column, &kept.filter(|(new, _)| *new != NONE).collect::<Vec<_>>());
        }
    }
}
