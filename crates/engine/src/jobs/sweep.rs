//! `sweep`: removes outdated rows from the tables, to free their space. Reads omit these rows
//! before they are removed.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::job::JobState;
use loci_model::ports::store::{Checkpoint, StoreExt, Tx};
use loci_model::record::RecordState;
use loci_model::{ErrorKind, MemoryId, RecordId, Result, StrategyId, Timestamp, limits};

use super::deliverer;
use super::purge::{ROWS_PER_WRITE, erase_memory, erase_records};
use crate::language_models::erasure;
use crate::records::state_transition::StateTransition;
use crate::{Engine, language_models};

/// The maximum number of writes for each kind of rows in one sweep; the rest waits for the next
/// sweep.
const ROUNDS_MAX: usize = 200;
/// Minimum number of rows charged for a write, because a write of few rows costs almost the same.
const ROWS_COUNTED_MIN: usize = 5;
/// The number of memories with erasable data that one read returns.
const MEMORIES_PER_PAGE: usize = 100;
/// The reason in the state history of a record that expired.
const REASON: &str = "expired";

impl Engine {
    /// Removes expired events and tokens, jobs that ended long ago, exchanges and deliveries,
    /// history past retention, session items past retention, and content that was deleted long
    /// enough ago. Marks expired records, and removes parts of aborted imports. Then runs the
    /// sweeps of all products. It uses small writes and a bounded amount of work.
    ///
    /// An unreadable row is logged, and the sweep continues: it skips only that record, or else its
    /// memory, or else its kind.
    ///
    /// # Errors
    /// Errors of the store itself.
    pub async fn sweep(&self) -> Result<()> {
        let now = self.clock.now();
        let of = |kind: &'static str| move |result| unless_damaged(kind, result);
        of("events")(self.sweep_events(now).await)?;
        of("expired records")(self.expire_records(now).await)?;
        of("tokens")(self.rounds(move |tx| tx.idempotency_mut().sweep(now, ROWS_PER_WRITE)).await)?;
        of("parked objects")(self.rounds(move |tx| tx.parked_mut().sweep(now, ROWS_PER_WRITE)).await)?;
        for (state, kept_ms) in
            [(JobState::Done, limits::FINISHED_JOB_MS), (JobState::Failed, limits::FAILED_JOB_MS)]
        {
            let before = now.plus_millis(-kept_ms);
            of("jobs")(self.rounds(move |tx| tx.jobs_mut().sweep(state, before, ROWS_PER_WRITE)).await)?;
        }
        of("exchanges")(self.rounds(move |tx| language_models::sweep(tx, now, ROWS_PER_WRITE)).await)?;
        of("deliveries")(self.rounds(move |tx| deliverer::sweep(tx, now, ROWS_PER_WRITE)).await)?;
        of("history")(self.rounds(move |tx| tx.records_mut().sweep_history(now, ROWS_PER_WRITE)).await)?;
        of("conversations")(self.rounds(move |tx| tx.task_sessions_mut().sweep(now, ROWS_PER_WRITE)).await)?;
        of("deleted data")(self.sweep_deleted(now).await)?;
        of("imports")(self.sweep_imports(now).await)?;
        for part in self.products.sweeps() {
            of(part.name())(part.run(self, now).await)?;
        }
        // The checkpoint frees the space of the write-ahead log, and removes erased data from it.
        self.store.checkpoint(Checkpoint::Underway { monotonic_us: self.clock.monotonic_us() }).await
    }

    /// Runs one kind of sweep until a round removes less than the maximum.
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

    /// Sweeps events. A store may process one memory per write, so this continues until nothing is
    /// found.
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

