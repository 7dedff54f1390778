//! The conversion of a tree to the files of a mirror. In the native layout the tree stores the
//! digest of each file, so only files to write are read. Other layouts, and files with record ids,
//! are rendered completely.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use loci_engine::document_text::frontmatter::Value;
use loci_engine::document_text::{DocumentContent, DocumentPath};
use loci_model::ports::files::FileDigest;
use loci_model::ports::store::StoreExt;
use loci_model::trees::mirror::{Mirror, MirrorKind};
use loci_model::trees::tree_entry::TreeEntry;
use loci_model::{RecordId, Result};
use sha2::{Digest, Sha256};

use super::layouts::{LaidDocument, Layout, LayoutState};
use super::sync_plan::conflict_source;
use super::sync_state::{digest_of, state_of};
use crate::Documents;
use crate::document::read_counts;
use crate::trees::tree::TreeAsk;

/// The number of documents per read.
const DOCUMENTS_PER_READ: usize = 500;

/// A file that the mirror should contain.
#[derive(Debug, Clone)]
pub(super) struct RenderedFile {
    /// The digest of the file's bytes and its executable flag.
    pub(super) digest: FileDigest,
    /// True if the file is executable. `None` if the mirror stores no file modes.
    pub(super) executable: Option<bool>,
    pub(super) record: Option<RecordId>,
}

/// A tree as files.
#[derive(Debug, Default)]
pub(super) struct RenderedTree {
    /// The files, by path.
    pub(super) files: BTreeMap<String, RenderedFile>,
    /// The new state of the layout.
    pub(super) state: LayoutState,
    /// All documents of the tree, if the layout needs them.
    pub(super) documents: Vec<LaidDocument>,
    entries: BTreeMap<RecordId, Arc<TreeEntry>>,
    /// The paths that documents had before, by record.
    left: BTreeMap<RecordId, Vec<String>>,
    bytes: BTreeMap<String, Vec<u8>>,
    /// The paths of all documents by their case-folded form, by which file systems compare them.
    /// Computed on first use.
    by_key: OnceLock<BTreeMap<String, Vec<String>>>,
    /// The path of each document's file, by the document's path. Computed on first use.
    by_document: OnceLock<BTreeMap<String, String>>,
}

impl RenderedTree {
    /// Returns the tree entry of the document with the file at a path.
    pub(super) fn entry(&self, path: &str) -> Option<&Arc<TreeEntry>> {
        self.entry_of(self.files.get(path)?.record.as_ref()?)
    }

    /// Returns the tree entry of a document.
    pub(super) fn entry_of(&self, record: &RecordId) -> Option<&Arc<TreeEntry>> {
        self.entries.get(record)
    }

    /// Returns the former paths of documents, each with the record.
    pub(super) fn moved(&self) -> impl Iterator<Item = (&str, &RecordId)> {
        let left = self.left.iter();
        left.flat_map(|(record, paths)| paths.iter().map(move |path| (path.as_str(), record)))
    }
}

impl RenderedTree {
    /// Returns the file of the document at a path.
    fn file_of(&self, document: &str) -> Option<&str> {
        let of_files = || {
            let of_file = |(path, one): (&String, &RenderedFile)| {
                let entry = self.entries.get(one.record.as_ref()?)?;
                Some((entry.path.clone(), path.clone()))
            };
            self.files.iter().filter_map(of_file).collect()
        };
        self.by_document.get_or_init(of_files).get(document).map(String::as_str)
    }

    /// Returns the files that a new one may come from: those of its document before a move, and the
    /// one that this is a conflict copy of. `named`: the former names in the layout.
    pub(super) fn sources_of(&self, path: &str, named: &BTreeMap<RecordId, String>) -> Vec<String> {
        let Some(record) = self.files.get(path).and_then(|one| one.record.as_ref()) else {
            return Vec::new();
        };
        let mut sources = self.left.get(record).cloned().unwrap_or_default();
        sources.extend(named.get(record).cloned());
        let beside = self.entries.get(record).and_then(|entry| conflict_source(&entry.path));
        sources.extend(beside.and_then(|document| self.file_of(&document).map(ToOwned::to_owned)));
        sources
    }

    /// Removes files from the result. Returns their paths.
    pub(super) fn without(&mut self, is_out: impl Fn(&str) -> bool) -> Vec<String> {
        let out: Vec<String> = self.files.keys().filter(|path| is_out(path)).cloned().collect();
        for path in &out {
            self.files.remove(path);
        }
        self.by_document = OnceLock::new();
        out
    }

    /// Returns the path of a document that file systems cannot distinguish from this one.
    pub(super) fn other_spelling(&self, path: &DocumentPath) -> Option<&str> {
        let of_key = || {
            let paths = self.entries.values().map(|entry| (entry.key.clone(), entry.path.clone()));
            let mut by_key: BTreeMap<String, Vec<String>> = BTreeMap::new();
            paths.for_each(|(key, path)| by_key.entry(key).or_default().push(path));
            by_key
        };
        let same = self.by_key.get_or_init(of_key).get(path.key().as_str())?;
        same.iter().map(String::as_str).find(|other| *other != path.as_str())
    }
}

