//! The job that gives vectors to passages that lack one: after a batch, an import, a change of model, or a time without
//! the embedder.

use loci_model::Result;
use loci_model::job::Job;
use loci_model::ports::store::{MissingVector, PassageVector, StoreExt};

use super::Ended;
use crate::Engine;

/// Texts that the embedder gets at once, and vectors of one write.
pub(super) const TEXTS_PER_BATCH: usize = 32;
/// Where nothing could be written, another writer is at the same records: a pause before looking again.
const PAUSE_MS: i64 = 200;

/// Runs until no passage lacks a vector. Run twice, it finds nothing left to do.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    let Some(embedder) = engine.embedder.clone() else { return Ok(Ended::Done) };
    let model = embedder.model_id().to_owned();
    loop {
        let (memory, of_model) = (job.memory.clone(), model.clone());
        let missing: Vec<MissingVector> = engine
            .store
            .read(move |tx| tx.records().missing_vectors(&memory, &of_model, TEXTS_PER_BATCH))
            .await?;
        if missing.is_empty() {
            return Ok(Ended::Done);
        }
        let texts = missing.iter().map(|passage| passage.text.clone()).collect();
        let vectors = embedder.embed(texts).await?;
        let vectors: Vec<PassageVector> = missing
            .into_iter()
            .zip(vectors)
            .map(|(passage, vector)| PassageVector {
                record: passage.record,
                version: passage.version,
                part: passage.part,
                model: model.clone(),
                vector,
            })
            .collect();
        let memory = job.memory.clone();
        let written = engine.store.write(move |tx| tx.records_mut().put_vectors(&memory, &vectors)).await?;
        if written == 0 {
            return Ok(Ended::Again(engine.clock.now().plus_millis(PAUSE_MS)));
        }
    }
}
