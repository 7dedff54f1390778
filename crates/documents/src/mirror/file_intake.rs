//! Import of a file that a person wrote in a mirror, as a normal write with preconditions, safety
//! checks, grants and telemetry. The write has a token, so that a retry after an interrupted sync
//! gets the first result. The layout interprets the file, and the sync plan decides if it is
//! imported.

use std::collections::BTreeSet;

use loci_engine::calls::idempotency::ClientToken;
use loci_engine::document_text::{DocumentContent, DocumentPath};
use loci_engine::records::conflicts;
use loci_engine::safety::{RedactionMode, redact};
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::Record;
use loci_model::trees::mirror::Mirror;
use loci_model::trees::tree_entry::DocumentOperation;
use loci_model::{Error, Result, limits};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::layouts::{FileMeaning, LaidDocument, Layout, LayoutContext};
use super::rendering::{keeps_modes, say_id, tree_of};
use super::sync_state::{hex_of, state_of};
use crate::Documents;
use crate::document::appended_lines::appended;
use crate::document::document_write::{DocumentWriter, LiveDocument};
use crate::document_history::versions::Versions;
use crate::removed_content::erased_documents;
use crate::trees::tree_write::TreeWrite;
use crate::{DocumentWritten, Precondition};

/// The reason that is stored with a change that comes from a file of a mirror.
const REASON: &str = "edited in a mirror";

/// The reason that is stored with the additional change of the description.
const DESCRIBED: &str = "the description follows the text";

/// A file of a mirror to import.
#[derive(Debug, Clone)]
pub(super) struct FileIntake {
    /// The path of the document in the tree.
    pub(super) path: DocumentPath,
    /// The content of the file as a document.
    pub(super) content: DocumentContent,
    /// The SHA-256 that the document's file must still have, in hex digits. `None` if the document
    /// must not exist.
    pub(super) over: Option<String>,
    /// The path for a conflict copy if both the file and the document changed, and the digest of
    /// the last synced file. The copy is not made if the file only adds lines.
    pub(super) beside: Option<(DocumentPath, Option<String>)>,
    /// True if the file existed before the mirror and contains secrets: the file is left unchanged.
    pub(super) stays: bool,
}

/// The outcome of importing a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum IntakeOutcome {
    /// The document has the content of the file now.
    Document,
    /// A version of the document already had the content before this mirror, so nothing was
    /// written. The digest of its file is present only if the document still has that content.
    Known,
    /// The lines that the file adds were appended to the document.
    Lines,
    /// The file was stored as a conflict copy, and a person decides.
    Beside,
}

/// The result of importing a file, stored for a retry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct IntakeResult {
    pub(super) written: DocumentWritten,
    pub(super) taken_as: IntakeOutcome,
}

/// Returns the principal with which a mirror reads and writes. It may use only the mirror's tree,
/// and `system/` only if the configuration permits that.
pub(super) fn writer_of(mirror: &Mirror) -> Principal {
    let mut capabilities = BTreeSet::from([Capability::Read, Capability::Write]);
    if mirror.system {
        capabilities.insert(Capability::Admin);
    }
    let grant = Grant {
        memory: Some(mirror.memory.clone()),
        namespace: Some(mirror.namespace.clone()),
        capabilities,
        ..Grant::everything()
    };
    Principal { name: mirror.writer(), grants: vec![grant] }
}

/// The settings by which documents become files of a mirror.
#[derive(Debug, Clone, Copy)]
pub(super) struct RenderingSettings {
    layout: Layout,
    render_ids: bool,
    keeps_modes: bool,
}

impl RenderingSettings {
    /// Returns the settings in the configuration of a mirror.
    pub(super) fn of(mirror: &Mirror) -> Self {
        Self {
            layout: Layout::named(&mirror.layout).unwrap_or_default(),
            render_ids: mirror.render_ids,
            keeps_modes: keeps_modes(mirror),
        }
    }

