//! `document_edit`: applies an edit that quotes the current text, to the current document, in one
//! step on the server.

use loci_engine::access;
use loci_engine::calls::idempotency::ClientToken;
use loci_engine::calls::reason_text;
use loci_engine::document_text::content::DocumentContent;
use loci_engine::document_text::path::DocumentPath;
use loci_model::ports::store::Tx;
use loci_model::principal::Principal;
use loci_model::trees::tree_entry::DocumentOperation;
use loci_model::{Error, Result};

use super::document_write::{DocumentWriter, LiveDocument};
use super::precondition::{Precondition, moved_away};
use super::text_edits::{Edit, apply};
use super::write_answer::DocumentWritten;
use crate::Documents;
use crate::trees::tree::TreeAsk;
use crate::trees::tree_write::TreeWrite;

/// The name of conditions that only readers may set, for an error text.
pub(crate) const COMPARISON: &str = "a condition that names an ETag or a digest";

/// A request to edit a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentEdit {
    /// The tree that contains the document.
    pub tree: TreeAsk,
    /// The path of the document.
    pub path: String,
    /// The edit to apply to the text.
    pub edit: Edit,
    /// The condition under which the edit is applied. `None` applies it always.
    pub precondition: Option<Precondition>,
    /// The reason for the change, stored with the version.
    pub reason: Option<String>,
}

impl Documents {
    /// Edits a document.
    ///
    /// # Errors
    /// `NotFound`; `Invalid` if the edit does not apply to the text; `STALE_VERSION`; `TooLarge`;
    /// `Denied` without grants of both read and write, because the success of an edit reveals
    /// content.
    pub async fn document_edit(
        &self,
        caller: &Principal,
        edit: DocumentEdit,
        token: Option<ClientToken>,
    ) -> Result<DocumentWritten> {
        let edit = DocumentEdit { reason: reason_text::optional(edit.reason)?, ..edit };
        let path = DocumentPath::parse(&edit.path)?;
        let write = TreeWrite::of(&edit.tree, "EditDocument", token);
        let asked = edit.clone();
        self.tree_write(caller, write, move |tx, writing| {
            writing.require_reading("an edit")?;
            let found = writing.existing(tx, &path, asked.precondition.as_ref())?;
            let body = apply(&found.record.text, &asked.edit)?;
            let content = DocumentContent::of(&found.record).with_body(body);
            let reason = asked.reason.as_deref();
            writing.replace(tx, &found, &content, (DocumentOperation::Modified, reason))
        })
        .await
    }
}

impl DocumentWriter<'_> {
    /// Requires that the writer may also read the tree. `what` names the part of the request whose
    /// answer depends on stored content.
    ///
    /// # Errors
    /// `Denied` if the writer may not read the tree.
    pub(crate) fn require_reading(&self, what: &str) -> Result<()> {
        if self.may_read { Ok(()) } else { Err(access::needs_reading(what)) }
    }

    /// Requires that the writer may also read the tree, if a condition names digests: the success
    /// of such a write reveals the content.
    ///
    /// # Errors
    /// `Denied` if the writer may not read the tree.
    pub(crate) fn require_comparable(&self, precondition: Option<&Precondition>) -> Result<()> {
        if precondition.is_some_and(Precondition::names_digests) {
            return self.require_reading(COMPARISON);
        }
        Ok(())
    }

    /// Checks a precondition. The error names the present document, and the path to which it was
    /// moved, only to a caller with read access.
    ///
    /// # Errors
    /// `STALE_VERSION` if it does not hold; `Denied` for digests that the caller may not compare.
    pub(crate) fn check(
        &self,
        precondition: &Precondition,
        path: &DocumentPath,
        found: Option<&LiveDocument>,
    ) -> Result<()> {
        self.require_comparable(Some(precondition))?;
        precondition.check(path.as_str(), found).map_err(|mut error| {
            if !self.may_read {
                error.details.clear();
                return error;
            }
            match found.filter(|found| found.redirected_from.is_some()) {
                Some(moved) => moved_away(path.as_str(), moved, "read it, and try again there"),
                None => error,
            }
        })
    }

    /// Returns the document at a path after checking the precondition.
    ///
    /// # Errors
    /// `NotFound`; `STALE_VERSION`.
    pub(crate) fn existing(
        &self,
        tx: &mut dyn Tx,
        path: &DocumentPath,
        precondition: Option<&Precondition>,
    ) -> Result<LiveDocument> {
        let found = self.find(tx, path)?;
        let missing =
            || Error::not_found(format!("No memory file at {path}; paths must match the listing exactly."));
        let found = found.ok_or_else(missing)?;
        if let Some(precondition) = precondition {
            self.check(precondition, path, Some(&found))?;
        }
        Ok(found)
    }
}
