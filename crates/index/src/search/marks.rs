//! Which of a request's terms each passage holds, one bit a term, for the time of one request. Marks are made from the
//! postings once; the lists and the views of the candidates are then read from them.
//!
//! Eight terms share a plane of one byte a passage. A second plane says which terms a passage holds more than once; how
//! often is then asked of the postings.

use std::borrow::Cow;

use crate::columns::postings::Postings;
use crate::search::statistics::TERMS_MAX;

/// Terms of a plane.
pub(crate) const PLANE_TERMS: usize = 8;
/// Most planes of a request.
pub(crate) const PLANES_MAX: usize = TERMS_MAX / PLANE_TERMS;
/// Passages that are read together.
pub(crate) const BLOCK: usize = 64;
/// Bytes before the first passage and after the last block, so that the surroundings of each can be read.
const MARGIN: usize = 8;
/// Passages per posting from which on wiping posting by posting is faster than wiping all.
const SPARSE: usize = 16;

/// Bytes of a block, of the two passages before it and of the one after it.
pub(crate) const AROUND: usize = BLOCK + 3;

/// The marks of eight terms.
#[derive(Debug, Default)]
pub(crate) struct Plane {
    once: Vec<u8>,
    many: Vec<u8>,
}

/// The marks of all terms. Empty between two requests, so that its memory is used again.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    planes: Vec<Plane>,
    used: usize,
}