    /// Returns a version of a document as the file that the mirror has for it.
    fn document(self, version: &Record, path: &DocumentPath) -> LaidDocument {
        let content = DocumentContent::of(version);
        let (record, kind) = (version.id.clone(), version.kind);
        let mut document = LaidDocument { path: path.clone(), record, kind, content, reads: 0 };
        if self.render_ids {
            say_id(&mut document);
        }
        document
    }

    /// Returns the digest of the file for a version of a document, in hex digits.
    pub(super) fn digest_of(self, version: &Record, path: &DocumentPath) -> String {
        let document = self.document(version, path);
        let executable = self.keeps_modes && document.content.is_executable();
        hex_of(&state_of(&Sha256::digest(self.layout.file_of(&document)).into(), executable))
    }

    /// Returns the content that reading the file of a version would give. `None` if the file cannot
    /// be read as a document.
    fn read(self, version: &Record, path: &DocumentPath) -> Option<DocumentContent> {
        let document = self.document(version, path);
        let file = String::from_utf8(self.layout.file_of(&document)).ok()?;
        // In the other layouts a file's name does not affect its content.
        let name = if self.layout == Layout::Native { path.as_str() } else { "file.md" };
        match self.layout.read(name, &file, Some(&document), &LayoutContext::nothing()) {
            FileMeaning::Document { content, .. } => Some(*content),
            FileMeaning::Lines { .. } | FileMeaning::Index { .. } | FileMeaning::Refused { .. } => None,
        }
    }
}

impl Documents {
    /// Imports a file of a mirror into the tree.
    ///
    /// # Errors
    /// `STALE_VERSION` if the document changed meanwhile; the errors of writing a document.
    pub(super) async fn mirror_take(
        &self,
        mirror: &Mirror,
        caller: &Principal,
        taking: FileIntake,
        token: &str,
    ) -> Result<IntakeResult> {
        let parameters = serde_json::json!({ "path": taking.path.as_str() });
        let (content, masked) = self.masked_file(taking.content).await?;
        let taking = FileIntake { content, ..taking };
        let token = ClientToken::new(token, &parameters)?;
        let laying = RenderingSettings::of(mirror);
        let ask = tree_of(mirror);
        let write = TreeWrite::of(&ask, "MirrorTake", Some(token));
        self.tree_write(caller, write, move |tx, writing| {
            let mut taken = match &taking.beside {
                None => writing.take(tx, &taking, laying)?,
                Some((beside, base)) => writing.keep_both(tx, &taking, beside, (base.as_deref(), laying))?,
            };
            if let Some(masked) = &masked
                && !taken.written.warnings.iter().any(|warning| warning.contains("masked"))
            {
                taken.written.warnings.push(masked.clone());
            }
            Ok(taken)
        })
        .await
    }
}

impl Documents {
    /// Returns the content of a file with its secrets masked, and a warning about them. The thread
    /// for long-running work processes long files.
    async fn masked_file(&self, content: DocumentContent) -> Result<(DocumentContent, Option<String>)> {
        if content.body.len() < limits::LONG_TEXT_BYTES_MIN {
            return Ok(masked(content));
        }
        self.engine.long_work().run(move || masked(content)).await
    }

    /// Updates a description that was derived from the former text of a document, as a separate
    /// change after the import of the unchanged file.
    pub(super) async fn mirror_describe(&self, mirror: &Mirror, path: &DocumentPath) -> Result<()> {
        let (ask, path) = (tree_of(mirror), path.clone());
        let write = TreeWrite::of(&ask, "MirrorDescribe", None);
        self.tree_write(&writer_of(mirror), write, move |tx, writing| {
            let Some(found) = writing.find(tx, &path)? else { return Ok(()) };
            let Some(content) = DocumentContent::of(&found.record).described() else { return Ok(()) };
            let told = (DocumentOperation::Modified, Some(DESCRIBED));
            writing.replace(tx, &found, &content, told).map(drop)
        })
        .await
    }
}

/// Returns true if the text contains secrets.
pub(super) fn has_secrets(text: &str) -> bool {
    !redact(text.to_owned(), RedactionMode::Mask).1.is_empty()
}

