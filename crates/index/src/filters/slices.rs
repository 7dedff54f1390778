//! The sort order of a column of numbers, for range filters that do not read every number. For each
//! run of 8,192 positions it stores the positions sorted by number, and for every 512th rank the
//! set of all positions below. A range is the difference of two such sets, corrected by the few
//! positions between. The numbers stay in the caller's column, except those of the last incomplete
//! run.

use std::sync::Arc;

use crate::primitives::compact_list::push_sparing;

/// The number of positions in a run.
pub(crate) const RUN: usize = 8_192;
const RUN_WORDS: usize = RUN / 64;
/// The number of ranks between two sets.
const STRIDE: usize = 512;

/// A range of numbers, both ends inclusive. Empty if the first is greater than the second.
pub(crate) type Range = (u64, u64);

/// The sort order of all complete runs.
#[derive(Debug, Default)]
pub(crate) struct Slices {
    runs: Vec<Arc<SliceRun>>,
    /// The numbers after the last complete run.
    rest: Vec<u64>,
}

/// The order of a run. Positions with the greatest possible number have no rank: they are often
/// most of a run, such as records without an end.
#[derive(Debug)]
struct SliceRun {
    least: u64,
    greatest: u64,
    /// By rank: the distance of the number from the minimum, in steps of `1 << shift`.
    steps: Box<[u32]>,
    shift: u32,
    /// The position of each rank; empty if positions and ranks are equal.
    order: Box<[u16]>,
    /// The positions with ranks below each multiple of [`STRIDE`], starting at the first one above
    /// zero.
    below: Box<[Places]>,
}

/// One bit for each position of a run.
type Places = [u64; RUN_WORDS];

impl Slices {
    /// Adds the number of the next position.
    pub(crate) fn push(&mut self, number: u64) {
        Self::push_each(std::slice::from_mut(self), &[number]);
    }

    /// Adds the numbers of the next position to several columns. Equal runs, which are frequent for
    /// times, are shared.
    pub(crate) fn push_each(columns: &mut [Self], numbers: &[u64]) {
        for (column, number) in columns.iter_mut().zip(numbers) {
            push_sparing(&mut column.rest, *number);
        }
        if columns.iter().any(|column| column.rest.len() < RUN) {
            return;
        }
        for at in 0..columns.len() {
            let (before, from) = columns.split_at_mut(at);
            let Some(own) = from.first_mut() else { break };
            let same = before.iter().find(|other| other.rest == own.rest);
            let run = same.and_then(|other| other.runs.last().cloned());
            own.runs.push(run.unwrap_or_else(|| Arc::new(SliceRun::of(&own.rest))));
        }
        columns.iter_mut().for_each(|column| column.rest = Vec::new());
    }

    /// Keeps the positions in `words` whose numbers are in the range.
    pub(crate) fn narrow(&self, words: &mut [u64], range: Range, number: impl Fn(usize) -> u64) {
        for (at, words) in words.chunks_mut(RUN_WORDS).enumerate() {
            match self.runs.get(at) {
                Some(run) => run.narrow(words, range, |place| number(at * RUN + place)),
                None if at == self.runs.len() => self.narrow_rest(words, range),
                None => words.fill(0),
            }
        }
    }

    /// Returns the memory use in bytes, with an equal share of shared data.
    pub(crate) fn bytes(&self) -> usize {
        let of = |run: &Arc<SliceRun>| {
            let lists = run.steps.len() * 4 + run.order.len() * 2 + size_of_val(&*run.below);
            8 + (size_of::<SliceRun>() + 16 + lists) / Arc::strong_count(run)
        };
        self.runs.iter().map(of).sum::<usize>() + self.rest.capacity() * 8
    }

    fn narrow_rest(&self, words: &mut [u64], (first, last): Range) {
        let mut numbers = self.rest.chunks(64);
        for word in words {
            let numbers = numbers.next().unwrap_or_default();
            let within = |number: u64| u64::from(first <= number) & u64::from(number <= last);
            let bits = numbers.iter().enumerate().map(|(at, number)| within(*number) << at);
            *word &= bits.fold(0, |bits, bit| bits | bit);
        }
    }
}

impl SliceRun {
    fn of(numbers: &[u64]) -> Self {
        let least = numbers.iter().copied().min().unwrap_or(0);
        let greatest = numbers.iter().copied().max().unwrap_or(0);
        let mut ranked: Vec<(u64, u16)> = numbers.iter().copied().zip(0..).collect();
        ranked.retain(|(number, _)| *number < greatest);
        let width = ranked.iter().map(|(number, _)| number - least).max().unwrap_or(0);
        let shift = width.checked_ilog2().unwrap_or(0).saturating_sub(31);
        let is_in_order =
            ranked.is_sorted() && ranked.iter().zip(0..).all(|((_, place), rank)| *place == rank);
        if !is_in_order {
            ranked.sort_unstable();
        }
        let steps = ranked.iter().map(|(number, _)| ((number - least) >> shift) as u32).collect();
        let order: Vec<u16> = match is_in_order {
            true => Vec::new(),
            false => ranked.iter().map(|(_, place)| *place).collect(),
        };
        let mut places = [0; RUN_WORDS];
        let mut below = Vec::with_capacity(order.len() / STRIDE);
        for stride in order.chunks_exact(STRIDE) {
            turn(&mut places, stride);
            below.push(places);
        }
        Self { least, greatest, steps, shift, order: order.into(), below: below.into() }
    }

