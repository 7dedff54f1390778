//! What one store has not yet: segments that are tried again, then what runs of before left in the spool, then messages that were never
//! sent. Bounded; pure.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::leftover::Leftover;
use super::segment::Segment;
use crate::agent::batch::SequencedMessage;
use crate::agent::limits::{BATCH_BYTES_MAX, BATCH_MESSAGES_MAX, BUFFERED_BYTES_MAX, BUFFERED_MESSAGES_MAX};

/// The queue of a store.
#[derive(Default)]
pub(super) struct Queue {
    segments: VecDeque<Segment>,
    segments_held: Held,
    /// What runs of before left: it lies in the spool until it is its turn.
    leftovers: VecDeque<Leftover>,
    leftover_messages: usize,
    /// Room that is kept free for one of them, whichever is the largest.
    reserved: Held,
    buffer: VecDeque<Arc<SequencedMessage>>,
    buffer_held: Held,
    in_flight: Option<Segment>,
    /// What is refused and could not be put into quarantine: it comes again when everything else is through.
    kept_back: Vec<Segment>,
    /// The next number that is taken into memory: what is below was, or was dropped.
    next: u64,
    /// Messages that lie in the spool alone.
    spilled: usize,
    /// All of them have numbers below this one.
    spilled_end: u64,
}

/// Messages that are to be read from the spool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Between which numbers they are.
    pub(super) range: Range<u64>,
    /// How many.
    messages: usize,
}

/// Messages and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Held {
    messages: usize,
    bytes: usize,
}

/// What became of a message that was said.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pushed {
    /// It waits, or was there already.
    Kept,
    /// It waits in the spool.
    Spilled,
    /// There was no room: the message of this number is lost to this store.
    Dropped(u64),
}

impl Held {
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
    /// Messages that are not stored.
    pub(super) fn unsaved(&self) -> usize {
        self.held().messages + self.leftover_messages + self.spilled
    }

    /// Messages that are held in memory.
    #[cfg(test)]
    pub(super) fn in_memory(&self) -> usize {
        self.held().messages
    }

    /// A message was said. Where memory is full it stays in the spool, if there is one.
    pub(super) fn push(&mut self, message: Arc<SequencedMessage>, has_spool: bool) -> Pushed {
        if message.sequence < self.next {
            return Pushed::Kept; // Read from the spool meanwhile.
        }
        if self.spilled > 0 && !has_spool {
            return Pushed::Dropped(message.sequence); // Those before it are not in memory, and it cannot go behind them.
        }
        if has_spool && (self.spilled > 0 || !self.has_room(&message)) {
            self.spilled += 1;
            self.spilled_end = message.sequence + 1;
            return Pushed::Spilled;
        }
        self.next = message.sequence + 1;
        let mut dropped = None;
        while !self.has_room(&message) {
            let Some(oldest) = self.buffer.pop_front() else { return Pushed::Dropped(message.sequence) };
            self.buffer_held.remove(held(&oldest));
            dropped = Some(oldest.sequence);
        }
        self.buffer_held.add(held(&message));
        self.buffer.push_back(message);
        dropped.map_or(Pushed::Kept, Pushed::Dropped)
    }

    /// A run of before left this, behind what others of before left.
    pub(super) fn left(&mut self, leftover: Leftover) {
        let (messages, bytes) = (leftover.sequences.len(), leftover.bytes);
        self.leftover_messages += messages;
        self.reserved.messages = self.reserved.messages.max(messages);
        self.reserved.bytes = self.reserved.bytes.max(bytes);
        self.leftovers.push_back(leftover);
    }

    /// The piece of before that has to be read from the spool; `None` while there is something to be sent before it.
    pub(super) fn wants_leftover(&self) -> Option<&Leftover> {
        self.leftovers.front().filter(|_| self.segments.is_empty())
    }

