//! The trees of a mount as the memory tool sees them, within one transaction.
//! `/memories/facts/x.md` is `knowledge/facts/x.md` of the mount's tree, or with several trees
//! `/memories/<name>/facts/x.md`. The caller selects the trees and checks access first.

use std::cell::RefCell;
use std::sync::Arc;

use loci_engine::document_text::areas::{Area, KNOWLEDGE};
use loci_engine::document_text::content::DocumentContent;
use loci_engine::document_text::path::DocumentPath;
use loci_engine::document_text::path_rule::PathRule;
use loci_engine::safety::check_name;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::record::Record;
use loci_model::trees::tree_entry::{DocumentOperation, TreeEntry};
use loci_model::{Error, MemoryId, RecordId, Result, Timestamp};

use super::mount_settings::MountTree;
use crate::document::document_write::{DocumentWriter, LiveDocument};
use crate::document::write_answer::DocumentWritten;
use crate::memory_tool::{ToolEntry, ToolTree};
use crate::trees::tree::Tree;
use crate::trees::tree_view::TreeView;

/// A tree of the mount, as of the transaction.
pub(super) struct Part<'a> {
    pub(super) mounted: &'a MountTree,
    pub(super) view: Arc<TreeView>,
}

/// The transaction of a command.
pub(super) enum Within<'a> {
    /// A read transaction.
    Reading(&'a dyn ReadTx),
    /// A write transaction on the single tree of the command.
    Writing(&'a mut dyn Tx, &'a DocumentWriter<'a>),
}

/// The documents of a mount.
pub(super) struct MountedTree<'a> {
    pub(super) parts: Vec<Part<'a>>,
    pub(super) within: Within<'a>,
    pub(super) now: Timestamp,
    /// The warnings about writes.
    pub(super) warnings: Vec<String>,
    /// The records whose text was read.
    pub(super) read: RefCell<Vec<(MemoryId, RecordId)>>,
}

/// The tree and path that a path of the mount leads to.
enum MountTarget<'p, 'a> {
    /// A path of a tree.
    In(&'p Part<'a>, DocumentPath),
    /// A whole tree.
    Top(&'p Part<'a>),
    /// No target.
    Nowhere,
}

impl<'a> MountedTree<'a> {
    /// Creates the documents of these trees.
    pub(super) fn of(parts: Vec<Part<'a>>, within: Within<'a>, now: Timestamp) -> Self {
        Self { parts, within, now, warnings: Vec::new(), read: RefCell::default() }
    }

    fn tx(&self) -> &dyn ReadTx {
        match &self.within {
            Within::Reading(tx) => *tx,
            Within::Writing(tx, _) => &**tx,
        }
    }

    fn place(&self, path: &DocumentPath) -> MountTarget<'_, 'a> {
        let part = |part: &Part<'_>| part.mounted.key();
        if let Some(only) = self.parts.iter().find(|one| part(one).is_none()) {
            return below_knowledge(path.as_str())
                .map_or(MountTarget::Nowhere, |path| MountTarget::In(only, path));
        }
        let (first, rest) = match path.as_str().split_once('/') {
            Some((first, rest)) => (first, Some(rest)),
            None => (path.as_str(), None),
        };
        let key = DocumentPath::check(first).ok().map(|first| first.key());
        let Some(found) = self.parts.iter().find(|one| part(one) == key) else { return MountTarget::Nowhere };
        let Some(rest) = rest else { return MountTarget::Top(found) };
        below_knowledge(rest).map_or(MountTarget::Nowhere, |path| MountTarget::In(found, path))
    }

    fn entry(part: &Part<'_>, entry: &TreeEntry) -> Option<ToolEntry> {
        let below = entry.path.split_once('/')?.1;
        let path = match &part.mounted.name {
            Some(name) => format!("{name}/{below}"),
            None => below.to_owned(),
        };
        Some(ToolEntry {
            path: DocumentPath::check(&path).ok()?,
            bytes: entry.bytes,
            description: entry.is_described.then(|| entry.summary.clone()),
        })
    }

