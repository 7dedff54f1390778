//! A pass over the marks of all passages that selects possible best passages of a view by score
//! bounds; `lexical` computes exact scores. The bounds of a passage depend on three numbers: the
//! idf of its terms, that of its repeated terms, and the class of its length. Sixty-four passages
//! are processed together. After enough good passages are found, a passage is skipped if all its
//! terms together score less. This skips most passages, because frequent terms have a low idf.

use loci_text::bm25::{View, term_score};

use crate::columns::{Columns, IRREGULAR, ONE_AFTER, ONE_BEFORE, TWO_BEFORE};
use crate::primitives::bits::Bits;
use crate::primitives::length_class::{self, CLASSES};
use crate::search::marks::{AROUND, BLOCK, Marks, PLANE_TERMS, Plane};

/// The relative margin of bounds, because float sums depend on their order.
const SLACK: f32 = 2e-5;
/// The number of passages in a window.
const WINDOW_PASSAGES: f32 = 4.0;
/// The number of passages kept in excess of the list before weaker ones are dropped.
const HELD_MORE: usize = 512;

/// The score of one unit of idf for a length class.
#[derive(Debug, Clone, Copy, Default)]
struct UnitScore {
    /// The upper bound for a term that occurs once.
    once: f32,
    /// The upper bound for a term that occurs once in each of several passages of a window, in
    /// addition to `once`.
    shared: f32,
    /// The upper bound for a term with any number of occurrences, in addition to `once`.
    many: f32,
    /// The lower bound for a term that occurs once.
    once_least: f32,
    /// The lower bound for a term with several occurrences, in addition to `once_least`.
    more_least: f32,
}

/// The idf sum of each set of terms of one plane.
type Sums = [f32; 256];

/// A pass over the passages in scope for one view.
pub(crate) struct Sweep<'a> {
    columns: &'a Columns,
    marks: &'a Marks,
    scope: &'a Bits,
    sums: Vec<Sums>,
    /// The terms by idf, lowest first.
    terms: Vec<(f32, usize)>,
    /// The terms of which each best passage must contain at least one, by plane.
    essential: Vec<u8>,
    worth: Box<[UnitScore; CLASSES]>,
    /// The maximum score of one unit of idf.
    most: f32,
    best: BestPassages,
}

/// Possible best passages.
#[derive(Debug)]
struct BestPassages {
    length: usize,
    /// A score that at least `length` passages reach.
    threshold: f32,
    held: Vec<PassageBounds>,
    held_max: usize,
}

#[derive(Debug, Clone, Copy)]
struct PassageBounds {
    least: f32,
    most: f32,
    passage: u32,
}

