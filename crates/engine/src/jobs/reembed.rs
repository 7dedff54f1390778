//! After a change of embedder: memories whose passages have vectors of another model, or none, are given a job that makes
//! them. The job itself is the one of every passage without a vector.

use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::{JobId, MemoryId, Result, Timestamp};

use crate::Engine;
use crate::records::batch::ask_for_vectors;

/// Memories looked at per transaction.
const MEMORIES_PER_PAGE: usize = 100;

impl Engine {
    /// Asks for vectors wherever a passage lacks one of the present embedder; in how many memories. Meanwhile such
    /// passages are found by their words, and answers say that vectors are pending.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn ask_for_missing_vectors(&self) -> Result<usize> {
        let Some(embedder) = &self.embedder else { return Ok(0) };
        let (mut after, mut asked) = (None::<(Timestamp, MemoryId)>, 0);
        loop {
            let (behind, model) = (after.clone(), embedder.model_id().to_owned());
            let page: Vec<(Memory, u64)> = self
                .store
                .read(move |tx| {
                    let memories = tx.memories().list(behind.as_ref(), MEMORIES_PER_PAGE)?;
                    let count = |memory: Memory| {
                        let lacking = tx.records().missing_vector_count(&memory.id, &model)?;
                        Ok((memory, lacking))
                    };
                    memories.into_iter().map(count).collect()
                })
                .await?;
            for (memory, lacking) in page.iter().filter(|(_, lacking)| *lacking > 0) {
                tracing::info!(memory = %memory.id, passages = lacking, "vectors are made anew");
                let (memory, now) = (memory.id.clone(), self.clock.now());
                let id = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
                self.store.write(move |tx| ask_for_vectors(tx, &memory, &id, now)).await?;
                asked += 1;
            }
            match page.last() {
                Some((last, _)) if page.len() == MEMORIES_PER_PAGE => {
                    after = Some((last.created_at, last.id.clone()));
                }
                _ => break,
            }
        }
        if asked > 0 {
            self.wake.call();
        }
        Ok(asked)
    }
}
