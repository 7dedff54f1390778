//! Postings: the passages that contain a term, with counts. Removed passages stay listed until a
//! compaction. They have no neighbours and belong to no scope, so they change no result.
//!
//! Most terms are in one passage, and most passages contain a term once. The first passage is in
//! the row, the others are distances with seven bits per byte, and counts are stored only for
//! passages that contain the term more than once.

use crate::columns::NONE;

/// The minimum growth of a list, in bytes.
const GROWTH_MIN: usize = 8;

/// The passages that contain a term, ascending.
#[derive(Debug, Default, Clone)]
pub(crate) struct Postings {
    first: u32,
    last: u32,
    len: u32,
    /// The used bytes of `distances`.
    used: u32,
    distances: Box<[u8]>,
    repeats: Option<Box<Repeats>>,
    /// The number of current passages that contain the term.
    pub(crate) live: u32,
    /// The number of passages of active records that contain the term: its document frequency in
    /// the whole memory.
    pub(crate) active: u32,
}

/// Passages that contain the term more than once, ascending, with counts.
#[derive(Debug, Default, Clone)]
struct Repeats(Vec<(u32, u16)>);

impl Postings {
    /// Adds a passage with a higher number than all before.
    pub(crate) fn push(&mut self, passage: u32, count: u32) {
        if self.len == 0 {
            self.first = passage;
        } else {
            self.push_distance(passage.saturating_sub(self.last));
        }
        self.last = passage;
        self.len += 1;
        if count > 1 {
            let repeats = &mut self.repeats.get_or_insert_default().0;
            if repeats.len() == repeats.capacity() {
                repeats.reserve_exact(1 + repeats.len() / 4);
            }
            repeats.push((passage, u16::try_from(count).unwrap_or(u16::MAX)));
        }
    }

    /// Returns the postings of ascending passages with counts. All of them are current.
    pub(crate) fn of(list: &[(u32, u16)], is_active: impl Fn(u32) -> bool) -> Self {
        let Some(((first, _), rest)) = list.split_first() else { return Self::default() };
        let mut last = *first;
        let mut distances = Vec::new();
        for (passage, _) in rest {
            let mut distance = passage.saturating_sub(last);
            last = *passage;
            while distance >= 0x80 {
                distances.push(distance as u8 | 0x80);
                distance >>= 7;
            }
            distances.push(distance as u8);
        }
        let repeats: Vec<(u32, u16)> = list.iter().copied().filter(|(_, count)| *count > 1).collect();
        Self {
            first: *first,
            last,
            len: list.len() as u32,
            used: distances.len() as u32,
            distances: distances.into(),
            repeats: (!repeats.is_empty()).then(|| Box::new(Repeats(repeats))),
            live: list.len() as u32,
            active: list.iter().filter(|(passage, _)| is_active(*passage)).count() as u32,
        }
    }

    /// Returns the number of listed passages, including removed ones.
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// Calls `each` with every passage, ascending.
    #[inline]
    pub(crate) fn for_each(&self, mut each: impl FnMut(u32)) {
        if self.len == 0 {
            return;
        }
        let mut passage = self.first;
        each(passage);
        let mut bytes = self.bytes_in_use().iter();
        while let Some(distance) = next_distance(&mut bytes) {
            passage = passage.wrapping_add(distance);
            each(passage);
        }
    }

    /// Returns the passages that contain the term more than once, ascending, with counts.
    pub(crate) fn repeats(&self) -> &[(u32, u16)] {
        self.repeats.as_deref().map_or(&[], |repeats| &repeats.0)
    }

    /// Returns the passages that contain the term, with counts.
    pub(crate) fn count_of(&self, passage: u32) -> u32 {
        let repeats = self.repeats();
        let found = repeats.binary_search_by_key(&passage, |(other, _)| *other).ok();
        found.and_then(|at| repeats.get(at)).map_or(1, |(_, count)| u32::from(*count))
    }

