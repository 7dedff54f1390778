//! Returns the document at a path.

use loci_api::documents::file::{
    DocumentAdd, DocumentAppend, DocumentAsk, DocumentChange, DocumentEdit, DocumentMove, DocumentPut,
    DocumentWritten, FileDocument, Redaction, RedactionAsk,
};
use loci_api::documents::memory_tool::{
    MemoryToolAnswer, MemoryToolCommand, MemoryToolQuery, PromptDocuments, PromptDocumentsQuery,
};
use loci_api::documents::object::{ObjectDeleted, ObjectList, ObjectListing, ParkedObject};
use loci_api::documents::table as api;
use loci_api::documents::tree::{
    ChangesQuery, DiffQuery, DocumentHistory, GrepAsk, GrepResult, HistoryQuery, ListingQuery, RestoreAsk,
    SnapshotMake, SystemListing, SystemQuery, TreeChanges, TreeDiff, TreeListing, TreePage, TreeQuery,
    TreeRestored, TreeSnapshot, TreeSnapshotList, TreeSnapshotListing,
};

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;
use crate::transport::Outgoing;

impl Client {
    /// Returns a document.
    ///
    /// # Errors
    /// Returns a document as a file, with its head.
    pub async fn document_get(
        &self,
        memory: &str,
        document: &str,
        asked: &DocumentAsk,
    ) -> Result<FileDocument, ClientError> {
        self.query(at(&api::DOCUMENT_GET, &[memory, document]), asked).await
    }

