//! Amount of work, for progress display only. If the rows cannot be counted in time, it is unknown.

use std::sync::Arc;

use loci_model::Result;
use loci_model::ports::store::{Store, StoreExt, TransferStanding};
use loci_model::transfer::{MovedMemory, TransferKind, TransferPlace};

use super::concurrent_changes::UNCOUNTED;
use super::{Transfer, TransferProgress};

impl Transfer {
    /// Counts the rows that a run processes, and reports the number.
    pub(super) async fn tell_work(&self, memories: &[MovedMemory], copies: bool) {
        let rows = match self.work(memories, copies).await {
            Ok(rows) => Some(rows),
            Err(error) => {
                tracing::debug!(?error, "the rows could not be counted");
                None
            }
        };
        (self.on_progress)(&TransferProgress::Begins(rows));
    }

    async fn work(&self, memories: &[MovedMemory], copies: bool) -> Result<u64> {
        let mut rows = 0_u64;
        for memory in memories {
            rows = rows.saturating_add(self.work_of(memory, copies).await?);
        }
        let of_server = self.counts(&self.from, &TransferPlace::Server, TransferKind::OF_SERVER).await?;
        let each = 2 + u64::from(copies);
        Ok(rows.saturating_add(of_server.iter().sum::<u64>().saturating_mul(each)))
    }

    /// Returns the number of rows of one memory to compare, check again and copy.
    async fn work_of(&self, memory: &MovedMemory, copies: bool) -> Result<u64> {
        let id = &memory.memory.id;
        let place = TransferPlace::Memory(id.clone());
        let held = self.counts(&self.from, &place, TransferKind::OF_MEMORY).await?;
        let copied = match self.standing(id).await? {
            _ if !copies => held.clone(),
            TransferStanding::There(_) if !self.replaces(id) => held.clone(),
            TransferStanding::Moving(begun) if *begun == *memory => {
                self.counts(&self.to, &place, TransferKind::OF_MEMORY).await?
            }
            TransferStanding::There(_)
            | TransferStanding::Moving(_)
            | TransferStanding::Deleted
            | TransferStanding::Absent => Vec::new(),
        };
        let copied = copied.into_iter().chain(std::iter::repeat(0));
        let mut rows = 0_u64;
        for ((kind, held), copied) in TransferKind::OF_MEMORY.iter().zip(held).zip(copied) {
            let looked = 1 + u64::from(UNCOUNTED.contains(kind));
            rows =
                rows.saturating_add(held.saturating_mul(looked)).saturating_add(held.saturating_sub(copied));
        }
        Ok(rows)
    }

    /// Counts rows by kind in one read. A large memory takes long, but does not delay others.
    async fn counts(
        &self,
        store: &Arc<dyn Store>,
        place: &TransferPlace,
        kinds: &'static [TransferKind],
    ) -> Result<Vec<u64>> {
        let place = place.clone();
        store.read(move |tx| kinds.iter().map(|kind| tx.transfer().count(&place, *kind)).collect()).await
    }
}
