//! When an index is worth a snapshot, and how one is written while the index goes on answering and changing. Files and
//! their names are those of `index_files`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use loci_index::SnapshotSaver;
use loci_model::{MemoryId, Result};
use rusqlite::Connection;

use crate::index_cache::{IndexCache, Slot, standing};
use crate::index_files::Partial;
use crate::store::snapshot;

/// Changes since the last snapshot that are worth a new one: taking in fewer at a start costs little. In a great index
/// a share of its passages, so that a memory that grows is not written again and again.
const CHANGES_MIN: u64 = 1_000;
const CHANGES_SHARE: u64 = 20;

/// A snapshot that is on disk and has no name yet.
pub(crate) struct Written {
    partial: Partial,
    slot: Arc<Slot>,
    sequence: u64,
}

impl IndexCache {
    /// Memories whose indexes are worth saving, in order.
    pub(crate) fn unsaved(&self) -> Vec<MemoryId> {
        let mut memories: Vec<MemoryId> = self
            .held()
            .into_iter()
            .filter(|(memory, slot)| self.is_worth(memory, slot))
            .map(|(memory, _)| memory)
            .collect();
        memories.sort_unstable();
        memories
    }

    fn is_worth(&self, memory: &MemoryId, slot: &Slot) -> bool {
        let (passages, sequence) = {
            let index = slot.read();
            (index.passages(), index.sequence())
        };
        if passages < self.snapshot_passages_min || sequence == 0 {
            return false;
        }
        let changes = sequence.saturating_sub(slot.saved.load(Ordering::Relaxed));
        changes >= CHANGES_MIN.max(passages / CHANGES_SHARE) || !self.files.has(memory)
    }

    /// Writes a snapshot of a memory's index, where it is held and no other process is writing one. The index can be
    /// asked all the while, and changed between blocks.
    pub(crate) fn save(&self, connection: &Connection, memory: &MemoryId) -> Result<Option<Written>> {
        let Some((_, slot)) = self.held().into_iter().find(|(held, _)| held == memory) else {
            return Ok(None);
        };
        // Asked first: what was erased up to now is taken in before the first block, what is erased later shows.
        let erasures = snapshot(connection, |tx| standing(tx, memory))?.erasures;
        self.catch_up(connection, memory, &slot)?;
        let Some(partial) = self.files.begin(memory, erasures)? else { return Ok(None) };
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
        Ok(Some(Written { partial, slot, sequence: saver.sequence() }))
    }
}

impl Written {
    /// Gives it its name, in the turn of the writer.
    pub(crate) fn publish(self, connection: &Connection) -> Result<()> {
        if self.partial.publish(connection)? {
            self.slot.saved.store(self.sequence, Ordering::Relaxed);
        }
        Ok(())
    }
}