    fn narrow(&self, words: &mut [u64], (first, last): Range, number: impl Fn(usize) -> u64) {
        if first > last || last < self.least || first > self.greatest {
            words.fill(0);
            return;
        }
        if last < self.greatest {
            let within = self.places_before(last, |number, last| number <= last, &number);
            words.iter_mut().zip(&within).for_each(|(word, within)| *word &= within);
        }
        if first > self.least {
            let before = self.places_before(first, |number, first| number < first, &number);
            words.iter_mut().zip(&before).for_each(|(word, before)| *word &= !before);
        }
    }

    /// Returns the positions before `bound`, according to `is_before`. `bound` lies between the
    /// minimum and the maximum, inclusive.
    fn places_before(
        &self,
        bound: u64,
        is_before: impl Fn(u64, u64) -> bool,
        number: &impl Fn(usize) -> u64,
    ) -> Places {
        let step = (bound - self.least) >> self.shift;
        if self.shift == 0 {
            return self.places_below(self.steps.partition_point(|other| is_before(u64::from(*other), step)));
        }
        let start = self.steps.partition_point(|other| u64::from(*other) < step);
        let end = self.steps.partition_point(|other| u64::from(*other) <= step);
        let mut places = self.places_below(start);
        // Numbers in the same step as the bound are compared exactly, each for its own position.
        // For a removed passage another number may be read than was sorted.
        for rank in start..end {
            let place = self.order.get(rank).map_or(rank, |place| usize::from(*place));
            places[place / 64 % RUN_WORDS] |= u64::from(is_before(number(place), bound)) << (place % 64);
        }
        places
    }

    /// Returns the positions of all ranks below `rank`.
    fn places_below(&self, rank: usize) -> Places {
        if self.order.is_empty() {
            return std::array::from_fn(|at| match rank.saturating_sub(at * 64) {
                bits @ 0..64 => (1 << bits) - 1,
                64.. => u64::MAX,
            });
        }
        let near = ((rank + STRIDE / 2) / STRIDE).min(self.below.len());
        let mut places =
            near.checked_sub(1).and_then(|at| self.below.get(at)).copied().unwrap_or([0; RUN_WORDS]);
        let (start, end) = (rank.min(near * STRIDE), rank.max(near * STRIDE));
        turn(&mut places, self.order.get(start..end).unwrap_or_default());
        places
    }
}

/// Toggles positions in a set.
fn turn(places: &mut Places, which: &[u16]) {
    for place in which {
        places[usize::from(*place) / 64 % RUN_WORDS] ^= 1 << (place % 64);
    }
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
            seed in any::<u64>(), mask in any::<u64>(),
            length in prop_oneof![0usize..300, 8_100usize..8_400, 16_300usize..17_000],
            spread in prop_oneof![
                Just(1u64), Just(3), Just(100), Just(250), Just(300), Just(9_000), Just(u64::MAX)
            ],
            bounds in proptest::collection::vec((any::<u64>(), any::<u64>()), 4),
            has_none in any::<bool>(), is_sorted in any::<bool>(),
        ) {
            let mut state = seed;
            let mut numbers: Vec<u64> = (0..length).map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if has_none && state >> 60 != 0 { u64::MAX } else { (state >> 20) % spread }
            }).collect();
            if is_sorted {
                numbers.sort_unstable();
            }
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
        let mut columns: [Slices; 3] = Default::default();
        for number in 0..RUN as u64 {
            Slices::push_each(&mut columns, &[number, number, number / 2]);
        }
        let [a, b, c] = &columns;
        assert!(Arc::ptr_eq(&a.runs[0], &b.runs[0]) && !Arc::ptr_eq(&a.runs[0], &c.runs[0]));
        assert!(a.bytes() < c.bytes());
    }

    /// For a removed passage another number may be read; that does not affect the others.
    #[test]
    fn numbers_that_changed_disturb_no_others() {
        let numbers: Vec<u64> = (0..RUN as u64).map(|at| at * 7_919 % 1_009 + ((at % 3) << 40)).collect();
        let mut slices = Slices::default();
        numbers.iter().for_each(|number| slices.push(*number));
        for bound in [3, 500, 1 << 40, (1 << 40) + 500, (2 << 40) + 7] {
            let mut words = [u64::MAX; RUN_WORDS];
            slices.narrow(&mut words, (bound, u64::MAX), |at| if at % 5 == 0 { 0 } else { numbers[at] });
            for (at, number) in numbers.iter().enumerate().filter(|(at, _)| at % 5 != 0) {
                assert_eq!(words[at / 64] >> (at % 64) & 1 == 1, *number >= bound, "{at} {bound}");
            }
        }
    }

    /// Numbers in the same step are compared exactly.
    #[test]
    fn numbers_near_each_other_in_a_wide_run() {
        let mut numbers: Vec<u64> = (0..RUN as u64).map(|at| 1_000_000 + at * 7_919 % 300).collect();
        (numbers[0], numbers[1]) = (0, u64::MAX);
        for bound in [0, 1, 999_999, 1_000_000, 1_000_001, 1_000_150, 1_000_299, 1_000_300, u64::MAX - 1] {
            check(&numbers, u64::MAX, (0, bound));
            check(&numbers, u64::MAX, (bound, u64::MAX));
            check(&numbers, u64::MAX, (bound, bound));
            check(&numbers, u64::MAX, (1_000_003, bound));
        }
    }
}
