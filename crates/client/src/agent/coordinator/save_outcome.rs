//! The effect of a store's answer on each message: done, sent again or rejected. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::extractor::ExtractError;
use super::quarantine::QuarantinedContent;
use super::segment::Segment;
use crate::agent::batch::{BatchOutcome, SequencedMessage};
use crate::agent::entry::NewEntry;
use crate::agent::error::{ErrorClass, StoreError};
use crate::agent::limits::{MALFORMED_RETRIES, UNCLASSIFIED_TRIES};

/// The outcome of sending a segment.
#[derive(Debug, Default)]
pub(super) struct SegmentOutcome {
    /// The sequence numbers of the messages that need no further work.
    pub(super) done: Vec<u64>,
    /// The number of messages that the store has stored.
    pub(super) stored: usize,
    /// The messages or entries to quarantine, each with its error.
    pub(super) refused: Vec<(QuarantinedContent, StoreError)>,
    /// The segments to send again, in this order.
    pub(super) again: Vec<Segment>,
    /// The error after which the store waits before its next save. `None` if it need not wait.
    pub(super) failed: Option<StoreError>,
}

/// Returns the outcome of a segment from the store's answer to its messages.
pub(super) fn messages_sent(segment: Segment, answer: Result<BatchOutcome, StoreError>) -> SegmentOutcome {
    match answer {
        Err(error) => whole_failed(segment, error),
        Ok(outcome) => each_answered(segment, outcome),
    }
}

/// Returns the outcome of a segment whose extraction failed.
pub(super) fn extraction_failed(mut segment: Segment, error: ExtractError) -> SegmentOutcome {
    let error = match error {
        ExtractError::Failed(error) => return whole_failed(segment, error),
        ExtractError::Malformed(what) => StoreError::unclassified(what),
    };
    segment.malformed += 1;
    if segment.malformed > MALFORMED_RETRIES {
        return refused(&segment.batch.messages, &error);
    }
    SegmentOutcome { again: vec![segment], failed: Some(error), ..SegmentOutcome::default() }
}

/// Returns the outcome of a segment from the store's answers to its entries. Only the failed
/// entries are sent again.
pub(super) fn entries_sent(
    mut segment: Segment,
    answers: Vec<(NewEntry, Result<(), StoreError>)>,
) -> SegmentOutcome {
    let mut settled = SegmentOutcome::default();
    let (mut again, mut unclassified) = (Vec::new(), false);
    let exhausted = segment.unclassified >= UNCLASSIFIED_TRIES;
    for (entry, answer) in answers {
        let Err(error) = answer else { continue };
        if is_permanent(&error, exhausted) {
            settled.refused.push((QuarantinedContent::Entry(entry), error));
        } else {
            again.push(entry);
            unclassified |= error.class == ErrorClass::Unclassified;
            settled.failed.get_or_insert(error);
        }
    }
    if again.is_empty() {
        settled.done = segment.sequences();
        settled.stored = settled.done.len().max(1);
    } else {
        segment.unclassified += u32::from(unclassified);
        segment.entries = Some(again);
        settled.again.push(segment);
    }
    settled
}

fn whole_failed(mut segment: Segment, error: StoreError) -> SegmentOutcome {
    if !is_permanent(&error, segment.unclassified >= UNCLASSIFIED_TRIES) {
        if error.class == ErrorClass::Unclassified {
            segment.unclassified += 1;
        }
        return SegmentOutcome { again: vec![segment], failed: Some(error), ..SegmentOutcome::default() };
    }
    if segment.batch.messages.len() <= 1 {
        return refused(&segment.batch.messages, &error);
    }
    SegmentOutcome { again: segment.halves().to_vec(), ..SegmentOutcome::default() }
}

fn refused(messages: &[Arc<SequencedMessage>], error: &StoreError) -> SegmentOutcome {
    let item = |message: &Arc<SequencedMessage>| {
        (
            QuarantinedContent::Message { sequence: message.sequence, message: message.message.clone() },
            error.clone(),
        )
    };
    SegmentOutcome {
        done: messages.iter().map(|message| message.sequence).collect(),
        refused: messages.iter().map(item).collect(),
        ..SegmentOutcome::default()
    }
}

fn is_permanent(error: &StoreError, exhausted: bool) -> bool {
    match error.class {
        ErrorClass::Permanent => true,
        ErrorClass::Transient => false,
        ErrorClass::Unclassified => exhausted,
    }
}

