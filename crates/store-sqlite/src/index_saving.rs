//! When an index is worth a snapshot, and how one is written while the index goes on answering and changing. Files and
//! their names are those of `index_files`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use loci_index::SnapshotSaver;
use loci_model::ports::store::Checkpoint;
use loci_model::{MemoryId, Result};
use loci_store_kit::{IndexCache, Slot};
use rusqlite::Connection;

use crate::index_files::Partial;
use crate::index_rows::Rows;

/// Changes since the last snapshot that are worth a new one: taking in fewer at a start costs little. In a great index
/// a share of its passages, so that a memory that grows is not written again and again.
const CHANGES_MIN: u64 = 1_000;
const CHANGES_SHARE: u64 = 20;
/// A snapshot that an erasure removed is not written again sooner after the last: erasures come one by one, and each
/// would cost a whole file.
const AGAIN_US: u64 = 10 * 60 * 1_000_000;

/// A snapshot that is on disk and has no name yet.
pub(crate) struct Written {
    partial: Partial,
    slot: Arc<Slot>,
    sequence: u64,
    moment: Checkpoint,
}

/// The indexes of this process, and from how many passages on one is worth a file.
pub(crate) struct Saving {
    pub(crate) cache: Arc<IndexCache<Rows>>,
    pub(crate) passages_min: u64,
}

impl Saving {
    /// Memories whose indexes are worth saving, in order.
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
        // Where none could be loaded, one that is there is of no use to this process: it is replaced.
        saved == 0 || grown || (is_due(saved_us, moment) && !self.cache.source().files.has(memory))
    }

    /// Writes a snapshot of a memory's index, where it is held, into a file that was begun. The index can be asked all
    /// the while, and changed between blocks.
    pub(crate) fn save(
        &self,
        connection: &mut Connection,
        memory: &MemoryId,
        partial: Partial,
        moment: Checkpoint,
    ) -> Result<Option<Written>> {
        let Some((_, slot)) = self.cache.held().into_iter().find(|(held, _)| held == memory) else {
            return Ok(None);
        };
        // What was erased before the file was begun is taken in before the first block; what is erased later removes
        // the file.
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
        Ok(Some(Written { partial, slot, sequence: saver.sequence(), moment }))
    }
}

impl Written {
    /// Gives it its name, in the turn of the writer. One that an erasure has overtaken counts as written: the next is
    /// no more likely to get its name.
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

/// True when a snapshot that is gone may be written again.
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
