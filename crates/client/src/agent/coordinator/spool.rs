//! What survives the process: one directory per run, with the messages that were said and a journal of what became of them.
//!
//! A line is written before what it announces is done, and another after. It survives the end of the process; what the system had
//! not written to the disk when the power went is lost. `spool_reading` makes of it what is to be sent again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::appender::Appender;
use super::leftover::Leftover;
use super::lines::Lines;
use super::segment::Segment;
use super::spool_reading;
use crate::agent::batch::SequencedMessage;
use crate::agent::entry::NewEntry;
use crate::agent::error::StoreError;
use crate::agent::limits::{BUFFERED_BYTES_MAX, BUFFERED_MESSAGES_MAX};
use crate::agent::message::Message;

/// A run whose files are larger is begun anew when nothing of it waits.
const COMPACT_BYTES: u64 = 1024 * 1024;

/// What was said, in a run's directory.
pub(super) const MESSAGES: &str = "messages.jsonl";
/// What became of it.
pub(super) const JOURNAL: &str = "journal.jsonl";

/// A line of `messages.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SpooledMessage {
    pub(super) sequence: u64,
    pub(super) message: Message,
}

/// A line of `journal.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// The stores that messages of this run are for.
    Stores(Vec<String>),
    /// These are sent together.
    Begin {
        store: String,
        sequences: Vec<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entries: Option<Vec<NewEntry>>,
    },
    /// These need no more attention.
    Done { store: String, sequences: Vec<u64> },
}

/// A run in the spool, open here and closed to other processes.
pub(super) struct Run {
    pub(super) directory: PathBuf,
    journal: Appender,
    /// What each store has not yet.
    pub(super) outstanding: BTreeMap<String, BTreeSet<u64>>,
    messages: Option<Appender>,
    bytes: u64,
    _lock: File,
}

/// The spool.
pub(super) struct Spool {
    own: Arc<str>,
    runs: Mutex<BTreeMap<Arc<str>, Run>>,
}

impl Spool {
    /// Begins a run, beside runs of before.
    pub(super) fn open(
        directory: &Path,
        run_id: &Arc<str>,
        stores: Vec<String>,
        mut runs: BTreeMap<Arc<str>, Run>,
    ) -> Result<Self, StoreError> {
        let path = runs_directory(directory).join(&**run_id);
        fs::create_dir_all(&path).map_err(unusable)?;
        let mut run = Run::open(path)?.ok_or_else(|| StoreError::transient("the spool's run is in use"))?;
        run.messages = Some(Appender::open(&run.directory.join(MESSAGES)).map_err(unusable)?);
        run.write(&Line::Stores(stores.clone()))?;
        run.outstanding = stores.into_iter().map(|store| (store, BTreeSet::new())).collect();
        runs.insert(Arc::clone(run_id), run);
        Ok(Self { own: Arc::clone(run_id), runs: Mutex::new(runs) })
    }

    /// A message was said.
    pub(super) fn record(&self, message: &SequencedMessage) -> Result<(), StoreError> {
        let mut runs = self.lock();
        let Some(run) = runs.get_mut(&self.own) else { return Ok(()) };
        for outstanding in run.outstanding.values_mut() {
            outstanding.insert(message.sequence);
        }
        let line = SpooledMessage { sequence: message.sequence, message: message.message.clone() };
        if let Some(file) = &mut run.messages {
            run.bytes += file.append(&line).map_err(unusable)?;
        }
        Ok(())
    }

    /// A segment is about to be sent.
    pub(super) fn begin(&self, store: &str, segment: &Segment) -> Result<(), StoreError> {
        let mut runs = self.lock();
        let Some(run) = runs.get_mut(&segment.batch.run_id) else { return Ok(()) };
        run.write(&Line::Begin {
            store: store.to_owned(),
            sequences: segment.sequences(),
            entries: segment.entries.clone(),
        })
    }

    /// Messages need no more attention. A run of which nothing waits is removed, or begun anew.
    pub(super) fn done(&self, store: &str, run_id: &Arc<str>, sequences: &[u64]) -> Result<(), StoreError> {
        let mut runs = self.lock();
        let Some(run) = runs.get_mut(run_id) else { return Ok(()) };
        run.write(&Line::Done { store: store.to_owned(), sequences: sequences.to_vec() })?;
        if let Some(outstanding) = run.outstanding.get_mut(store) {
            for sequence in sequences {
                outstanding.remove(sequence);
            }
        }
        if run.outstanding.values().any(|outstanding| !outstanding.is_empty()) {
            return Ok(());
        }
        if *run_id == self.own {
            return if run.bytes > COMPACT_BYTES { run.compact() } else { Ok(()) };
        }
        match runs.remove(run_id) {
            Some(run) => fs::remove_dir_all(&run.directory).map_err(unusable),
            None => Ok(()),
        }
    }

