//! Marks of the passages that contain a request's terms, one bit per term, for one request. They
//! are computed once from the postings; the lists and the views of the candidates read them.
//!
//! Eight terms share a plane with one byte per passage. A second plane marks the terms that a
//! passage contains more than once; the count is then read from the postings.

use std::borrow::Cow;

use crate::columns::postings::Postings;
use crate::search::statistics::TERMS_MAX;

/// The number of terms in a plane.
pub(crate) const PLANE_TERMS: usize = 8;
/// The maximum number of planes of a request.
pub(crate) const PLANES_MAX: usize = TERMS_MAX / PLANE_TERMS;
/// The number of passages that are processed together.
pub(crate) const BLOCK: usize = 64;
/// The number of bytes before the first passage and after the last block, so that their
/// surroundings are readable.
const MARGIN: usize = 8;
/// The minimum ratio of passages to postings at which clearing single marks is faster than clearing
/// all.
const SPARSE: usize = 16;

/// The number of bytes for a block, the two passages before it and the one after it.
pub(crate) const AROUND: usize = BLOCK + 3;

/// The marks of eight terms.
#[derive(Debug, Default)]
pub(crate) struct Plane {
    once: Vec<u8>,
    many: Vec<u8>,
}

/// The marks of all terms. Cleared between two requests, so that the memory is reused.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    planes: Vec<Plane>,
    used: usize,
}

impl Marks {
    /// Marks the passages of each list; `passages` is their total number.
    pub(crate) fn mark(&mut self, lists: &[Cow<'_, Postings>], passages: usize) {
        if self.used > 0 {
            // An earlier request panicked before it cleared its marks.
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

    /// Clears all marks. `lists` are those that were marked.
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

    /// Returns the planes of this request.
    pub(crate) fn planes(&self) -> &[Plane] {
        self.planes.get(..self.used).unwrap_or_default()
    }

    /// Calls `each` with every term that a passage contains, and its count. `lists` are those that
    /// were marked.
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
    /// Returns the terms that a passage contains.
    #[inline]
    pub(crate) fn once(&self, passage: u32) -> u8 {
        self.once.get(passage as usize + MARGIN).copied().unwrap_or(0)
    }

    /// Returns the terms that a passage contains more than once.
    #[inline]
    pub(crate) fn many(&self, passage: u32) -> u8 {
        self.many.get(passage as usize + MARGIN).copied().unwrap_or(0)
    }

    /// Returns the terms that at least one of these passages contains more than once.
    #[inline]
    pub(crate) fn many_of(&self, places: [Option<u32>; 4]) -> u8 {
        places.into_iter().flatten().fold(0, |many, place| many | self.many(place))
    }

    /// True if a passage of a block, or of its surroundings, contains a term more than once.
    #[inline]
    pub(crate) fn repeats_around(&self, start: usize) -> bool {
        let around: Option<&[u8; AROUND]> =
            self.many.get(start + MARGIN - 2..).and_then(|rest| rest.first_chunk());
        around.is_none_or(|around| around.iter().fold(0, |any, marks| any | marks) != 0)
    }

    /// Returns the terms of a block of passages.
    #[inline]
    pub(crate) fn block(&self, start: usize) -> Option<&[u8; BLOCK]> {
        self.once.get(start + MARGIN..)?.first_chunk()
    }

    /// Returns the terms of a block, the two passages before it and the one after it.
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