    fn all<'e>(
        &self,
        part: &Part<'_>,
        entries: impl Iterator<Item = &'e Arc<TreeEntry>>,
        out: &mut Vec<ToolEntry>,
    ) {
        let live = entries.filter(|entry| entry.is_live(self.now));
        out.extend(live.filter_map(|entry| Self::entry(part, entry)));
    }

    /// Returns the entry and the record of an existing document.
    fn found(&self, path: &DocumentPath) -> Result<LiveDocument> {
        let missing = || Error::not_found(format!("{path} is not there"));
        let MountTarget::In(part, path) = self.place(path) else { return Err(missing()) };
        let entry =
            part.view.entry(&path.key()).filter(|entry| entry.is_live(self.now)).ok_or_else(missing)?;
        let record = record(self.tx(), part, entry, self.now)?.ok_or_else(missing)?;
        Ok(LiveDocument { entry: TreeEntry::clone(entry), record, redirected_from: None })
    }

    /// Returns the path of the tree for a path of the mount that may be written.
    fn written_at(&self, path: &DocumentPath) -> Result<DocumentPath> {
        match self.place(path) {
            MountTarget::In(_, path) => Ok(path),
            MountTarget::Top(_) | MountTarget::Nowhere => {
                Err(Error::denied(format!("nothing can be written at {path}")))
            }
        }
    }

    fn write(
        &mut self,
        change: impl FnOnce(&mut dyn Tx, &DocumentWriter<'_>) -> Result<DocumentWritten>,
    ) -> Result<()> {
        let Within::Writing(tx, writing) = &mut self.within else {
            return Err(Error::bug("a command of the memory tool writes while it only reads"));
        };
        let written = change(&mut **tx, writing)?;
        self.warnings.extend(written.warnings);
        Ok(())
    }
}

/// Returns the path of a tree for a path below its documents.
fn below_knowledge(path: &str) -> Option<DocumentPath> {
    DocumentPath::check(&format!("{KNOWLEDGE}/{path}")).ok()
}

fn record(tx: &dyn ReadTx, part: &Part<'_>, entry: &TreeEntry, now: Timestamp) -> Result<Option<Record>> {
    let tree = Tree::of(&part.mounted.tree);
    let found = tx.records().get(&tree.memory, &entry.record)?;
    Ok(found.filter(|record| record.is_readable(now) && record.namespace.normal() == tree.normal))
}

impl ToolTree for MountedTree<'_> {
    fn find(&self, path: &DocumentPath) -> Result<Option<ToolEntry>> {
        let MountTarget::In(part, path) = self.place(path) else { return Ok(None) };
        let entry = part.view.entry(&path.key()).filter(|entry| entry.is_live(self.now));
        Ok(entry.and_then(|entry| Self::entry(part, entry)))
    }

    fn below(&self, directory: Option<&DocumentPath>) -> Result<Vec<ToolEntry>> {
        let mut out = Vec::new();
        match directory.map(|directory| self.place(directory)) {
            None => self.parts.iter().for_each(|part| self.all(part, part.view.live.iter(), &mut out)),
            Some(MountTarget::Top(part)) => self.all(part, part.view.live.iter(), &mut out),
            Some(MountTarget::In(part, path)) => self.all(part, part.view.below(&path.key()), &mut out),
            Some(MountTarget::Nowhere) => {}
        }
        Ok(out)
    }

    fn body(&self, path: &DocumentPath) -> Result<String> {
        let LiveDocument { record, .. } = self.found(path)?;
        self.read.borrow_mut().push((record.memory, record.id));
        Ok(record.text)
    }

    fn create(&mut self, path: &DocumentPath, body: &str) -> Result<()> {
        let path = self.written_at(path)?;
        let content = DocumentContent { body: body.to_owned(), ..DocumentContent::default() };
        self.write(|tx, writing| {
            check_name("path", path.as_str(), writing.policy.secrets)?;
            writing.create(tx, &path, &content, None)
        })
    }

    fn replace(&mut self, path: &DocumentPath, body: &str) -> Result<()> {
        let found = self.found(path)?;
        let content = DocumentContent::of(&found.record).with_body(body.to_owned());
        self.write(|tx, writing| writing.replace(tx, &found, &content, (DocumentOperation::Modified, None)))
    }

    fn delete(&mut self, paths: &[DocumentPath]) -> Result<()> {
        for path in paths {
            let found = self.found(path)?;
            self.write(|tx, writing| writing.archive(tx, &found, None))?;
        }
        Ok(())
    }

    fn rename(&mut self, moves: &[(DocumentPath, DocumentPath)]) -> Result<()> {
        for (from, to) in moves {
            let (found, to) = (self.found(from)?, self.written_at(to)?);
            self.write(|tx, writing| {
                check_name("new_path", to.as_str(), writing.policy.secrets)?;
                writing.move_to(tx, &found, &to, None)
            })?;
        }
        Ok(())
    }

    fn is_read_only(&self, path: &DocumentPath) -> bool {
        let MountTarget::In(part, path) = self.place(path) else { return true };
        let is_admin = match &self.within {
            Within::Reading(_) => false,
            Within::Writing(_, writing) => writing.is_admin,
        };
        let may_write_system = part.mounted.may_write_system && is_admin;
        !part.mounted.may_write || (Area::of(&path) == Area::System && !may_write_system)
    }

    fn broken_by(&self, path: &DocumentPath) -> Option<PathRule> {
        let deeper = match self.parts.iter().any(|part| part.mounted.name.is_none()) {
            true => Some(path.as_str()),
            false => path.as_str().split_once('/').map(|(_, rest)| rest),
        };
        deeper.and_then(|path| DocumentPath::check(&format!("{KNOWLEDGE}/{path}")).err())
    }
}
