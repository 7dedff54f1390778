//! The coarse order of a column of numbers, so that a range is found without reading every number: for each run of 4,096
//! places the bucket of each number, bit by bit in planes of words. Only numbers in a bucket that a bound of the range
//! falls into are read themselves. The numbers stay where they are, but for those of the run that is not yet full:
//! whoever asks brings them.

use std::sync::Arc;

use crate::mask::ones;
use crate::sparing::push_sparing;

/// Places of a run.
pub(crate) const RUN: usize = 4_096;
const RUN_WORDS: usize = RUN / 64;
/// Distinct numbers of a run up to which each has a bucket of its own.
const EXACT_MAX: usize = 256;
/// Places of a bucket otherwise.
const BUCKET: usize = 4;

/// Numbers from the first to the second, both included; none where the first is the greater.
pub(crate) type Range = (u64, u64);

/// The order of all runs that are full.
#[derive(Debug, Default)]
pub(crate) struct Slices {
    runs: Vec<Arc<Run>>,
    /// The numbers after the last full run.
    rest: Vec<u64>,
}

#[derive(Debug, PartialEq)]
struct Run {
    least: u64,
    greatest: u64,
    starts: Starts,
    /// The bits of the buckets, the lowest first; words of one plane follow one another.
    planes: Box<[Plane]>,
}

/// Where buckets begin, ascending.
#[derive(Debug, PartialEq)]
enum Starts {
    /// Each has this one number only.
    Exact(Box<[u64]>),
    /// In steps of so many bits beyond the least number.
    Steps(u32, Box<[u32]>),
}

/// One bit of each place of a run.
type Plane = [u64; RUN_WORDS];

const NONE: Plane = [0; RUN_WORDS];
const ALL: Plane = [u64::MAX; RUN_WORDS];

impl Slices {
    /// The number of the next place. True where that made a run full.
    pub(crate) fn push(&mut self, number: u64) -> bool {
        push_sparing(&mut self.rest, number);
        let is_full = self.rest.len() == RUN;
        if is_full {
            self.runs.push(Arc::new(Run::of(&self.rest)));
            self.rest = Vec::new();
        }
        is_full
    }

    /// Shares the last run with a column of as many places, where it is the same: times often are.
    pub(crate) fn share_last(&mut self, other: &Self) {
        if let (Some(own), Some(others)) = (self.runs.last_mut(), other.runs.last())
            && own == others
        {
            *own = Arc::clone(others);
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

    /// Bytes held; of what is shared, its share.
    pub(crate) fn bytes(&self) -> usize {
        let of = |run: &Arc<Run>| {
            let starts = match &run.starts {
                Starts::Exact(starts) => starts.len() * 8,
                Starts::Steps(_, starts) => starts.len() * 4,
            };
            8 + (size_of::<Run>() + 16 + starts + run.planes.len() * size_of::<Plane>())
                / Arc::strong_count(run)
        };
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

impl Starts {
    fn of(sorted: &[u64], least: u64, greatest: u64) -> Self {
        let mut distinct = sorted.to_vec();
        distinct.dedup();
        if distinct.len() <= EXACT_MAX {
            return Self::Exact(distinct.into());
        }
        let shift = (greatest - least).checked_ilog2().unwrap_or(0).saturating_sub(31);
        let step = |number: &u64| ((number - least) >> shift) as u32;
        let mut starts: Vec<u32> = sorted.iter().step_by(BUCKET).map(step).collect();
        starts.dedup();
        Self::Steps(shift, starts.into())
    }

    fn len(&self) -> usize {
        match self {
            Self::Exact(starts) => starts.len(),
            Self::Steps(_, starts) => starts.len(),
        }
    }
}

impl Run {
    fn of(numbers: &[u64]) -> Self {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable();
        let least = sorted.first().copied().unwrap_or(0);
        let greatest = sorted.last().copied().unwrap_or(0);
        let starts = Starts::of(&sorted, least, greatest);
        let planes = starts.len().next_power_of_two().trailing_zeros() as usize;
        let mut run = Self { least, greatest, starts, planes: vec![NONE; planes].into() };
        for (place, number) in numbers.iter().enumerate() {
            let bucket = run.bucket_of(*number).0;
            for (bit, plane) in run.planes.iter_mut().enumerate() {
                if let Some(word) = plane.get_mut(place / 64) {
                    *word |= ((bucket >> bit & 1) as u64) << (place % 64);
                }
            }
        }
        run
    }

    /// The bucket that a number falls into, and the number from which on it has any. The first also takes what is less
    /// than all, the last what is greater.
    fn bucket_of(&self, number: u64) -> (usize, u64) {
        let (bucket, start) = match &self.starts {
            Starts::Exact(starts) => {
                let bucket = starts.partition_point(|start| *start <= number).saturating_sub(1);
                (bucket, starts.get(bucket).copied())
            }
            Starts::Steps(shift, starts) => {
                let step = (number.clamp(self.least, self.greatest) - self.least) >> shift;
                let bucket = starts.partition_point(|start| u64::from(*start) <= step).saturating_sub(1);
                (bucket, starts.get(bucket).map(|start| self.least + (u64::from(*start) << shift)))
            }
        };
        (bucket, start.unwrap_or(self.least))
    }

    fn narrow(&self, words: &mut [u64], (first, last): Range, admits: impl Fn(usize) -> bool) {
        if first > last || last < self.least || first > self.greatest {
            words.fill(0);
            return;
        }
        if first <= self.least && self.greatest <= last {
            return;
        }
        let ((low, low_start), (high, _)) = (self.bucket_of(first), self.bucket_of(last));
        // Of the buckets that the bounds fall into some are in as a whole; where they are not, their numbers are read.
        let is_exact = matches!(self.starts, Starts::Exact(_));
        let low_is_in = whole_if(first <= low_start);
        let (high_is_in, is_open) = (whole_if(is_exact), whole_if(!is_exact));
        // A bound beyond all numbers compares with none.
        let (above_low, at_low) = if first <= self.least { (ALL, NONE) } else { self.compare(low) };
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
        for number in numbers {
            slices.push(*number);
        }
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

    #[test]
    fn equal_runs_are_held_once() {
        let (mut a, mut b, mut c) = (Slices::default(), Slices::default(), Slices::default());
        for number in 0..RUN as u64 {
            a.push(number);
            if b.push(number) {
                b.share_last(&a);
            }
            if c.push(number / 2) {
                c.share_last(&a);
            }
        }
        assert!(Arc::ptr_eq(&a.runs[0], &b.runs[0]) && !Arc::ptr_eq(&a.runs[0], &c.runs[0]));
        assert!(a.bytes() < c.bytes());
    }
}
