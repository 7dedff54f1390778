//! `sweep`: what has had its time leaves the tables. Reads leave it out long before; this frees the space.

use std::collections::BTreeSet;

use loci_model::job::JobState;
use loci_model::ports::store::{Checkpoint, RecordChange, StoreExt, Tx};
use loci_model::record::RecordState;
use loci_model::{MemoryId, RecordId, Result, StrategyId, Timestamp, limits};

use super::deliverer;
use super::purge::{ROWS_PER_WRITE, erase_memory, erase_records};
use crate::asking::forgetting;
use crate::records::changes::{self, Change};
use crate::{Engine, asking};

/// Writes of one kind in one sweep; what is left waits for the next.
const ROUNDS_MAX: usize = 200;
/// Memories looked at for deleted records in one page.
const MEMORIES_PER_PAGE: usize = 100;
/// Why a record past its time is expired.
const REASON: &str = "expired";

impl Engine {
    /// Removes expired events and tokens, jobs that ended long ago, exchanges and deliveries, history past retention, content
    /// that was deleted long enough ago; marks expired records. In small writes; bounded.
    pub async fn sweep(&self) -> Result<()> {
        let now = self.clock.now();
        self.rounds(move |tx| tx.events_mut().sweep(now, ROWS_PER_WRITE)).await?;
        self.rounds(move |tx| expire_records(tx, now)).await?;
        self.rounds(move |tx| tx.idempotency_mut().sweep(now, ROWS_PER_WRITE)).await?;
        for (state, kept_ms) in
            [(JobState::Done, limits::FINISHED_JOB_MS), (JobState::Failed, limits::FAILED_JOB_MS)]
        {
            let before = now.plus_millis(-kept_ms);
            self.rounds(move |tx| tx.jobs_mut().sweep(state, before, ROWS_PER_WRITE)).await?;
        }
        self.rounds(move |tx| asking::sweep(tx, now, ROWS_PER_WRITE)).await?;
        self.rounds(move |tx| deliverer::sweep(tx, now, ROWS_PER_WRITE)).await?;
        self.rounds(move |tx| tx.records_mut().sweep_history(now, ROWS_PER_WRITE)).await?;
        self.sweep_deleted(now).await?;
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

    /// Deleted records of every memory, and deleted memories whose own job was lost.
    async fn sweep_deleted(&self, now: Timestamp) -> Result<()> {
        let mut after: Option<(Timestamp, MemoryId)> = None;
        loop {
            let behind = after.clone();
            let page =
                self.store.read(move |tx| tx.memories().list(behind.as_ref(), MEMORIES_PER_PAGE)).await?;
            for memory in &page {
                erase_records(self, &memory.id, memory.settings.erase_after_ms).await?;
            }
            match page.last() {
                Some(last) if page.len() == MEMORIES_PER_PAGE => {
                    after = Some((last.created_at, last.id.clone()));
                }
                _ => break,
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

/// Records past their time leave the index with a state that says so.
fn expire_records(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    let expired = tx.records().expired(now, ROWS_PER_WRITE)?;
    let mut gone = BTreeSet::new();
    for (memory, id) in &expired {
        let strategy = expire(tx, memory, id, now)?;
        gone.extend(strategy.map(|strategy| (memory.clone(), strategy)));
    }
    for (memory, strategy) in &gone {
        forgetting::of_records(tx, memory, Some(strategy), now)?;
    }
    Ok(expired.len())
}

/// The strategy of the record that expired.
fn expire(tx: &mut dyn Tx, memory: &MemoryId, id: &RecordId, at: Timestamp) -> Result<Option<StrategyId>> {
    let Some(record) = tx.records().get(memory, id)? else { return Ok(None) };
    let Some(memory) = tx.memories().get(memory)? else { return Ok(None) };
    let change = RecordChange { state: RecordState::Expired, reason: REASON.to_owned(), at };
    if !tx.records_mut().set_state(&memory.id, id, &change)? {
        return Ok(None);
    }
    changes::note(
        tx,
        &memory,
        &Change {
            record: &record,
            from: Some(record.state),
            to: RecordState::Expired,
            reason: REASON,
            by: "loci",
            at,
        },
    )?;
    Ok(record.strategy)
}
