//! Updating a tree with the record changes in its namespace, whoever made them, in the memory's
//! order and in batches. A tree is updated before it is read or written, so other code may write
//! records without regard to trees.

use loci_engine::memories::existing;
use loci_model::Result;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};

use super::reconciliation::RecordChangeDetails;
use super::tree::{Tree, TreeAsk};
use crate::Documents;

/// The maximum of records per write, so that other writers get their turn.
const RECORDS_PER_WRITE: usize = 200;

impl Tree {
    /// True if records changed that the tree has not processed.
    pub(super) fn is_behind(&self, tx: &dyn ReadTx) -> Result<bool> {
        let progress = self.progress(tx)?;
        let changed = tx.records().changed_since(&self.memory, &self.namespace, progress.sequence, 1)?;
        Ok(!changed.is_empty())
    }

    /// Processes the next changed records. Returns true if there are no more.
    pub(crate) fn catch_up(&self, tx: &mut dyn Tx) -> Result<bool> {
        let reached = self.progress(tx)?.sequence;
        let changed =
            tx.records().changed_since(&self.memory, &self.namespace, reached, RECORDS_PER_WRITE)?;
        let is_last = changed.len() < RECORDS_PER_WRITE;
        for record in &changed {
            self.settle(tx, record, RecordChangeDetails::default())?;
        }
        let sequence = match changed.last() {
            Some(last) if !is_last => last.sequence,
            Some(_) | None => tx.memories().sequence(&self.memory)?,
        };
        self.reached(tx, sequence, changed.last().map(|last| last.sequence))?;
        Ok(is_last)
    }

    /// Records the tree's progress, and the last own change up to it.
    pub(crate) fn reached(&self, tx: &mut dyn Tx, sequence: u64, changed: Option<u64>) -> Result<()> {
        let mut progress = self.progress(tx)?;
        if progress.sequence != sequence {
            progress.sequence = sequence;
            progress.changed = changed.or(progress.changed);
            tx.ledger_mut().put_noun(&progress)?;
        }
        Ok(())
    }
}

impl Documents {
    /// Updates a tree in separate writes. Nothing is written if nothing changed.
    pub(crate) async fn caught_up(&self, ask: &TreeAsk) -> Result<()> {
        let tree = Tree::of(ask);
        let asked = tree.clone();
        let is_behind = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &asked.memory)?;
                asked.is_behind(tx)
            })
            .await?;
        if !is_behind {
            return Ok(());
        }
        loop {
            let tree = tree.clone();
            let is_done = self
                .engine
                .store()
                .write(move |tx| {
                    existing(tx, &tree.memory)?;
                    tree.catch_up(tx)
                })
                .await?;
            if is_done {
                return Ok(());
            }
        }
    }
}
