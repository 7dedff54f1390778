//! The job that embeds passages without a vector: after a batch, an import, a change of model, or
//! an outage of the embedder. It writes one batch while the next one is being embedded.
//!
//! An operation that compares records by their vectors first completes those of its namespace
//! (`complete_vectors`), so that its decision does not depend on the progress of the job.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::stream::{self, StreamExt};
use loci_model::job::Job;
use loci_model::ports::embedder::Embedder;
use loci_model::ports::store::{MissingVector, PassageVector, StoreExt};
use loci_model::{Error, ErrorKind, MemoryId, Namespace, RecordId, Result, limits};

use super::JobAttemptEnd;
use crate::Engine;

/// The number of texts in one call of the embedding model, and of vectors in one write.
pub(super) const TEXTS_PER_BATCH: usize = 32;
/// The number of batches in one read of the store, so that the embedding model does not wait for
/// reads.
const BATCHES_PER_READ: usize = 8;
/// The number of batches that are in progress: one is embedded while the previous one is written.
const BATCHES_AHEAD: usize = 2;
/// The pause after a write without effect, in milliseconds. Another writer is then changing the
/// same records.
const PAUSE_MS: i64 = 200;

/// The maximum number of passages that the embedding model may reject in one run. If it rejects
/// more, the model itself is considered faulty.
const REFUSED_MAX: usize = 1_024;
/// A text that every embedding model accepts. If a model rejects it, the model is faulty.
const PLAIN: &str = "a plain text";

/// A passage: its record, version and part.
type PassageAddress = (RecordId, u32, u32);

/// The result of a batch.
#[derive(Default)]
struct Embedded {
    vectors: Vec<PassageVector>,
    /// The passages that the model rejected, each with the reason.
    refused: Vec<(PassageAddress, String)>,
}

/// Runs until no passage lacks a vector, except those that the embedder rejects: text search still
/// finds them. A second run has no work.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<JobAttemptEnd> {
    let Some(embedder) = engine.embedder.clone() else { return Ok(JobAttemptEnd::Done) };
    let mut refused: BTreeSet<PassageAddress> = BTreeSet::new();
    loop {
        let (memory, model) = (job.memory.clone(), embedder.model_id().to_owned());
        let limit = BATCHES_PER_READ * TEXTS_PER_BATCH + refused.len();
        let mut missing: Vec<MissingVector> =
            engine.store.read(move |tx| tx.records().missing_vectors(&memory, None, &model, limit)).await?;
        missing.retain(|passage| !refused.contains(&place(passage)));
        if missing.is_empty() {
            return Ok(JobAttemptEnd::Done);
        }
        let batches: Vec<_> = missing.chunks(TEXTS_PER_BATCH).map(<[MissingVector]>::to_vec).collect();
        let mut embedded = stream::iter(batches).map(|batch| embed(&embedder, batch)).buffered(BATCHES_AHEAD);
        let (mut written, before) = (0, refused.len());
        while let Some(batch) = embedded.next().await {
            let (memory, Embedded { vectors, refused: some }) = (job.memory.clone(), batch?);
            written += engine.store.write(move |tx| tx.records_mut().put_vectors(&memory, &vectors)).await?;
            for (place, why) in some {
                tracing::warn!(memory = %job.memory, record = %place.0, part = place.2, why, "a passage gets no vector");
                refused.insert(place);
            }
        }
        if refused.len() > REFUSED_MAX {
            let said = format!("the embedder refuses more than {REFUSED_MAX} passages: is it the right one?");
            return Err(Error::new(ErrorKind::Upstream, said));
        }
        if written == 0 && refused.len() == before {
            return Ok(JobAttemptEnd::Again(engine.clock.now().plus_millis(PAUSE_MS)));
        }
    }
}

/// The result of [`Engine::complete_vectors`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletedVectors {
    /// The state of the namespace's vectors.
    pub completion: Completion,
    /// The number of vectors that the call wrote.
    pub(crate) written: usize,
}

