//! The job that gives vectors to passages that lack one: after a batch, an import, a change of model, or a time without
//! the embedder. While a batch is written the next is being embedded.

use std::sync::Arc;

use futures::stream::{self, StreamExt};
use loci_model::Result;
use loci_model::job::Job;
use loci_model::ports::embedder::Embedder;
use loci_model::ports::store::{MissingVector, PassageVector, StoreExt};

use super::Ended;
use crate::Engine;

/// Texts that the embedder gets at once, and vectors of one write.
pub(super) const TEXTS_PER_BATCH: usize = 32;
/// Batches that are read at once: between them the embedder never waits.
const BATCHES_PER_READ: usize = 8;
/// Batches that the embedder has at once: one that is embedded while the one before is written.
const BATCHES_AHEAD: usize = 2;
/// Where nothing could be written, another writer is at the same records: a pause before looking again.
const PAUSE_MS: i64 = 200;

/// Runs until no passage lacks a vector. Run twice, it finds nothing left to do.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    let Some(embedder) = engine.embedder.clone() else { return Ok(Ended::Done) };
    loop {
        let (memory, model) = (job.memory.clone(), embedder.model_id().to_owned());
        let missing: Vec<MissingVector> = engine
            .store
            .read(move |tx| tx.records().missing_vectors(&memory, &model, BATCHES_PER_READ * TEXTS_PER_BATCH))
            .await?;
        if missing.is_empty() {
            return Ok(Ended::Done);
        }
        let batches: Vec<_> = missing.chunks(TEXTS_PER_BATCH).map(<[MissingVector]>::to_vec).collect();
        let mut embedded = stream::iter(batches).map(|batch| embed(&embedder, batch)).buffered(BATCHES_AHEAD);
        let mut written = 0;
        while let Some(vectors) = embedded.next().await {
            let (memory, vectors) = (job.memory.clone(), vectors?);
            written += engine.store.write(move |tx| tx.records_mut().put_vectors(&memory, &vectors)).await?;
        }
        if written == 0 {
            return Ok(Ended::Again(engine.clock.now().plus_millis(PAUSE_MS)));
        }
    }
}

async fn embed(embedder: &Arc<dyn Embedder>, batch: Vec<MissingVector>) -> Result<Vec<PassageVector>> {
    let vectors = embedder.embed(batch.iter().map(|passage| passage.text.clone()).collect()).await?;
    let of = |(passage, vector): (MissingVector, Vec<f32>)| PassageVector {
        record: passage.record,
        version: passage.version,
        part: passage.part,
        model: embedder.model_id().to_owned(),
        vector,
    };
    Ok(batch.into_iter().zip(vectors).map(of).collect())
}
