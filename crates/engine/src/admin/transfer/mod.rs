//! Moves everything from one store to another, memory by memory. A memory becomes visible in the
//! target once it is complete and was compared. After an interruption, the next run finds its
//! progress in the target. Nothing is written to the source.
//!
//! This module holds the operation and its checks. `copy`: rows by page; `sums`: digests of rows;
//! `concurrent_changes`: changes in the source during the move; `exclusive_access`: other processes
//! at work; `work_estimate`: the amount of work; `report`: progress and report.

mod concurrent_changes;
mod copy;
mod exclusive_access;
mod report;
mod sums;
mod work_estimate;

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_model::ports::clock::Clock;
use loci_model::ports::store::{Store, StoreExt, TransferStanding};
use loci_model::transfer::{MovedMemory, TransferKind, TransferPlace};
use loci_model::{Error, MemoryId, Result};

use crate::access::keys::master_key;
pub use report::{
    KindSums, OnTransfer, PlaceReport, TransferOutcome, TransferProgress, TransferReport, TransferStep,
    TransferSum,
};

/// The number of memories that one read returns.
const MEMORIES: usize = 100;

/// A move of all data from one store to another.
#[derive(Clone)]
pub struct Transfer {
    /// The store from which data is read.
    pub from: Arc<dyn Store>,
    /// The store to which data is written.
    pub to: Arc<dyn Store>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The number of rows in one page.
    pub page_rows: usize,
    /// The memories that replace different memories with the same id in the target. The target
    /// loses its data of these memories.
    pub replace: BTreeSet<MemoryId>,
    /// True if access keys of the source replace keys with the same id and different content in
    /// the target.
    pub replace_keys: bool,
    /// A function that is called with the progress.
    pub on_progress: OnTransfer,
}

impl Transfer {
    /// Compares the stores. It writes nothing except a lease that expires immediately.
    ///
    /// # Errors
    /// Errors of the stores; `Invalid` if both are the same store, `NotFound` if the source is
    /// empty, a conflict if one of them is in use.
    pub async fn verify(&self) -> Result<TransferReport> {
        let memories = self.begins().await?;
        self.tell_work(&memories, false).await;
        let mut report = TransferReport::default();
        for memory in &memories {
            let id = memory.memory.id.clone();
            let place = TransferPlace::Memory(id.clone());
            let kinds = self.compare(&place, &kinds_of_memory()).await?;
            let there = self.is_there(&id).await?;
            let outcome = if there { judged(&kinds) } else { TransferOutcome::Missing };
            report.places.push(PlaceReport { place, outcome, there, copied: 0, kinds });
        }
        let kinds = self.compare(&TransferPlace::Server, TransferKind::OF_SERVER).await?;
        report.places.push(server(kinds, 0));
        self.look_again(&memories, &mut report).await?;
        Ok(report)
    }

    /// Moves all data that is missing in the target. Different data in the target stays, except for
    /// [`Transfer::replace`] and [`Transfer::replace_keys`].
    ///
    /// # Errors
    /// Errors of the stores; `Invalid` if both are the same store, `NotFound` if the source is
    /// empty or lacks a memory to replace, a conflict if one of them is in use, or if the target
    /// has other memories with the same id or name.
    pub async fn run(&self) -> Result<TransferReport> {
        let memories = self.begins().await?;
        for id in &self.replace {
            if !memories.iter().any(|memory| memory.memory.id == *id) {
                return Err(Error::not_found(format!("the source has no memory {id}: nothing replaces it")));
            }
        }
        for memory in &memories {
            self.check_target(memory).await?;
        }
        self.tell_work(&memories, true).await;
        let mut report = TransferReport::default();
        for memory in &memories {
            report.places.push(self.move_memory(memory).await?);
        }
        // The witness precedes the keys: with keys alone the target would assume that its own
        // master key sealed all data that arrived.
        self.carry_witness().await?;
        let mut copied = 0;
        for kind in TransferKind::OF_SERVER {
            copied += self.copy_of_server(*kind).await?;
        }
        let kinds = self.compare(&TransferPlace::Server, TransferKind::OF_SERVER).await?;
        report.places.push(server(kinds, copied));
        self.look_again(&memories, &mut report).await?;
        self.let_sweeps_go().await?;
        Ok(report)
    }

    /// Moves the witness of the master key, so that tombstones remain valid in the target.
    async fn carry_witness(&self) -> Result<()> {
        let now = self.clock.now();
        let Some(held) = self.from.read(|tx| master_key::witness_text(tx)).await? else { return Ok(()) };
        self.write(move |tx| master_key::keep_moved_witness(tx, &held, now)).await
    }

    /// Returns the memories of a source that can be moved.
    async fn begins(&self) -> Result<Vec<MovedMemory>> {
        self.are_two().await?;
        self.at_rest().await?;
        let memories = self.memories().await?;
        if memories.is_empty() {
            let held = self
                .from
                .read(|tx| {
                    let of = |kind| tx.transfer().last(&TransferPlace::Server, kind);
                    TransferKind::OF_SERVER
                        .iter()
                        .try_fold(false, |held, kind| Ok(held || of(*kind)?.is_some()))
                })
                .await?;
            if !held {
                return Err(Error::not_found("the source holds nothing: check where it is"));
            }
        }
        Ok(memories)
    }

    fn replaces(&self, memory: &MemoryId) -> bool {
        self.replace.contains(memory)
    }

