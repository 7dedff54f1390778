//! What trees, the ledger and the store of parked objects keep of erased records and of a person's places:
//! entries under every path a record had, the whole tree of a place that is the person's, what was noted of
//! two records that contradict each other.

use std::collections::BTreeSet;

use loci_model::agreement::Agreement;
use loci_model::conflict::Conflict;
use loci_model::ledger::{LedgerEntry, Shelf, Shelved};
use loci_model::ports::store::{LedgerPage, Tx};
use loci_model::{MemoryId, RecordId, Result};
use serde_json::Value;

use super::person::Person;

/// Entries of one page.
const PAGE_ROWS: usize = 500;
/// Shelves whose entries name a namespace and, some of them, a record.
const OF_TREES: [Shelf; 6] = [
    Shelf::TreeEntry,
    Shelf::TreePlace,
    Shelf::TreeChange,
    Shelf::TreeSnapshot,
    Shelf::ConsolidationRun,
    Shelf::Progress,
];

/// Removes what trees keep of these records and of the person's places; how many entries.
///
/// # Errors
/// What the store says.
pub(super) fn forget_trees(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    person: &Person,
    records: &BTreeSet<RecordId>,
) -> Result<u64> {
    let mut gone = 0;
    for shelf in OF_TREES {
        gone += remove_where(tx, memory, shelf, |entry| {
            let body = entry.body.value()?;
            let text = |key: &str| body.get(key).and_then(Value::as_str);
            let is_of_record = shelf == Shelf::TreeEntry
                && text("record")
                    .and_then(|id| RecordId::parse(id).ok())
                    .is_some_and(|id| records.contains(&id));
            Ok(is_of_record || text("namespace").is_some_and(|namespace| person.owns_namespace(namespace)))
        })?;
    }
    Ok(gone)
}

/// Removes what was noted beside these records: contradictions, who agrees, on which branch they hold; how
/// many entries.
///
/// # Errors
/// What the store says.
pub(super) fn forget_notes(tx: &mut dyn Tx, memory: &MemoryId, records: &BTreeSet<RecordId>) -> Result<u64> {
    let mut gone = 0;
    for record in records {
        for shelf in [Agreement::SHELF, Shelf::BranchFact] {
            gone += u64::from(tx.ledger_mut().remove(memory, shelf, record.as_str())?);
        }
    }
    gone += remove_where(tx, memory, Shelf::Conflict, |entry| {
        let conflict: Conflict = entry.read()?;
        Ok(records.contains(&conflict.standing) || records.contains(&conflict.against))
    })?;
    Ok(gone)
}

/// Removes objects that were parked under the person's name; how many.
///
/// # Errors
/// What the store says.
pub(super) fn forget_parked(tx: &mut dyn Tx, memory: &MemoryId, person: &Person) -> Result<u64> {
    let (mut gone, mut after) = (0, None::<String>);
    loop {
        let page = tx.parked().list(memory, "", after.as_deref(), PAGE_ROWS)?;
        let Some(last) = page.last() else { return Ok(gone) };
        after = Some(last.key.clone());
        for head in page.iter().filter(|head| person.owns_namespace(&head.key)) {
            gone += u64::from(tx.parked_mut().remove(memory, &head.key)?);
        }
    }
}

fn remove_where(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    shelf: Shelf,
    is_meant: impl Fn(&LedgerEntry) -> Result<bool>,
) -> Result<u64> {
    let (mut gone, mut after) = (0, None);
    loop {
        let (memory, actor, subject) = (memory.clone(), None, None);
        let page = LedgerPage { memory, shelf, actor, subject, after, limit: PAGE_ROWS };
        let entries = tx.ledger().list(&page)?;
        let Some(last) = entries.last() else { return Ok(gone) };
        after = Some((last.at, last.key.clone()));
        for entry in &entries {
            if is_meant(entry)? {
                gone += u64::from(tx.ledger_mut().remove(&page.memory, shelf, &entry.key)?);
            }
        }
    }
}
