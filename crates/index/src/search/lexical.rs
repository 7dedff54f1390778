//! The two lexical lists: the best passages by BM25 of the window and of the turn. A sweep selects
//! possible passages, and only those are scored, term by term in the order of the request.

use std::cmp::Ordering;

use loci_text::bm25::{TURN, View, WINDOW, term_score};

use crate::memory_index::MemoryIndex;
use crate::primitives::bits::Bits;
use crate::search::marks::Marks;
use crate::search::statistics::TermStatistics;
use crate::search::sweep::{Sweep, stand_alone};

/// The lists, in no particular order.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// The best by window. Empty if `turn` contains them.
    pub(crate) window: Vec<u32>,
    /// The best by turn.
    pub(crate) turn: Vec<u32>,
}

impl MemoryIndex {
    /// Returns the best passages in scope, without those of score 0. `marks` are those of the
    /// counted lists.
    pub(crate) fn best_by_terms(
        &self,
        counted: &TermStatistics<'_>,
        marks: &Marks,
        scope: &Bits,
        mut lengths: (usize, usize),
    ) -> Lists {
        let [turn, _, window, _] = &counted.statistics.views;
        // Records without a session, such as most facts, have windows equal to their turns: one
        // list is enough.
        let is_one_average = turn.average_length.total_cmp(&window.average_length).is_eq();
        if TURN == WINDOW && is_one_average && stand_alone(&self.columns, scope) {
            lengths = (0, lengths.0.max(lengths.1));
        }
        let sweep = |view, length| Sweep::new((&self.columns, marks, scope), &counted.idf, view, length);
        let mut lists = Lists::default();
        if lengths.0 > 0 {
            let view = (WINDOW, window.average_length);
            let found = sweep(view, lengths.0).windows();
            let places = |passage| self.columns.places(passage);
            lists.window = self.best(self.scored(&found, counted, marks, view, places), lengths.0);
        }
        if lengths.1 > 0 {
            let view = (TURN, turn.average_length);
            let found = sweep(view, lengths.1).turns();
            let places = |passage| [None, None, Some(passage), None];
            lists.turn = self.best(self.scored(&found, counted, marks, view, places), lengths.1);
        }
        lists
    }

    /// Returns the best `length` scored passages. At equal scores newer ones come first, then by
    /// record and part. In no particular order.
    pub(crate) fn best(&self, mut scored: Vec<(f32, u32)>, length: usize) -> Vec<u32> {
        if length == 0 {
            return Vec::new();
        }
        if scored.len() > length {
            let (_, last, _) = scored.select_nth_unstable_by(length - 1, |a, b| b.0.total_cmp(&a.0));
            let last = last.0;
            let mut equal: Vec<u32> = scored
                .iter()
                .filter(|(score, _)| score.total_cmp(&last).is_eq())
                .map(|(_, passage)| *passage)
                .collect();
            scored.retain(|(score, _)| score.total_cmp(&last).is_gt());
            let room = length - scored.len();
            if equal.len() > room {
                equal.select_nth_unstable_by(room, |a, b| self.newer_first(*a, *b));
                equal.truncate(room);
            }
            scored.extend(equal.into_iter().map(|passage| (last, passage)));
        }
        scored.into_iter().map(|(_, passage)| passage).collect()
    }

    /// Orders newer passages first, then by record id and part.
    pub(crate) fn newer_first(&self, left: u32, right: u32) -> Ordering {
        let (a, b) = (self.columns.row(left), self.columns.row(right));
        self.records.newer_first(a.record, b.record).then(a.part.cmp(&b.part))
    }

    /// Returns the exact scores of passages. `places` returns the passages that form a passage's
    /// document.
    fn scored(
        &self,
        passages: &[u32],
        counted: &TermStatistics<'_>,
        marks: &Marks,
        (view, average): (View, f32),
        places: impl Fn(u32) -> [Option<u32>; 4],
    ) -> Vec<(f32, u32)> {
        let mut counts = vec![0u32; counted.lists.len()];
        let score = |passage: &u32| {
            counts.fill(0);
            let mut length = 0;
            for place in places(*passage).into_iter().flatten() {
                length += self.columns.length[place as usize];
                marks.each_count(&counted.lists, place, |term, count| {
                    if let Some(sum) = counts.get_mut(term) {
                        *sum += count;
                    }
                });
            }
            let mut score = 0.0;
            for (count, idf) in counts.iter().zip(&counted.idf).filter(|(count, _)| **count > 0) {
                score += term_score(view, *idf, *count as f32, length as f32, average);
            }
            (score, *passage)
        };
        passages.iter().map(score).filter(|(score, _)| *score > 0.0).collect()
    }
}
