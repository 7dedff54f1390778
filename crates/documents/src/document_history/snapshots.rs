//! `tree_snapshot`, `tree_snapshots`: named states of a tree. A snapshot stores a sequence of the
//! memory, so it costs one row, whatever the size of the tree is.

use loci_engine::access;
use loci_engine::calls::idempotency::ClientToken;
use loci_engine::calls::page::Page;
use loci_engine::memories::existing;
use loci_engine::safety::check_name;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::trees::tree_entry::{TreeSnapshot, owner_of};
use loci_model::{Error, Reason, Result, Timestamp};

use crate::Documents;
use crate::trees::tree::{Tree, TreeAsk};
use crate::trees::tree_write::TreeWrite;

impl Documents {
    /// Creates a snapshot: a label for the current state of a tree.
    ///
    /// # Errors
    /// `Invalid` for the label; `Conflict` if the tree has a snapshot with this label.
    pub async fn tree_snapshot(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        label: &str,
        token: Option<ClientToken>,
    ) -> Result<TreeSnapshot> {
        TreeSnapshot::check_label(label)?;
        let label = label.to_owned();
        let write = TreeWrite::of(ask, "SnapshotTree", token);
        self.tree_write(caller, write, move |tx, writing| {
            check_name("label", &label, writing.policy.secrets)?;
            let tree = writing.tree;
            let key = TreeSnapshot::key_of(&tree.normal, &label);
            if tx.ledger().noun::<TreeSnapshot>(&tree.memory, &key)?.is_some() {
                let rule = format!("the tree has a snapshot {label}: choose another label");
                return Err(Error::conflict(rule).because(Reason::ResourceConflict).on("label"));
            }
            let snapshot = TreeSnapshot {
                memory: tree.memory.clone(),
                namespace: tree.normal.clone(),
                label: label.clone(),
                sequence: tree.progress(tx)?.state(),
                by: writing.by.to_owned(),
                at: writing.now,
                actor: owner_of(None)?,
            };
            tx.ledger_mut().put_noun(&snapshot)?;
            Ok(snapshot)
        })
        .await
    }

    /// Returns the snapshots of a tree, the newest first.
    ///
    /// # Errors
    /// `Denied` without a grant of read on the whole namespace.
    pub async fn tree_snapshots(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        after: Option<(Timestamp, String)>,
        limit: u32,
    ) -> Result<Page<TreeSnapshot, (Timestamp, String)>> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let tree = Tree::of(ask);
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &tree.memory)?;
                let items = tx.ledger().nouns::<TreeSnapshot>(&LedgerPage {
                    memory: tree.memory.clone(),
                    shelf: TreeSnapshot::SHELF,
                    actor: None,
                    subject: Some(tree.normal.clone()),
                    after: after.as_ref().map(|(at, label)| (*at, TreeSnapshot::key_of(&tree.normal, label))),
                    limit: limit as usize + 1,
                })?;
                Ok(Page::cut(items, limit as usize, |last| (last.at, last.label.clone())))
            })
            .await
    }
}
