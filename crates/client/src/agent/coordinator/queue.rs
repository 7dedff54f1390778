//! The queue of a store's unsaved messages. First come segments to retry, then messages of
//! earlier runs in the spool, then messages that were never sent. The queue is bounded and does no
//! input or output.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::segment::Segment;
use super::unsent_messages::Leftover;
use crate::agent::batch::SequencedMessage;
use crate::agent::limits::{BATCH_BYTES_MAX, BATCH_MESSAGES_MAX, BUFFERED_BYTES_MAX, BUFFERED_MESSAGES_MAX};

/// A queue of the messages that one store has not saved.
#[derive(Default)]
pub(super) struct Queue {
    segments: VecDeque<Segment>,
    segments_held: QueuedAmount,
    /// The messages that earlier runs left, as references to the spool. They are read when they are
    /// due.
    leftovers: VecDeque<Leftover>,
    leftover_messages: usize,
    /// The amount of memory reserved for the largest leftover.
    reserved: QueuedAmount,
    buffer: VecDeque<Arc<SequencedMessage>>,
    buffer_held: QueuedAmount,
    in_flight: Option<Segment>,
    /// Rejected segments that could not be written to the quarantine. They are sent again after all
    /// others.
    kept_back: Vec<Segment>,
    /// The next sequence number to take into memory. Messages with lower numbers were in memory or
    /// were dropped.
    next: u64,
    /// The number of messages that are only in the spool, because memory is full.
    spilled: usize,
    /// The end of the range of sequence numbers that are only in the spool, exclusive.
    spilled_end: u64,
}

/// A request to read messages from the spool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpoolRead {
    /// The range of the sequence numbers to read.
    pub(super) range: Range<u64>,
    /// The number of messages in the range.
    messages: usize,
}

/// An amount of messages: their number and their size in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct QueuedAmount {
    messages: usize,
    bytes: usize,
}

/// The outcome of adding a message to the queue.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PushOutcome {
    /// The message is in memory.
    Kept,
    /// The message is only in the spool, because memory is full.
    Spilled,
    /// Memory is full and there is no spool: the message with this sequence number is lost for the
    /// store.
    Dropped(u64),
}

impl QueuedAmount {
    fn add(&mut self, other: Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
    }

    fn remove(&mut self, other: Self) {
        self.messages = self.messages.saturating_sub(other.messages);
        self.bytes = self.bytes.saturating_sub(other.bytes);
    }
}

impl Queue {
    /// Returns the number of messages that are not stored.
    pub(super) fn unsaved(&self) -> usize {
        self.held().messages + self.leftover_messages + self.spilled
    }

    /// Returns the number of messages in memory.
    #[cfg(test)]
    pub(super) fn in_memory(&self) -> usize {
        self.held().messages
    }

    /// Adds a message. If memory is full, the message stays in the spool, or is dropped without a
    /// spool.
    pub(super) fn push(&mut self, message: Arc<SequencedMessage>, has_spool: bool) -> PushOutcome {
        if message.sequence < self.next {
            return PushOutcome::Kept; // Read from the spool meanwhile.
        }
        if self.spilled > 0 && !has_spool {
            // Those before it are not in memory, and it cannot go behind them.
            return PushOutcome::Dropped(message.sequence);
        }
        if has_spool && (self.spilled > 0 || !self.has_room(&message)) {
            self.spilled += 1;
            self.spilled_end = message.sequence + 1;
            return PushOutcome::Spilled;
        }
        self.next = message.sequence + 1;
        let mut dropped = None;
        while !self.has_room(&message) {
            let Some(oldest) = self.buffer.pop_front() else { return PushOutcome::Dropped(message.sequence) };
            self.buffer_held.remove(held(&oldest));
            dropped = Some(oldest.sequence);
        }
        self.buffer_held.add(held(&message));
        self.buffer.push_back(message);
        dropped.map_or(PushOutcome::Kept, PushOutcome::Dropped)
    }

    /// Adds a leftover of an earlier run behind those already queued.
    pub(super) fn left(&mut self, leftover: Leftover) {
        let (messages, bytes) = (leftover.sequences.len(), leftover.bytes);
        self.leftover_messages += messages;
        self.reserved.messages = self.reserved.messages.max(messages);
        self.reserved.bytes = self.reserved.bytes.max(bytes);
        self.leftovers.push_back(leftover);
    }

    /// Returns the leftover to read from the spool now. `None` if there is none, or segments must
    /// be sent before it.
    pub(super) fn wants_leftover(&self) -> Option<&Leftover> {
        self.leftovers.front().filter(|_| self.segments.is_empty())
    }