/// Returns true if the text or the head of a file contains secrets.
pub(super) fn holds_secrets(content: &DocumentContent) -> bool {
    masked(content.clone()).1.is_some()
}

/// Returns the content of a file with the secrets in its text and head masked, whatever the
/// settings for other writes are, because files are copied elsewhere.
fn masked(before: DocumentContent) -> (DocumentContent, Option<String>) {
    let mut kinds = BTreeSet::new();
    let mut mask = |text: String| {
        let (text, found) = redact(text, RedactionMode::Mask);
        kinds.extend(found.iter().map(|kind| kind.as_str()));
        text
    };
    let body = mask(before.body.clone());
    let mut content = before.clone();
    if body != content.body {
        content = content.with_body(body);
    }
    for said in [&mut content.title, &mut content.description, &mut content.scope] {
        *said = said.take().map(&mut mask);
    }
    content.head.change_texts(&mut mask);
    // A head in its written form also contains comments.
    if let Some(head) = content.written_head.take() {
        content.written_head = Some(mask(head.clone())).filter(|masked| *masked == head);
    }
    if kinds.is_empty() {
        return (before, None);
    }
    let words: Vec<&str> = kinds.into_iter().collect();
    let told = format!("secrets were masked: {}", words.join(", "));
    (content, Some(told))
}

