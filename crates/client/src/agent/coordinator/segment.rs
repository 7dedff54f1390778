//! A segment: messages that are sent together and stay together. A retry sends the same messages,
//! and so has the same token.

use std::sync::Arc;

use crate::agent::batch::{MessageBatch, SequencedMessage};
use crate::agent::entry::NewEntry;
use crate::agent::limits::{MALFORMED_RETRIES, UNCLASSIFIED_TRIES};

/// Messages of one run that are sent to a store together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Segment {
    pub(super) batch: MessageBatch,
    /// The entries that an extractor made from the messages and that are not stored yet. `None`
    /// before the extraction.
    pub(super) entries: Option<Vec<NewEntry>>,
    /// The number of unclassified errors of this segment so far.
    pub(super) unclassified: u32,
    /// The number of malformed answers of the extractor for this segment so far.
    pub(super) malformed: u32,
    /// True if the store's filter has not seen the messages yet.
    pub(super) unfiltered: bool,
    /// The key of the quarantined item that this segment retries. `None` for other segments.
    pub(super) quarantined_as: Option<String>,
}

impl Segment {
    pub(super) fn new(run_id: Arc<str>, messages: Vec<Arc<SequencedMessage>>) -> Self {
        let batch = MessageBatch { run_id, messages };
        Self { batch, entries: None, unclassified: 0, malformed: 0, unfiltered: false, quarantined_as: None }
    }

    pub(super) fn sequences(&self) -> Vec<u64> {
        self.batch.messages.iter().map(|message| message.sequence).collect()
    }

    pub(super) fn bytes(&self) -> usize {
        self.batch.messages.iter().map(|message| message.message.bytes()).sum()
    }

    /// Returns a new segment with a part of the messages.
    pub(super) fn part(&self, messages: Vec<Arc<SequencedMessage>>) -> Self {
        Self {
            quarantined_as: self.quarantined_as.clone(),
            unfiltered: self.unfiltered,
            ..Self::new(Arc::clone(&self.batch.run_id), messages)
        }
    }

    /// Returns the segment with all its retries used: the next error rejects it.
    pub(super) fn exhausted(self) -> Self {
        Self { unclassified: UNCLASSIFIED_TRIES, malformed: MALFORMED_RETRIES, ..self }
    }

    /// Returns the two halves of the segment. The first keeps the error counts.
    pub(super) fn halves(&self) -> [Self; 2] {
        let (first, second) = self.batch.messages.split_at(self.batch.messages.len() / 2);
        let first = Self { unclassified: self.unclassified, ..self.part(first.to_vec()) };
        [first, self.part(second.to_vec())]
    }
}

/// Returns the groups of adjacent elements of `all` that `is_in` accepts.
pub(super) fn runs<T: Clone>(all: &[T], is_in: impl Fn(&T) -> bool) -> Vec<Vec<T>> {
    all.chunk_by(|one, next| is_in(one) && is_in(next))
        .filter(|run| run.first().is_some_and(&is_in))
        .map(<[T]>::to_vec)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_neighbours() {
        let check = |is_in: &[u64], expect: &[&[u64]]| {
            assert_eq!(runs(&[0, 1, 4, 5, 9], |one| is_in.contains(one)), expect);
        };
        check(&[], &[]);
        check(&[0, 1, 4, 5, 9], &[&[0, 1, 4, 5, 9]]);
        check(&[0, 4, 5], &[&[0], &[4, 5]]);
        check(&[1, 4, 9], &[&[1, 4], &[9]]);
    }
}
