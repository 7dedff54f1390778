//! Files with secrets that were in a folder before it became a mirror. Such a file may be the
//! only copy, so masking never overwrites it. Only erasing the document that was made from the file
//! changes it.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::document_text::content::is_redacted;
use loci_model::ports::files::FileDigest;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::record::Record;
use loci_model::trees::mirror::MirrorPending;
use loci_model::{MemoryId, RecordId, Result};

use super::rendering::RenderedTree;
use super::sync::Sync;
use super::sync_state::{SyncState, hex_of};

/// The note in a report about a file that masking secrets would overwrite.
const STAYS: &str = "it lay here before the mirror and holds secrets: it is left as it is, and the memory \
                     has it masked; take the secrets out of the file, and it is kept in step again";

/// The state of the record that was made from such a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AdoptedFileState {
    There,
    /// The text of the record was erased from the store.
    Erased,
    /// The record no longer exists, and nobody requested its erasure.
    Ended,
}

/// Returns the digests, in hex digits, of the files that keep their secrets or were not imported
/// yet. A digest identifies a file under any name.
pub(super) fn contents(kept: &SyncState) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, known) in kept.iter().filter(|(_, known)| known.adopted) {
        found.extend(known.agreed.clone());
        found.extend(known.refused.as_ref().map(|refused| refused.file.clone()));
        if let Some(MirrorPending::Take { file, .. }) = &known.pending {
            found.insert(file.clone());
        }
    }
    found
}

fn standing(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    (record, version): (&RecordId, u32),
    is_outdated: bool,
) -> Result<AdoptedFileState> {
    let current = tx.records().get(memory, record)?;
    let current = current.filter(Record::has_content);
    let Some(current) = current else {
        return Ok(if is_outdated { AdoptedFileState::Erased } else { AdoptedFileState::Ended });
    };
    let mut versions = tx.records().history(memory, record)?;
    versions.push(current);
    let is_erased = versions.iter().any(|one| one.version >= version && is_redacted(one));
    Ok(if is_erased { AdoptedFileState::Erased } else { AdoptedFileState::There })
}

impl Sync<'_> {
    /// Returns true for a file that existed before the mirror, and that keeps its secrets or was
    /// not imported yet.
    pub(super) fn is_adopted(&self, path: &str, file: &str) -> bool {
        self.adopted_contents.contains(file) || self.kept.get(path).is_some_and(|known| known.adopted)
    }

    /// Records the documents that were made from a file that keeps its secrets.
    pub(super) fn stay(&mut self, path: &str, stays: bool, taken: BTreeMap<RecordId, u32>) {
        self.kept.edit(path, |known| {
            known.adopted = stays;
            known.taken = if stays { taken } else { BTreeMap::new() };
        });
    }

    /// Returns the records that were made from a file, with their versions.
    pub(super) fn taken_of(&self, path: &str) -> BTreeMap<RecordId, u32> {
        self.kept.get(path).map(|known| known.taken.clone()).unwrap_or_default()
    }

    /// Treats files whose documents were erased as ordinary files of the mirror from now on.
    pub(super) async fn give_up_erased(&mut self) -> Result<()> {
        let staying = self.kept.iter().filter(|(_, known)| known.adopted && !known.taken.is_empty());
        let staying: Vec<(String, BTreeMap<RecordId, u32>)> =
            staying.map(|(path, known)| (path.clone(), known.taken.clone())).collect();
        if staying.is_empty() {
            return Ok(());
        }
        let (memory, is_outdated) = (self.mirror.memory.clone(), self.state.is_outdated());
        let read = self.documents.engine.store().read(move |tx| {
            let mut found: Vec<(String, RecordId, AdoptedFileState)> = Vec::new();
            for (path, taken) in &staying {
                for (record, version) in taken {
                    let standing = standing(tx, &memory, (record, *version), is_outdated)?;
                    found.push((path.clone(), record.clone(), standing));
                }
            }
            Ok(found)
        });
        for (path, record, standing) in read.await? {
            match standing {
                AdoptedFileState::There => {}
                AdoptedFileState::Erased => self.stay(&path, false, BTreeMap::new()),
                AdoptedFileState::Ended => self.kept.edit(&path, |known| {
                    known.taken.remove(&record);
                }),
            }
        }
        Ok(())
    }

    /// Adds to the report the files that keep their secrets. For a file imported in this sync, it
    /// records the digest of the document.
    pub(super) fn tell_staying(&mut self, laid: &RenderedTree, stay: Vec<(String, Option<FileDigest>)>) {
        for (path, of_tree) in stay {
            if self.unrendered.remove(&path) {
                self.kept.edit(&path, |known| known.rendered = of_tree.map(|digest| hex_of(&digest)));
            }
            if let Some(index) = self.indexes_taken.remove(&path) {
                let named = named_in(&index, laid);
                self.kept.edit(&path, |known| known.taken.extend(named));
            }
            let is_held_back = self.kept.get(&path).is_some_and(|known| known.refused.is_some());
            let is_told = self.report.notes.iter().any(|note| note.path == path && note.what == STAYS);
            if !is_held_back && !is_told {
                self.note(&path, STAYS);
            }
        }
    }
}

/// Returns the records whose files an index links to, with their versions, because the lines of the
/// index quote them.
pub(super) fn named_in(index: &str, laid: &RenderedTree) -> BTreeMap<RecordId, u32> {
    let is_named = |name: &str| index.contains(&format!("({name})"));
    let named = laid.files.iter().filter(|(path, _)| is_named(path));
    let entries = named.filter_map(|(path, _)| laid.entry(path));
    entries.map(|entry| (entry.record.clone(), entry.version)).collect()
}
