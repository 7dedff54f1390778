//! `sweep`: what has had its time leaves the tables. Reads leave it out long before; this frees the space.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::job::JobState;
use loci_model::ports::store::{Checkpoint, StoreExt, Tx};
use loci_model::record::RecordState;
use loci_model::{MemoryId, RecordId, Result, StrategyId, Timestamp, limits};

use super::deliverer;
use super::purge::{ROWS_PER_WRITE, erase_memory, erase_records};
use crate::asking::forgetting;
use crate::records::changing::Changing;
use crate::{Engine, asking};

/// Writes of one kind in one sweep; what is left waits for the next.
const ROUNDS_MAX: usize = 200;
/// A write of few rows costs like one of so many.
const ROWS_COUNTED_MIN: usize = 5;
/// Memories with something to erase that are asked for at once.
const MEMORIES_PER_PAGE: usize = 100;
/// Why a record past its time is expired.
const REASON: &str = "expired";

impl Engine {
    /// Removes expired events and tokens, jobs that ended long ago, exchanges and deliveries, history past retention, what the archive of conversations has kept long enough, content
    /// that was deleted long enough ago; marks expired records; begins the upkeep of trees whose turn it is. In small writes; bounded.
    pub async fn sweep(&self) -> Result<()> {
        let now = self.clock.now();
        self.sweep_events(now).await?;
        self.expire_records(now).await?;
        self.rounds(move |tx| tx.idempotency_mut().sweep(now, ROWS_PER_WRITE)).await?;
        self.rounds(move |tx| tx.parked_mut().sweep(now, ROWS_PER_WRITE)).await?;
        for (state, kept_ms) in
            [(JobState::Done, limits::FINISHED_JOB_MS), (JobState::Failed, limits::FAILED_JOB_MS)]
        {
            let before = now.plus_millis(-kept_ms);
            self.rounds(move |tx| tx.jobs_mut().sweep(state, before, ROWS_PER_WRITE)).await?;
        }
        self.rounds(move |tx| asking::sweep(tx, now, ROWS_PER_WRITE)).await?;
        self.rounds(move |tx| deliverer::sweep(tx, now, ROWS_PER_WRITE)).await?;
        self.rounds(move |tx| tx.records_mut().sweep_history(now, ROWS_PER_WRITE)).await?;
        self.rounds(move |tx| tx.task_sessions_mut().sweep(now, ROWS_PER_WRITE)).await?;
        self.sweep_deleted(now).await?;
        self.sweep_verified(now).await?;
        self.sweep_reviews(now).await?;
        Box::pin(self.follow_upkeep()).await?;
        // The log gives its room back, and what was erased from the tables is not in it any more.
        self.store.checkpoint(Checkpoint::Underway { monotonic_us: self.clock.monotonic_us() }).await
    }

    /// Runs one kind of sweep until a round does less than it might.
    async fn rounds<F>(&self, work: F) -> Result<()>
    where
        F: FnMut(&mut dyn Tx) -> Result<usize> + Send + Clone + 'static,
    {
        for _ in 0..ROUNDS_MAX {
            if self.store.write(work.clone()).await? < ROWS_PER_WRITE {
                break;
            }
        }
        Ok(())
    }

    /// A store may take one memory a write: it goes on until nothing is found.
    async fn sweep_events(&self, now: Timestamp) -> Result<()> {
        let mut left = ROUNDS_MAX * ROWS_PER_WRITE;
        while left > 0 {
            match self.store.write(move |tx| tx.events_mut().sweep(now, ROWS_PER_WRITE)).await? {
                0 => break,
                swept => left = left.saturating_sub(swept.max(ROWS_COUNTED_MIN)),
            }
        }
        Ok(())
    }

    /// Records past their time leave the index with a state that says so: found in all memories, changed one memory a write.
    async fn expire_records(&self, now: Timestamp) -> Result<()> {
        for _ in 0..ROUNDS_MAX {
            let expired = self.store.read(move |tx| tx.records().expired(now, ROWS_PER_WRITE)).await?;
            let count = expired.len();
            let mut of_memory: BTreeMap<MemoryId, Vec<RecordId>> = BTreeMap::new();
            for (memory, id) in expired {
                of_memory.entry(memory).or_default().push(id);
            }
            for (memory, ids) in of_memory {
                self.store.write(move |tx| expire_all(tx, &memory, &ids, now)).await?;
            }
            if count < ROWS_PER_WRITE {
                break;
            }
        }
        Ok(())
    }

    /// Deleted records of the memories that have some to erase, and deleted memories whose own job was lost.
    async fn sweep_deleted(&self, now: Timestamp) -> Result<()> {
        for _ in 0..ROUNDS_MAX {
            let due = self.store.read(move |tx| tx.records().erasable(now, MEMORIES_PER_PAGE)).await?;
            for memory in &due {
                erase_records(self, memory).await?;
            }
            if due.len() < MEMORIES_PER_PAGE {
                break;
            }
        }
        let longest = i64::try_from(self.settings.memory_defaults.erase_after_ms).unwrap_or(i64::MAX);
        let before = now.plus_millis(longest.saturating_neg());
        let deleted = self.store.read(move |tx| tx.memories().deleted(before, MEMORIES_PER_PAGE)).await?;
        for memory in &deleted {
            erase_memory(self, memory).await?;
        }
        Ok(())
    }
}

fn expire_all(tx: &mut dyn Tx, memory: &MemoryId, ids: &[RecordId], now: Timestamp) -> Result<()> {
    let mut gone = BTreeSet::new();
    for id in ids {
        gone.extend(expire(tx, memory, id, now)?);
    }
    for strategy in &gone {
        forgetting::of_records(tx, memory, Some(strategy), now)?;
    }
    Ok(())
}

/// The strategy of the record that expired.
fn expire(tx: &mut dyn Tx, memory: &MemoryId, id: &RecordId, at: Timestamp) -> Result<Option<StrategyId>> {
    let Some(record) = tx.records().get(memory, id)? else { return Ok(None) };
    // It was found by a read: it may have been given more time since.
    let is_due = record.state == RecordState::Active && record.expires_at.is_some_and(|due| due <= at);
    if !is_due {
        return Ok(None);
    }
    let Some(memory) = tx.memories().get(memory)? else { return Ok(None) };
    let changing = Changing { memory: &memory, by: "loci", at };
    if !changing.set_state(tx, &record, RecordState::Expired, REASON)? {
        return Ok(None);
    }
    Ok(record.strategy)
}
