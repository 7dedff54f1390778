//! `document_put`: creates or replaces a document. Without a path, the document gets one from its
//! title. If a document of the same topic exists, the new lines are appended to it instead.

use loci_engine::calls::idempotency::{ClientToken, IfErased};
use loci_engine::calls::reason_text;
use loci_engine::document_text::content::DocumentContent;
use loci_engine::document_text::path::DocumentPath;
use loci_engine::document_text::slug::{file_stem, free_path};
use loci_engine::safety::check_name;
use loci_model::Result;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::principal::Principal;
use loci_model::trees::tree_entry::DocumentOperation;
use loci_text::sections::first_heading;

use super::document_write::DocumentWriter;
use super::precondition::{Precondition, moved_away};
use super::write_answer::DocumentWritten;
use crate::Documents;
use crate::removed_content::erased_documents;
use crate::trees::tree::TreeAsk;
use crate::trees::tree_write::TreeWrite;

/// The default directory of documents that are written without a path.
const DEFAULT_DIRECTORY: &str = "knowledge/facts";

/// The form in which a caller sends the content of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PutContent {
    /// A whole file with its head, which the server parses.
    File(String),
    /// A whole file that is stored unchanged as the text of the document.
    Raw(String),
    /// The members of the document, separately.
    Parts(DocumentContent),
}

/// A request to write a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentPut {
    /// The tree that contains the document.
    pub tree: TreeAsk,
    /// The path of the document. `None` derives it from the title.
    pub path: Option<String>,
    /// The content of the document.
    pub content: PutContent,
    /// The condition under which the document is written. Required if there is a path.
    pub precondition: Option<Precondition>,
    /// The reason for the change, stored with the version.
    pub reason: Option<String>,
}

impl Documents {
    /// Writes a document, and returns the result.
    ///
    /// # Errors
    /// `PRECONDITION_REQUIRED` if there is a path and no precondition; `STALE_VERSION` if the
    /// precondition does not hold; `PATH_CONFLICT`; `Denied` if the caller may not write; `Invalid`
    /// and `TooLarge` for the path and the content.
    pub async fn document_put(
        &self,
        caller: &Principal,
        put: DocumentPut,
        token: Option<ClientToken>,
    ) -> Result<DocumentWritten> {
        self.document_put_if_erased(caller, put, token, IfErased::Answer).await
    }

    /// Writes a document of an import. If the document was archived or erased on this server, it is
    /// rejected, or restored if the import requests that.
    ///
    /// # Errors
    /// The errors of [`Documents::document_put`]; `SOURCE_ERASED` for an archived or erased
    /// document.
    pub async fn document_put_if_erased(
        &self,
        caller: &Principal,
        put: DocumentPut,
        token: Option<ClientToken>,
        if_erased: IfErased,
    ) -> Result<DocumentWritten> {
        let reason = reason_text::optional(put.reason)?;
        let at = match put.path.as_deref() {
            Some(path) => Some((DocumentPath::parse(path)?, Precondition::required(put.precondition)?)),
            None => None,
        };
        let is_file = matches!(put.content, PutContent::File(_) | PutContent::Raw(_));
        let has_head = at.as_ref().is_none_or(|(path, _)| path.is_markdown());
        let (content, warnings) = match put.content {
            PutContent::File(file) if has_head => DocumentContent::of_file(&file),
            PutContent::File(file) | PutContent::Raw(file) => (DocumentContent::raw(file), Vec::new()),
            PutContent::Parts(content) => (content, Vec::new()),
        };
        let write = TreeWrite::of(&put.tree, "PutDocument", token);
        self.tree_write(caller, write, move |tx, writing| {
            let reason = reason.as_deref();
            let path = at.as_ref().map(|(path, _)| path);
            if let Some(path) = path {
                check_name("path", path.as_str(), writing.policy.secrets)?;
            }
            let content = if is_file { writing.as_granted(tx, path, &content)? } else { content.clone() };
            match if_erased {
                IfErased::Refuse => erased_documents::check_import(tx, writing, path, &content)?,
                IfErased::Restore => erased_documents::lift(tx, writing, path, &content)?,
                IfErased::Answer => erased_documents::lift_text(tx, writing, path, &content)?,
            }
            let mut written = match &at {
                Some((path, precondition)) => writing.put_at(tx, path, precondition, &content, reason)?,
                None => writing.put_anywhere(tx, &content, reason)?,
            };
            written.warnings.extend(warnings.iter().cloned());
            written.warnings.extend(content.claims_warning().filter(|_| is_file));
            // Lines that were appended to a topic follow other lines.
            let is_text_sent = written.added.is_none();
            Ok(writing.answer(written, path, is_text_sent))
        })
        .await
    }
}

