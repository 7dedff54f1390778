//! Which passages hold a term, and how often. Passages that are gone stay listed until a compaction; their columns
//! have no neighbours and no scope holds them, so that they change no answer.

use crate::columns::NONE;

/// The passages of one term, ascending.
#[derive(Debug, Default, Clone)]
pub(crate) struct Postings {
    passages: Vec<u32>,
    counts: Vec<u16>,
    /// Passages held now.
    pub(crate) live: u32,
    /// Active ones among them: the df of the whole memory.
    pub(crate) active: u32,
}

impl Postings {
    /// Lists a passage.
    pub(crate) fn push(&mut self, passage: u32, count: u32) {
        self.passages.push(passage);
        self.counts.push(u16::try_from(count).unwrap_or(u16::MAX));
    }

    /// Passages listed, those that are gone included.
    pub(crate) fn len(&self) -> usize {
        self.passages.len()
    }

    /// Passages and counts.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u16)> + '_ {
        self.passages.iter().copied().zip(self.counts.iter().copied())
    }

    /// The same numbers and no passages.
    pub(crate) fn without_passages(&self) -> Self {
        Self { passages: Vec::new(), counts: Vec::new(), ..*self }
    }

    /// Keeps and renames.
    pub(crate) fn compact(&mut self, renamed: &[u32]) {
        let new = |old: u32| renamed.get(old as usize).copied().unwrap_or(NONE);
        let mut to = 0;
        for from in 0..self.passages.len() {
            let passage = new(self.passages[from]);
            if passage != NONE {
                self.passages[to] = passage;
                self.counts[to] = self.counts[from];
                to += 1;
            }
        }
        self.passages.truncate(to);
        self.counts.truncate(to);
        self.passages.shrink_to(to + to / 4);
        self.counts.shrink_to(to + to / 4);
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.passages.len() * 6
    }
}

/// Calls `each` with every distinct number of both slices and how often it occurs, ascending.
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
}
