//! Updating the row of a tree for a record: its path, the data for listings, and the log of
//! changes. Every writer of records through documents calls it, and so does a tree that catches up
//! with other writers. It changes only rows of the ledger, never records.

use loci_engine::document_text::areas::Area;
use loci_engine::document_text::content::{prose_of, shown_title, standing_of};
use loci_engine::document_text::derived_names::{derived_directory, derived_path};
use loci_engine::document_text::path::{DocumentPath, PathKey};
use loci_engine::hooks::write_context;
use loci_engine::memories::existing;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::trees::document_reads::DocumentReads;
use loci_model::trees::tree_entry::{
    DocumentOperation, EntryStanding, PathOrigin, TreeChange, TreeEntry, TreePlace, TreeProgress, owner_of,
};
use loci_model::{MemoryId, RecordId, Result, Timestamp};

use super::tree::{Tree, TreeAsk};
use crate::upkeep::quote_erasure;

/// The information about a change that the record itself does not contain.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RecordChangeDetails<'a> {
    /// The operation. `None` derives it from the previous row.
    pub(crate) operation: Option<DocumentOperation>,
    /// The author of the change. `None` takes the author from telemetry.
    pub(crate) by: Option<&'a str>,
    /// The consolidation run that made the change.
    pub(crate) run: Option<&'a str>,
    /// The sequence of the memory before the transaction.
    pub(crate) behind: Option<u64>,
}

/// A record with its row in the tree.
struct RecordPlacement<'a> {
    record: &'a Record,
    place: Option<TreePlace>,
    /// The present entry in the tree, if there is one.
    entry: Option<TreeEntry>,
    told: RecordChangeDetails<'a>,
}

impl RecordPlacement<'_> {
    /// Returns the version that was in the tree.
    fn before(&self) -> Option<u32> {
        self.entry.as_ref().filter(|entry| entry.standing == EntryStanding::Live).map(|entry| entry.version)
    }

    /// Returns true if the record is already at a path.
    fn lies_at(&self, path: &DocumentPath) -> bool {
        let key = path.key();
        self.before().is_some() && self.entry.as_ref().is_some_and(|entry| entry.key == key.as_str())
    }
}

impl Tree {
    /// Updates the tree from a record of its namespace. Returns its entry, if it is in the tree.
    ///
    /// # Errors
    /// The errors of the store.
    pub(crate) fn settle(
        &self,
        tx: &mut dyn Tx,
        record: &Record,
        told: RecordChangeDetails<'_>,
    ) -> Result<Option<TreeEntry>> {
        let mut place = self.place(tx, &record.id)?;
        if let Some(elsewhere) = place.take_if(|place| place.namespace != self.normal) {
            leave(tx, self, &elsewhere, record.sequence)?;
        }
        let entry = match &place {
            Some(place) => self.entry_of(tx, &place.key)?.filter(|entry| entry.record == record.id),
            None => None,
        };
        let placing = RecordPlacement { record, place, entry, told };
        if record.state == RecordState::Active && !self.is_kept_to_a_user(tx, record)? {
            self.put_in(tx, placing).map(Some)
        } else {
            self.take_out(tx, placing)?;
            Ok(None)
        }
    }

    /// True for a record that operations memory restricts to one user. All readers of a namespace
    /// may read its tree, so such a record gets no document.
    fn is_kept_to_a_user(&self, tx: &dyn ReadTx, record: &Record) -> Result<bool> {
        let products = write_context::products()?;
        if products.is_kept_to_a_user(record) {
            return Ok(true);
        }
        // A document that a writer put there explicitly is for all readers of the tree.
        if record.kind == RecordKind::Document {
            return Ok(false);
        }
        let owners = match self.owners.get() {
            Some(known) => known,
            None => {
                let found = products.namespace_owners(&existing(tx, &self.memory)?);
                self.owners.get_or_init(|| found)
            }
        };
        Ok(owners.is_of_a_user(record))
    }

