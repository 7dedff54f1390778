//! The job that gives vectors to passages that lack one: after a batch, an import, a change of model, or a time without
//! the embedder. While a batch is written the next is being embedded.
//!
//! A verb that compares records by their vectors completes those of its namespace first (`complete_vectors`), so that
//! its decision does not depend on how far the job is.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::stream::{self, StreamExt};
use loci_model::job::Job;
use loci_model::ports::embedder::Embedder;
use loci_model::ports::store::{MissingVector, PassageVector, StoreExt};
use loci_model::{Error, ErrorKind, MemoryId, Namespace, RecordId, Result, limits};

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

/// Passages of one run that the embedder may refuse, each for itself; where it refuses more, it is not the passages.
const REFUSED_MAX: usize = 1_024;
/// What any embedder takes: where it is refused, it is not the passages either.
const PLAIN: &str = "a plain text";

/// A passage: its record, version and part.
type Place = (RecordId, u32, u32);

/// What became of a batch.
#[derive(Default)]
struct Embedded {
    vectors: Vec<PassageVector>,
    /// With why.
    refused: Vec<(Place, String)>,
}

/// Runs until no passage lacks a vector, but those that the embedder refuses: they stay without, and are found by their
/// words. Run twice, it finds nothing left to do.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    let Some(embedder) = engine.embedder.clone() else { return Ok(Ended::Done) };
    let mut refused: BTreeSet<Place> = BTreeSet::new();
    loop {
        let (memory, model) = (job.memory.clone(), embedder.model_id().to_owned());
        let limit = BATCHES_PER_READ * TEXTS_PER_BATCH + refused.len();
        let mut missing: Vec<MissingVector> =
            engine.store.read(move |tx| tx.records().missing_vectors(&memory, None, &model, limit)).await?;
        missing.retain(|passage| !refused.contains(&place(passage)));
        if missing.is_empty() {
            return Ok(Ended::Done);
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
            return Ok(Ended::Again(engine.clock.now().plus_millis(PAUSE_MS)));
        }
    }
}

/// What [`Engine::complete_vectors`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletedVectors {
    /// The state of the namespace's vectors.
    pub completion: Completion,
    /// Vectors that were written.
    pub(crate) written: usize,
}

/// The state of a namespace's vectors after [`Engine::complete_vectors`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// Every passage has a vector, but those that the embedder refuses.
    Whole,
    /// Some were made and some are left: another call makes more.
    Partial,
    /// None can be made now.
    Stopped,
}

impl Engine {
    /// Gives vectors to the passages at one node of a memory that lack one, at most
    /// [`limits::COMPARED_VECTORS_MAX`] of them, oldest first.
    ///
    /// # Errors
    /// Those of the store. An embedder that does not answer is logged: words decide, as for the question itself.
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

/// Vectors of a batch. Where the embedder refuses one of its passages, the batch is halved until that one is alone.
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

/// An embedder that refuses everything is out of service until somebody changes something.
fn of_embedder(error: Error) -> Error {
    if error.kind == ErrorKind::Invalid { Error::new(ErrorKind::Upstream, error.message) } else { error }
}

fn place(passage: &MissingVector) -> Place {
    (passage.record.clone(), passage.version, passage.part)
}

fn of_passage(model: &str, passage: MissingVector, vector: Vec<f32>) -> PassageVector {
    let MissingVector { record, version, part, .. } = passage;
    PassageVector { record, version, part, model: model.to_owned(), vector }
}