impl DocumentWriter<'_> {
    /// Returns the content of a file without the members that its writer has no grant for, because
    /// the head of a file may come from anyone.
    pub(crate) fn as_granted(
        &self,
        tx: &dyn ReadTx,
        path: Option<&DocumentPath>,
        content: &DocumentContent,
    ) -> Result<DocumentContent> {
        if self.is_admin {
            return Ok(content.clone());
        }
        let found = match path {
            Some(path) => self.find(tx, path)?.filter(|found| found.redirected_from.is_none()),
            None => None,
        };
        let before = found.map(|found| DocumentContent::of(&found.record));
        Ok(content.clone().without_claims(before.as_ref(), self.now))
    }

    /// Writes a document at a path: creates it, or replaces the existing one.
    pub(crate) fn put_at(
        &self,
        tx: &mut dyn Tx,
        path: &DocumentPath,
        precondition: &Precondition,
        content: &DocumentContent,
        reason: Option<&str>,
    ) -> Result<DocumentWritten> {
        // A write to an alias replaces the alias and does not follow it.
        let (moved, found) = match self.find(tx, path)? {
            Some(found) if found.redirected_from.is_some() => (Some(found), None),
            found => (None, found),
        };
        self.check(precondition, path, found.as_ref()).map_err(|error| match moved {
            // A read of the old path returns the moved document with its entity tag, which holds
            // at the new path.
            Some(moved) if self.may_read => {
                let remedy =
                    format!("replace it there, or send If-None-Match: * to make another one at {path}");
                moved_away(path.as_str(), &moved, &remedy)
            }
            Some(_) | None => error,
        })?;
        match found {
            Some(found) => {
                let content = content.clone().after(&DocumentContent::of(&found.record));
                self.replace(tx, &found, &content, (DocumentOperation::Modified, reason))
            }
            None => self.create(tx, path, content, reason),
        }
    }

    /// Writes a document without a path: derives the path from the title, or appends the lines to a
    /// document of the same topic.
    pub(crate) fn put_anywhere(
        &self,
        tx: &mut dyn Tx,
        content: &DocumentContent,
        reason: Option<&str>,
    ) -> Result<DocumentWritten> {
        let heading = first_heading(content.prose());
        if let Some(title) = content.title.as_deref().or(heading) {
            let lines = content.prose().lines().filter(|line| !is_heading(line, heading));
            if let Some(written) = self.append_to_topic(tx, title, lines, reason)? {
                return Ok(written);
            }
        }
        let stem = file_stem(content.title.as_deref(), content.prose());
        let directory = self.tree.open_directory(tx, DEFAULT_DIRECTORY, self.now, None)?;
        let path = free_path(&directory, &stem, |_, key| {
            let is_taken = self.tree.entry(tx, key)?.is_some_and(|entry| entry.is_live(self.now));
            Ok(is_taken || self.tree.live_below(tx, key, self.now, None)?.is_some())
        })?;
        self.create(tx, &path, content, reason)
    }

    /// Appends lines to the document of a topic, if there is one.
    pub(crate) fn append_to_topic<'a>(
        &self,
        tx: &mut dyn Tx,
        title: &str,
        lines: impl IntoIterator<Item = &'a str>,
        reason: Option<&str>,
    ) -> Result<Option<DocumentWritten>> {
        let Some(entry) = self.tree.of_topic(tx, title)?.filter(|entry| entry.is_live(self.now)) else {
            return Ok(None);
        };
        let Some(found) = self.find(tx, &DocumentPath::parse(&entry.path)?)? else { return Ok(None) };
        let (body, added) = self.appended(&found.record.text, lines);
        let content = DocumentContent::of(&found.record).with_body(body);
        let written = self.replace(tx, &found, &content, (DocumentOperation::Modified, reason))?;
        Ok(Some(DocumentWritten { added: Some(added), ..written }))
    }
}

/// Returns true if the line is the heading that names the text.
fn is_heading(line: &str, heading: Option<&str>) -> bool {
    let bare = line.trim_start();
    bare.starts_with('#')
        && heading.is_some_and(|heading| {
            bare.trim_start_matches('#').trim().trim_end_matches('#').trim_end() == heading
        })
}