    fn put_in(&self, tx: &mut dyn Tx, placing: RecordPlacement<'_>) -> Result<TreeEntry> {
        let record = placing.record;
        let (path, origin) = self.path_of(tx, &placing)?;
        let entry = standing_of(record, &self.normal, &path, origin)?;
        let before = placing.before();
        if let Some(old) = placing.entry.as_ref().filter(|old| before.is_some() && is_same(old, &entry)) {
            return Ok(old.clone());
        }
        let is_moved = placing.entry.as_ref().is_some_and(|old| old.key != entry.key);
        if let Some(old) = placing.entry.clone().filter(|_| is_moved && before.is_some()) {
            tx.ledger_mut().put_noun(&old.without_document(EntryStanding::Alias, record.sequence))?;
        }
        tx.ledger_mut().put_noun(&entry)?;
        let derived = match origin {
            PathOrigin::Derived => Some(entry.path.clone()),
            PathOrigin::Given => placing.place.as_ref().and_then(|place| place.derived.clone()),
        };
        tx.ledger_mut().put_noun(&TreePlace {
            memory: self.memory.clone(),
            record: record.id.clone(),
            namespace: self.normal.clone(),
            key: entry.key.clone(),
            derived,
            topic: shown_title(record).map(|title| self.topic(&title)),
            version: record.version,
            sequence: record.sequence,
            actor: entry.actor.clone(),
        })?;
        let told = placing.told.operation.unwrap_or(match (before, &placing.place) {
            (None, Some(_)) => DocumentOperation::Restored,
            (None, None) => DocumentOperation::Created,
            (Some(_), _) if is_moved => DocumentOperation::Moved,
            (Some(_), _) => DocumentOperation::Modified,
        });
        self.log(tx, &placing, told, Some(record.version), before)?;
        Ok(entry)
    }

    fn take_out(&self, tx: &mut dyn Tx, placing: RecordPlacement<'_>) -> Result<()> {
        let record = placing.record;
        let Some(place) = &placing.place else {
            if record.state == RecordState::Erased {
                // The record may have been removed with its entry: cached views of the tree must be
                // read again.
                let mut progress = self.progress(tx)?;
                progress.generation += 1;
                tx.ledger_mut().put_noun(&progress)?;
            }
            return Ok(());
        };
        let Some(before) = placing.before() else { return Ok(()) };
        if let Some(entry) = placing.entry.clone() {
            tx.ledger_mut().put_noun(&entry.without_document(EntryStanding::Gone, record.sequence))?;
        }
        let place =
            TreePlace { topic: None, version: record.version, sequence: record.sequence, ..place.clone() };
        tx.ledger_mut().put_noun(&place)?;
        let operation = placing.told.operation.unwrap_or(match record.state {
            RecordState::Superseded => DocumentOperation::Superseded,
            RecordState::Erased => DocumentOperation::Deleted,
            RecordState::Active
            | RecordState::Candidate
            | RecordState::Invalid
            | RecordState::Quarantined
            | RecordState::Stale
            | RecordState::Expired
            | RecordState::Archived
            | RecordState::RolledBack => DocumentOperation::Archived,
        });
        self.log(tx, &placing, operation, None, Some(before))
    }

    fn log(
        &self,
        tx: &mut dyn Tx,
        placing: &RecordPlacement<'_>,
        operation: DocumentOperation,
        version: Option<u32>,
        before: Option<u32>,
    ) -> Result<()> {
        let (record, told) = (placing.record, placing.told);
        tx.ledger_mut().put_noun(&TreeChange {
            memory: self.memory.clone(),
            namespace: self.normal.clone(),
            sequence: record.sequence,
            operation,
            record: record.id.clone(),
            version,
            before,
            by: told.by.map(ToOwned::to_owned),
            run: told.run.map(ToOwned::to_owned),
            behind: told.behind,
            at: changed_at(record),
            actor: owner_of(record.provenance.actor.as_ref())?,
        })
    }

    /// Returns the path of a record: the given one, if it is a document's path and free, else the
    /// derived one. If another document has the path of one of its directories, or is below it, a
    /// file system could not represent both, and the record gets another path. A record at its
    /// given path keeps it.
    fn path_of(&self, tx: &dyn ReadTx, placing: &RecordPlacement<'_>) -> Result<(DocumentPath, PathOrigin)> {
        let record = placing.record;
        let (now, own) = (record.updated_at, &record.id);
        let is_free = |key: &PathKey| self.is_free(tx, key, record);
        let has_room = |path: &DocumentPath| self.has_room(tx, path, now, own);
        if let Some(given) = record.path.as_deref().and_then(given_path)
            && is_free(&given.key())?
            && (placing.lies_at(&given) || has_room(&given)?)
        {
            return Ok((given, PathOrigin::Given));
        }
        let derived = placing.place.as_ref().and_then(|place| place.derived.as_deref()).and_then(given_path);
        if let Some(derived) = derived
            && is_free(&derived.key())?
            && has_room(&derived)?
        {
            return Ok((derived, PathOrigin::Derived));
        }
        let directory = self.open_directory(tx, derived_directory(record.kind), now, Some(own))?;
        let path = derived_path(&directory, record.title.as_deref(), prose_of(record), |_, key| {
            Ok(!is_free(key)? || self.live_below(tx, key, now, Some(own))?.is_some())
        })?;
        Ok((path, PathOrigin::Derived))
    }

