//! The dense list: the best passages by the cosine of their vectors, and the cosine of a passage in
//! its context.
//!
//! In a small scope every row is compared. In a large one, a scan of sketches (short binary codes)
//! selects the rows whose exact cosine is computed.

use std::collections::VecDeque;

use crate::kernels::{self, GROUP, Tables, Tile};
use crate::memory_index::MemoryIndex;
use crate::primitives::bits::Bits;
use crate::vectors::segment::SEGMENT;
use crate::vectors::{ModelVectors, Question};

/// The number of rows per list entry whose cosine is computed after a scan; the next constant is
/// the minimum. Of the true best 200, eight per entry find 97 %, and of the best ten all (decision
/// 0031).
const RESCORED_PER_PLACE: usize = 8;
const RESCORED_MIN: usize = 800;
/// The ratio of a scope to the rows left by a scan up to which the scope is read completely.
const WHOLE_FACTOR: usize = 2;
/// The number of rows by which prefetching is ahead.
const AHEAD: usize = 8;
/// The number of groups by which prefetching of a scan is ahead. With 384 dimensions each group has
/// two kilobytes.
const GROUPS_AHEAD: usize = 4;

/// The index of the previous turn among the rows of a context.
const BEFORE: usize = 2;
/// The weights of the passages two before, one before and one after, relative to 1 for the passage
/// itself.
const CONTEXT: [f32; 3] = [0.2, 0.4, 0.3];

/// A question and the vectors that it is comparable with.
pub(crate) struct DenseQuestion<'a> {
    /// The vectors of the query's embedding model.
    pub(crate) space: &'a ModelVectors,
    number: u16,
    question: Question,
}

/// The similarity of a passage to a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cosines {
    /// The cosine of the passage alone.
    pub(crate) own: f32,
    /// The cosine of the passage together with its neighbours in the session.
    pub(crate) in_context: f32,
    /// The cosine of the previous turn.
    pub(crate) before: Option<f32>,
}

