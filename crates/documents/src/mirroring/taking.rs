//! How a file that somebody wrote in a mirror comes into the tree: one write, under a token, so that a sync which was cut off behind it
//! learns what became of it. It goes the way of every write: preconditions, safety, grants, telemetry. What a file means is the
//! layout's matter, whether it is to be taken the plan's.

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

use super::keeping::{hex_of, state_of};
use super::layouts::{Around, FileMeaning, LaidDocument, Layout};
use super::rendering::{keeps_modes, say_id, tree_of};
use crate::Documents;
use crate::document::appended_lines::appended;
use crate::document::document_write::{Found, Writing};
use crate::document_history::versions::Versions;
use crate::removed_content::erased_documents;
use crate::trees::tree_write::TreeWrite;
use crate::{DocumentWritten, Precondition};

/// Why a document changes that a mirror's file changed.
const REASON: &str = "edited in a mirror";

/// The reason for one more change behind that.
const DESCRIBED: &str = "the description follows the text";

/// What is to be taken.
#[derive(Debug, Clone)]
pub(super) struct Taking {
    /// Where in the tree.
    pub(super) path: DocumentPath,
    /// What the file says.
    pub(super) content: DocumentContent,
    /// SHA-256 of the document's native file that must be there still, in hex digits; none: nothing must.
    pub(super) over: Option<String>,
    /// Both sides changed: the file goes there, unless all that it has is further lines. With it the digest of what both had.
    pub(super) beside: Option<(DocumentPath, Option<String>)>,
    /// The file lay there before the mirror and holds secrets: it is left as it is.
    pub(super) stays: bool,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum TakenAs {
    /// The document says it.
    Document,
    /// A document had it before this mirror: nothing was written. The digest of its file is there
    /// only where the document says the same now.
    Known,
    /// Its lines are behind those of the document.
    Lines,
    /// It lies beside the document, and a person decides.
    Beside,
}

/// The answer of a write, kept for its repetition.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Taken {
    pub(super) written: DocumentWritten,
    pub(super) taken_as: TakenAs,
}

/// As whom a mirror reads and writes: its own tree, and what is loaded with every prompt only where it is configured so.
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

/// How the files of a mirror are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Laying {
    layout: Layout,
    render_ids: bool,
    keeps_modes: bool,
}

impl Laying {
    /// The laying that a mirror's configuration asks for.
    pub(super) fn of(mirror: &Mirror) -> Self {
        Self {
            layout: Layout::named(&mirror.layout).unwrap_or_default(),
            render_ids: mirror.render_ids,
            keeps_modes: keeps_modes(mirror),
        }
    }

    /// A version as its file shows it.
    fn document(self, version: &Record, path: &DocumentPath) -> LaidDocument {
        let content = DocumentContent::of(version);
        let (record, kind) = (version.id.clone(), version.kind);
        let mut document = LaidDocument { path: path.clone(), record, kind, content, reads: 0 };
        if self.render_ids {
            say_id(&mut document);
        }
        document
    }

    /// The digest of the file that a version had, in hex digits.
    pub(super) fn digest_of(self, version: &Record, path: &DocumentPath) -> String {
        let document = self.document(version, path);
        let executable = self.keeps_modes && document.content.is_executable();
        hex_of(&state_of(&Sha256::digest(self.layout.file_of(&document)).into(), executable))
    }

    /// What the file of a version says, as whoever reads files hears it.
    fn read(self, version: &Record, path: &DocumentPath) -> Option<DocumentContent> {
        let document = self.document(version, path);
        let file = String::from_utf8(self.layout.file_of(&document)).ok()?;
        // In the layouts of others the name of a file says nothing of what it holds.
        let name = if self.layout == Layout::Native { path.as_str() } else { "file.md" };
        match self.layout.read(name, &file, Some(&document), &Around::nothing()) {
            FileMeaning::Document { content, .. } => Some(*content),
            FileMeaning::Lines { .. } | FileMeaning::Index { .. } | FileMeaning::Refused { .. } => None,
        }
    }
}