/// The state of a namespace's vectors after [`Engine::complete_vectors`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// Every passage of the namespace has a vector, except those that the embedding model
    /// rejects.
    Whole,
    /// Some passages got a vector and others still have none: another call continues.
    Partial,
    /// No vectors can be made now, because the embedding model does not respond.
    Stopped,
}

impl Engine {
    /// Embeds passages without a vector in one namespace of a memory, at most
    /// [`limits::COMPARED_VECTORS_MAX`] of them, oldest first.
    ///
    /// # Errors
    /// Errors of the store. If the embedder does not respond, this is logged and text similarity
    /// decides, as for the query itself.
    pub async fn complete_vectors(
        &self,
        memory: &MemoryId,
        namespace: &Namespace,
    ) -> Result<CompletedVectors> {
        let Some(embedder) = self.embedder.clone() else {
            return Ok(CompletedVectors { completion: Completion::Whole, written: 0 });
        };
        let (of, at, model) = (memory.clone(), namespace.clone(), embedder.model_id().to_owned());
        let limit = limits::COMPARED_VECTORS_MAX + 1;
        let mut missing: Vec<MissingVector> =
            self.store.read(move |tx| tx.records().missing_vectors(&of, Some(&at), &model, limit)).await?;
        let is_whole = missing.len() < limit;
        missing.truncate(limits::COMPARED_VECTORS_MAX);
        let mut written = 0;
        for batch in missing.chunks(TEXTS_PER_BATCH) {
            let made = match embed(&embedder, batch.to_vec()).await {
                Ok(made) => made.vectors,
                Err(error) => {
                    tracing::warn!(%memory, ?error, "records are compared by their words alone");
                    return Ok(CompletedVectors { completion: Completion::Stopped, written });
                }
            };
            let of = memory.clone();
            written += self.store.write(move |tx| tx.records_mut().put_vectors(&of, &made)).await?;
        }
        let completion = match (is_whole, written) {
            (true, _) => Completion::Whole,
            (false, 0) => Completion::Stopped,
            (false, _) => Completion::Partial,
        };
        Ok(CompletedVectors { completion, written })
    }
}

/// Returns the vectors of a batch. If the embedder rejects a passage, the batch is halved until
/// that passage is isolated.
async fn embed(embedder: &Arc<dyn Embedder>, batch: Vec<MissingVector>) -> Result<Embedded> {
    let (mut embedded, mut open, mut takes_plain) = (Embedded::default(), vec![batch], false);
    while let Some(mut some) = open.pop() {
        match embedder.embed(some.iter().map(|passage| passage.text.clone()).collect()).await {
            Ok(vectors) => {
                let of = |(passage, vector)| of_passage(embedder.model_id(), passage, vector);
                embedded.vectors.extend(some.into_iter().zip(vectors).map(of));
            }
            Err(error) if error.kind == ErrorKind::Invalid => {
                if !takes_plain {
                    embedder.embed(vec![PLAIN.to_owned()]).await.map_err(of_embedder)?;
                    takes_plain = true;
                }
                match some.as_slice() {
                    [alone] => embedded.refused.push((place(alone), error.message)),
                    _ => {
                        let rest = some.split_off(some.len() / 2);
                        open.extend([rest, some]);
                    }
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(embedded)
}

/// Converts an error: an embedder that rejects everything is out of service until someone repairs
/// it.
fn of_embedder(error: Error) -> Error {
    if error.kind == ErrorKind::Invalid { Error::new(ErrorKind::Upstream, error.message) } else { error }
}

fn place(passage: &MissingVector) -> PassageAddress {
    (passage.record.clone(), passage.version, passage.part)
}

fn of_passage(model: &str, passage: MissingVector, vector: Vec<f32>) -> PassageVector {
    let MissingVector { record, version, part, .. } = passage;
    PassageVector { record, version, part, model: model.to_owned(), vector }
}
