//! What a tree says of a record, brought up to the record: the path it lies under, what a listing shows of it, and what happened to it.
//! Called after a record was written, by whoever wrote it, and when a tree catches up with what others wrote. Changes entries of the
//! ledger alone, never records.

use loci_engine::document_text::areas::Area;
use loci_engine::document_text::content::{prose_of, shown_title, standing_of};
use loci_engine::document_text::derived::{derived_directory, derived_path};
use loci_engine::document_text::path::{DocumentPath, PathKey};
use loci_engine::hooks::in_write;
use loci_engine::memories::existing;
use loci_model::ledger::Shelved;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::trees::document_reads::DocumentReads;
use loci_model::trees::tree_entry::{
    DocumentOperation, EntryStanding, PathOrigin, TreeChange, TreeEntry, TreePlace, TreeProgress, owner_of,
};
use loci_model::{MemoryId, RecordId, Result, Timestamp};

use super::tree::{Tree, TreeAsk};
use crate::upkeep::quote_erasure;

/// What is known of a change beside the record itself.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Told<'a> {
    /// What was done; else it is told from what there was before.
    pub(crate) operation: Option<DocumentOperation>,
    /// Who did it; else telemetry knows.
    pub(crate) by: Option<&'a str>,
    /// The run that it belongs to.
    pub(crate) run: Option<&'a str>,
    /// The memory's sequence before the transaction.
    pub(crate) behind: Option<u64>,
}

/// Where a record lies, and under what.
struct Placing<'a> {
    record: &'a Record,
    place: Option<TreePlace>,
    /// What the tree says of it so far, where it says anything.
    entry: Option<TreeEntry>,
    told: Told<'a>,
}

impl Placing<'_> {
    /// The version that lay in the tree.
    fn before(&self) -> Option<u32> {
        self.entry.as_ref().filter(|entry| entry.standing == EntryStanding::Live).map(|entry| entry.version)
    }

    /// Returns true where the record lies at a path already.
    fn lies_at(&self, path: &DocumentPath) -> bool {
        let key = path.key();
        self.before().is_some() && self.entry.as_ref().is_some_and(|entry| entry.key == key.as_str())
    }
}

impl Tree {
    /// Brings the tree up to a record of its namespace; its entry, where it lies in the tree.
    ///
    /// # Errors
    /// What the store says.
    pub(crate) fn settle(
        &self,
        tx: &mut dyn Tx,
        record: &Record,
        told: Told<'_>,
    ) -> Result<Option<TreeEntry>> {
        let mut place = self.place(tx, &record.id)?;
        if let Some(elsewhere) = place.take_if(|place| place.namespace != self.normal) {
            leave(tx, self, &elsewhere, record.sequence)?;
        }
        let entry = match &place {
            Some(place) => self.entry_of(tx, &place.key)?.filter(|entry| entry.record == record.id),
            None => None,
        };
        let placing = Placing { record, place, entry, told };
        if record.state == RecordState::Active && !self.is_kept_to_a_user(tx, record)? {
            self.put_in(tx, placing).map(Some)
        } else {
            self.take_out(tx, placing)?;
            Ok(None)
        }
    }

    /// True for what operations memory keeps to one user: a tree is for whoever reads its namespace, and has no documents that some of them may
    /// not see.
    fn is_kept_to_a_user(&self, tx: &dyn ReadTx, record: &Record) -> Result<bool> {
        let products = in_write::products()?;
        if products.is_kept_to_a_user(record) {
            return Ok(true);
        }
        // What somebody puts there as a document is for whoever reads the tree.
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

    fn put_in(&self, tx: &mut dyn Tx, placing: Placing<'_>) -> Result<TreeEntry> {
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

    fn take_out(&self, tx: &mut dyn Tx, placing: Placing<'_>) -> Result<()> {
        let record = placing.record;
        let Some(place) = &placing.place else {
            if record.state == RecordState::Erased {
                // It may have been forgotten with its entry: whoever keeps the tree must look again.
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
        placing: &Placing<'_>,
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

    /// The path of a record: the given one, where it is a document's and no other has it; else the
    /// derived one. Where another document has the path of a directory of it, or lies below it, no
    /// file system could hold both, and the record gets a path elsewhere. A record that lies at its
    /// given path keeps it.
    fn path_of(&self, tx: &dyn ReadTx, placing: &Placing<'_>) -> Result<(DocumentPath, PathOrigin)> {
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

    /// True where no other live document has a path.
    pub(super) fn is_free(&self, tx: &dyn ReadTx, key: &PathKey, for_record: &Record) -> Result<bool> {
        let entry = self.entry(tx, key)?;
        let is_other =
            |entry: TreeEntry| entry.standing == EntryStanding::Live && entry.record != for_record.id;
        Ok(!entry.is_some_and(is_other))
    }
}

/// A path that a record carries, where it is one of a document.
fn given_path(path: &str) -> Option<DocumentPath> {
    let path = DocumentPath::check(path).ok()?;
    matches!(Area::of(&path), Area::Open | Area::System).then_some(path)
}

/// True where two entries show the same: what else changed of the record is none of the tree's matter.
fn is_same(old: &TreeEntry, new: &TreeEntry) -> bool {
    let (sequence, updated_at) = (old.sequence, old.updated_at);
    TreeEntry { sequence, updated_at, ..new.clone() } == *old
}

/// When a version was written.
fn changed_at(record: &Record) -> Timestamp {
    record.updated_at
}

/// Takes a record out of the tree that it lay in before it came into another namespace.
fn leave(tx: &mut dyn Tx, from: &Tree, place: &TreePlace, sequence: u64) -> Result<()> {
    let left = Tree { normal: place.namespace.clone(), ..from.clone() };
    let entry = left.entry_of(tx, &place.key)?;
    let lies_there =
        |entry: &TreeEntry| entry.record == place.record && entry.standing == EntryStanding::Live;
    if let Some(entry) = entry.filter(lies_there) {
        tx.ledger_mut().put_noun(&entry.without_document(EntryStanding::Gone, sequence))?;
        // The tree it left may have been brought further by now: whoever keeps it must look again.
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

/// Takes records out of the trees that they lay in, where they came into another namespace. Trees catch up with what comes into their
/// namespace; what leaves it they would not see.
///
/// # Errors
/// What the store says.
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

/// Takes out what the ledger keeps of records whose content is erased, in whichever tree they lay.
///
/// # Errors
/// What the store says.
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