    /// Returns passages and counts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u16)> + '_ {
        let (mut bytes, mut repeats) = (self.bytes_in_use().iter(), self.repeats().iter().peekable());
        let mut next = (self.len > 0).then_some(self.first);
        std::iter::from_fn(move || {
            let passage = next?;
            next = next_distance(&mut bytes).map(|distance| passage.wrapping_add(distance));
            let repeated = repeats.next_if(|(other, _)| *other == passage);
            Some((passage, repeated.map_or(1, |(_, count)| *count)))
        })
    }

    /// Returns postings with the same totals and without passages.
    pub(crate) fn without_passages(&self) -> Self {
        Self { live: self.live, active: self.active, ..Self::default() }
    }

    /// Removes passages that a compaction removed, and renumbers the others, which keep their
    /// order.
    pub(crate) fn compact(&mut self, renamed: &[u32]) {
        let mut kept = self.without_passages();
        for (passage, count) in self.iter() {
            let passage = renamed.get(passage as usize).copied().unwrap_or(NONE);
            if passage != NONE {
                kept.push(passage, u32::from(count));
            }
        }
        *self = kept;
    }

    /// Returns the memory use in bytes outside of this value, including the overhead of the
    /// allocator.
    pub(crate) fn bytes_beside(&self) -> usize {
        let repeats =
            self.repeats.as_ref().map_or(0, |repeats| 48 + repeats.0.capacity() * size_of::<(u32, u16)>());
        let distances = if self.distances.is_empty() { 0 } else { self.distances.len() + 16 };
        distances + repeats
    }

    fn bytes_in_use(&self) -> &[u8] {
        self.distances.get(..self.used as usize).unwrap_or_default()
    }

    fn push_distance(&mut self, mut distance: u32) {
        while distance >= 0x80 {
            self.push_byte(distance as u8 | 0x80);
            distance >>= 7;
        }
        self.push_byte(distance as u8);
    }

    fn push_byte(&mut self, byte: u8) {
        let used = self.used as usize;
        if used == self.distances.len() {
            let mut grown = std::mem::take(&mut self.distances).into_vec();
            grown.reserve_exact(GROWTH_MIN.max(used / 8));
            grown.resize(grown.capacity(), 0);
            self.distances = grown.into_boxed_slice();
        }
        if let Some(slot) = self.distances.get_mut(used) {
            *slot = byte;
            self.used += 1;
        }
    }
}

/// Returns the next number with seven bits per byte, lowest first. A set top bit means that more
/// bytes follow.
#[inline]
fn next_distance(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u32> {
    let byte = u32::from(*bytes.next()?);
    if byte < 0x80 {
        return Some(byte);
    }
    let (mut distance, mut shift) = (byte & 0x7f, 7);
    loop {
        let byte = u32::from(*bytes.next()?);
        distance |= (byte & 0x7f) << shift;
        if byte < 0x80 || shift >= 28 {
            return Some(distance);
        }
        shift += 7;
    }
}

/// Calls `each` with every distinct number of both slices and its count, ascending.
pub(crate) fn for_each_distinct(slices: (&[u32], &[u32]), mut each: impl FnMut(u32, u32)) {
    let mut sorted = Vec::with_capacity(slices.0.len() + slices.1.len());
    sorted.extend_from_slice(slices.0);
    sorted.extend_from_slice(slices.1);
    sorted.sort_unstable();
    for run in sorted.chunk_by(|a, b| a == b) {
        if let Some(term) = run.first() {
            each(*term, run.len() as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn compaction_keeps_counts_with_their_passages() {
        let mut postings = Postings::default();
        for (passage, count) in [(0, 1), (2, 70_000), (3, 3)] {
            postings.push(passage, count);
        }
        postings.compact(&[NONE, NONE, 0, 1]);
        assert_eq!(postings.iter().collect::<Vec<_>>(), [(0, u16::MAX), (1, 3)]);
    }

    #[test]
    fn distinct_terms_are_counted_over_both_slices() {
        let mut seen = Vec::new();
        for_each_distinct((&[3, 1, 3], &[1, 2]), |term, count| seen.push((term, count)));
        assert_eq!(seen, [(1, 2), (2, 1), (3, 2)]);
    }

    proptest! {
        #[test]
        fn every_passage_comes_back(
            steps in proptest::collection::vec((prop_oneof![1u32..200, 1u32..40_000_000], 1u32..4), 0..90),
        ) {
            let (mut postings, mut passage, mut listed) = (Postings::default(), 0u32, Vec::new());
            for (step, count) in steps {
                passage += step - u32::from(listed.is_empty());
                postings.push(passage, count);
                listed.push((passage, count as u16));
            }
            prop_assert_eq!(postings.iter().collect::<Vec<_>>(), &*listed);
            let mut seen = Vec::new();
            postings.for_each(|passage| seen.push((passage, postings.count_of(passage) as u16)));
            prop_assert_eq!(&seen, &listed);
            prop_assert_eq!(postings.len(), listed.len());
            prop_assert!(postings.bytes_beside() >= listed.len().saturating_sub(1));
        }
    }
}
