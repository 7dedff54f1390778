//! Handles a change of embedder: schedules a job for memories with passages that have no vector or
//! one of another model. It is the job that embeds all passages without a vector.

use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::{JobId, MemoryId, Result};

use crate::Engine;
use crate::records::batch::ask_for_vectors;

/// The number of memories in one transaction.
const MEMORIES_PER_PAGE: usize = 100;

impl Engine {
    /// Schedules embedding for all memories with a passage that lacks a vector of the current
    /// embedder. Returns their number. Until then text search finds these passages, and responses
    /// report that vectors are pending.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn ask_for_missing_vectors(&self) -> Result<usize> {
        let Some(embedder) = &self.embedder else { return Ok(0) };
        let (mut after, mut asked) = (None::<MemoryId>, 0);
        loop {
            let (behind, model) = (after.clone(), embedder.model_id().to_owned());
            let page = self
                .store
                .read(move |tx| {
                    tx.records().memories_missing_vectors(&model, behind.as_ref(), MEMORIES_PER_PAGE)
                })
                .await?;
            for memory in &page {
                tracing::info!(%memory, "vectors are made anew");
                let (memory, now) = (memory.clone(), self.clock.now());
                let id = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
                self.store.write(move |tx| ask_for_vectors(tx, &memory, &id, now)).await?;
                asked += 1;
            }
            after = page.last().cloned();
            if page.len() < MEMORIES_PER_PAGE {
                break;
            }
        }
        if asked > 0 {
            self.wake.call();
        }
        Ok(asked)
    }
}