fn each_answered(segment: Segment, outcome: BatchOutcome) -> SegmentOutcome {
    let exhausted = segment.unclassified >= UNCLASSIFIED_TRIES;
    let unnamed = StoreError::unclassified("the store does not say what became of it");
    let errors: BTreeMap<u64, StoreError> =
        outcome.unstored.into_iter().map(|unstored| (unstored.sequence, unstored.error)).collect();
    let mut settled = SegmentOutcome::default();
    let mut left: BTreeMap<u64, StoreError> = BTreeMap::new();
    for sequence in segment.sequences() {
        match errors.get(&sequence) {
            Some(error) => {
                left.insert(sequence, error.clone());
            }
            None if outcome.stored.contains(&sequence) => settled.done.push(sequence),
            None => {
                left.insert(sequence, unnamed.clone());
            }
        }
    }
    settled.stored = settled.done.len();
    let permanent = |message: &Arc<SequencedMessage>| {
        left.get(&message.sequence).is_some_and(|error| is_permanent(error, exhausted))
    };
    // Neighbours with the same outcome are repeated together. Their token must differ from that of
    // a range that contains other messages.
    let same_fate = |a: &Arc<SequencedMessage>, b: &Arc<SequencedMessage>| {
        left.contains_key(&a.sequence) == left.contains_key(&b.sequence) && permanent(a) == permanent(b)
    };
    for run in segment.batch.messages.chunk_by(same_fate) {
        let Some(error) = run.first().and_then(|first| left.get(&first.sequence)) else { continue };
        let mut part = segment.part(run.to_vec());
        if run.first().is_some_and(permanent) {
            let parted = whole_failed(part, StoreError { class: ErrorClass::Permanent, ..error.clone() });
            settled.done.extend(parted.done);
            settled.refused.extend(parted.refused);
            settled.again.extend(parted.again);
        } else {
            part.unclassified = segment.unclassified + u32::from(error.class == ErrorClass::Unclassified);
            settled.again.push(part);
            settled.failed.get_or_insert_with(|| error.clone());
        }
    }
    settled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::batch::Unstored;
    use crate::agent::message::Message;

    fn segment(of: &[u64]) -> Segment {
        let message =
            |sequence: &u64| Arc::new(SequencedMessage { sequence: *sequence, message: Message::user("x") });
        Segment::new("run".into(), of.iter().map(message).collect())
    }

    fn again(settled: &SegmentOutcome) -> Vec<Vec<u64>> {
        settled.again.iter().map(Segment::sequences).collect()
    }

    #[test]
    fn partial_answers_are_cut_into_neighbours() {
        let unstored = |sequence, error| Unstored { sequence, error };
        let outcome = BatchOutcome {
            stored: vec![1, 2, 6],
            unstored: vec![
                unstored(0, StoreError::transient("t")),
                unstored(3, StoreError::permanent("p")),
                unstored(4, StoreError::permanent("p")),
                unstored(5, StoreError::transient("t")),
                unstored(7, StoreError::permanent("p")),
            ],
            ..BatchOutcome::default()
        };
        let settled = messages_sent(segment(&[0, 1, 2, 3, 4, 5, 6, 7]), Ok(outcome));
        assert_eq!(again(&settled), [vec![0], vec![3], vec![4], vec![5]]);
        assert_eq!((settled.done, settled.stored, settled.refused.len()), (vec![1, 2, 6, 7], 3, 1));
        assert!(settled.failed.is_some());
    }

    #[test]
    fn errors_without_a_class_are_transient_three_times() {
        let mut one = segment(&[1, 2]);
        for _ in 0..3 {
            let mut settled = messages_sent(one, Err(StoreError::unclassified("?")));
            assert_eq!(again(&settled), [vec![1, 2]]);
            one = settled.again.remove(0);
        }
        let mut settled = messages_sent(one, Err(StoreError::unclassified("?")));
        assert_eq!(again(&settled), [vec![1], vec![2]]);
        assert!(settled.failed.is_none());
        // The first message has used its three tries; the second starts from zero.
        let second = settled.again.remove(1);
        let first = messages_sent(settled.again.remove(0), Err(StoreError::unclassified("?")));
        assert_eq!((first.done, first.refused.len()), (vec![1], 1));
        assert!(messages_sent(second, Err(StoreError::unclassified("?"))).failed.is_some());
    }

    #[test]
    fn transient_errors_of_entries_use_up_nothing() {
        let check = |errors: [StoreError; 2], expect: u32| {
            let answers = errors.map(|error| (NewEntry::text("x"), Err(error))).to_vec();
            let settled = entries_sent(segment(&[1]), answers);
            assert_eq!((settled.again[0].unclassified, settled.refused.len()), (expect, 0));
        };
        check([StoreError::transient("t"), StoreError::transient("t")], 0);
        check([StoreError::transient("t"), StoreError::unclassified("?")], 1);
    }

    #[test]
    fn numbers_that_no_answer_names_are_not_stored() {
        let outcome = BatchOutcome { stored: vec![1], ..BatchOutcome::default() };
        let settled = messages_sent(segment(&[1, 2]), Ok(outcome));
        assert_eq!((again(&settled), settled.done), (vec![vec![2]], vec![1]));
    }
}