impl<'a> Sweep<'a> {
    /// Returns a pass for the best `length` passages. `idf` has a value for each marked term.
    pub(crate) fn new(
        (columns, marks, scope): (&'a Columns, &'a Marks, &'a Bits),
        idf: &[f32],
        (view, average): (View, f32),
        length: usize,
    ) -> Self {
        let best = BestPassages {
            length,
            threshold: f32::MIN_POSITIVE,
            held: Vec::new(),
            held_max: 2 * length + HELD_MORE,
        };
        let worth = worth_by_class(view, average);
        let most = worth.first().map_or(0.0, |worth| worth.once + worth.many);
        let mut terms: Vec<(f32, usize)> = idf.iter().copied().zip(0..).collect();
        terms.sort_by(|a, b| a.0.total_cmp(&b.0));
        let sums = idf.chunks(PLANE_TERMS).map(sums).collect();
        let essential = Vec::new();
        let mut sweep = Self { columns, marks, scope, sums, terms, essential, worth, most, best };
        sweep.choose_essential();
        sweep
    }

    /// Returns every passage that may be among the best by its own terms.
    pub(crate) fn turns(self) -> Vec<u32> {
        match self.marks.planes().len() {
            1 => self.turns_of::<1>(),
            2 => self.turns_of::<2>(),
            _ => self.turns_of::<{ crate::search::marks::PLANES_MAX }>(),
        }
    }

    /// Returns every passage that may be among the best by the terms of its window.
    pub(crate) fn windows(self) -> Vec<u32> {
        match self.marks.planes().len() {
            1 => self.windows_of::<1>(),
            2 => self.windows_of::<2>(),
            _ => self.windows_of::<{ crate::search::marks::PLANES_MAX }>(),
        }
    }

    fn turns_of<const PLANES: usize>(mut self) -> Vec<u32> {
        let (planes, columns) = (self.marks.planes(), self.columns);
        for (block, scope) in self.scope.words().iter().enumerate().filter(|(_, scope)| **scope != 0) {
            let start = block * BLOCK;
            let mut held = 0;
            let mut once = [&[0u8; BLOCK]; PLANES];
            for ((once, plane), essential) in once.iter_mut().zip(planes).zip(&self.essential) {
                if let Some(marks) = plane.block(start) {
                    held |= filled(marks, *essential);
                    *once = marks;
                }
            }
            let mut rest = held & scope;
            while rest != 0 {
                let at = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let once = self.sum(once.map(|once| once[at]));
                if once * self.most < self.best.threshold {
                    continue;
                }
                let passage = (start + at) as u32;
                let many = self.sum(each::<PLANES>(planes, |plane| plane.many(passage)));
                let class = columns.length_class.get(passage as usize);
                self.offer(passage, class, [once, 0.0, many, many]);
            }
        }
        self.best.finish()
    }

    fn windows_of<const PLANES: usize>(mut self) -> Vec<u32> {
        let (planes, columns) = (self.marks.planes(), self.columns);
        let mut merged = [Merged::default(); PLANES];
        for (block, scope) in self.scope.words().iter().enumerate().filter(|(_, scope)| **scope != 0) {
            let start = block * BLOCK;
            let shape = shapes(&columns.shape, start);
            let irregular = filled(&shape, IRREGULAR) & scope;
            let mut held = irregular;
            let arounds = || planes.iter().filter_map(|plane| plane.around(start));
            if irregular == 0 && !arounds().zip(&self.essential).any(|(marks, of)| holds(marks, *of)) {
                continue;
            }
            for ((merged, around), essential) in merged.iter_mut().zip(arounds()).zip(&self.essential) {
                merged.merge(around, &shape);
                held |= filled(&merged.any, *essential);
            }
            let mut rest = held & scope;
            let repeats = rest != 0 && planes.iter().any(|plane| plane.repeats_around(start));
            while rest != 0 {
                let at = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let passage = (start + at) as u32;
                if irregular >> at & 1 == 1 {
                    let places = columns.places(passage);
                    for (merged, plane) in merged.iter_mut().zip(planes) {
                        merged.gather(at, plane, places);
                    }
                }
                let once = self.sum(merged.each_ref().map(|merged| merged.any[at]));
                if once * self.most < self.best.threshold {
                    continue;
                }
                let shared = merged.each_ref().map(|merged| merged.shared[at]);
                let many = if repeats || irregular >> at & 1 == 1 {
                    each::<PLANES>(planes, |plane| plane.many_of(columns.places(passage)))
                } else {
                    [0; PLANES]
                };
                let more = std::array::from_fn::<u8, PLANES, _>(|plane| shared[plane] | many[plane]);
                let sums = [once, self.sum(shared), self.sum(many), self.sum(more)];
                self.offer(passage, columns.window_class.get(passage as usize), sums);
            }
        }
        self.best.finish()
    }

    /// Returns the idf sum of the terms of all planes.
    #[inline]
    fn sum<const PLANES: usize>(&self, marks: [u8; PLANES]) -> f32 {
        let mut sum = 0.0;
        for (sums, marks) in self.sums.iter().zip(marks) {
            sum += sums[usize::from(marks)];
        }
        sum
    }

    /// Adds a passage if it may be among the best. The sums are the idf of its terms, of those in
    /// several passages, of those repeated in one passage, and of those of either kind.
    #[inline]
    fn offer(&mut self, passage: u32, class: Option<&u8>, [once, shared, many, more]: [f32; 4]) {
        let Some(worth) = class.and_then(|class| self.worth.get(usize::from(*class))) else { return };
        let most = once * worth.once + shared * worth.shared + many * worth.many;
        if most >= self.best.threshold {
            let least = once * worth.once_least + more * worth.more_least;
            if self.best.hold(PassageBounds { least, most, passage }) {
                self.choose_essential();
            }
        }
    }

    /// Excludes the terms that together score less than the threshold, lowest idf first.
    fn choose_essential(&mut self) {
        self.essential.clear();
        self.essential.resize(self.sums.len(), 0);
        let mut together = 0.0;
        for (idf, term) in &self.terms {
            together += idf * self.most;
            if together >= self.best.threshold
                && let Some(plane) = self.essential.get_mut(term / PLANE_TERMS)
            {
                *plane |= 1 << (term % PLANE_TERMS);
            }
        }
    }
}

/// The marks of the windows of a block: terms in at least one passage, and those in several.
#[derive(Debug, Clone, Copy)]
struct Merged {
    any: [u8; BLOCK],
    shared: [u8; BLOCK],
}

impl Default for Merged {
    fn default() -> Self {
        Self { any: [0; BLOCK], shared: [0; BLOCK] }
    }
}

impl Merged {
    /// Merges the marks of windows with adjacent numbers. Irregular windows keep the marks of the
    /// passage itself.
    #[inline]
    fn merge(&mut self, around: &[u8; AROUND], shape: &[u8; BLOCK]) {
        for at in 0..BLOCK {
            let shape = shape[at];
            let second = around[at] & whole_if(shape & TWO_BEFORE);
            let first = around[at + 1] & whole_if(shape & ONE_BEFORE);
            let own = around[at + 2];
            let next = around[at + 3] & whole_if(shape & ONE_AFTER);
            let (before, after) = (second | first, own | next);
            self.any[at] = before | after;
            self.shared[at] = (second & first) | (own & next) | (before & after);
        }
    }

