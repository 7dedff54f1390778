//! What runs of before left: for each store the pieces that are sent again, as they were sent then, and one of them when it is its turn.
//! Of a spool no more is in memory than the numbers of what waits; messages are read piece by piece.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::config::Extracting;
use super::leftover::{Begun, Leftover, Place, leftovers};
use super::lines::Lines;
use super::segment::Segment;
use super::spool::{JOURNAL, Line, MESSAGES, Run, SpooledMessage, runs_directory, unusable};
use crate::agent::batch::SequencedMessage;
use crate::agent::entry::NewEntry;
use crate::agent::error::StoreError;

/// Runs of before, and by store what they have not sent.
#[derive(Default)]
pub(super) struct Recovered {
    pub(super) runs: BTreeMap<Arc<str>, Run>,
    pub(super) leftovers: Vec<(String, Leftover)>,
}

/// What one store's lines of a journal come to.
#[derive(Default)]
struct History {
    begun: Vec<Begun>,
    done: BTreeSet<u64>,
}

/// A line of a journal without what was made of messages.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Heading {
    Stores(Vec<String>),
    Begin {
        store: String,
        sequences: Vec<u64>,
        #[serde(default)]
        entries: Option<IgnoredAny>,
    },
    Done {
        store: String,
        sequences: Vec<u64>,
    },
}

/// A line of messages without the message.
#[derive(Deserialize)]
struct Numbered {
    sequence: u64,
    #[serde(rename = "message")]
    _message: IgnoredAny,
}

/// What a run's file of messages holds.
#[derive(Default)]
struct Written {
    places: BTreeMap<u64, Place>,
    /// Messages whose lines say which they are, and hold something that this version does not know.
    unreadable: BTreeSet<u64>,
}

/// Looks through all runs that no other process has. Stores that are not there now keep theirs.
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
        let Written { places, unreadable } = written(&run)?;
        let mut kept: BTreeSet<u64> = BTreeSet::new();
        for (store, history) in histories(&run)? {
            let left: BTreeSet<u64> =
                places.keys().copied().filter(|sequence| !history.done.contains(sequence)).collect();
            if stores.iter().any(|known| known.store.name() == store) {
                // What cannot be read is neither sent nor done: the run stays for a version that can.
                let readable = left.difference(&unreadable).copied().collect();
                let pieces = leftovers(&run_id, &places, &readable, &history.begun);
                recovered.leftovers.extend(pieces.into_iter().map(|piece| (store.clone(), piece)));
                kept.extend(left.intersection(&unreadable));
            }
            run.outstanding.insert(store, left);
        }
        tell_kept(&run, kept.len());
        if run.outstanding.values().all(BTreeSet::is_empty) {
            fs::remove_dir_all(&run.directory).map_err(unusable)?;
        } else {
            recovered.runs.insert(run_id, run);
        }
    }
    Ok(recovered)
}

/// Reads a piece that is left for a store. What of it is not there any more is not in the segment.
pub(super) fn read_back(directory: &Path, store: &str, piece: &Leftover) -> Result<Segment, StoreError> {
    let mut wanted: BTreeSet<u64> = piece.sequences.iter().copied().collect();
    let mut messages = Vec::new();
    let mut lines = Lines::<Numbered>::open_at(&directory.join(MESSAGES), piece.at_bytes)?;
    while let Some(last) = wanted.last().copied()
        && let Some(line) = lines.next()
    {
        let sequence = line?.sequence;
        if sequence > last {
            break;
        }
        // What lies in between and is not wanted may be what this version cannot read.
        if wanted.remove(&sequence)
            && let Some(SpooledMessage { message, .. }) = lines.last_as()
        {
            messages.push(Arc::new(SequencedMessage { sequence, message }));
        }
    }
    let entries = entries_of(directory, store, piece)?;
    // Entries were made of what the filter kept; of anything else it has the say again, for it may be another now.
    let unfiltered = entries.is_none();
    Ok(Segment { entries, unfiltered, ..Segment::new(Arc::clone(&piece.run_id), messages) })
}

/// The entries that were made of a piece. `None`: there are none that this version can read, and they are made of the messages anew.
fn entries_of(directory: &Path, store: &str, piece: &Leftover) -> Result<Option<Vec<NewEntry>>, StoreError> {
    let Some(at_bytes) = piece.entries_at_bytes else { return Ok(None) };
    let line = Lines::<Line>::open_at(&directory.join(JOURNAL), at_bytes)?.next().transpose()?;
    match line {
        // A line that cannot be read is passed over, and the one behind it may be of another segment: its entries are not these.
        Some(Line::Begin { store: whose, sequences, entries })
            if whose == store && sequences == piece.sequences =>
        {
            Ok(entries)
        }
        Some(_) | None => Ok(None),
    }
}

/// Once a start and a run, by the file: the messages themselves are nobody's business.
fn tell_kept(run: &Run, messages: usize) {
    if messages > 0 {
        tracing::warn!(
            "file=<{}>, messages=<{messages}> | messages of the spool are not readable by this version and are kept: update Loci, or give them up by removing the file once the others in it are sent",
            run.directory.join(MESSAGES).display()
        );
    }
}

fn written(run: &Run) -> Result<Written, StoreError> {
    let mut lines = Lines::<Numbered>::open(&run.directory.join(MESSAGES))?;
    let mut written = Written::default();
    while let Some(line) = lines.next() {
        let sequence = line?.sequence;
        let bytes = usize::try_from(lines.last_bytes()).unwrap_or(usize::MAX);
        written.places.insert(sequence, Place { at_bytes: lines.last_at_bytes(), bytes });
        if lines.last_as::<SpooledMessage>().is_none() {
            written.unreadable.insert(sequence);
        }
    }
    Ok(written)
}

fn histories(run: &Run) -> Result<BTreeMap<String, History>, StoreError> {
    let mut histories: BTreeMap<String, History> = BTreeMap::new();
    let mut lines = Lines::<Heading>::open(&run.directory.join(JOURNAL))?;
    while let Some(line) = lines.next() {
        match line? {
            Heading::Stores(stores) => stores.into_iter().for_each(|store| {
                histories.entry(store).or_default();
            }),
            Heading::Begin { store, sequences, entries } => {
                let entries_at_bytes = entries.map(|_| lines.last_at_bytes());
                histories.entry(store).or_default().begun.push(Begun { sequences, entries_at_bytes });
            }
            Heading::Done { store, sequences } => {
                histories.entry(store).or_default().done.extend(sequences);
            }
        }
    }
    Ok(histories)
}
