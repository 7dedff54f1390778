//! The coarse order of a column of numbers, so that a range is found without reading every number: for each run of 4,096
//! places the bucket of each number, bit by bit in planes of words. Only numbers in a bucket that a bound of the range
//! falls into are read themselves. The numbers stay where they are, but for those of the run that is not yet full:
//! whoever asks brings them.

use crate::mask::ones;
use crate::sparing::push_sparing;

/// Places of a run.
pub(crate) const RUN: usize = 4_096;
const RUN_WORDS: usize = RUN / 64;
const BUCKETS_MAX: usize = 256;

/// Numbers from the first to the second, both included; none where the first is the greater.
pub(crate) type Range = (u64, u64);

/// The order of all runs that are full.
#[derive(Debug, Default)]
pub(crate) struct Slices {
    runs: Vec<Run>,
    /// The numbers after the last full run.
    rest: Vec<u64>,
}

#[derive(Debug)]
struct Run {
    /// The least number of each bucket, ascending.
    starts: Box<[u64]>,
    greatest: u64,
    /// Each bucket has one number only.
    is_exact: bool,
    /// The bits of the buckets, the lowest first; words of one plane follow one another.
    planes: Box<[Plane]>,
}

/// One bit of each place of a run.
type Plane = [u64; RUN_WORDS];

const NONE: Plane = [0; RUN_WORDS];
const ALL: Plane = [u64::MAX; RUN_WORDS];

impl Slices {
    /// The number of the next place.
    pub(crate) fn push(&mut self, number: u64) {
        push_sparing(&mut self.rest, number);
        if self.rest.len() == RUN {
            self.runs.push(Run::of(&self.rest));
            self.rest = Vec::new();
        }
    }

    /// Keeps in `words` the places whose numbers are in the range.
    pub(crate) fn narrow(&self, words: &mut [u64], range: Range, number: impl Fn(usize) -> u64) {
        let within = |number: u64| (range.0..=range.1).contains(&number);
        for (at, words) in words.chunks_mut(RUN_WORDS).enumerate() {
            match self.runs.get(at) {
                Some(run) => run.narrow(words, range, |place| within(number(at * RUN + place))),
                None if at == self.runs.len() => self.narrow_rest(words, within),
                None => words.fill(0),
            }
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let of = |run: &Run| size_of::<Run>() + (run.starts.len() + run.planes.len() * RUN_WORDS) * 8;
        self.runs.iter().map(of).sum::<usize>() + self.rest.capacity() * 8
    }

    fn narrow_rest(&self, words: &mut [u64], within: impl Fn(u64) -> bool) {
        let mut numbers = self.rest.chunks(64);
        for word in words {
            let numbers = numbers.next().unwrap_or_default();
            let bits = numbers.iter().enumerate().map(|(at, number)| u64::from(within(*number)) << at);
            *word &= bits.fold(0, |bits, bit| bits | bit);
        }
    }
}

impl Run {
    fn of(numbers: &[u64]) -> Self {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable();
        let greatest = sorted.last().copied().unwrap_or(0);
        let mut starts = sorted.clone();
        starts.dedup();
        let is_exact = starts.len() <= BUCKETS_MAX;
        if !is_exact {
            starts = sorted.into_iter().step_by(RUN / BUCKETS_MAX).collect();
            starts.dedup();
        }
        let planes = starts.len().next_power_of_two().trailing_zeros() as usize;
        let mut planes = vec![[0; RUN_WORDS]; planes];
        for (place, number) in numbers.iter().enumerate() {
            let bucket = bucket_of(&starts, *number);
            for (bit, plane) in planes.iter_mut().enumerate() {
                if let Some(word) = plane.get_mut(place / 64) {
                    *word |= ((bucket >> bit & 1) as u64) << (place % 64);
                }
            }
        }
        Self { starts: starts.into(), greatest, is_exact, planes: planes.into() }
    }