    /// Adds the segment that was read for the current leftover. Returns the number of its messages
    /// that are lost.
    pub(super) fn read_back(&mut self, segment: Segment) -> usize {
        let Some(leftover) = self.leftovers.pop_front() else { return 0 };
        self.leftover_messages = self.leftover_messages.saturating_sub(leftover.sequences.len());
        if self.leftovers.is_empty() {
            self.reserved = QueuedAmount::default();
        }
        let lost = leftover.sequences.len().saturating_sub(segment.batch.messages.len());
        if !segment.batch.messages.is_empty() || segment.entries.is_some() {
            self.append(segment);
        }
        lost
    }

    /// Returns the range of messages to read from the spool now. `None` if memory still has some,
    /// or the spool has none.
    pub(super) fn wants(&self) -> Option<SpoolRead> {
        let is_wanted = self.spilled > 0
            && self.buffer.is_empty()
            && self.segments.is_empty()
            && self.leftovers.is_empty();
        is_wanted.then_some(SpoolRead { range: self.next..self.spilled_end, messages: self.spilled })
    }

    /// Adds messages that were read from the spool. `more` is true if the spool contains further
    /// messages of the range. Messages recorded after the range was computed stay in the spool.
    /// Returns the number of lost messages.
    pub(super) fn refill(
        &mut self,
        wanted: SpoolRead,
        found: Vec<Arc<SequencedMessage>>,
        more: bool,
    ) -> usize {
        let gone = if more { found.len() } else { wanted.messages };
        let lost = gone.saturating_sub(found.len());
        self.spilled = self.spilled.saturating_sub(gone);
        for message in found {
            self.next = message.sequence + 1;
            self.buffer_held.add(held(&message));
            self.buffer.push_back(message);
        }
        if !more {
            self.next = wanted.range.end;
        }
        lost
    }

    /// Returns the next segment to send. The queue remembers it as being sent until
    /// [`Queue::landed`].
    pub(super) fn take(&mut self, run_id: &Arc<str>) -> Option<Segment> {
        let segment = match self.segments.pop_front() {
            Some(segment) => {
                self.segments_held.remove(size(&segment));
                Some(segment)
            }
            None => self.take_new(run_id),
        };
        self.in_flight.clone_from(&segment);
        segment
    }

    fn take_new(&mut self, run_id: &Arc<str>) -> Option<Segment> {
        let (mut messages, mut bytes) = (Vec::new(), 0);
        while let Some(next) = self.buffer.front() {
            bytes += next.message.bytes();
            let full = messages.len() >= BATCH_MESSAGES_MAX || bytes > BATCH_BYTES_MAX;
            if full && !messages.is_empty() {
                break;
            }
            let Some(next) = self.buffer.pop_front() else { break };
            self.buffer_held.remove(held(&next));
            messages.push(next);
        }
        let segment = || Segment { unfiltered: true, ..Segment::new(Arc::clone(run_id), messages) };
        (bytes > 0).then(segment)
    }

    /// Ends the sending of the current segment. The segments in `again` are sent next.
    pub(super) fn landed(&mut self, again: Vec<Segment>) {
        self.in_flight = None;
        for segment in again.into_iter().rev() {
            self.segments_held.add(size(&segment));
            self.segments.push_front(segment);
        }
    }

    /// Queues the segment that was being sent again, because its outcome is unknown.
    pub(super) fn interrupted(&mut self) {
        let again = self.in_flight.take();
        self.landed(again.into_iter().collect());
    }

    /// Keeps rejected segments until all others are sent.
    pub(super) fn keep_back(&mut self, segments: Vec<Segment>) {
        for segment in segments {
            self.segments_held.add(size(&segment));
            self.kept_back.push(segment);
        }
    }

    /// Queues the segments that were kept back. Returns false if there were none.
    pub(super) fn bring_back(&mut self) -> bool {
        let has_some = !self.kept_back.is_empty();
        self.segments.extend(self.kept_back.drain(..));
        has_some
    }

    /// Adds a segment behind the segments that are already queued.
    pub(super) fn append(&mut self, segment: Segment) {
        self.segments_held.add(size(&segment));
        self.segments.push_back(segment);
    }

    /// Returns true if the quarantined item with this key is queued for a retry.
    pub(super) fn has_quarantined(&self, key: &str) -> bool {
        self.segments.iter().any(|segment| segment.quarantined_as.as_deref() == Some(key))
    }

    fn held(&self) -> QueuedAmount {
        let mut all = self.segments_held;
        all.add(self.buffer_held);
        all.add(self.in_flight.as_ref().map(size).unwrap_or_default());
        all
    }

    fn has_room(&self, message: &SequencedMessage) -> bool {
        let mut now = self.held();
        now.add(self.reserved);
        let bytes = now.bytes + message.message.bytes();
        now.messages < BUFFERED_MESSAGES_MAX && (bytes <= BUFFERED_BYTES_MAX || now.messages == 0)
    }
}