    /// True if no other live document has a path.
    pub(super) fn is_free(&self, tx: &dyn ReadTx, key: &PathKey, for_record: &Record) -> Result<bool> {
        let entry = self.entry(tx, key)?;
        let is_other =
            |entry: TreeEntry| entry.standing == EntryStanding::Live && entry.record != for_record.id;
        Ok(!entry.is_some_and(is_other))
    }
}

/// Returns the path of a record, if it is valid for a document.
fn given_path(path: &str) -> Option<DocumentPath> {
    let path = DocumentPath::check(path).ok()?;
    matches!(Area::of(&path), Area::Open | Area::System).then_some(path)
}

/// True if two entries show equal data: other changes of the record are irrelevant to the tree.
fn is_same(old: &TreeEntry, new: &TreeEntry) -> bool {
    let (sequence, updated_at) = (old.sequence, old.updated_at);
    TreeEntry { sequence, updated_at, ..new.clone() } == *old
}

/// Returns the time at which a version was written.
fn changed_at(record: &Record) -> Timestamp {
    record.updated_at
}

/// Removes a record from the tree of its former namespace.
fn leave(tx: &mut dyn Tx, from: &Tree, place: &TreePlace, sequence: u64) -> Result<()> {
    let left = Tree { normal: place.namespace.clone(), ..from.clone() };
    let entry = left.entry_of(tx, &place.key)?;
    let lies_there =
        |entry: &TreeEntry| entry.record == place.record && entry.standing == EntryStanding::Live;
    if let Some(entry) = entry.filter(lies_there) {
        tx.ledger_mut().put_noun(&entry.without_document(EntryStanding::Gone, sequence))?;
        // That tree may have progressed meanwhile: cached views of it must be read again.
        look_again(tx, &left.memory, &left.normal)?;
    }
    Ok(())
}

fn look_again(tx: &mut dyn Tx, memory: &MemoryId, namespace: &str) -> Result<()> {
    let progress = tx.ledger().noun::<TreeProgress>(memory, &TreeProgress::key_of(namespace))?;
    if let Some(mut progress) = progress {
        progress.generation += 1;
        tx.ledger_mut().put_noun(&progress)?;
    }
    Ok(())
}

/// Removes records from the trees of their former namespaces. Trees catch up with records that
/// enter their namespace, but do not see those that leave it.
///
/// # Errors
/// The errors of the store.
pub(crate) fn moved(tx: &mut dyn Tx, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
    for record in records {
        let Some(place) = tx.ledger().noun::<TreePlace>(memory, record.as_str())? else { continue };
        let Some(record) = tx.records().get(memory, record)? else { continue };
        if record.namespace.normal() != place.namespace {
            let tree = Tree::of(&TreeAsk { memory: memory.clone(), namespace: record.namespace.clone() });
            leave(tx, &tree, &place, record.sequence)?;
        }
    }
    Ok(())
}

/// Removes the ledger data of records whose content is erased, in every tree.
///
/// # Errors
/// The errors of the store.
pub(crate) fn forget(tx: &mut dyn Tx, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
    for record in records {
        tx.ledger_mut().remove(memory, &DocumentReads::SHELF, record.as_str())?;
        let Some(place) = tx.ledger().noun::<TreePlace>(memory, record.as_str())? else { continue };
        let key = TreeEntry::key_of(&place.namespace, &place.key);
        let entry = tx.ledger().noun::<TreeEntry>(memory, &key)?;
        if entry.is_some_and(|entry| entry.record == *record) {
            tx.ledger_mut().remove(memory, &TreeEntry::SHELF, &key)?;
        }
        tx.ledger_mut().remove(memory, &TreePlace::SHELF, record.as_str())?;
        quote_erasure::of_records(tx, memory, &place.namespace, std::slice::from_ref(record))?;
        look_again(tx, memory, &place.namespace)?;
    }
    Ok(())
}