impl Documents {
    /// Takes a file into the tree.
    ///
    /// # Errors
    /// `STALE_VERSION` where the tree changed meanwhile; those of every write of a document.
    pub(super) async fn mirror_take(
        &self,
        mirror: &Mirror,
        caller: &Principal,
        taking: Taking,
        token: &str,
    ) -> Result<Taken> {
        let parameters = serde_json::json!({ "path": taking.path.as_str() });
        let (content, masked) = self.masked_file(taking.content).await?;
        let taking = Taking { content, ..taking };
        let token = ClientToken::new(token, &parameters)?;
        let laying = Laying::of(mirror);
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
    /// A file without its secrets, and the warning about them; a long one is read on the thread of
    /// long work.
    async fn masked_file(&self, content: DocumentContent) -> Result<(DocumentContent, Option<String>)> {
        if content.body.len() < limits::LONG_TEXT_BYTES_MIN {
            return Ok(masked(content));
        }
        self.engine.long_work().run(move || masked(content)).await
    }

    /// Brings a description that was made of the text before up to the text that a file brought: a change of
    /// the mirror's own, behind the one that took the file as it is.
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

/// True for a text with secrets.
pub(super) fn has_secrets(text: &str) -> bool {
    !redact(text.to_owned(), RedactionMode::Mask).1.is_empty()
}

/// True for a file with secrets, in its text or in its head.
pub(super) fn holds_secrets(content: &DocumentContent) -> bool {
    masked(content.clone()).1.is_some()
}

/// A file without its secrets, in its text and in its head, whatever else writes keep: files travel.
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
    // A head as it was written has remarks, too.
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

impl Writing<'_> {
    fn take(&self, tx: &mut dyn Tx, taking: &Taking, laying: Laying) -> Result<Taken> {
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
        Ok(Taken { written, taken_as: TakenAs::Document })
    }

    /// The tree keeps its text, and the file's lies beside it; lines that it adds to what both had come to the document instead.
    fn keep_both(
        &self,
        tx: &mut dyn Tx,
        taking: &Taking,
        beside: &DocumentPath,
        (base, laying): (Option<&str>, Laying),
    ) -> Result<Taken> {
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
            return Ok(Taken { written, taken_as: TakenAs::Lines });
        }
        let written = match self.find(tx, beside)? {
            // The name says what it holds: it was kept before. Whoever decides of it was told then.
            Some(kept) if taking.stays && base.is_none() => {
                let unchanged = DocumentWritten::unchanged(&kept.record, Some(&kept.entry));
                let written = DocumentWritten { file_sha256: None, ..unchanged };
                return Ok(Taken { written, taken_as: TakenAs::Known });
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
        Ok(Taken { written, taken_as: TakenAs::Beside })
    }

    /// The document as it is, where the file stays and one of its versions says the same: a mirror
    /// that is no more took the file into it.
    fn known(
        &self,
        tx: &dyn ReadTx,
        found: &Found,
        taking: &Taking,
        laying: Laying,
    ) -> Result<Option<Taken>> {
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
        Ok(Some(Taken { written, taken_as: TakenAs::Known }))
    }

    /// The document's text with the lines that the file adds to what both had, where all that
    /// either did was to add.
    fn with_lines(
        &self,
        tx: &mut dyn Tx,
        found: &Found,
        taking: &Taking,
        (base, laying): (&str, Laying),
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
        // A last line that goes on is no line that was added.
        let is_line = |rest: &str| rest.is_empty() || rest.starts_with(['\n', '\r']);
        if both_had.is_empty() || !is_line(added.trim_start_matches([' ', '\t'])) {
            return Ok(None);
        }
        // Lines are added once, and empty ones not at all: a text in which that would lose something is kept beside.
        let lines: Vec<&str> = added.trim_end().lines().skip(1).collect();
        if appended(both_had, lines.iter().copied()).1 != lines.len() as u64 {
            return Ok(None);
        }
        Ok(Some(appended(&current.body, lines).0))
    }
}

/// True where two documents say the same of themselves, whatever their texts.
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