    async fn move_memory(&self, memory: &MovedMemory) -> Result<PlaceReport> {
        let id = memory.memory.id.clone();
        let place = TransferPlace::Memory(id.clone());
        match self.standing(&id).await? {
            TransferStanding::There(there) => {
                if *there == *memory || !self.replaces(&id) {
                    let kinds = self.compare(&place, &kinds_of_memory()).await?;
                    let outcome = judged(&kinds);
                    if outcome.is_same() || !self.replaces(&id) {
                        return Ok(PlaceReport { place, outcome, there: true, copied: 0, kinds });
                    }
                }
                self.begin_anew(memory).await?;
            }
            TransferStanding::Moving(begun) if *begun == *memory => {}
            TransferStanding::Moving(_) | TransferStanding::Deleted => self.begin_anew(memory).await?,
            TransferStanding::Absent => self.begin(memory).await?,
        }
        let mut copied = 0;
        for kind in TransferKind::OF_MEMORY {
            copied += self.copy(&place, *kind).await?;
        }
        let kinds = self.compare(&place, &kinds_of_memory()).await?;
        let now = self.clock.now();
        if judged(&kinds).is_same() {
            self.write(move |tx| tx.transfer_mut().finish(&id)).await?;
            return Ok(PlaceReport { place, outcome: TransferOutcome::Moved, there: true, copied, kinds });
        }
        let outcome = match self.changed(memory).await? {
            true => TransferOutcome::SourceChanged,
            false => TransferOutcome::Different,
        };
        // The copy may mix old and new rows: the next run starts over.
        self.write(move |tx| tx.transfer_mut().abandon(&id, now)).await?;
        Ok(PlaceReport { place, outcome, there: false, copied, kinds })
    }

    async fn begin(&self, memory: &MovedMemory) -> Result<()> {
        let memory = memory.clone();
        self.write(move |tx| tx.transfer_mut().begin(&memory)).await
    }

    /// Removes the target's data of the memory first: of an earlier try, of a deleted memory, or of
    /// one to replace.
    async fn begin_anew(&self, memory: &MovedMemory) -> Result<()> {
        let (id, now, rows) = (memory.memory.id.clone(), self.clock.now(), self.page_rows);
        let removed = id.clone();
        self.write(move |tx| {
            if !tx.transfer_mut().abandon(&removed, now)? {
                tx.memories_mut().delete(&removed, now)?;
            }
            Ok(())
        })
        .await?;
        let place = TransferPlace::Memory(id.clone());
        loop {
            self.tell(TransferStep::Removing, &place, TransferKind::Memory, 0);
            let id = id.clone();
            if self.write(move |tx| tx.memories_mut().purge(&id, rows)).await? {
                return self.begin(memory).await;
            }
        }
    }

    /// Returns true if the memory in the source changed or disappeared.
    async fn changed(&self, memory: &MovedMemory) -> Result<bool> {
        let id = memory.memory.id.clone();
        let now = self.from.read(move |tx| tx.transfer().standing(&id)).await?;
        Ok(!matches!(now, TransferStanding::There(now) if *now == *memory))
    }

    async fn standing(&self, memory: &MemoryId) -> Result<TransferStanding> {
        let memory = memory.clone();
        self.to.read(move |tx| tx.transfer().standing(&memory)).await
    }

    /// Returns true if the memory is visible in the target.
    async fn is_there(&self, memory: &MemoryId) -> Result<bool> {
        Ok(matches!(self.standing(memory).await?, TransferStanding::There(_)))
    }

    /// Returns every memory of the source, oldest first.
    async fn memories(&self) -> Result<Vec<MovedMemory>> {
        let mut memories = self
            .from
            .read(|tx| {
                let (mut memories, mut after) = (Vec::new(), None);
                loop {
                    let page = tx.memories().list(after.as_ref(), MEMORIES)?;
                    let Some(last) = page.last() else { return Ok(memories) };
                    after = Some((last.created_at, last.id.clone()));
                    for memory in page {
                        match tx.transfer().standing(&memory.id)? {
                            TransferStanding::There(moved) => memories.push(*moved),
                            TransferStanding::Absent
                            | TransferStanding::Moving(_)
                            | TransferStanding::Deleted => {}
                        }
                    }
                }
            })
            .await?;
        memories.reverse();
        Ok(memories)
    }

    /// Rejects a target in which another memory has the id or the name.
    async fn check_target(&self, memory: &MovedMemory) -> Result<()> {
        let (id, name) = (memory.memory.id.clone(), memory.memory.name.clone());
        let (standing, named) =
            self.to.read(move |tx| Ok((tx.transfer().standing(&id)?, tx.memories().by_name(&name)?))).await?;
        let id = &memory.memory.id;
        if let TransferStanding::There(there) = standing
            && *there != *memory
            && !self.replaces(id)
        {
            return Err(Error::conflict(format!(
                "the target has a memory {id} that is not as in the source: if the source is right, say --replace {id}, \
                 and what the target has of it is lost"
            )));
        }
        match named.filter(|named| named.id != *id) {
            Some(named) => Err(Error::conflict(format!(
                "the target has another memory ({}) of the name of {id}: rename one of them",
                named.id
            ))),
            None => Ok(()),
        }
    }
}

fn kinds_of_memory() -> Vec<TransferKind> {
    [TransferKind::Memory].into_iter().chain(TransferKind::OF_MEMORY.iter().copied()).collect()
}

fn judged(kinds: &[KindSums]) -> TransferOutcome {
    match kinds.iter().all(|sums| sums.from == sums.to) {
        true => TransferOutcome::Same,
        false => TransferOutcome::Different,
    }
}

fn server(kinds: Vec<KindSums>, copied: u64) -> PlaceReport {
    let outcome = match judged(&kinds) {
        TransferOutcome::Same if copied > 0 => TransferOutcome::Moved,
        outcome => outcome,
    };
    PlaceReport { place: TransferPlace::Server, outcome, there: true, copied, kinds }
}