    /// Returns a document's file in the native layout.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn document_file(
        &self,
        memory: &str,
        document: &str,
        namespace: Option<String>,
    ) -> Result<String, ClientError> {
        let asked = DocumentAsk { namespace, raw: Some("1".to_owned()) };
        self.text(at(&api::DOCUMENT_GET, &[memory, document]), &asked).await
    }

    /// Writes a document given by its members. The client needs a precondition (`with_if_match`,
    /// `with_if_absent`), or the request `force`.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn document_put(
        &self,
        memory: &str,
        document: &str,
        change: &DocumentChange,
        put: &DocumentPut,
    ) -> Result<DocumentWritten, ClientError> {
        self.send(at(&api::DOCUMENT_PUT, &[memory, document]).with_query(change)?, put).await
    }

    /// Writes a document given as a whole file. The client needs a precondition (`with_if_match`,
    /// `with_if_absent`), or the request `force`.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn document_put_file(
        &self,
        memory: &str,
        document: &str,
        change: &DocumentChange,
        text: String,
    ) -> Result<DocumentWritten, ClientError> {
        let at = at(&api::DOCUMENT_PUT, &[memory, document]).with_query(change)?;
        self.clone().with_files().plain_body(at, Outgoing::Whole(text.into())).await
    }

    /// Writes a document without a given path. The server derives the path from the title.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn document_add(
        &self,
        memory: &str,
        add: &DocumentAdd,
    ) -> Result<DocumentWritten, ClientError> {
        self.send(at(&api::DOCUMENT_ADD, &[memory]), add).await
    }

    /// Archives a document. The client needs a precondition (`with_if_match`), or the request
    /// `force`.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn document_delete(
        &self,
        memory: &str,
        document: &str,
        change: &DocumentChange,
    ) -> Result<DocumentWritten, ClientError> {
        self.query(at(&api::DOCUMENT_DELETE, &[memory, document]), change).await
    }

    /// Appends lines to a document.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn document_append(
        &self,
        memory: &str,
        append: &DocumentAppend,
    ) -> Result<DocumentWritten, ClientError> {
        self.send(at(&api::DOCUMENT_APPEND, &[memory]), append).await
    }

    /// Edits a document.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn document_edit(
        &self,
        memory: &str,
        edit: &DocumentEdit,
    ) -> Result<DocumentWritten, ClientError> {
        self.send(at(&api::DOCUMENT_EDIT, &[memory]), edit).await
    }

    /// Moves a document to another path.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn document_move(
        &self,
        memory: &str,
        moved: &DocumentMove,
    ) -> Result<DocumentWritten, ClientError> {
        self.send(at(&api::DOCUMENT_MOVE, &[memory]), moved).await
    }

    /// Returns a page of the documents and directories in a tree.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn tree_list(&self, memory: &str, query: &TreeQuery) -> Result<TreePage, ClientError> {
        self.query(at(&api::TREE_LIST, &[memory]), query).await
    }

    /// Returns the listing of a tree's documents that a model reads.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn tree_listing(&self, memory: &str, query: &ListingQuery) -> Result<TreeListing, ClientError> {
        self.query(at(&api::TREE_LISTING, &[memory]), query).await
    }

    /// Returns the documents in `system/`, which every prompt loads in full.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn tree_system(&self, memory: &str, query: &SystemQuery) -> Result<SystemListing, ClientError> {
        self.query(at(&api::TREE_SYSTEM, &[memory]), query).await
    }

    /// Returns the lines of a tree's documents that match a pattern.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn tree_grep(&self, memory: &str, asked: &GrepAsk) -> Result<GrepResult, ClientError> {
        self.send(at(&api::TREE_GREP, &[memory]), asked).await
    }

    /// Runs a command of the memory tool, and returns its text for the model.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn memory_tool(
        &self,
        query: &MemoryToolQuery,
        command: &MemoryToolCommand,
    ) -> Result<MemoryToolAnswer, ClientError> {
        self.send(at(&api::MEMORY_TOOL, &[]).with_query(query)?, command).await
    }

    /// Returns the documents that a session starts with: `system/` in full, the others as a
    /// listing.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn prompt_documents(
        &self,
        query: &PromptDocumentsQuery,
    ) -> Result<PromptDocuments, ClientError> {
        self.query(at(&api::PROMPT_DOCUMENTS, &[]), query).await
    }

    /// Returns the history of a document.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn document_history(
        &self,
        memory: &str,
        query: &HistoryQuery,
    ) -> Result<DocumentHistory, ClientError> {
        self.query(at(&api::DOCUMENT_HISTORY, &[memory]), query).await
    }

    /// Returns the changes of a tree.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn tree_changes(&self, memory: &str, query: &ChangesQuery) -> Result<TreeChanges, ClientError> {
        self.query(at(&api::TREE_CHANGES, &[memory]), query).await
    }

    /// Returns the differences between two states of a tree.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn tree_diff(&self, memory: &str, query: &DiffQuery) -> Result<TreeDiff, ClientError> {
        self.query(at(&api::TREE_DIFF, &[memory]), query).await
    }

    /// Creates a snapshot of a tree.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn tree_snapshot(
        &self,
        memory: &str,
        make: &SnapshotMake,
    ) -> Result<TreeSnapshot, ClientError> {
        self.send(at(&api::TREE_SNAPSHOT, &[memory]), make).await
    }

    /// Returns the snapshots of a tree.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn tree_snapshots(
        &self,
        memory: &str,
        listing: &TreeSnapshotListing,
    ) -> Result<TreeSnapshotList, ClientError> {
        self.query(at(&api::TREE_SNAPSHOTS, &[memory]), listing).await
    }

    /// Restores documents from a snapshot of their tree.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn tree_restore(&self, memory: &str, asked: &RestoreAsk) -> Result<TreeRestored, ClientError> {
        self.send(at(&api::TREE_RESTORE, &[memory]), asked).await
    }

    /// Redacts the content of versions of a record.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn record_redact(&self, memory: &str, asked: &RedactionAsk) -> Result<Redaction, ClientError> {
        self.send(at(&api::RECORD_REDACT, &[memory]), asked).await
    }
}

impl Client {
    /// Stores an object under a key.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn object_put(
        &self,
        memory: &str,
        key: &str,
        content: Vec<u8>,
    ) -> Result<ParkedObject, ClientError> {
        let at = at(&api::OBJECT_PUT, &[memory, key]);
        self.clone().with_bytes().plain_body(at, Outgoing::Whole(content.into())).await
    }

    /// Returns the bytes of the object under a key.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn object_get(&self, memory: &str, key: &str) -> Result<Vec<u8>, ClientError> {
        self.bytes(at(&api::OBJECT_GET, &[memory, key])).await
    }

    /// Removes the object under a key.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn object_delete(&self, memory: &str, key: &str) -> Result<ObjectDeleted, ClientError> {
        self.plain(at(&api::OBJECT_DELETE, &[memory, key])).await
    }

    /// Returns the stored objects.
    ///
    /// # Errors
    /// See [`Client::document_get`].
    pub async fn objects_list(
        &self,
        memory: &str,
        listing: &ObjectListing,
    ) -> Result<ObjectList, ClientError> {
        self.query(at(&api::OBJECTS_LIST, &[memory]), listing).await
    }
}
