//! The two lexical lists: the best by BM25 of the window and of the turn (retrieval.md §4.1, §5).

use std::cell::RefCell;

use loci_text::bm25::{TURN, WINDOW, term_score};

use crate::bits::Bits;
use crate::columns::NONE;
use crate::memory_index::MemoryIndex;
use crate::postings::Postings;
use crate::statistics::Counted;

/// Sums by passage; zero between requests. One per thread, as long as the greatest index the thread has searched.
#[derive(Default)]
struct Scratch {
    turn: Vec<f32>,
    window: Vec<f32>,
    count: Vec<u32>,
    /// Passages whose `count` is not zero.
    touched: Vec<u32>,
    /// Passages in scope whose `window` is not zero.
    found: Vec<u32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// The lists, each in no order.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// Best by the window.
    pub(crate) window: Vec<u32>,
    /// Best by the turn.
    pub(crate) turn: Vec<u32>,
}

impl MemoryIndex {
    /// The best passages in scope, those of no score left out.
    pub(crate) fn best_by_terms(
        &self,
        counted: &Counted<'_>,
        scope: &Bits,
        lengths: (usize, usize),
    ) -> Lists {
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.grow(self.columns.len());
            for (list, idf) in counted.lists.iter().zip(&counted.idf).filter(|(_, idf)| **idf > 0.0) {
                let [turn, _, window, _] = &counted.statistics.views;
                self.add_turns(scratch, list, scope, (*idf, turn.average_length));
                self.add_windows(scratch, scope, (*idf, window.average_length));
            }
            let found = std::mem::take(&mut scratch.found);
            let score = |scores: &[f32]| -> Vec<(f32, u32)> {
                let scored = found.iter().map(|passage| (scores[*passage as usize], *passage));
                scored.filter(|(score, _)| *score > 0.0).collect()
            };
            let lists = Lists {
                window: self.best(score(&scratch.window), lengths.0),
                turn: self.best(score(&scratch.turn), lengths.1),
            };
            scratch.clear(found);
            lists
        })
    }

    /// The best `length` of scored passages; equal scores newer first, then by record and part (§5). In no order.
    pub(crate) fn best(&self, mut scored: Vec<(f32, u32)>, length: usize) -> Vec<u32> {
        if scored.len() > length {
            let order =
                |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then_with(|| self.newer_first(a.1, b.1));
            scored.select_nth_unstable_by(length, order);
            scored.truncate(length);
        }
        scored.into_iter().map(|(_, passage)| passage).collect()
    }

    /// Newer passages first, then by record id and part.
    pub(crate) fn newer_first(&self, left: u32, right: u32) -> std::cmp::Ordering {
        let (a, b) = (self.columns.row(left), self.columns.row(right));
        self.records.newer_first(a.record, b.record).then(a.part.cmp(&b.part))
    }

    /// Scores each posting's turn, and adds its count to every window the turn is in.
    fn add_turns(&self, scratch: &mut Scratch, list: &Postings, scope: &Bits, (idf, average): (f32, f32)) {
        let columns = &self.columns;
        for (passage, count) in list.iter() {
            let at = passage as usize;
            if scope.has(passage) {
                scratch.turn[at] +=
                    term_score(TURN, idf, f32::from(count), columns.length[at] as f32, average);
            }
            scratch.add(passage, count);
            let (previous, next) = (columns.previous[at], columns.next[at]);
            if previous != NONE {
                scratch.add(previous, count);
            }
            if next != NONE {
                scratch.add(next, count);
                let second = columns.next[next as usize];
                if second != NONE {
                    scratch.add(second, count);
                }
            }
        }
    }

    /// Puts each touched count through the formula once, since BM25 is not additive in it.
    fn add_windows(&self, scratch: &mut Scratch, scope: &Bits, (idf, average): (f32, f32)) {
        let Scratch { window, count, touched, found, .. } = scratch;
        for passage in touched.drain(..) {
            let at = passage as usize;
            let count = std::mem::take(&mut count[at]);
            if !scope.has(passage) {
                continue;
            }
            let score = term_score(WINDOW, idf, count as f32, self.columns.window[at] as f32, average);
            if window[at] == 0.0 {
                found.push(passage);
            }
            window[at] += score;
        }
    }
}

impl Scratch {
    fn grow(&mut self, passages: usize) {
        if self.count.len() < passages {
            self.turn.resize(passages, 0.0);
            self.window.resize(passages, 0.0);
            self.count.resize(passages, 0);
        }
    }

    #[inline]
    fn add(&mut self, passage: u32, count: u16) {
        let sum = &mut self.count[passage as usize];
        if *sum == 0 {
            self.touched.push(passage);
        }
        *sum += u32::from(count);
    }

    /// Sets what was found to zero again, and keeps the list's memory.
    fn clear(&mut self, mut found: Vec<u32>) {
        for passage in found.drain(..) {
            self.turn[passage as usize] = 0.0;
            self.window[passage as usize] = 0.0;
        }
        self.found = found;
    }
}