/// Adds the record's id to a document's head.
pub(super) fn say_id(document: &mut LaidDocument) {
    if !document.content.is_raw {
        document.content.head.set("id", Value::of(document.record.as_str()));
    }
}

/// Returns true for a mirror that stores the executable flag of files.
pub(super) fn keeps_modes(mirror: &Mirror) -> bool {
    mirror.layout == Layout::Native.as_str() && mirror.kind != MirrorKind::S3
}

/// Returns the tree of a mirror.
pub(super) fn tree_of(mirror: &Mirror) -> TreeAsk {
    TreeAsk { memory: mirror.memory.clone(), namespace: mirror.namespace.clone() }
}

impl Documents {
    /// Returns the files that a mirror should have.
    pub(super) async fn mirror_laid(
        &self,
        mirror: &Mirror,
        layout: Layout,
        state: &LayoutState,
    ) -> Result<RenderedTree> {
        let (ask, now) = (tree_of(mirror), self.engine.now());
        let view = self.tree_view(&ask).await?;
        let live: Vec<Arc<TreeEntry>> =
            view.live.iter().filter(|entry| entry.is_live(now)).cloned().collect();
        let entries = live.iter().map(|entry| (entry.record.clone(), entry.clone())).collect();
        let mut left: BTreeMap<RecordId, Vec<String>> = BTreeMap::new();
        for (record, path) in view.left() {
            left.entry(record.clone()).or_default().push(path.to_owned());
        }
        let keeps_modes = keeps_modes(mirror);
        let one = |sha256: &FileDigest, executable: bool, record: Option<RecordId>| {
            let executable = keeps_modes.then_some(executable);
            RenderedFile { digest: state_of(sha256, executable.unwrap_or_default()), executable, record }
        };
        if layout == Layout::Native && !mirror.render_ids {
            let laid = live.iter().filter_map(|entry| {
                let sha256 = digest_of(&entry.file_sha256)?;
                Some((entry.path.clone(), one(&sha256, entry.executable, Some(entry.record.clone()))))
            });
            return Ok(RenderedTree { files: laid.collect(), entries, left, ..RenderedTree::default() });
        }
        let mut documents = self.mirror_documents(mirror, &live).await?;
        if mirror.render_ids {
            documents.iter_mut().for_each(say_id);
        }
        let (files, state) = layout.render(&documents, state);
        let mut laid = RenderedTree { state, documents, entries, left, ..RenderedTree::default() };
        for file in files {
            let of_record = file.record.as_ref().and_then(|record| laid.entries.get(record));
            let executable = of_record.is_some_and(|entry| entry.executable);
            let laid_one = one(&Sha256::digest(&file.bytes).into(), executable, file.record);
            laid.files.insert(file.path.clone(), laid_one);
            laid.bytes.insert(file.path, file.bytes);
        }
        Ok(laid)
    }

    /// Returns documents in the form of layouts.
    pub(super) async fn mirror_documents(
        &self,
        mirror: &Mirror,
        entries: &[Arc<TreeEntry>],
    ) -> Result<Vec<LaidDocument>> {
        let mut documents = Vec::with_capacity(entries.len());
        // Only an index may have to omit some.
        let by_reads = mirror.layout == Layout::ClaudeMemory.as_str();
        for some in entries.chunks(DOCUMENTS_PER_READ) {
            let (memory, some) = (mirror.memory.clone(), some.to_vec());
            let now = self.engine.now();
            let read = self.engine.store().read(move |tx| {
                let mut read = Vec::with_capacity(some.len());
                for entry in &some {
                    let record = tx.records().get(&memory, &entry.record)?;
                    let Some(record) = record.filter(|record| record.is_readable(now)) else { continue };
                    read.push(LaidDocument {
                        path: DocumentPath::parse(&entry.path)?,
                        record: record.id.clone(),
                        kind: record.kind,
                        content: DocumentContent::of(&record),
                        reads: if by_reads { read_counts::of(tx, &memory, &record.id)? } else { 0 },
                    });
                }
                Ok(read)
            });
            documents.extend(read.await?);
        }
        Ok(documents)
    }

    /// Returns the bytes of some files, by path. A file that is gone meanwhile is absent.
    pub(super) async fn mirror_bytes(
        &self,
        mirror: &Mirror,
        laid: &RenderedTree,
        paths: &[&str],
    ) -> Result<BTreeMap<String, Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut unread = Vec::new();
        for path in paths {
            match (laid.bytes.get(*path), laid.entry(path)) {
                (Some(bytes), _) => drop(found.insert((*path).to_owned(), bytes.clone())),
                (None, Some(entry)) => unread.push(entry.clone()),
                (None, None) => {}
            }
        }
        for document in self.mirror_documents(mirror, &unread).await? {
            found.insert(document.path.to_string(), document.content.file().into_bytes());
        }
        Ok(found)
    }
}
