//! Decides when an index is saved as a snapshot, and writes it while the index is queried and
//! changed. `index_files` manages the files and their names.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use loci_index::SnapshotSaver;
use loci_model::ports::store::Checkpoint;
use loci_model::{MemoryId, Result};
use loci_store_kit::{IndexCache, Slot};
use rusqlite::Connection;

use crate::index_files::PartialFile;
use crate::index_rows::Rows;

/// The minimum number of changes since the last snapshot for a new one; the next constant is the
/// share of passages for a large index, so that a growing memory is not saved again and again.
/// Processing fewer changes at a start is cheap.
const CHANGES_MIN: u64 = 1_000;
const CHANGES_SHARE: u64 = 20;
/// The minimum time between two snapshots after an erasure removed the first, in microseconds:
/// erasures may come one by one, and each would cost a whole file.
const AGAIN_US: u64 = 10 * 60 * 1_000_000;

/// A synced snapshot without its final name.
pub(crate) struct SyncedSnapshot {
    partial: PartialFile,
    slot: Arc<Slot>,
    sequence: u64,
    moment: Checkpoint,
}

/// The indexes of this process, and the minimum number of passages for a file.
pub(crate) struct SnapshotWriter {
    pub(crate) cache: Arc<IndexCache<Rows>>,
    pub(crate) passages_min: u64,
}

impl SnapshotWriter {
    /// Returns the memories whose indexes must be saved, in order.
    pub(crate) fn unsaved(&self, moment: Checkpoint) -> Vec<MemoryId> {
        let mut memories: Vec<MemoryId> = self
            .cache
            .held()
            .into_iter()
            .filter(|(memory, slot)| self.is_worth(memory, slot, moment))
            .map(|(memory, _)| memory)
            .collect();
        memories.sort_unstable();
        memories
    }

    fn is_worth(&self, memory: &MemoryId, slot: &Slot, moment: Checkpoint) -> bool {
        let (passages, sequence) = {
            let index = slot.read();
            (index.passages(), index.sequence())
        };
        if passages < self.passages_min || sequence == 0 {
            return false;
        }
        let (saved, saved_us) = (slot.saved.load(Ordering::Relaxed), slot.saved_us.load(Ordering::Relaxed));
        let grown = sequence.saturating_sub(saved) >= CHANGES_MIN.max(passages / CHANGES_SHARE);
        // If none was loaded, an existing file is unusable for this process, and is replaced.
        saved == 0 || grown || (is_due(saved_us, moment) && !self.cache.source().files.has(memory))
    }

    /// Writes a snapshot of a memory's index, if loaded, to a new file. The index can be queried at
    /// any time, and changed between blocks.
    pub(crate) fn save(
        &self,
        connection: &mut Connection,
        memory: &MemoryId,
        partial: PartialFile,
        moment: Checkpoint,
    ) -> Result<Option<SyncedSnapshot>> {
        let Some((_, slot)) = self.cache.held().into_iter().find(|(held, _)| held == memory) else {
            return Ok(None);
        };
        // Erasures before the creation of the file are applied before the first block; later ones
        // remove the file.
        self.cache.catch_up(connection, memory, &slot)?;
        let (mut saver, mut block) = (SnapshotSaver::new(), Vec::new());
        loop {
            let more = saver.next(&slot.read(), &mut block);
            if !more {
                break;
            }
            partial.write(&block)?;
            block.clear();
        }
        partial.sync()?;
        Ok(Some(SyncedSnapshot { partial, slot, sequence: saver.sequence(), moment }))
    }
}

impl SyncedSnapshot {
    /// Names the snapshot, in the turn of the writer. One that an erasure has overtaken counts as
    /// written, because the next attempt would be no more likely to succeed.
    pub(crate) fn publish(self, connection: &Connection) -> Result<()> {
        let is_named = self.partial.publish(connection)?;
        tracing::debug!(is_named, sequence = self.sequence, "an index was saved");
        self.slot.saved.store(self.sequence, Ordering::Relaxed);
        if let Checkpoint::Underway { monotonic_us } = self.moment {
            self.slot.saved_us.store(monotonic_us.max(1), Ordering::Relaxed);
        }
        Ok(())
    }
}

/// True if a removed snapshot may be written again.
fn is_due(saved_us: u64, moment: Checkpoint) -> bool {
    match moment {
        Checkpoint::Underway { monotonic_us } => {
            saved_us == 0 || monotonic_us.saturating_sub(saved_us) >= AGAIN_US
        }
        Checkpoint::Last => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_gone_is_written_again_after_a_while_or_at_the_end() {
        let check = |saved_us, moment, expect| assert_eq!(is_due(saved_us, moment), expect, "{moment:?}");
        let at = |monotonic_us| Checkpoint::Underway { monotonic_us };
        check(0, at(5), true);
        check(5, at(5 + AGAIN_US - 1), false);
        check(5, at(5 + AGAIN_US), true);
        check(5, at(1), false);
        check(5, Checkpoint::Last, true);
    }
}
