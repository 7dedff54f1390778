//! What runs of before left: for each store the segments that are sent again, as they were sent then.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::config::Extracting;
use super::filter::MessageFilter;
use super::lines::Lines;
use super::segment::{Segment, runs};
use super::spool::{JOURNAL, Line, MESSAGES, Run, SpooledMessage, runs_directory, unusable};
use crate::agent::batch::SequencedMessage;
use crate::agent::entry::NewEntry;
use crate::agent::error::StoreError;
use crate::agent::limits::BATCH_MESSAGES_MAX;

/// Runs of before, and by store what they have not sent.
#[derive(Default)]
pub(super) struct Recovered {
    pub(super) runs: BTreeMap<Arc<str>, Run>,
    pub(super) segments: Vec<(String, Segment)>,
    /// Numbers of which the filter keeps nothing, by store and run.
    pub(super) filtered: Vec<(String, Arc<str>, Vec<u64>)>,
}

/// What one store's lines of a journal come to.
#[derive(Default)]
struct History {
    begun: Vec<(Vec<u64>, Option<Vec<NewEntry>>)>,
    done: BTreeSet<u64>,
}

/// Reads all runs that no other process has. Stores that are not there now keep theirs.
pub(super) fn recover(spool: &Path, stores: &[Extracting]) -> Result<Recovered, StoreError> {
    let mut recovered = Recovered::default();
    let directory = runs_directory(spool);
    fs::create_dir_all(&directory).map_err(unusable)?;
    let mut paths = Vec::new();
    for found in fs::read_dir(&directory).map_err(unusable)? {
        paths.push(found.map_err(unusable)?.path());
    }
    paths.sort();
    for path in paths {
        let Some(run_id) = path.file_name().and_then(|name| name.to_str()).map(Arc::<str>::from) else {
            continue;
        };
        // A run is locked before its journal is made: one without is just being begun by another process.
        if !path.join(JOURNAL).is_file() {
            continue;
        }
        let Some(mut run) = Run::open(path)? else { continue };
        let messages = messages(&run)?;
        let histories = histories(&run)?;
        for (store, history) in histories {
            let left: BTreeSet<u64> =
                messages.keys().copied().filter(|sequence| !history.done.contains(sequence)).collect();
            if let Some(extracting) = stores.iter().find(|known| known.store.name() == store) {
                let filter = extracting.filter.as_ref();
                let (segments, filtered) = segments(&run_id, &messages, &left, history, filter);
                recovered.segments.extend(segments.into_iter().map(|segment| (store.clone(), segment)));
                recovered.filtered.push((store.clone(), Arc::clone(&run_id), filtered));
            }
            run.outstanding.insert(store, left);
        }
        if run.outstanding.values().all(BTreeSet::is_empty) {
            fs::remove_dir_all(&run.directory).map_err(unusable)?;
        } else {
            recovered.runs.insert(run_id, run);
        }
    }
    Ok(recovered)
}

fn messages(run: &Run) -> Result<BTreeMap<u64, Arc<SequencedMessage>>, StoreError> {
    let message = |line: SpooledMessage| {
        (line.sequence, Arc::new(SequencedMessage { sequence: line.sequence, message: line.message }))
    };
    Lines::open(&run.directory.join(MESSAGES))?.map(|line| line.map(message)).collect()
}

fn histories(run: &Run) -> Result<BTreeMap<String, History>, StoreError> {
    let mut histories: BTreeMap<String, History> = BTreeMap::new();
    for line in Lines::open(&run.directory.join(JOURNAL))? {
        match line? {
            Line::Stores(stores) => stores.into_iter().for_each(|store| {
                histories.entry(store).or_default();
            }),
            Line::Begin { store, sequences, entries } => {
                histories.entry(store).or_default().begun.push((sequences, entries));
            }
            Line::Done { store, sequences } => histories.entry(store).or_default().done.extend(sequences),
        }
    }
    Ok(histories)
}

/// What is begun and not done comes again as it was; what was never begun, in the order of its numbers.
fn segments(
    run_id: &Arc<str>,
    messages: &BTreeMap<u64, Arc<SequencedMessage>>,
    left: &BTreeSet<u64>,
    history: History,
    filter: &dyn MessageFilter,
) -> (Vec<Segment>, Vec<u64>) {
    // A message belongs to the last segment it was sent in.
    let mut owner: BTreeMap<u64, usize> = BTreeMap::new();
    for (at, (sequences, _)) in history.begun.iter().enumerate() {
        owner.extend(sequences.iter().map(|sequence| (*sequence, at)));
    }
    let mut filtered = Vec::new();
    let mut kept = |sequence: &u64| -> Option<Arc<SequencedMessage>> {
        let message = filter.keep(&messages.get(sequence)?.message);
        if message.is_none() {
            filtered.push(*sequence);
        }
        message.map(|message| Arc::new(SequencedMessage { sequence: *sequence, message }))
    };
    let mut segments: Vec<Segment> = Vec::new();
    for (at, (sequences, entries)) in history.begun.into_iter().enumerate() {
        let is_left = |sequence: &u64| left.contains(sequence) && owner.get(sequence) == Some(&at);
        for run in runs(&sequences, is_left) {
            let part: Vec<_> = run.iter().filter_map(&mut kept).collect();
            if !part.is_empty() {
                let entries = entries.clone().filter(|_| run == sequences);
                segments.push(Segment { entries, ..Segment::new(Arc::clone(run_id), part) });
            }
        }
    }
    let fresh: Vec<_> =
        left.iter().filter(|sequence| !owner.contains_key(sequence)).filter_map(&mut kept).collect();
    let chunks = fresh.chunks(BATCH_MESSAGES_MAX);
    segments.extend(chunks.map(|chunk| Segment::new(Arc::clone(run_id), chunk.to_vec())));
    segments.sort_by_key(|segment| segment.batch.first());
    (segments, filtered)
}
