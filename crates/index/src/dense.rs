//! The dense list: the best by cosine (retrieval.md §5), and the cosine of a passage in its context (§3).
//!
//! A small scope is read whole. In a great one a scan of sketches finds the rows worth a true cosine.

use std::cell::RefCell;

use crate::bits::Bits;
use crate::columns::NONE;
use crate::kernels;
use crate::memory_index::MemoryIndex;
use crate::vectors::{Question, Space};

/// Vectors in scope up to which each gets its cosine.
const WHOLE_MAX: usize = 20_000;
/// Rows that get their cosine after a scan: so many for each place of the list, and at least so many.
const RESCORED_PER_PLACE: usize = 5;
const RESCORED_MIN: usize = 2_000;

/// Weights of the neighbours two before, one before and one after, beside 1 of the passage itself (§3).
const CONTEXT: [f32; 3] = [0.2, 0.4, 0.3];

thread_local! {
    static DISTANCES: RefCell<Vec<u16>> = const { RefCell::new(Vec::new()) };
}

/// A question and the vectors it can be compared with.
pub(crate) struct Asked<'a> {
    /// The vectors of its model.
    pub(crate) space: &'a Space,
    number: u16,
    question: Question,
}

impl MemoryIndex {
    /// A question vector with its space; `None` where no passage has a vector of this model.
    pub(crate) fn asked(&self, vector: &[f32], model: &str) -> Option<Asked<'_>> {
        let (number, space) = self.vectors.space(model, vector.len())?;
        Some(Asked { space, number, question: space.question(vector)? })
    }

    /// The best passages in scope by cosine, in no order.
    pub(crate) fn best_by_vector(&self, asked: &Asked<'_>, scope: &Bits, length: usize) -> Vec<u32> {
        let in_scope = asked.space.holders.count_shared(scope);
        let scored =
            if in_scope <= WHOLE_MAX { self.whole(asked, scope) } else { self.scanned(asked, scope, length) };
        self.best(scored, length)
    }

    /// The cosine of a passage, where it has a vector of the question's model.
    pub(crate) fn cosine(&self, asked: &Asked<'_>, passage: u32) -> Option<f32> {
        self.row_in(asked, passage).map(|row| asked.cosine(row))
    }

    /// The cosine of a passage's vector plus those of its neighbours, weighted: of the sum's direction, as if the sum
    /// had been made. Neighbours without a vector are left out.
    pub(crate) fn cosine_in_context(&self, asked: &Asked<'_>, passage: u32) -> Option<f32> {
        let own = self.row_in(asked, passage)?;
        let before = self.columns.before(passage);
        let around =
            [before.and_then(|before| self.columns.before(before)), before, self.columns.after(passage)];
        let mut parts = vec![(1.0f32, own)];
        for (weight, neighbour) in CONTEXT.into_iter().zip(around) {
            parts.extend(
                neighbour.and_then(|neighbour| self.row_in(asked, neighbour)).map(|row| (weight, row)),
            );
        }
        let (mut along, mut square) = (0.0f32, 0.0f32);
        for (at, (weight, row)) in parts.iter().enumerate() {
            along += weight * asked.cosine(*row);
            square += weight * weight * asked.space.between(*row, *row);
            for (other_weight, other) in parts.iter().skip(at + 1) {
                square += 2.0 * weight * other_weight * asked.space.between(*row, *other);
            }
        }
        Some(if square > 0.0 { along / square.sqrt() } else { 0.0 })
    }

    fn row_in(&self, asked: &Asked<'_>, passage: u32) -> Option<u32> {
        self.columns.row(passage).vector.filter(|(number, _)| *number == asked.number).map(|(_, row)| row)
    }

    fn whole(&self, asked: &Asked<'_>, scope: &Bits) -> Vec<(f32, u32)> {
        let rows = scope.iter().filter_map(|passage| self.row_in(asked, passage).map(|row| (passage, row)));
        rows.map(|(passage, row)| (asked.cosine(row), passage)).collect()
    }

    /// Cosines of the rows whose sketches are nearest: at least so many as are to be rescored, and with each row all
    /// others of its distance, so that the choice does not hang on the order of the rows.
    fn scanned(&self, asked: &Asked<'_>, scope: &Bits, length: usize) -> Vec<(f32, u32)> {
        let wanted = length.saturating_mul(RESCORED_PER_PLACE).max(RESCORED_MIN);
        let space = asked.space;
        DISTANCES.with_borrow_mut(|distances| {
            (kernels::chosen().distances)(&asked.question.sketch, space.sketches(), distances);
            let mut histogram = vec![0usize; asked.question.sketch.len() * 64 + 1];
            for (distance, passage) in distances.iter_mut().zip(space.passages()) {
                if *passage == NONE || !scope.has(*passage) {
                    *distance = u16::MAX;
                } else if let Some(count) = histogram.get_mut(usize::from(*distance)) {
                    *count += 1;
                }
            }
            let limit = nearest(&histogram, wanted);
            let near =
                distances.iter().zip(space.passages()).enumerate().filter(|(_, (near, _))| **near <= limit);
            near.map(|(row, (_, passage))| (asked.cosine(row as u32), *passage)).collect()
        })
    }
}

impl Asked<'_> {
    #[inline]
    fn cosine(&self, row: u32) -> f32 {
        self.space.cosine(&self.question, row)
    }
}

/// The least distance within which at least `wanted` rows lie, or the greatest there is.
fn nearest(histogram: &[usize], wanted: usize) -> u16 {
    let mut sum = 0;
    let enough = histogram.iter().position(|count| {
        sum += count;
        sum >= wanted
    });
    u16::try_from(enough.unwrap_or(histogram.len())).unwrap_or(u16::MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_takes_enough_rows() {
        let check = |wanted, expect| assert_eq!(nearest(&[0, 2, 0, 3], wanted), expect, "{wanted}");
        check(1, 1);
        check(2, 1);
        check(3, 3);
        check(5, 3);
        check(6, 4);
    }
}