impl DocumentWriter<'_> {
    fn take(&self, tx: &mut dyn Tx, taking: &FileIntake, laying: RenderingSettings) -> Result<IntakeResult> {
        if taking.over.is_none()
            && let Some(found) = self.find(tx, &taking.path)?
            && let Some(known) = self.known(tx, &found, taking, laying)?
        {
            return Ok(known);
        }
        let precondition = match &taking.over {
            Some(hex) => {
                erased_documents::check_text(tx, self, &taking.path, &taking.content)?;
                Precondition::Matches(vec![format!("sha256:{hex}")])
            }
            None => {
                erased_documents::check_file(tx, self, &taking.path, &taking.content)?;
                Precondition::Absent
            }
        };
        let content = self.as_granted(tx, Some(&taking.path), &taking.content)?;
        let mut written = self.put_at(tx, &taking.path, &precondition, &content, Some(REASON))?;
        written.warnings.extend(content.claims_warning());
        Ok(IntakeResult { written, taken_as: IntakeOutcome::Document })
    }

    /// Keeps the text of the document and stores the file as a conflict copy. If the file only adds
    /// lines to the last synced text, they are appended to the document instead.
    fn keep_both(
        &self,
        tx: &mut dyn Tx,
        taking: &FileIntake,
        beside: &DocumentPath,
        (base, laying): (Option<&str>, RenderingSettings),
    ) -> Result<IntakeResult> {
        let Some(found) = self.find(tx, &taking.path)? else { return self.take(tx, taking, laying) };
        if base.is_none()
            && let Some(known) = self.known(tx, &found, taking, laying)?
        {
            return Ok(known);
        }
        if let Some(base) = base
            && let Some(body) = self.with_lines(tx, &found, taking, (base, laying))?
        {
            let content = DocumentContent::of(&found.record).with_body(body);
            let written = self.replace(tx, &found, &content, (DocumentOperation::Modified, Some(REASON)))?;
            return Ok(IntakeResult { written, taken_as: IntakeOutcome::Lines });
        }
        let written = match self.find(tx, beside)? {
            // The name contains the digest: the copy was stored before, and the person who decides
            // was notified then.
            Some(kept) if taking.stays && base.is_none() => {
                let unchanged = DocumentWritten::unchanged(&kept.record, Some(&kept.entry));
                let written = DocumentWritten { file_sha256: None, ..unchanged };
                return Ok(IntakeResult { written, taken_as: IntakeOutcome::Known });
            }
            Some(kept) => DocumentWritten::unchanged(&kept.record, Some(&kept.entry)),
            None => {
                erased_documents::check_text(tx, self, beside, &taking.content)?;
                let content = self.as_granted(tx, None, &taking.content)?;
                self.create(tx, beside, &content, Some("kept beside an edit of the same file"))?
            }
        };
        let against = tx.records().get(&self.memory.id, &written.record)?;
        let against = against.ok_or_else(|| Error::bug("a document that was just written is not there"))?;
        let reason = format!("{} was edited in a mirror and elsewhere at a time", found.entry.path);
        conflicts::note_anywhere(tx, (&found.record.id, &against), &reason, self.now)?;
        Ok(IntakeResult { written, taken_as: IntakeOutcome::Beside })
    }

    /// Returns the unchanged document if the file keeps its secrets and one of the versions has the
    /// same content, because a removed mirror imported the file earlier.
    fn known(
        &self,
        tx: &dyn ReadTx,
        found: &LiveDocument,
        taking: &FileIntake,
        laying: RenderingSettings,
    ) -> Result<Option<IntakeResult>> {
        if !taking.stays {
            return Ok(None);
        }
        let Some(versions) = Versions::of(tx, self.tree, &found.record.id)? else { return Ok(None) };
        let says_it = |version: &&Record| {
            let before = DocumentContent::of(version);
            let file = taking.content.clone().after(&before);
            let is_it = |said: DocumentContent| {
                file.body.trim_end() == said.body.trim_end() && says_the_same(&file, &said.after(&before))
            };
            is_it(before.clone()) || laying.read(version, &taking.path).is_some_and(is_it)
        };
        let Some(version) = versions.all.iter().rev().find(says_it) else { return Ok(None) };
        let current = DocumentWritten::unchanged(&found.record, Some(&found.entry));
        let written = if version.version == found.record.version {
            current
        } else {
            DocumentWritten { version: version.version, file_sha256: None, ..current }
        };
        Ok(Some(IntakeResult { written, taken_as: IntakeOutcome::Known }))
    }

    /// Returns the document's text with the lines that the file adds to the last synced text.
    /// `None` unless both only added lines to it.
    fn with_lines(
        &self,
        tx: &mut dyn Tx,
        found: &LiveDocument,
        taking: &FileIntake,
        (base, laying): (&str, RenderingSettings),
    ) -> Result<Option<String>> {
        let Some(versions) = Versions::of(tx, self.tree, &found.record.id)? else { return Ok(None) };
        let is_base = |version: &&Record| laying.digest_of(version, &taking.path) == base;
        let Some(version) = versions.all.iter().find(is_base) else { return Ok(None) };
        let Some(read) = laying.read(version, &taking.path) else { return Ok(None) };
        let (file, base) = (&taking.content, DocumentContent::of(version));
        let current = DocumentContent::of(&found.record);
        if !says_the_same(&file.clone().after(&base), &read.after(&base)) {
            return Ok(None);
        }
        let both_had = base.body.trim_end();
        let (Some(added), Some(_)) = (file.body.strip_prefix(both_had), current.body.strip_prefix(both_had))
        else {
            return Ok(None);
        };
        // A continued last line is no added line.
        let is_line = |rest: &str| rest.is_empty() || rest.starts_with(['\n', '\r']);
        if both_had.is_empty() || !is_line(added.trim_start_matches([' ', '\t'])) {
            return Ok(None);
        }
        // Lines are added once, and empty ones not at all: a text that would lose lines that way is
        // kept as a copy.
        let lines: Vec<&str> = added.trim_end().lines().skip(1).collect();
        if appended(both_had, lines.iter().copied()).1 != lines.len() as u64 {
            return Ok(None);
        }
        Ok(Some(appended(&current.body, lines).0))
    }
}

/// Returns true if two documents have equal heads. Their texts may differ.
fn says_the_same(one: &DocumentContent, other: &DocumentContent) -> bool {
    let is_own = |key: &str| !matches!(key, "title" | "description" | "scope");
    let more = |content: &DocumentContent| {
        let entries = content.head.entries().filter(|(key, _)| is_own(key));
        entries.map(|(key, value)| (key.to_owned(), value.clone())).collect::<Vec<_>>()
    };
    one.title == other.title
        && one.description == other.description
        && one.scope == other.scope
        && more(one) == more(other)
}
