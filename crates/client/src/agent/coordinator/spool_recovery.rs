//! Recovery of earlier runs from the spool. For each store it finds the segments to send again,
//! exactly as they were sent before, and reads each when it is due. Memory holds only the sequence
//! numbers of the waiting messages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::config::ExtractingStore;
use super::lines::Lines;
use super::segment::Segment;
use super::spool::{JOURNAL, JournalLine, MESSAGES, SpoolRun, SpooledMessage, runs_directory, unusable};
use super::unsent_messages::{JournaledBatch, Leftover, SpoolPosition, leftovers};
use crate::agent::batch::SequencedMessage;
use crate::agent::entry::NewEntry;
use crate::agent::error::StoreError;

/// The earlier runs that were opened, and the unsent messages of each store.
#[derive(Default)]
pub(super) struct Recovered {
    pub(super) runs: BTreeMap<Arc<str>, SpoolRun>,
    pub(super) leftovers: Vec<(String, Leftover)>,
}

/// The journal of a run, for one store.
#[derive(Default)]
struct History {
    begun: Vec<JournaledBatch>,
    done: BTreeSet<u64>,
}

/// A line of a journal, parsed without the extracted entries.
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

/// A line of messages, parsed without the message itself.
#[derive(Deserialize)]
struct Numbered {
    sequence: u64,
    #[serde(rename = "message")]
    _message: IgnoredAny,
}

/// The positions of the messages in a run's file.
#[derive(Default)]
struct RunMessages {
    places: BTreeMap<u64, SpoolPosition>,
    /// The sequence numbers of the messages whose content this version cannot read.
    unreadable: BTreeSet<u64>,
}

/// Opens all runs that no other process holds. Messages for stores that are not configured now stay
/// in the spool.
pub(super) fn recover(spool: &Path, stores: &[ExtractingStore]) -> Result<Recovered, StoreError> {
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
        // A run is locked before its journal is created. A run without a journal is being created
        // by another process.
        if !path.join(JOURNAL).is_file() {
            continue;
        }
        let Some(mut run) = SpoolRun::open(path)? else { continue };
        let RunMessages { places, unreadable } = written(&run)?;
        let mut kept: BTreeSet<u64> = BTreeSet::new();
        for (store, history) in histories(&run)? {
            let left: BTreeSet<u64> =
                places.keys().copied().filter(|sequence| !history.done.contains(sequence)).collect();
            if stores.iter().any(|known| known.store.name() == store) {
                // Unreadable messages are neither sent nor done: the run stays for a version that
                // can read them.
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

/// Reads a leftover of a store as a segment. Messages that no longer exist are left out.
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
        // Lines in between may be unreadable for this version; they are not wanted.
        if wanted.remove(&sequence)
            && let Some(SpooledMessage { message, .. }) = lines.last_as()
        {
            messages.push(Arc::new(SequencedMessage { sequence, message }));
        }
    }
    let entries = entries_of(directory, store, piece)?;
    // Entries were made of filtered messages. Everything else is filtered again, because the filter
    // may have changed.
    let unfiltered = entries.is_none();
    Ok(Segment { entries, unfiltered, ..Segment::new(Arc::clone(&piece.run_id), messages) })
}

/// Returns the entries that were extracted for a leftover. `None` if there are none that this
/// version can read: then the extractor runs again.
fn entries_of(directory: &Path, store: &str, piece: &Leftover) -> Result<Option<Vec<NewEntry>>, StoreError> {
    let Some(at_bytes) = piece.entries_at_bytes else { return Ok(None) };
    let line = Lines::<JournalLine>::open_at(&directory.join(JOURNAL), at_bytes)?.next().transpose()?;
    match line {
        // An unreadable line is skipped, and the next line may belong to another segment with other
        // entries.
        Some(JournalLine::Begin { store: whose, sequences, entries })
            if whose == store && sequences == piece.sequences =>
        {
            Ok(entries)
        }
        Some(_) | None => Ok(None),
    }
}

/// Logs a warning about messages that stay in the spool, once per start and run. It contains the
/// path of the file and no content.
fn tell_kept(run: &SpoolRun, messages: usize) {
    if messages > 0 {
        tracing::warn!(
            "file=<{}>, messages=<{messages}> | messages of the spool are not readable by this version and are kept: update Loci, or give them up by removing the file once the others in it are sent",
            run.directory.join(MESSAGES).display()
        );
    }
}

fn written(run: &SpoolRun) -> Result<RunMessages, StoreError> {
    let mut lines = Lines::<Numbered>::open(&run.directory.join(MESSAGES))?;
    let mut written = RunMessages::default();
    while let Some(line) = lines.next() {
        let sequence = line?.sequence;
        let bytes = usize::try_from(lines.last_bytes()).unwrap_or(usize::MAX);
        written.places.insert(sequence, SpoolPosition { at_bytes: lines.last_at_bytes(), bytes });
        if lines.last_as::<SpooledMessage>().is_none() {
            written.unreadable.insert(sequence);
        }
    }
    Ok(written)
}

fn histories(run: &SpoolRun) -> Result<BTreeMap<String, History>, StoreError> {
    let mut histories: BTreeMap<String, History> = BTreeMap::new();
    let mut lines = Lines::<Heading>::open(&run.directory.join(JOURNAL))?;
    while let Some(line) = lines.next() {
        match line? {
            Heading::Stores(stores) => stores.into_iter().for_each(|store| {
                histories.entry(store).or_default();
            }),
            Heading::Begin { store, sequences, entries } => {
                let entries_at_bytes = entries.map(|_| lines.last_at_bytes());
                histories
                    .entry(store)
                    .or_default()
                    .begun
                    .push(JournaledBatch { sequences, entries_at_bytes });
            }
            Heading::Done { store, sequences } => {
                histories.entry(store).or_default().done.extend(sequences);
            }
        }
    }
    Ok(histories)
}
