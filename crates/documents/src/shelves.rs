//! The ledger shelves of documents. Nearly all are local to this instance and not exported,
//! because they concern the order of its record changes, or its disks.
//!
//! To add a shelf: write the `impl LedgerNoun` of its rows, and add a line in [`shelves`].

use std::collections::BTreeSet;

use loci_engine::hooks::ShelfRules;
use loci_model::ledger::{LedgerEntry, LedgerNoun, Shelf};
use loci_model::trees::consolidation_run::TreeUpkeep;
use loci_model::trees::document_reads::DocumentReads;
use loci_model::trees::mirror::{Mirror, MirrorFiles, MirrorState};
use loci_model::trees::tree_entry::{TreeChange, TreeEntry, TreePlace, TreeProgress, TreeSnapshot};
use loci_model::{RecordId, Result};
use serde_json::Value;

use crate::upkeep::ConsolidationRun;

/// Returns the rules of the shelves, one line for each.
pub(crate) fn shelves() -> Vec<ShelfRules> {
    let of_tree = |shelf| ShelfRules::unchecked(shelf).local().of_tree();
    vec![
        of_tree(TreeEntry::SHELF).about(is_entry_of),
        of_tree(TreePlace::SHELF),
        of_tree(TreeChange::SHELF),
        of_tree(TreeSnapshot::SHELF),
        of_tree(ConsolidationRun::SHELF),
        of_tree(Shelf::PROGRESS).part(|key| TreeProgress::is_key(key) || TreeUpkeep::is_key(key)),
        ShelfRules::unchecked(Mirror::SHELF).local(),
        ShelfRules::unchecked(MirrorFiles::SHELF).local(),
        ShelfRules::unchecked(MirrorState::SHELF).local(),
        ShelfRules::of::<DocumentReads>(),
    ]
}

/// Returns true if the ledger row describes the path of one of these records.
fn is_entry_of(entry: &LedgerEntry, records: &BTreeSet<RecordId>) -> Result<bool> {
    let body = entry.body.value()?;
    let record = body.get("record").and_then(Value::as_str).and_then(|id| RecordId::parse(id).ok());
    Ok(record.is_some_and(|id| records.contains(&id)))
}
