//! Messages that an earlier run left for a store, in the segments in which they were sent: their
//! sequence numbers and positions in the spool. The messages stay in the spool until they are due,
//! so that even the largest spool needs no more memory than one segment. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::segment::runs;
use crate::agent::limits::{BATCH_BYTES_MAX, BATCH_MESSAGES_MAX};

/// The position of a message in the spool file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpoolPosition {
    /// The offset of the message's line, in bytes.
    pub(super) at_bytes: u64,
    /// The length of the message's line, in bytes. It approximates the size of the message.
    pub(super) bytes: usize,
}

/// Messages that were sent together, according to the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JournaledBatch {
    pub(super) sequences: Vec<u64>,
    /// The offset of the journal line with the entries that were extracted from the messages, in
    /// bytes. `None` if there is none.
    pub(super) entries_at_bytes: Option<u64>,
}

/// Messages that an earlier run left for a store and that are sent as one segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leftover {
    pub(super) run_id: Arc<str>,
    /// The sequence numbers of the messages, ascending; never empty.
    pub(super) sequences: Vec<u64>,
    /// The offset of the first message in the spool file, in bytes.
    pub(super) at_bytes: u64,
    /// The approximate size of the messages in memory, in bytes.
    pub(super) bytes: usize,
    /// The offset of the journal line with the entries that were extracted from the messages, in
    /// bytes. `None` if there is none.
    pub(super) entries_at_bytes: Option<u64>,
}

/// Returns the leftovers of a run, in the order of their sequence numbers. Segments that were
/// started and not completed are the same as before. Messages that were never sent are divided like
/// new ones.
pub(super) fn leftovers(
    run_id: &Arc<str>,
    places: &BTreeMap<u64, SpoolPosition>,
    left: &BTreeSet<u64>,
    begun: &[JournaledBatch],
) -> Vec<Leftover> {
    // A message belongs to the last segment it was sent in.
    let mut owner: BTreeMap<u64, usize> = BTreeMap::new();
    for (at, begun) in begun.iter().enumerate() {
        owner.extend(begun.sequences.iter().map(|sequence| (*sequence, at)));
    }
    let piece = |sequences: Vec<u64>, entries_at_bytes: Option<u64>| {
        let places = || sequences.iter().filter_map(|sequence| places.get(sequence));
        let at_bytes = places().map(|place| place.at_bytes).min()?;
        let bytes = places().map(|place| place.bytes).sum();
        Some(Leftover { run_id: Arc::clone(run_id), sequences, at_bytes, bytes, entries_at_bytes })
    };
    let mut pieces = Vec::new();
    for (at, begun) in begun.iter().enumerate() {
        let is_left = |sequence: &u64| left.contains(sequence) && owner.get(sequence) == Some(&at);
        for run in runs(&begun.sequences, is_left) {
            let entries = begun.entries_at_bytes.filter(|_| run == begun.sequences);
            pieces.extend(piece(run, entries));
        }
    }
    let (mut fresh, mut bytes) = (Vec::new(), 0);
    for sequence in left.iter().filter(|sequence| !owner.contains_key(sequence)) {
        let more = places.get(sequence).map_or(0, |place| place.bytes);
        if fresh.len() >= BATCH_MESSAGES_MAX || bytes + more > BATCH_BYTES_MAX {
            pieces.extend(piece(std::mem::take(&mut fresh), None));
            bytes = 0;
        }
        fresh.push(*sequence);
        bytes += more;
    }
    pieces.extend(piece(fresh, None));
    pieces.sort_by_key(|piece| piece.sequences.first().copied());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_what_was_sent_then_what_fits() {
        let check = |bytes: &[usize], done: &[u64], begun: &[(&[u64], Option<u64>)], expect: &[&str]| {
            let mut at_bytes = 0;
            let mut places = BTreeMap::new();
            for (sequence, bytes) in (0..).zip(bytes) {
                places.insert(sequence, SpoolPosition { at_bytes, bytes: *bytes });
                at_bytes += u64::try_from(*bytes).unwrap();
            }
            let left = places.keys().copied().filter(|sequence| !done.contains(sequence)).collect();
            let begun: Vec<JournaledBatch> = begun
                .iter()
                .map(|(sequences, entries)| JournaledBatch {
                    sequences: sequences.to_vec(),
                    entries_at_bytes: *entries,
                })
                .collect();
            let got: Vec<String> = leftovers(&"run".into(), &places, &left, &begun)
                .into_iter()
                .map(|piece| {
                    let (first, last) = (piece.sequences[0], piece.sequences.last().unwrap());
                    let entries = if piece.entries_at_bytes.is_some() { " made" } else { "" };
                    format!("{first}-{last}@{}+{}{entries}", piece.at_bytes, piece.bytes)
                })
                .collect();
            assert_eq!(got, expect);
        };
        check(&[], &[], &[], &[]);
        check(&[1, 1, 1], &[0, 1, 2], &[], &[]);
        check(&[1, 1, 1], &[0], &[], &["1-2@1+2"]);
        // What was sent keeps its range, and its entries only as a whole.
        check(&[1; 6], &[], &[(&[1, 2], None)], &["0-5@0+4", "1-2@1+2"]);
        check(&[1; 4], &[], &[(&[0, 1], Some(7)), (&[0], Some(9))], &["0-0@0+1 made", "1-1@1+1", "2-3@2+2"]);
        check(&[1; 4], &[1], &[(&[0, 1, 2, 3], Some(7))], &["0-0@0+1", "2-3@2+2"]);
        // At the limits, and one past them.
        let (most, mib) = (BATCH_MESSAGES_MAX, BATCH_BYTES_MAX / 4);
        check(&vec![1; most], &[], &[], &["0-499@0+500"]);
        check(&vec![1; most + 1], &[], &[], &["0-499@0+500", "500-500@500+1"]);
        check(&[mib; 5], &[], &[], &["0-3@0+4194304", "4-4@4194304+1048576"]);
        check(&[1, 9 * mib, 1], &[], &[], &["0-0@0+1", "1-1@1+9437184", "2-2@9437185+1"]);
    }
}
