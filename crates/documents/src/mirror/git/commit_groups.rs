//! The division of a tree's changes into commits. A commit has the changes of one transaction, or
//! consecutive single-document writes of one author within a pause. Pure: the same log always gives
//! the same commits.

use std::ops::Range;

use loci_model::Timestamp;
use loci_model::trees::tree_entry::TreeChange;

/// Returns the commits of changes, in order. The flag is true if the last one may still grow.
pub(super) fn groups(changes: &[TreeChange], debounce_ms: u64, now: Timestamp) -> (Vec<Range<usize>>, bool) {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (place, change) in changes.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| changes.get(before));
        match groups.last_mut() {
            Some(last) if before.is_some_and(|before| is_one_write(before, change)) => last.end = place + 1,
            Some(_) | None => groups.push(place..place + 1),
        }
    }
    let mut combined: Vec<Range<usize>> = Vec::new();
    for group in groups {
        let joins = combined.last().is_some_and(|last| {
            let (Some(first), Some(one)) = (changes.get(last.start), changes.get(group.start)) else {
                return false;
            };
            let are_single = is_single(changes, last) && is_single(changes, &group);
            are_single && follows(first, one, debounce_ms)
        });
        match combined.last_mut() {
            Some(last) if joins => last.end = group.end,
            Some(_) | None => combined.push(group),
        }
    }
    let is_open = combined.last().is_some_and(|last| {
        let first = changes.get(last.start);
        first.is_some_and(|first| is_single(changes, last) && within(first.at, now, debounce_ms))
    });
    (combined, is_open)
}

fn is_one_write(one: &TreeChange, other: &TreeChange) -> bool {
    match (one.behind, other.behind) {
        (Some(one), Some(other)) => one == other,
        // Other writers record no transaction: their writes of one moment belong together.
        (None, None) => one.at == other.at && one.by == other.by && one.run == other.run,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// True for a group of writes that each changed one document.
fn is_single(changes: &[TreeChange], group: &Range<usize>) -> bool {
    let Some(some) = changes.get(group.clone()) else { return false };
    let pairs = some.iter().zip(some.iter().skip(1));
    some.iter().all(|change| change.run.is_none() && change.by.is_some())
        && !pairs.into_iter().any(|(one, other)| is_one_write(one, other))
}

fn follows(first: &TreeChange, next: &TreeChange, debounce_ms: u64) -> bool {
    debounce_ms > 0 && first.by == next.by && within(first.at, next.at, debounce_ms)
}

/// A clock that went back does not count as a pause.
fn within(first: Timestamp, next: Timestamp, debounce_ms: u64) -> bool {
    let apart = next.millis().saturating_sub(first.millis());
    u64::try_from(apart).is_ok_and(|apart| apart < debounce_ms)
}

#[cfg(test)]
mod tests {
    use loci_model::trees::tree_entry::{DocumentOperation, owner_of};
    use loci_model::{MemoryId, RecordId};

    use super::*;

    fn change(sequence: u64, by: &str, behind: Option<u64>, at: i64) -> TreeChange {
        TreeChange {
            memory: MemoryId::parse("notes-0123456789").unwrap(),
            namespace: "/".to_owned(),
            sequence,
            operation: DocumentOperation::Created,
            record: RecordId::compose(&"a".repeat(36)).unwrap(),
            version: Some(1),
            before: None,
            by: (!by.is_empty()).then(|| by.to_owned()),
            run: None,
            behind,
            at: Timestamp::clamped(at),
            actor: owner_of(None).unwrap(),
        }
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one group is a list of one")]
    fn writes_of_one_transaction_and_of_one_pause_belong_together() {
        let check = |changes: &[TreeChange], debounce: u64, now: i64, expect: &[Range<usize>], open: bool| {
            let found = groups(changes, debounce, Timestamp::clamped(now));
            assert_eq!(found, (expect.to_vec(), open), "{changes:?}");
        };
        let ann = |sequence: u64, at: i64| change(sequence, "ann", Some(sequence - 1), at);
        check(&[], 2_000, 9_000, &[], false);
        check(&[ann(1, 1_000), ann(2, 2_000)], 2_000, 9_000, &[0..2], false);
        check(&[ann(1, 1_000), ann(2, 2_000)], 0, 2_000, &[0..1, 1..2], false);
        check(&[ann(1, 1_000), ann(2, 2_000)], 2_000, 2_500, &[0..2], true);
        check(&[ann(1, 1_000), ann(2, 3_000)], 2_000, 9_000, &[0..1, 1..2], false);
        // Counted from the first change: a stream of writes is split.
        check(&[ann(1, 0), ann(2, 1_500), ann(3, 3_000)], 2_000, 9_000, &[0..2, 2..3], false);
        let bob = change(2, "bob", Some(1), 1_001);
        check(&[ann(1, 1_000), bob, ann(3, 1_002)], 2_000, 9_000, &[0..1, 1..2, 2..3], false);
        // A transaction of several documents is a commit of its own.
        let two = [change(1, "ann", Some(0), 1_000), change(2, "ann", Some(0), 1_000), ann(3, 1_001)];
        check(&two, 2_000, 1_002, &[0..2, 2..3], true);
        // The writes of others at one moment.
        let others = [change(1, "", None, 5), change(2, "", None, 5), change(3, "", None, 6)];
        check(&others, 2_000, 7, &[0..2, 2..3], false);
        // A clock that went back.
        check(&[ann(1, 5_000), ann(2, 1_000)], 2_000, 9_000, &[0..1, 1..2], false);
    }
}