    fn narrow(&self, words: &mut [u64], (first, last): Range, admits: impl Fn(usize) -> bool) {
        let least = self.starts.first().copied().unwrap_or(0);
        if first > last || last < least || first > self.greatest {
            words.fill(0);
            return;
        }
        if first <= least && self.greatest <= last {
            return;
        }
        let (low, high) = (bucket_of(&self.starts, first), bucket_of(&self.starts, last));
        // Of the buckets that the bounds fall into some are in as a whole; where they are not, their numbers are read.
        let low_is_in = whole_if(self.starts.get(low).is_some_and(|start| first <= *start));
        let (high_is_in, is_open) = (whole_if(self.is_exact), whole_if(!self.is_exact));
        // A bound beyond all numbers compares with none.
        let (above_low, at_low) = if first <= least { (ALL, NONE) } else { self.compare(low) };
        let (above_high, at_high) = if self.greatest <= last { (NONE, NONE) } else { self.compare(high) };
        for (at, word) in words.iter_mut().enumerate() {
            let (from_low, to_high) = (above_low[at] | at_low[at], !above_high[at]);
            let after_first = from_low & (!at_low[at] | low_is_in);
            let before_last = to_high & (!at_high[at] | high_is_in);
            let inside = after_first & before_last;
            let edge = from_low & to_high & !inside & is_open;
            *word = *word & inside | checked(*word & edge, at * 64, &admits);
        }
    }

    /// The places of greater buckets, and those of this one.
    fn compare(&self, bucket: usize) -> (Plane, Plane) {
        let (mut above, mut equal) = (NONE, ALL);
        for (bit, plane) in self.planes.iter().enumerate().rev() {
            let places = above.iter_mut().zip(&mut equal).zip(plane);
            if bucket >> bit & 1 == 1 {
                places.for_each(|((_, equal), word)| *equal &= word);
            } else {
                for ((above, equal), word) in places {
                    *above |= *equal & word;
                    *equal &= !word;
                }
            }
        }
        (above, equal)
    }
}

/// All bits, or none.
fn whole_if(is_whole: bool) -> u64 {
    u64::from(is_whole).wrapping_neg()
}

/// The bucket of a number; the first also takes what is less than all.
fn bucket_of(starts: &[u64], number: u64) -> usize {
    starts.partition_point(|start| *start <= number).saturating_sub(1)
}

#[inline]
fn checked(word: u64, start: usize, admits: &impl Fn(usize) -> bool) -> u64 {
    // Without a branch: which are admitted cannot be foretold, and each asks memory.
    ones(word).fold(0, |kept, at| kept | u64::from(admits(start + at as usize)) << at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(numbers: &[u64], mask: u64, range: Range) {
        let mut slices = Slices::default();
        numbers.iter().for_each(|number| slices.push(*number));
        let mut words = vec![mask; numbers.len().div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !numbers.len().is_multiple_of(64)) {
            *last &= (1 << (numbers.len() % 64)) - 1;
        }
        slices.narrow(&mut words, range, |place| numbers[place]);
        for (place, number) in numbers.iter().enumerate() {
            let expect = mask >> (place % 64) & 1 == 1 && (range.0..=range.1).contains(number);
            assert_eq!(words[place / 64] >> (place % 64) & 1 == 1, expect, "{place}: {number} in {range:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn ranges_are_exact(
            seed in any::<u64>(), length in 0usize..9_000, mask in any::<u64>(),
            spread in prop_oneof![Just(1u64), Just(3), Just(100), Just(250), Just(300), Just(9_000), Just(u64::MAX)],
            bounds in proptest::collection::vec((any::<u64>(), any::<u64>()), 4),
            has_none in any::<bool>(),
        ) {
            let mut state = seed;
            let numbers: Vec<u64> = (0..length).map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if has_none && state >> 60 != 0 { u64::MAX } else { (state >> 20) % spread }
            }).collect();
            for (a, b) in bounds {
                check(&numbers, mask, (a % spread, b % spread));
                check(&numbers, mask, (a % spread, u64::MAX));
                check(&numbers, mask, (0, b % spread));
                check(&numbers, mask, (a % spread, a % spread));
            }
            check(&numbers, mask, (1, 0));
            check(&numbers, mask, (0, u64::MAX));
        }
    }
}