impl MemoryIndex {
    /// Returns a question vector with its space; `None` if no passage has a vector of this model.
    pub(crate) fn asked(&self, vector: &[f32], model: &str) -> Option<DenseQuestion<'_>> {
        let (number, space) = self.vectors.space(model, vector.len())?;
        Some(DenseQuestion { space, number, question: space.question(vector)? })
    }

    /// Returns the best passages in scope by cosine, in no particular order.
    pub(crate) fn best_by_vector(&self, asked: &DenseQuestion<'_>, scope: &Bits, length: usize) -> Vec<u32> {
        let in_scope = asked.space.holders.count_shared(scope);
        let wanted = length.saturating_mul(RESCORED_PER_PLACE).max(RESCORED_MIN);
        let scored = if in_scope <= wanted.saturating_mul(WHOLE_FACTOR) {
            self.whole(asked, scope)
        } else {
            let everything = in_scope == asked.space.holders.count();
            self.scanned(asked, (!everything).then_some(scope), wanted)
        };
        self.best(scored, length)
    }

    /// Returns the cosine of a passage, if it has a vector of the question's model.
    pub(crate) fn cosine(&self, asked: &DenseQuestion<'_>, passage: u32) -> Option<f32> {
        self.row_in(asked, passage).map(|row| asked.cosine(row))
    }

    /// Returns the cosine of a passage, and that of the weighted sum of its vector and those of its
    /// neighbours, computed without building the sum. Neighbours without a vector are left out.
    pub(crate) fn cosines(&self, asked: &DenseQuestion<'_>, passage: u32) -> Option<Cosines> {
        let rows = self.rows_in_context(asked, passage)?;
        let (mut along, mut square) = ([0.0f32; 4], 0.0f32);
        let mut before = None;
        for (at, (weight, row)) in rows.iter().enumerate().filter_map(|(at, part)| Some((at, (*part)?))) {
            let cosine = asked.cosine(row);
            along[at] = weight * cosine;
            if at == BEFORE {
                before = Some(cosine);
            }
            // Rows have unit length, except zero vectors.
            square += if asked.space.scale(row) > 0.0 { weight * weight } else { 0.0 };
            for (other_weight, other) in rows.iter().skip(at + 1).flatten() {
                square += 2.0 * weight * other_weight * asked.space.between(row, *other);
            }
        }
        let in_context = if square > 0.0 { along.iter().sum::<f32>() / square.sqrt() } else { 0.0 };
        Some(Cosines { own: along[0], in_context, before })
    }

    /// Prefetches the rows that [`MemoryIndex::cosines`] will read.
    pub(crate) fn ask_for_context(&self, asked: &DenseQuestion<'_>, passage: u32) {
        let rows = self.rows_in_context(asked, passage);
        let rows = rows.iter().flatten().flatten();
        rows.for_each(|(_, row)| (kernels::chosen().ask_row)(asked.space.row(*row)));
    }

    /// Returns the rows of a passage and its neighbours, with their weights.
    fn rows_in_context(&self, asked: &DenseQuestion<'_>, passage: u32) -> Option<[Option<(f32, u32)>; 4]> {
        let own = self.row_in(asked, passage)?;
        let before = self.columns.before(passage);
        let [second, first, after] = CONTEXT;
        let part = |weight, neighbour: Option<u32>| Some((weight, self.row_in(asked, neighbour?)?));
        Some([
            Some((1.0, own)),
            part(second, before.and_then(|before| self.columns.before(before))),
            part(first, before),
            part(after, self.columns.after(passage)),
        ])
    }

    fn row_in(&self, asked: &DenseQuestion<'_>, passage: u32) -> Option<u32> {
        self.columns.row(passage).vector.filter(|(number, _)| *number == asked.number).map(|(_, row)| row)
    }

    fn whole(&self, asked: &DenseQuestion<'_>, scope: &Bits) -> Vec<(f32, u32)> {
        let rows = scope.iter().filter_map(|passage| self.row_in(asked, passage).map(|row| (passage, row)));
        asked.cosines(rows.collect())
    }

    /// Returns the cosines of the rows with the nearest sketches: at least as many as must be
    /// rescored, and all rows at the distance of the last one, so that the selection does not
    /// depend on the order of rows. Without a scope, all rows are scanned.
    fn scanned(&self, asked: &DenseQuestion<'_>, scope: Option<&Bits>, wanted: usize) -> Vec<(f32, u32)> {
        let mut nearest = Nearest::new(wanted, asked.question.farthest);
        // Groups that are prefetched but not yet read. The hardware prefetcher stops at the end of
        // each page, and cannot know the blocks that a scope excludes.
        let mut coming = VecDeque::with_capacity(GROUPS_AHEAD + 1);
        for (at, segment) in asked.space.segments().iter().enumerate() {
            for group in segment.groups() {
                let rows = scope.map_or(group.taken(), |scope| group.within(scope));
                if rows == 0 {
                    continue;
                }
                kernels::ask_group(asked.question.tables.len(), group.tiles, rows);
                coming.push_back(RowGroup { first: at * SEGMENT + group.first, tiles: group.tiles, rows });
                if coming.len() > GROUPS_AHEAD
                    && let Some(group) = coming.pop_front()
                {
                    nearest.read(&asked.question.tables, &group);
                }
            }
        }
        coming.iter().for_each(|group| nearest.read(&asked.question.tables, group));
        let named = |row| (asked.space.passage(row), row);
        asked.cosines(nearest.rows().map(named).collect())
    }
}

impl DenseQuestion<'_> {
    #[inline]
    fn cosine(&self, row: u32) -> f32 {
        self.space.cosine(&self.question, row)
    }

    /// Returns the cosines of passages, given with their rows.
    fn cosines(&self, rows: Vec<(u32, u32)>) -> Vec<(f32, u32)> {
        let ask = |row: &(u32, u32)| (kernels::chosen().ask_row)(self.space.row(row.1));
        rows.iter().take(AHEAD).for_each(ask);
        let cosine = |(at, (passage, row)): (usize, &(u32, u32))| {
            rows.get(at + AHEAD).into_iter().for_each(ask);
            (self.cosine(*row), *passage)
        };
        rows.iter().enumerate().map(cosine).collect()
    }
}

/// A group of rows to read.
struct RowGroup<'a> {
    first: usize,
    tiles: &'a [Tile],
    /// The rows in scope.
    rows: u64,
}