fn held(message: &SequencedMessage) -> QueuedAmount {
    QueuedAmount { messages: 1, bytes: message.message.bytes() }
}

fn size(segment: &Segment) -> QueuedAmount {
    QueuedAmount { messages: segment.batch.messages.len(), bytes: segment.bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::message::Message;

    fn said(sequence: u64, bytes: usize) -> Arc<SequencedMessage> {
        Arc::new(SequencedMessage { sequence, message: Message::user("x".repeat(bytes)) })
    }

    #[test]
    fn without_a_spool_the_oldest_is_dropped_at_the_limit_plus_one() {
        let mut queue = Queue::default();
        let max = u64::try_from(BUFFERED_MESSAGES_MAX).unwrap();
        for sequence in 0..max {
            assert_eq!(queue.push(said(sequence, 1), false), PushOutcome::Kept);
        }
        assert_eq!(queue.push(said(max, 1), false), PushOutcome::Dropped(0));
        assert_eq!(queue.unsaved(), BUFFERED_MESSAGES_MAX);
        // The limit also holds for bytes. A message above the limit is accepted alone.
        let mut queue = Queue::default();
        queue.push(said(0, 40 << 20), false);
        assert_eq!(queue.push(said(1, 40 << 20), false), PushOutcome::Dropped(0));
        assert_eq!(queue.push(said(2, 80 << 20), false), PushOutcome::Dropped(1));
        assert_eq!(queue.unsaved(), 1);
    }

    #[test]
    fn with_a_spool_the_newest_stay_there_until_memory_is_empty() {
        let mut queue = Queue::default();
        let run: Arc<str> = "run".into();
        let max = u64::try_from(BUFFERED_MESSAGES_MAX).unwrap();
        for sequence in 0..max + 3 {
            queue.push(said(sequence, 1), true);
        }
        assert_eq!((queue.in_memory(), queue.unsaved()), (BUFFERED_MESSAGES_MAX, BUFFERED_MESSAGES_MAX + 3));
        assert_eq!(queue.wants(), None);
        while queue.take(&run).is_some() {
            queue.landed(Vec::new());
        }
        let wanted = queue.wants().unwrap();
        assert_eq!(wanted, SpoolRead { range: max..max + 3, messages: 3 });
        // One message is recorded while the spool is read, and one is missing there.
        assert_eq!(queue.push(said(max + 3, 1), true), PushOutcome::Spilled);
        let found = [max, max + 2].map(|sequence| said(sequence, 1)).to_vec();
        assert_eq!(queue.refill(wanted, found, false), 1);
        assert_eq!((queue.in_memory(), queue.unsaved()), (2, 3));
        while queue.take(&run).is_some() {
            queue.landed(Vec::new());
        }
        assert_eq!(queue.wants().unwrap().range, max + 3..max + 4);
    }

    #[test]
    fn what_runs_of_before_left_goes_first_and_has_its_room() {
        let left = |sequences: std::ops::Range<u64>, bytes: usize| Leftover {
            run_id: "old".into(),
            sequences: sequences.collect(),
            at_bytes: 0,
            bytes,
            entries_at_bytes: None,
        };
        let (mut queue, run): (Queue, Arc<str>) = (Queue::default(), "run".into());
        queue.left(left(0..2, 30 << 20));
        queue.left(left(2..3, 1));
        // 34 MiB are free next to the larger leftover, whose messages count but are not in memory.
        assert_eq!(queue.push(said(0, 30 << 20), true), PushOutcome::Kept);
        assert_eq!(queue.push(said(1, 5 << 20), true), PushOutcome::Spilled);
        assert_eq!((queue.in_memory(), queue.unsaved()), (1, 5));
        // One message of the first leftover is missing.
        let read =
            |of: &[u64]| Segment::new("old".into(), of.iter().map(|sequence| said(*sequence, 1)).collect());
        assert_eq!(queue.wants(), None);
        assert_eq!(queue.wants_leftover().unwrap().sequences, [0, 1]);
        assert_eq!(queue.read_back(read(&[1])), 1);
        assert_eq!(queue.wants_leftover(), None, "it is sent before the next is read");
        let mut sent = Vec::new();
        while let Some(segment) = queue.take(&run) {
            sent.push((segment.batch.run_id.to_string(), segment.sequences()));
            queue.landed(Vec::new());
            if queue.wants_leftover().is_some() {
                assert_eq!(queue.read_back(read(&[2])), 0);
            }
        }
        let expect = [("old", vec![1]), ("old", vec![2]), ("run", vec![0])];
        assert_eq!(sent, expect.map(|(run, sequences)| (run.to_owned(), sequences)));
        assert_eq!(queue.wants().unwrap().range, 1..2);
    }
}