    /// Marks expired records in all memories, one memory per write. They leave the index and get
    /// the state expired.
    async fn expire_records(&self, now: Timestamp) -> Result<()> {
        for _ in 0..ROUNDS_MAX {
            let expired = self.store.read(move |tx| tx.records().expired(now, ROWS_PER_WRITE)).await?;
            let count = expired.len();
            let mut of_memory: BTreeMap<MemoryId, Vec<RecordId>> = BTreeMap::new();
            for (memory, id) in expired {
                of_memory.entry(memory).or_default().push(id);
            }
            let mut is_stuck = true;
            for (memory, ids) in of_memory {
                is_stuck &= !self.expire_of(&memory, &ids, now).await?;
            }
            if count < ROWS_PER_WRITE || is_stuck {
                break;
            }
        }
        Ok(())
    }

    /// Marks expired records of one memory in one write, or in separate writes if one of them is
    /// damaged. Returns false if none could be marked.
    async fn expire_of(&self, memory: &MemoryId, ids: &[RecordId], now: Timestamp) -> Result<bool> {
        let expire = |ids: Vec<RecordId>| {
            let memory = memory.clone();
            self.store.write(move |tx| expire_all(tx, &memory, &ids, now))
        };
        match expire(ids.to_vec()).await {
            Err(error) if error.kind == ErrorKind::Bug => {}
            done => return done.map(|()| true),
        }
        let mut any = false;
        for id in ids {
            let done = expire(vec![id.clone()]).await.map(|()| true);
            any |= unless_damaged("a record that expired", done)?;
        }
        Ok(any)
    }

    /// Erases deleted records of the memories that have some, and deleted memories whose own job
    /// was lost.
    async fn sweep_deleted(&self, now: Timestamp) -> Result<()> {
        for _ in 0..ROUNDS_MAX {
            let due = self.store.read(move |tx| tx.records().erasable(now, MEMORIES_PER_PAGE)).await?;
            let mut is_stuck = true;
            for memory in &due {
                let done = erase_records(self, memory).await.map(|()| true);
                is_stuck &= !unless_damaged("deleted records of a memory", done)?;
            }
            if due.len() < MEMORIES_PER_PAGE || is_stuck {
                break;
            }
        }
        let longest = i64::try_from(self.settings.memory_defaults.erase_after_ms).unwrap_or(i64::MAX);
        let before = now.plus_millis(longest.saturating_neg());
        let deleted = self.store.read(move |tx| tx.memories().deleted(before, MEMORIES_PER_PAGE)).await?;
        for memory in &deleted {
            unless_damaged("a deleted memory", erase_memory(self, memory).await)?;
        }
        Ok(())
    }
}

/// Logs an error of a damaged row; other errors come from the store and end the sweep.
fn unless_damaged<T: Default>(what: &str, result: Result<T>) -> Result<T> {
    match result {
        Err(error) if error.kind == ErrorKind::Bug => {
            tracing::error!(?error, "{what}: something cannot be swept; the sweep goes on");
            Ok(T::default())
        }
        result => result,
    }
}

fn expire_all(tx: &mut dyn Tx, memory: &MemoryId, ids: &[RecordId], now: Timestamp) -> Result<()> {
    let mut gone = BTreeSet::new();
    for id in ids {
        gone.extend(expire(tx, memory, id, now)?);
    }
    for strategy in &gone {
        erasure::of_records(tx, memory, Some(strategy), now)?;
    }
    Ok(())
}

/// Marks one record as expired, and returns its strategy.
fn expire(tx: &mut dyn Tx, memory: &MemoryId, id: &RecordId, at: Timestamp) -> Result<Option<StrategyId>> {
    let Some(record) = tx.records().get(memory, id)? else { return Ok(None) };
    // The record was found by an earlier read: its expiry may have been extended since.
    let is_due = record.state == RecordState::Active && record.expires_at.is_some_and(|due| due <= at);
    if !is_due {
        return Ok(None);
    }
    let Some(memory) = tx.memories().get(memory)? else { return Ok(None) };
    let changing = StateTransition { memory: &memory, by: "loci", at };
    if !changing.set_state(tx, &record, RecordState::Expired, REASON)? {
        return Ok(None);
    }
    Ok(record.strategy)
}
