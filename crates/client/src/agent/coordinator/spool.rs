//! The state of the coordinator on disk: one directory per run, with its messages and a journal
//! of their outcomes.
//!
//! The journal gets one line before an action and one after it. The lines survive the end of the
//! process. A power failure loses the lines that the operating system had not written.
//! `spool_recovery` derives the messages to send again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::appender::Appender;
use super::lines::Lines;
use super::segment::Segment;
use super::spool_recovery;
use super::unsent_messages::Leftover;
use crate::agent::batch::SequencedMessage;
use crate::agent::entry::NewEntry;
use crate::agent::error::StoreError;
use crate::agent::limits::{BUFFERED_BYTES_MAX, BUFFERED_MESSAGES_MAX};
use crate::agent::message::Message;

/// The size in bytes above which the files of a run are truncated, once none of its messages waits.
const COMPACT_BYTES: u64 = 1024 * 1024;

/// The name of the file with the messages, in the directory of a run.
pub(super) const MESSAGES: &str = "messages.jsonl";
/// The name of the file with the outcomes, in the directory of a run.
pub(super) const JOURNAL: &str = "journal.jsonl";

/// A line of `messages.jsonl`: a message with its sequence number.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SpooledMessage {
    pub(super) sequence: u64,
    pub(super) message: Message,
}

/// A line of `journal.jsonl`: a step of the delivery.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JournalLine {
    /// The names of the stores that receive the messages of this run.
    Stores(Vec<String>),
    /// The start of sending a segment.
    Begin {
        store: String,
        sequences: Vec<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        entries: Option<Vec<NewEntry>>,
    },
    /// The end of the work on messages: they are stored, dropped by a filter or quarantined.
    Done { store: String, sequences: Vec<u64> },
}

/// A run in the spool that this process has opened and locked.
pub(super) struct SpoolRun {
    pub(super) directory: PathBuf,
    journal: Appender,
    /// The sequence numbers of the messages that each store has not saved, by store name.
    pub(super) outstanding: BTreeMap<String, BTreeSet<u64>>,
    messages: Option<Appender>,
    bytes: u64,
    _lock: File,
}

/// The spool: messages and journals of runs on disk.
pub(super) struct Spool {
    own: Arc<str>,
    runs: Mutex<BTreeMap<Arc<str>, SpoolRun>>,
}

impl Spool {
    /// Opens the spool directory and begins a new run, next to those that earlier processes left.
    pub(super) fn open(
        directory: &Path,
        run_id: &Arc<str>,
        stores: Vec<String>,
        mut runs: BTreeMap<Arc<str>, SpoolRun>,
    ) -> Result<Self, StoreError> {
        let path = runs_directory(directory).join(&**run_id);
        fs::create_dir_all(&path).map_err(unusable)?;
        let mut run =
            SpoolRun::open(path)?.ok_or_else(|| StoreError::transient("the spool's run is in use"))?;
        run.messages = Some(Appender::open(&run.directory.join(MESSAGES)).map_err(unusable)?);
        run.write(&JournalLine::Stores(stores.clone()))?;
        run.outstanding = stores.into_iter().map(|store| (store, BTreeSet::new())).collect();
        runs.insert(Arc::clone(run_id), run);
        Ok(Self { own: Arc::clone(run_id), runs: Mutex::new(runs) })
    }

    /// Writes a message to the spool.
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

    /// Records that the sending of a segment is about to start.
    pub(super) fn begin(&self, store: &str, segment: &Segment) -> Result<(), StoreError> {
        let mut runs = self.lock();
        let Some(run) = runs.get_mut(&segment.batch.run_id) else { return Ok(()) };
        run.write(&JournalLine::Begin {
            store: store.to_owned(),
            sequences: segment.sequences(),
            entries: segment.entries.clone(),
        })
    }

    /// Records that messages need no further work. If no message of the run waits, an earlier run
    /// is removed and the current run is truncated.
    pub(super) fn done(&self, store: &str, run_id: &Arc<str>, sequences: &[u64]) -> Result<(), StoreError> {
        let mut runs = self.lock();
        let Some(run) = runs.get_mut(run_id) else { return Ok(()) };
        run.write(&JournalLine::Done { store: store.to_owned(), sequences: sequences.to_vec() })?;
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

    /// Reads messages of the current run in a range of sequence numbers, as many as memory may
    /// hold. The flag is true if the range has more. Unreadable lines are skipped, with an error in
    /// the log.
    pub(super) fn read(&self, range: &Range<u64>) -> Result<(Vec<Arc<SequencedMessage>>, bool), StoreError> {
        // The lock is not held here: others write meanwhile, and nothing of the run is removed
        // while a store waits for it.
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

    /// Reads a leftover of an earlier run for a store, as a segment.
    pub(super) fn read_back(&self, store: &str, piece: &Leftover) -> Result<Segment, StoreError> {
        // Without the lock, as in `read`.
        let Some(directory) = self.lock().get(&piece.run_id).map(|run| run.directory.clone()) else {
            return Ok(Segment::new(Arc::clone(&piece.run_id), Vec::new()));
        };
        spool_recovery::read_back(&directory, store, piece)
    }

    /// Removes the run of this process, unless some of its messages wait.
    pub(super) fn close(&self) -> Result<(), StoreError> {
        let mut runs = self.lock();
        let waits = |run: &SpoolRun| run.outstanding.values().any(|outstanding| !outstanding.is_empty());
        if runs.get(&self.own).is_none_or(waits) {
            return Ok(());
        }
        match runs.remove(&self.own) {
            Some(run) => fs::remove_dir_all(&run.directory).map_err(unusable),
            None => Ok(()),
        }
    }

    /// Closes and unlocks all runs as they are, so that another process may open them.
    pub(super) fn release(&self) {
        self.lock().clear();
    }

    /// Limits the simulated free disk space in a test, in bytes. `None` means no limit.
    #[cfg(test)]
    pub(super) fn limit_room(&self, messages_bytes: Option<usize>, journal_bytes: Option<usize>) {
        let mut runs = self.lock();
        let run = runs.get_mut(&self.own).unwrap();
        run.messages.as_mut().unwrap().room_bytes = messages_bytes;
        run.journal.room_bytes = journal_bytes;
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, SpoolRun>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SpoolRun {
    /// Opens and locks the directory of a run. `None` if another process holds its lock.
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

    fn write(&mut self, line: &JournalLine) -> Result<(), StoreError> {
        self.bytes += self.journal.append(line).map_err(unusable)?;
        Ok(())
    }

    /// Truncates the files of the run. The messages go first, because a journal without messages
    /// has no effect.
    fn compact(&mut self) -> Result<(), StoreError> {
        if let Some(messages) = &mut self.messages {
            messages.clear().map_err(unusable)?;
        }
        self.journal.clear().map_err(unusable)?;
        self.bytes = 0;
        self.write(&JournalLine::Stores(self.outstanding.keys().cloned().collect()))
    }
}

/// Returns the directory that contains the runs.
pub(super) fn runs_directory(spool: &Path) -> PathBuf {
    spool.join("runs")
}

pub(super) fn unusable(error: std::io::Error) -> StoreError {
    StoreError::transient("the spool cannot be used").caused_by(error)
}