impl Marks {
    /// Marks the passages of each list, `passages` in all.
    pub(crate) fn mark(&mut self, lists: &[Cow<'_, Postings>], passages: usize) {
        if self.used > 0 {
            // Whoever marked before did not come to wiping: it panicked, and its thread went on.
            self.planes.iter_mut().for_each(Plane::blank);
        }
        let terms = lists.len().min(TERMS_MAX);
        self.used = terms.div_ceil(PLANE_TERMS);
        while self.planes.len() < self.used {
            self.planes.push(Plane::default());
        }
        let length = passages.next_multiple_of(BLOCK) + 2 * MARGIN;
        for (plane, lists) in self.planes.iter_mut().zip(lists.chunks(PLANE_TERMS)).take(self.used) {
            if plane.once.len() < length {
                plane.once.resize(length, 0);
                plane.many.resize(length, 0);
            }
            for (bit, list) in lists.iter().enumerate() {
                plane.mark(list, 1 << bit);
            }
        }
    }

    /// Takes all marks off. `lists` are those that were marked.
    pub(crate) fn wipe(&mut self, lists: &[Cow<'_, Postings>]) {
        for (plane, lists) in self.planes.iter_mut().zip(lists.chunks(PLANE_TERMS)).take(self.used) {
            let postings: usize = lists.iter().map(|list| list.len()).sum();
            if postings * SPARSE < plane.once.len() {
                for list in lists {
                    list.for_each(|passage| plane.clear(passage));
                }
            } else {
                plane.blank();
            }
        }
        self.used = 0;
    }

    /// The planes of this request.
    pub(crate) fn planes(&self) -> &[Plane] {
        self.planes.get(..self.used).unwrap_or_default()
    }

    /// Calls `each` with every term that a passage holds, and how often. `lists` are those that were marked.
    #[inline]
    pub(crate) fn each_count(
        &self,
        lists: &[Cow<'_, Postings>],
        passage: u32,
        mut each: impl FnMut(usize, u32),
    ) {
        for (at, plane) in self.planes().iter().enumerate() {
            let mut once = plane.once(passage);
            let many = if once == 0 { 0 } else { plane.many(passage) };
            while once != 0 {
                let bit = once & once.wrapping_neg();
                let term = at * PLANE_TERMS + once.trailing_zeros() as usize;
                once &= once - 1;
                let is_repeated = many & bit != 0;
                let count = lists.get(term).filter(|_| is_repeated).map_or(1, |list| list.count_of(passage));
                each(term, count);
            }
        }
    }
}

impl Plane {
    /// Terms that a passage holds.
    #[inline]
    pub(crate) fn once(&self, passage: u32) -> u8 {
        self.once.get(passage as usize + MARGIN).copied().unwrap_or(0)
    }

    /// Terms that a passage holds more than once.
    #[inline]
    pub(crate) fn many(&self, passage: u32) -> u8 {
        self.many.get(passage as usize + MARGIN).copied().unwrap_or(0)
    }

    /// Terms that some of these passages hold more than once.
    #[inline]
    pub(crate) fn many_of(&self, places: [Option<u32>; 4]) -> u8 {
        places.into_iter().flatten().fold(0, |many, place| many | self.many(place))
    }

    /// True where a passage of a block, or of its surroundings, holds a term more than once.
    #[inline]
    pub(crate) fn repeats_around(&self, start: usize) -> bool {
        let around: Option<&[u8; AROUND]> =
            self.many.get(start + MARGIN - 2..).and_then(|rest| rest.first_chunk());
        around.is_none_or(|around| around.iter().fold(0, |any, marks| any | marks) != 0)
    }

    /// The terms of a block of passages.
    #[inline]
    pub(crate) fn block(&self, start: usize) -> Option<&[u8; BLOCK]> {
        self.once.get(start + MARGIN..)?.first_chunk()
    }

    /// The terms of a block, of the two passages before it and of the one after it.
    #[inline]
    pub(crate) fn around(&self, start: usize) -> Option<&[u8; AROUND]> {
        self.once.get(start + MARGIN - 2..)?.first_chunk()
    }

    fn mark(&mut self, list: &Postings, bit: u8) {
        let once = &mut self.once;
        list.for_each(|passage| {
            if let Some(mark) = once.get_mut(passage as usize + MARGIN) {
                *mark |= bit;
            }
        });
        for (passage, _) in list.repeats() {
            if let Some(mark) = self.many.get_mut(*passage as usize + MARGIN) {
                *mark |= bit;
            }
        }
    }

    fn blank(&mut self) {
        self.once.fill(0);
        self.many.fill(0);
    }

    fn clear(&mut self, passage: u32) {
        let at = passage as usize + MARGIN;
        if let (Some(once), Some(many)) = (self.once.get_mut(at), self.many.get_mut(at)) {
            (*once, *many) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(passages: &[(u32, u32)]) -> Cow<'static, Postings> {
        let mut postings = Postings::default();
        passages.iter().for_each(|(passage, count)| postings.push(*passage, *count));
        Cow::Owned(postings)
    }

    #[test]
    fn marks_that_nobody_wiped_are_gone() {
        let mut marks = Marks::default();
        marks.mark(&[list(&[(1, 1), (2, 5)])], 65);
        marks.mark(&[list(&[(2, 1)])], 65);
        assert_eq!(
            [0, 1, 2].map(|passage| (marks.planes()[0].once(passage), marks.planes()[0].many(passage))),
            [(0, 0), (0, 0), (1, 0)]
        );
    }

    #[test]
    fn marks_say_what_the_postings_say_and_leave_no_trace() {
        let mut lists: Vec<Cow<'_, Postings>> = vec![list(&[]); 11];
        lists[0] = list(&[(0, 1), (63, 2)]);
        lists[10] = list(&[(63, 7), (64, 1)]);
        let mut marks = Marks::default();
        for passages in [65, 4_000] {
            marks.mark(&lists, passages);
            let counts = |passage| {
                let mut counts = Vec::new();
                marks.each_count(&lists, passage, |term, count| counts.push((term, count)));
                counts
            };
            assert_eq!(counts(0), [(0, 1)]);
            assert_eq!(counts(1), []);
            assert_eq!(counts(63), [(0, 2), (10, 7)]);
            assert_eq!(counts(64), [(10, 1)]);
            assert_eq!(marks.planes().len(), 2);
            assert_eq!(marks.planes()[0].around(64).unwrap()[..3], [0, 1, 0]);
            marks.wipe(&lists);
            let is_blank = |plane: &Plane| plane.once.iter().chain(&plane.many).all(|mark| *mark == 0);
            assert!(marks.planes.iter().all(is_blank));
        }
    }
}