/// The nearest rows found by a scan so far.
struct Nearest {
    wanted: usize,
    /// The minimum distance within which enough rows were found; the maximum until then.
    limit: u16,
    /// The number of rows found within the limit.
    within: usize,
    /// The number of rows by distance. Outdated beyond the limit.
    histogram: Vec<u32>,
    /// Rows that were within the limit when they were found.
    seen: Vec<(u16, u32)>,
}

impl Nearest {
    /// Returns an empty state for distances up to `farthest`.
    fn new(wanted: usize, farthest: u16) -> Self {
        let histogram = vec![0; usize::from(farthest) + 1];
        Self { wanted: wanted.max(1), limit: farthest, within: 0, histogram, seen: Vec::new() }
    }

    /// Adds the rows of a group that are within the limit.
    fn read(&mut self, tables: &[Tables], group: &RowGroup<'_>) {
        let mut distances = [0; GROUP];
        let mut rest = (kernels::chosen().near)(tables, group.tiles, group.rows, self.limit, &mut distances);
        while rest != 0 {
            let row = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let distance = distances[row % GROUP];
            if distance <= self.limit {
                self.add(distance, (group.first + row) as u32);
            }
        }
    }

    /// Adds a row that is within the limit.
    fn add(&mut self, distance: u16, row: u32) {
        self.seen.push((distance, row));
        self.within += 1;
        if let Some(count) = self.histogram.get_mut(usize::from(distance)) {
            *count += 1;
        }
        while let Some(farthest) = self.histogram.get(usize::from(self.limit))
            && self.within - *farthest as usize >= self.wanted
        {
            self.within -= *farthest as usize;
            self.limit -= 1;
        }
    }

    /// Returns the rows within the limit, in order.
    fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.seen.iter().filter(|(distance, _)| *distance <= self.limit).map(|(_, row)| *row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_are_enough_and_whole(
            distances in proptest::collection::vec(0u16..40, 0..200), wanted in 1usize..60
        ) {
            let mut nearest = Nearest::new(wanted, 50);
            for (row, distance) in distances.iter().enumerate() {
                if *distance <= nearest.limit {
                    nearest.add(*distance, row as u32);
                }
            }
            let mut sorted = distances.clone();
            sorted.sort_unstable();
            let limit = sorted.get(wanted - 1).copied().unwrap_or(u16::MAX);
            let within = distances.iter().enumerate().filter(|(_, distance)| **distance <= limit);
            let expect: Vec<u32> = within.map(|(row, _)| row as u32).collect();
            prop_assert_eq!(nearest.rows().collect::<Vec<_>>(), expect);
        }
    }

    #[test]
    fn the_limit_may_fall_within_a_group() {
        let mut mix = crate::primitives::stable_hash::Mix::default();
        let mut row = || -> Vec<i8> { (0..64).map(|_| mix.number(5).finish() as i8 / 2).collect() };
        let sketcher = crate::vectors::sketch::Sketcher::new(64);
        let mut segment = crate::vectors::segment::Segment::new(1, crate::vectors::sketch::bytes(64));
        for passage in 0..300 {
            let values = row();
            segment.push(crate::kernels::lines(&values), 1.0, &sketcher.of_row(&values));
            segment.give(passage as usize, passage);
        }
        let question: Vec<i16> = row().into_iter().map(i16::from).collect();
        let (tables, farthest) = sketcher.of_question(&question);
        let mut all = Nearest::new(usize::MAX, farthest);
        let read = |nearest: &mut Nearest| {
            for group in segment.groups() {
                let coming = RowGroup { first: group.first, tiles: group.tiles, rows: group.taken() };
                nearest.read(&tables, &coming);
            }
        };
        read(&mut all);
        assert_eq!(all.seen.len(), 300);
        let mut sorted: Vec<u16> = all.seen.iter().map(|(distance, _)| *distance).collect();
        sorted.sort_unstable();
        for wanted in [1, 2, 7, 40, 150, 300] {
            let mut nearest = Nearest::new(wanted, farthest);
            read(&mut nearest);
            let within = all.seen.iter().filter(|(distance, _)| *distance <= sorted[wanted - 1]);
            assert!(nearest.rows().eq(within.map(|(_, row)| *row)), "{wanted}");
        }
    }
}
