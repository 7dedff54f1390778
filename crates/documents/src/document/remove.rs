//! `document_delete` and `document_move`: archive a document, or move it to another path. Neither
//! erases anything: versions stay, and the old path of a moved document leads to it.

use loci_engine::calls::idempotency::ClientToken;
use loci_engine::calls::reason_text;
use loci_engine::document_text::path::DocumentPath;
use loci_engine::safety::check_name;
use loci_model::Result;
use loci_model::principal::Principal;

use super::precondition::Precondition;
use super::write_answer::DocumentWritten;
use crate::Documents;
use crate::trees::tree::TreeAsk;
use crate::trees::tree_write::TreeWrite;

/// A request to archive a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentDelete {
    /// The tree that contains the document.
    pub tree: TreeAsk,
    /// The path of the document.
    pub path: String,
    /// The condition under which the document is archived. It is required.
    pub precondition: Option<Precondition>,
    /// The reason for the change, stored with the version.
    pub reason: Option<String>,
}

/// A request to move a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentMove {
    /// The tree that contains the document.
    pub tree: TreeAsk,
    /// The current path of the document.
    pub from: String,
    /// The new path of the document.
    pub to: String,
    /// The condition under which the document is moved. `None` moves it always.
    pub precondition: Option<Precondition>,
    /// The reason for the change, stored with the version.
    pub reason: Option<String>,
}

impl Documents {
    /// Archives a document. It can be restored.
    ///
    /// # Errors
    /// `NotFound`; `PRECONDITION_REQUIRED`; `STALE_VERSION`; `Denied`.
    pub async fn document_delete(
        &self,
        caller: &Principal,
        delete: DocumentDelete,
        token: Option<ClientToken>,
    ) -> Result<DocumentWritten> {
        let reason = reason_text::optional(delete.reason)?;
        let path = DocumentPath::parse(&delete.path)?;
        let precondition = Precondition::required(delete.precondition)?;
        let write = TreeWrite::of(&delete.tree, "DeleteDocument", token);
        self.tree_write(caller, write, move |tx, writing| {
            let found = writing.existing(tx, &path, Some(&precondition))?;
            let written = writing.archive(tx, &found, reason.as_deref())?;
            Ok(writing.answer(written, Some(&path), false))
        })
        .await
    }

    /// Moves a document to another path.
    ///
    /// # Errors
    /// `NotFound`; `PATH_CONFLICT`; `STALE_VERSION`; `Denied`; `Invalid`.
    pub async fn document_move(
        &self,
        caller: &Principal,
        asked: DocumentMove,
        token: Option<ClientToken>,
    ) -> Result<DocumentWritten> {
        let reason = reason_text::optional(asked.reason)?;
        let from = DocumentPath::parse(&asked.from).map_err(|error| error.on("from"))?;
        let to = DocumentPath::parse(&asked.to).map_err(|error| error.on("to"))?;
        let write = TreeWrite::of(&asked.tree, "MoveDocument", token);
        let precondition = asked.precondition;
        self.tree_write(caller, write, move |tx, writing| {
            check_name("to", to.as_str(), writing.policy.secrets)?;
            let found = writing.existing(tx, &from, precondition.as_ref())?;
            let written = writing.move_to(tx, &found, &to, reason.as_deref())?;
            Ok(writing.answer(written, Some(&to), false))
        })
        .await
    }
}
