//! The quarantine: messages and entries that a store rejected permanently, with the reason. They
//! are in a directory of the spool, or in a bounded list without a spool.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::segment::Segment;
use crate::agent::entry::NewEntry;
use crate::agent::error::StoreError;
use crate::agent::isolation::caught_call;
use crate::agent::limits::QUARANTINED_MAX;
use crate::agent::message::Message;

/// The content of an item in quarantine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuarantinedContent {
    /// A message.
    Message {
        /// The sequence number of the message in its run.
        sequence: u64,
        /// The rejected message.
        message: Message,
    },
    /// An entry that an extractor made from messages.
    Entry(NewEntry),
}

/// An item in quarantine: a message or an entry that a store rejected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuarantinedItem {
    /// The key of the item. It is the same for the same content.
    pub key: String,
    /// The name of the store that rejected the item.
    pub store_name: String,
    /// The id of the run that recorded the item.
    pub run_id: String,
    /// The rejected message or entry.
    pub content: QuarantinedContent,
    /// True if the filter of the store failed on the message. A retry of the item runs the filter.
    #[serde(default)]
    pub unfiltered: bool,
    /// The error with which the store rejected the item.
    pub error: String,
    /// The time of the rejection, in milliseconds since 1970.
    pub at_ms: i64,
}

/// A callback for every item that goes into quarantine.
pub type OnQuarantine = Arc<dyn Fn(&QuarantinedItem) + Send + Sync>;

/// The items that stores rejected, on disk or in memory.
pub(super) struct Quarantine {
    directory: Option<PathBuf>,
    list: Mutex<VecDeque<QuarantinedItem>>,
    told: Option<OnQuarantine>,
}

impl Quarantine {
    pub(super) fn open(spool: Option<&Path>, told: Option<OnQuarantine>) -> Result<Self, StoreError> {
        let directory = spool.map(|spool| spool.join("quarantine"));
        if let Some(directory) = &directory {
            fs::create_dir_all(directory).map_err(unusable)?;
        }
        Ok(Self { directory, list: Mutex::default(), told })
    }

    /// Adds an item and calls the callback. An item with the key of an earlier one replaces it.
    pub(super) fn put(
        &self,
        store_name: &str,
        sent: &Segment,
        content: QuarantinedContent,
        error: &StoreError,
        at_ms: i64,
    ) -> Result<(), StoreError> {
        let item = QuarantinedItem {
            key: key(store_name, &sent.batch.run_id, &content)?,
            store_name: store_name.to_owned(),
            run_id: sent.batch.run_id.to_string(),
            unfiltered: sent.unfiltered,
            content,
            error: error.to_string(),
            at_ms,
        };
        match &self.directory {
            Some(directory) => write(directory, &item)?,
            None => self.keep(item.clone()),
        }
        if let Some(told) = &self.told
            && let Err(error) = caught_call("who is told of the quarantine", || told(&item))
        {
            tracing::error!("store=<{store_name}>, reason=<{error}> | memory callback failed");
        }
        Ok(())
    }

    fn keep(&self, item: QuarantinedItem) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|known| known.key != item.key);
        if list.len() >= QUARANTINED_MAX
            && let Some(oldest) = list.pop_front()
        {
            tracing::error!(
                "store=<{}> | quarantine is full, its oldest item was dropped",
                oldest.store_name
            );
        }
        list.push_back(item);
    }

    /// Returns all items sorted by key: runs by time, and within a run by sequence number.
    pub(super) fn items(&self) -> Result<Vec<QuarantinedItem>, StoreError> {
        let mut items = Vec::new();
        match &self.directory {
            None => {
                items.extend(self.list.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
            }
            Some(directory) => {
                for found in fs::read_dir(directory).map_err(unusable)? {
                    let path = found.map_err(unusable)?.path();
                    if path.extension().is_some_and(|ending| ending == "json") {
                        let text = fs::read(&path).map_err(unusable)?;
                        items.push(serde_json::from_slice(&text).map_err(|error| unusable(error.into()))?);
                    }
                }
            }
        }
        items.sort_by(|a: &QuarantinedItem, b| a.key.cmp(&b.key));
        Ok(items)
    }

    /// Removes an item after a retry has stored it.
    pub(super) fn remove(&self, key: &str) {
        match &self.directory {
            None => {
                self.list.lock().unwrap_or_else(PoisonError::into_inner).retain(|item| item.key != key);
            }
            // A leftover file causes one more retry later, which is harmless.
            Some(directory) => drop(fs::remove_file(file(directory, key))),
        }
    }
}

fn write(directory: &Path, item: &QuarantinedItem) -> Result<(), StoreError> {
    let text = serde_json::to_vec(item).map_err(|error| unusable(error.into()))?;
    let (new, path) = (directory.join(format!("{}.new", item.key)), file(directory, &item.key));
    let written = fs::write(&new, text).and_then(|()| fs::rename(&new, &path));
    if written.is_err() {
        // The returned error reports the failure. If this fails, too, the next write replaces the
        // file.
        let _ = fs::remove_file(&new);
    }
    written.map_err(unusable)
}

fn file(directory: &Path, key: &str) -> PathBuf {
    directory.join(format!("{key}.json"))
}

/// Returns the key of an item. The same content has the same key, so that a crash between two steps
/// does not quarantine it twice.
fn key(store_name: &str, run_id: &str, content: &QuarantinedContent) -> Result<String, StoreError> {
    let (sequence, more) = match content {
        QuarantinedContent::Message { sequence, .. } => (*sequence, String::new()),
        QuarantinedContent::Entry(entry) => {
            (0, serde_json::to_string(entry).map_err(|error| unusable(error.into()))?)
        }
    };
    let digest = Sha256::digest(format!("{store_name}\0{more}"));
    let digits: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{run_id}-{sequence:015}-{digits}"))
}

fn unusable(error: std::io::Error) -> StoreError {
    StoreError::transient("the quarantine cannot be used").caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_directory_the_oldest_goes_at_the_limit_plus_one() {
        let quarantine = Quarantine::open(None, None).unwrap();
        let sent = Segment::new("run".into(), Vec::new());
        let put = |sequence: u64| {
            let content = QuarantinedContent::Message { sequence, message: Message::user("x") };
            quarantine.put("s", &sent, content, &StoreError::permanent("refused"), 0).unwrap();
        };
        let first = || quarantine.items().unwrap().first().map(|item| item.content.clone());
        let is = |sequence: u64| Some(QuarantinedContent::Message { sequence, message: Message::user("x") });
        let max = u64::try_from(QUARANTINED_MAX).unwrap();
        (0..max).for_each(put);
        put(7);
        assert_eq!((quarantine.items().unwrap().len(), first()), (QUARANTINED_MAX, is(0)), "the same is one");
        put(max);
        assert_eq!((quarantine.items().unwrap().len(), first()), (QUARANTINED_MAX, is(1)));
    }
}
