//! The job that erases deleted records after their memory's `erase_after_ms`, or a whole deleted
//! memory.

use loci_model::job::Job;
use loci_model::ports::store::StoreExt;
use loci_model::{MemoryId, Result};

use super::JobAttemptEnd;
use crate::Engine;
use crate::deliveries::record_streams;
use crate::hooks::write_context;

/// The number of rows in one write, so few that other writes can run in between.
pub(super) const ROWS_PER_WRITE: usize = 500;

/// Erases all data whose erasure is due. A second run finds no work.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<JobAttemptEnd> {
    let id = job.memory.clone();
    let memory = engine.store.read(move |tx| tx.memories().get(&id)).await?;
    match memory {
        Some(memory) => erase_records(engine, &memory.id).await?,
        None => erase_memory(engine, &job.memory).await?,
    }
    Ok(JobAttemptEnd::Done)
}

/// Erases the content of records of a memory that were deleted long enough ago.
pub(super) async fn erase_records(engine: &Engine, memory: &MemoryId) -> Result<()> {
    let now = engine.clock.now();
    loop {
        let id = memory.clone();
        let erased = engine
            .store
            .write(move |tx| {
                let Some(memory) = tx.memories().get(&id)? else { return Ok(0) };
                let after_ms = memory.settings.erase_after_ms;
                let erased = tx.records_mut().erase_deleted(&id, now, after_ms, ROWS_PER_WRITE)?;
                write_context::products()?.content_erased(tx, &id, &erased)?;
                record_streams::erased(tx, &memory, &erased, false, now)?;
                Ok(erased.len())
            })
            .await?;
        if erased < ROWS_PER_WRITE {
            return Ok(());
        }
    }
}

/// Removes every row of a deleted memory.
pub(crate) async fn erase_memory(engine: &Engine, id: &MemoryId) -> Result<()> {
    loop {
        let memory = id.clone();
        if engine.store.write(move |tx| tx.memories_mut().purge(&memory, ROWS_PER_WRITE)).await? {
            return Ok(());
        }
    }
}