    /// What the spool had of that piece. The answer is how many messages it has lost.
    pub(super) fn read_back(&mut self, segment: Segment) -> usize {
        let Some(leftover) = self.leftovers.pop_front() else { return 0 };
        self.leftover_messages = self.leftover_messages.saturating_sub(leftover.sequences.len());
        if self.leftovers.is_empty() {
            self.reserved = Held::default();
        }
        let lost = leftover.sequences.len().saturating_sub(segment.batch.messages.len());
        if !segment.batch.messages.is_empty() || segment.entries.is_some() {
            self.append(segment);
        }
        lost
    }

    /// What has to be read from the spool; `None` while memory has something, or the spool has not.
    pub(super) fn wants(&self) -> Option<Wanted> {
        let is_wanted = self.spilled > 0
            && self.buffer.is_empty()
            && self.segments.is_empty()
            && self.leftovers.is_empty();
        is_wanted.then_some(Wanted { range: self.next..self.spilled_end, messages: self.spilled })
    }

    /// What the spool had; `more` of it is left there. More may have been said since it was asked. The answer is how many it has lost.
    pub(super) fn refill(&mut self, wanted: Wanted, found: Vec<Arc<SequencedMessage>>, more: bool) -> usize {
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

    /// What is sent next. It is in flight until [`Queue::landed`].
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

    /// The segment in flight was answered; what comes again goes before everything else.
    pub(super) fn landed(&mut self, again: Vec<Segment>) {
        self.in_flight = None;
        for segment in again.into_iter().rev() {
            self.segments_held.add(size(&segment));
            self.segments.push_front(segment);
        }
    }

    /// Nobody knows what became of the segment in flight: it comes again as it was.
    pub(super) fn interrupted(&mut self) {
        let again = self.in_flight.take();
        self.landed(again.into_iter().collect());
    }

    /// Keeps segments until everything else is through.
    pub(super) fn keep_back(&mut self, segments: Vec<Segment>) {
        for segment in segments {
            self.segments_held.add(size(&segment));
            self.kept_back.push(segment);
        }
    }

    /// Everything else is through. False: nothing was kept back.
    pub(super) fn bring_back(&mut self) -> bool {
        let has_some = !self.kept_back.is_empty();
        self.segments.extend(self.kept_back.drain(..));
        has_some
    }

    /// A segment of before, behind others of before.
    pub(super) fn append(&mut self, segment: Segment) {
        self.segments_held.add(size(&segment));
        self.segments.push_back(segment);
    }

    /// Whether an item of the quarantine is on its way.
    pub(super) fn has_quarantined(&self, key: &str) -> bool {
        self.segments.iter().any(|segment| segment.quarantined_as.as_deref() == Some(key))
    }

    fn held(&self) -> Held {
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

fn held(message: &SequencedMessage) -> Held {
    Held { messages: 1, bytes: message.message.bytes() }
}

fn size(segment: &Segment) -> Held {
    Held { messages: segment.batch.messages.len(), bytes: segment.bytes() }
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
            assert_eq!(queue.push(said(sequence, 1), false), Pushed::Kept);
        }
        assert_eq!(queue.push(said(max, 1), false), Pushed::Dropped(0));
        assert_eq!(queue.unsaved(), BUFFERED_MESSAGES_MAX);
        // By bytes, too; and what is larger than everything goes alone.
        let mut queue = Queue::default();
        queue.push(said(0, 40 << 20), false);
        assert_eq!(queue.push(said(1, 40 << 20), false), Pushed::Dropped(0));
        assert_eq!(queue.push(said(2, 80 << 20), false), Pushed::Dropped(1));
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
        assert_eq!(wanted, Wanted { range: max..max + 3, messages: 3 });
        // One is said while the spool is read, and one is not there.
        assert_eq!(queue.push(said(max + 3, 1), true), Pushed::Spilled);
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
        // 34 MiB are free beside the larger piece, whose messages are counted and not in memory.
        assert_eq!(queue.push(said(0, 30 << 20), true), Pushed::Kept);
        assert_eq!(queue.push(said(1, 5 << 20), true), Pushed::Spilled);
        assert_eq!((queue.in_memory(), queue.unsaved()), (1, 5));
        // One of the first piece is not there any more.
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
