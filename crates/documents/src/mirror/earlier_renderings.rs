//! Files that an earlier mirror of the same tree wrote, in a folder that becomes a mirror again
//! after its documents changed. The text of such a file is an earlier version of its document, so
//! the file is updated without a conflict.

use std::collections::BTreeMap;

use loci_engine::document_text::DocumentPath;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::{RecordId, Result};

use super::file_intake::RenderingSettings;
use super::rendering::{RenderedTree, tree_of};
use super::sync::Sync;
use super::sync_plan::Side;
use super::sync_state::hex_of;
use crate::document_history::versions::Versions;
use crate::trees::tree::Tree;

/// The number of documents whose versions are read per transaction.
const DOCUMENTS_PER_READ: usize = 100;

/// A file of a folder that becomes a mirror, if it differs from its document.
#[derive(Debug, Clone)]
struct Differing {
    /// The path of the file in the folder.
    path: String,
    /// The digest of the file, in hex digits.
    file: String,
    /// The record of the document at that path, or of the document that was moved away from it.
    record: RecordId,
    /// The current path of the document in the tree.
    at: DocumentPath,
}

impl Sync<'_> {
    /// Records files that equal an earlier version of their document as synced. The sync then
    /// overwrites them, or removes them if the document was moved.
    pub(super) async fn agree_on_renderings(&mut self, laid: &RenderedTree, files: &Side) -> Result<()> {
        let differing = self.differing(laid, files)?;
        let (ask, laying) = (tree_of(&self.mirror), RenderingSettings::of(&self.mirror));
        for some in differing.chunks(DOCUMENTS_PER_READ) {
            let (ask, some) = (ask.clone(), some.to_vec());
            let read = self.documents.engine.store().read(move |tx| {
                let tree = Tree::of(&ask);
                let mut found = Vec::new();
                for one in &some {
                    if is_rendering(tx, &tree, laying, one)? {
                        found.push((one.path.clone(), one.file.clone()));
                    }
                }
                Ok(found)
            });
            for (path, file) in read.await? {
                self.kept.agree(&path, &file, None);
            }
        }
        Ok(())
    }

    fn differing(&self, laid: &RenderedTree, files: &Side) -> Result<Vec<Differing>> {
        let moved: BTreeMap<&str, &RecordId> = laid.moved().collect();
        let mut found = Vec::new();
        let adopted = self.kept.iter().filter(|(_, known)| known.adopted && known.agreed.is_none());
        for (path, _) in adopted {
            let Some(file) = files.get(path) else { continue };
            let record = match laid.files.get(path) {
                Some(one) if one.digest == *file => None,
                Some(one) => one.record.as_ref(),
                None => moved.get(path.as_str()).copied(),
            };
            let Some(entry) = record.and_then(|record| laid.entry_of(record)) else { continue };
            found.push(Differing {
                path: path.clone(),
                file: hex_of(file),
                record: entry.record.clone(),
                at: DocumentPath::parse(&entry.path)?,
            });
        }
        Ok(found)
    }
}

/// Returns true if the file has the bytes and the mode of a version of its document.
fn is_rendering(tx: &dyn ReadTx, tree: &Tree, laying: RenderingSettings, one: &Differing) -> Result<bool> {
    let Some(versions) = Versions::of(tx, tree, &one.record)? else { return Ok(false) };
    Ok(versions.all.iter().any(|version| {
        let lay = versions.path(version).and_then(|path| DocumentPath::parse(&path).ok());
        laying.digest_of(version, lay.as_ref().unwrap_or(&one.at)) == one.file
    }))
}