    fn gather(&mut self, at: usize, plane: &Plane, places: [Option<u32>; 4]) {
        let (mut any, mut shared) = (0, 0);
        for marks in places.into_iter().flatten().map(|place| plane.once(place)) {
            shared |= any & marks;
            any |= marks;
        }
        self.any[at] = any;
        self.shared[at] = shared;
    }
}

impl BestPassages {
    /// Keeps a passage. Returns true if the threshold may have risen.
    #[inline]
    fn hold(&mut self, held: PassageBounds) -> bool {
        self.held.push(held);
        let is_full = self.held.len() >= self.held_max;
        if is_full {
            self.drop_weak();
        }
        is_full
    }

    /// Drops passages that cannot be among the best.
    fn drop_weak(&mut self) {
        if self.length > 0 && self.held.len() > self.length {
            let by_least = |a: &PassageBounds, b: &PassageBounds| b.least.total_cmp(&a.least);
            let (_, last, _) = self.held.select_nth_unstable_by(self.length - 1, by_least);
            self.threshold = self.threshold.max(last.least);
            let threshold = self.threshold;
            self.held.retain(|held| held.most >= threshold);
        }
        self.held_max = self.held_max.max(self.held.len() * 2);
    }

    fn finish(mut self) -> Vec<u32> {
        self.drop_weak();
        self.held.into_iter().map(|held| held.passage).collect()
    }
}

fn sums(idf: &[f32]) -> Sums {
    let mut sums = [0.0; 256];
    for set in 1..sums.len() {
        let last = set.trailing_zeros() as usize;
        sums[set] = sums[set & (set - 1)] + idf.get(last).copied().unwrap_or(0.0);
    }
    sums
}

fn worth_by_class(view: View, average: f32) -> Box<[UnitScore; CLASSES]> {
    let mut worth = Box::new([UnitScore::default(); CLASSES]);
    for (class, worth) in (0..=u8::MAX).zip(worth.iter_mut()) {
        let (least, greatest) = (length_class::least(class) as f32, length_class::greatest(class) as f32);
        let most = |tf| term_score(view, 1.0 + SLACK, tf, least, average);
        let once_least = term_score(view, 1.0 - SLACK, 1.0, greatest, average);
        *worth = UnitScore {
            once: most(1.0),
            shared: most(WINDOW_PASSAGES) - most(1.0),
            many: (view.k1 + 1.0) * (1.0 + SLACK) - most(1.0),
            once_least,
            more_least: term_score(view, 1.0 - SLACK, 2.0, greatest, average) - once_least,
        };
    }
    worth
}

fn shapes(column: &[u8], start: usize) -> [u8; BLOCK] {
    let rest = column.get(start..).unwrap_or_default();
    rest.first_chunk().copied().unwrap_or_else(|| {
        let mut shapes = [0; BLOCK];
        shapes.iter_mut().zip(rest).for_each(|(shape, held)| *shape = *held);
        shapes
    })
}

/// True if no passage in scope has a neighbour in its session.
pub(crate) fn stand_alone(columns: &Columns, scope: &Bits) -> bool {
    let mut blocks = scope.words().iter().enumerate().filter(|(_, scope)| **scope != 0);
    blocks.all(|(block, scope)| filled(&shapes(&columns.shape, block * BLOCK), u8::MAX) & scope == 0)
}

/// Returns a value for each plane, 0 beyond them.
#[inline]
fn each<const PLANES: usize>(planes: &[Plane], of: impl Fn(&Plane) -> u8) -> [u8; PLANES] {
    std::array::from_fn(|at| planes.get(at).map_or(0, &of))
}

/// Returns all bits if `bit` is not 0.
#[inline]
fn whole_if(bit: u8) -> u8 {
    u8::from(bit != 0).wrapping_neg()
}

/// True if a byte has one of the bits of `of`.
#[inline]
fn holds(bytes: &[u8; AROUND], of: u8) -> bool {
    bytes.iter().fold(0, |any, byte| any | byte) & of != 0
}

/// Returns the bytes that have one of the bits of `of`, as bits.
#[inline]
fn filled(bytes: &[u8; BLOCK], of: u8) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let of = u64::from_ne_bytes([of; 8]);
    let any = bytes.as_chunks::<8>().0.iter().fold(0, |any, eight| any | u64::from_ne_bytes(*eight));
    if any & of == 0 {
        return 0;
    }
    let mut filled = 0;
    for (at, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight) & of;
        let tops = (((eight & LOW) + LOW) | eight) & !LOW;
        filled |= ((tops >> 7).wrapping_mul(GATHER) >> 56) << (at * 8);
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_text::bm25::{SESSION, TURN};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn filled_bytes_are_told(
            bytes in proptest::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 64),
            of in any::<u8>(),
        ) {
            let bytes: [u8; BLOCK] = bytes.try_into().unwrap();
            let told = filled(&bytes, of);
            prop_assert!((0..BLOCK).all(|at| (told >> at & 1 == 1) == (bytes[at] & of != 0)));
        }

        #[test]
        fn bounds_hold(length in 0u32..3000, tf in 1u32..9, average in prop_oneof![Just(0f32), 1f32..200.0]) {
            for view in [TURN, SESSION] {
                let class = usize::from(crate::primitives::length_class::of(length));
                let worth = worth_by_class(view, average)[class];
                let exact = term_score(view, 1.0, tf as f32, length as f32, average);
                let most = match tf {
                    1 => worth.once,
                    2..=4 => worth.once + worth.shared,
                    _ => worth.once + worth.many,
                };
                let least = if tf == 1 { worth.once_least } else { worth.once_least + worth.more_least };
                prop_assert!(least <= exact && exact <= most, "{least} {exact} {most}");
            }
        }

        #[test]
        fn windows_are_merged_as_they_are_gathered(
            marks in proptest::collection::vec(0u8..4, AROUND), shape in 0u8..8
        ) {
            let around: [u8; AROUND] = marks.try_into().unwrap();
            let mut merged = Merged::default();
            merged.merge(&around, &[shape; BLOCK]);
            for at in 0..BLOCK {
                let places = [(0, TWO_BEFORE), (1, ONE_BEFORE), (2, shape), (3, ONE_AFTER)];
                let members = places.iter().filter(|(place, bit)| *place == 2 || shape & bit != 0);
                let (mut any, mut shared) = (0, 0);
                for (place, _) in members {
                    shared |= any & around[at + place];
                    any |= around[at + place];
                }
                prop_assert_eq!((merged.any[at], merged.shared[at]), (any, shared));
            }
        }
    }

    #[test]
    fn the_weak_are_dropped_and_ties_are_kept() {
        let mut best = BestPassages { length: 2, threshold: 0.0, held: Vec::new(), held_max: 4 };
        for (passage, score) in [1.0, 3.0, 2.0, 2.0, 0.5, 2.0].into_iter().enumerate() {
            best.hold(PassageBounds { least: score, most: score, passage: passage as u32 });
        }
        let mut kept = best.finish();
        kept.sort_unstable();
        assert_eq!(kept, [1, 2, 3, 5]);
    }

    #[test]
    fn sums_of_sets() {
        let sums = sums(&[1.0, 2.0, 4.0]);
        assert_eq!((sums[0], sums[5], sums[7], sums[255]), (0.0, 5.0, 7.0, 7.0));
    }
}
