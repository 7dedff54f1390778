//! `sweep`: what has had its time leaves the tables. Reads leave it out long before; this frees the space.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::job::JobState;
use loci_model::ports::store::{Checkpoint, StoreExt, Tx};
use loci_model::record::RecordState;
use loci_model::{ErrorKind, MemoryId, RecordId, Result, StrategyId, Timestamp, limits};

use super::deliverer;
use super::purge::{ROWS_PER_WRITE, erase_memory, erase_records};
use crate::language_models::erasure;
use crate::records::changing::Changing;
use crate::{Engine, language_models};

/// Writes of one kind in one sweep; what is left waits for the next.
const ROUNDS_MAX: usize = 200;
/// A write of few rows costs like one of so many.
const ROWS_COUNTED_MIN: usize = 5;
/// Memories with something to erase that are asked for at once.
const MEMORIES_PER_PAGE: usize = 100;
/// Why a record past its time is expired.
const REASON: &str = "expired";

impl Engine {
    /// Removes expired events and tokens, jobs that ended long ago, exchanges and deliveries,
    /// history past retention, what the archive of conversations has kept long enough, content that
    /// was deleted long enough ago; marks expired records; removes parts of imports that broke off;
    /// then runs the parts of all products. In small writes; bounded.
    ///
    /// A row that cannot be read costs its own record, else its memory, else its kind: it is logged, and the
    /// sweep goes on.
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

    /// Expires records of one memory, in one write; each in its own where one of them is damaged. False where
    /// none could be.
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

    /// Deleted records of the memories that have some to erase, and deleted memories whose own job was lost.
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

/// Logs what a damaged row did not let happen; other errors are the store's, and the sweep ends with them.
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
