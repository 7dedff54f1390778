//! `document_edit`: an edit told by what is there, applied to the document as it is, in one step on the server.

use loci_model::ports::store::Tx;
use loci_model::principal::Principal;
use loci_model::tree_entry::DocumentOperation;
use loci_model::{Error, Result};

use super::document::DocumentContent;
use super::edits::{Edit, apply};
use super::path::DocumentPath;
use super::precondition::Precondition;
use super::tree::TreeAsk;
use super::tree_write::TreeWrite;
use super::writing::{Found, Writing};
use super::written::DocumentWritten;
use crate::idempotency::ClientToken;
use crate::{Engine, reason_text};

/// An edit of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentEdit {
    /// The tree.
    pub tree: TreeAsk,
    /// Which document.
    pub path: String,
    /// What is done.
    pub edit: Edit,
    /// Only of what the caller has seen.
    pub precondition: Option<Precondition>,
    /// Why.
    pub reason: Option<String>,
}

impl Engine {
    /// Edits a document.
    ///
    /// # Errors
    /// `NotFound`; `Invalid` where the edit does not fit what is there; `STALE_VERSION`; `Denied`; `TooLarge`.
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
            let found = writing.existing(tx, &path, asked.precondition.as_ref())?;
            let body = apply(&found.record.text, &asked.edit)?;
            let content = DocumentContent::of(&found.record).with_body(body);
            let reason = asked.reason.as_deref();
            writing.replace(tx, &found, &content, (DocumentOperation::Modified, reason))
        })
        .await
    }
}

impl Writing<'_> {
    /// The document of a path that must be there, as the caller has seen it.
    ///
    /// # Errors
    /// `NotFound`; `STALE_VERSION`.
    pub(crate) fn existing(
        &self,
        tx: &mut dyn Tx,
        path: &DocumentPath,
        precondition: Option<&Precondition>,
    ) -> Result<Found> {
        let found = self.find(tx, path)?;
        let missing =
            || Error::not_found(format!("No memory file at {path}; paths must match the listing exactly."));
        let found = found.ok_or_else(missing)?;
        if let Some(precondition) = precondition {
            precondition.check(path.as_str(), Some(&found))?;
        }
        Ok(found)
    }
}