    /// Messages of this run between two numbers, as many as memory holds, and whether there are more. Lines that cannot be read are
    /// passed over, with an error in the log.
    pub(super) fn read(&self, range: &Range<u64>) -> Result<(Vec<Arc<SequencedMessage>>, bool), StoreError> {
        // It is read without the lock: others say and note things meanwhile, and nothing of this is removed while a store waits for it.
        let Some(directory) = self.lock().get(&self.own).map(|run| run.directory.clone()) else {
            return Ok((Vec::new(), false));
        };
        let (mut messages, mut bytes) = (Vec::new(), 0);
        for line in Lines::<SpooledMessage>::open(&directory.join(MESSAGES))? {
            let line = line?;
            if line.sequence < range.start {
                continue;
            }
            if line.sequence >= range.end {
                break;
            }
            if messages.len() >= BUFFERED_MESSAGES_MAX || bytes >= BUFFERED_BYTES_MAX {
                return Ok((messages, true));
            }
            bytes += line.message.bytes();
            messages.push(Arc::new(SequencedMessage { sequence: line.sequence, message: line.message }));
        }
        Ok((messages, false))
    }

    /// A piece of what a run of before left for a store, read now.
    pub(super) fn read_back(&self, store: &str, piece: &Leftover) -> Result<Segment, StoreError> {
        // Without the lock, as above.
        let Some(directory) = self.lock().get(&piece.run_id).map(|run| run.directory.clone()) else {
            return Ok(Segment::new(Arc::clone(&piece.run_id), Vec::new()));
        };
        spool_reading::read_back(&directory, store, piece)
    }

    /// Removes the run of this process where nothing of it waits.
    pub(super) fn close(&self) -> Result<(), StoreError> {
        let mut runs = self.lock();
        let waits = |run: &Run| run.outstanding.values().any(|outstanding| !outstanding.is_empty());
        if runs.get(&self.own).is_none_or(waits) {
            return Ok(());
        }
        match runs.remove(&self.own) {
            Some(run) => fs::remove_dir_all(&run.directory).map_err(unusable),
            None => Ok(()),
        }
    }

    /// Closes all runs as they are: another spool may open them.
    pub(super) fn release(&self) {
        self.lock().clear();
    }

    /// Leaves so much of the disk; `None`: all of it.
    #[cfg(test)]
    pub(super) fn limit_room(&self, messages_bytes: Option<usize>, journal_bytes: Option<usize>) {
        let mut runs = self.lock();
        let run = runs.get_mut(&self.own).unwrap();
        run.messages.as_mut().unwrap().room_bytes = messages_bytes;
        run.journal.room_bytes = journal_bytes;
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Run>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
    /// Opens a run; `None` where another process has it.
    pub(super) fn open(directory: PathBuf) -> Result<Option<Self>, StoreError> {
        let lock =
            OpenOptions::new().create(true).append(true).open(directory.join("lock")).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        let journal = Appender::open(&directory.join(JOURNAL)).map_err(unusable)?;
        let outstanding = BTreeMap::new();
        Ok(Some(Self { directory, journal, outstanding, messages: None, bytes: 0, _lock: lock }))
    }

    fn write(&mut self, line: &Line) -> Result<(), StoreError> {
        self.bytes += self.journal.append(line).map_err(unusable)?;
        Ok(())
    }

    /// The messages go first: a journal of messages that are not there says nothing.
    fn compact(&mut self) -> Result<(), StoreError> {
        if let Some(messages) = &mut self.messages {
            messages.clear().map_err(unusable)?;
        }
        self.journal.clear().map_err(unusable)?;
        self.bytes = 0;
        self.write(&Line::Stores(self.outstanding.keys().cloned().collect()))
    }
}

/// Where the runs are.
pub(super) fn runs_directory(spool: &Path) -> PathBuf {
    spool.join("runs")
}

pub(super) fn unusable(error: std::io::Error) -> StoreError {
    StoreError::transient("the spool cannot be used").caused_by(error)
}
