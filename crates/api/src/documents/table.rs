//! The table of operations of the documents product. To add an operation, add one line here.

use crate::Nothing;
use crate::documents::consolidation::{
    ConsolidationApply, ConsolidationAsk, ConsolidationList, ConsolidationListing, ConsolidationRevert,
    ConsolidationRun, ConsolidationStart,
};
use crate::documents::file::{
    DocumentAdd, DocumentAppend, DocumentAsk, DocumentChange, DocumentEdit, DocumentMove, DocumentPut,
    DocumentWritten, FileDocument, Redaction, RedactionAsk,
};
use crate::documents::memory_tool::{
    MemoryToolAnswer, MemoryToolCommand, PromptDocuments, PromptDocumentsQuery,
};
use crate::documents::mirror::{
    Mirror, MirrorBase, MirrorBaseAsk, MirrorList, MirrorMake, MirrorPull, MirrorReport,
};
use crate::documents::object::{ObjectDeleted, ObjectList, ObjectListing, ParkedObject};
use crate::documents::tree::{
    ChangesQuery, DiffQuery, DocumentHistory, GrepAsk, GrepResult, HistoryQuery, ListingQuery, RestoreAsk,
    SnapshotMake, SystemListing, SystemQuery, TreeChanges, TreeDiff, TreeListing, TreePage, TreeQuery,
    TreeRestored, TreeSnapshot, TreeSnapshotList, TreeSnapshotListing,
};
use crate::operation::{Bytes, operations};

operations! {
    CONSOLIDATION_START = accept "/v1/memories/{memory}/consolidations":
        ConsolidationStart => ConsolidationRun,
        "Start a consolidation run of a tree: a plan, or a plan that is applied.";
    CONSOLIDATIONS_LIST = get "/v1/memories/{memory}/consolidations":
        ConsolidationListing => ConsolidationList,
        "List the consolidation runs of a tree, newest first.";
    CONSOLIDATION_GET = get "/v1/memories/{memory}/consolidations/{run}":
        ConsolidationAsk => ConsolidationRun,
        "Get a consolidation run with its changes.";
    CONSOLIDATION_APPLY = post "/v1/memories/{memory}/consolidations/{run}/apply":
        ConsolidationApply => ConsolidationRun,
        "Apply a plan, or selected actions of it.", key;
    CONSOLIDATION_REVERT = post "/v1/memories/{memory}/consolidations/{run}/revert":
        ConsolidationRevert => ConsolidationRun,
        "Revert a consolidation run by a new run.", key;
    CONSOLIDATION_CANCEL = post "/v1/memories/{memory}/consolidations/{run}/cancel":
        ConsolidationAsk => ConsolidationRun,
        "Cancel a consolidation run.";
    CONSOLIDATION_REPLAN = post "/v1/memories/{memory}/consolidations/{run}/replan":
        ConsolidationAsk => ConsolidationRun,
        "Plan again the actions whose documents changed since.";
    DOCUMENT_GET = get "/v1/memories/{memory}/files/{*path}": DocumentAsk => FileDocument,
        "Get a document by its path. `raw=1` returns the file itself.";
    DOCUMENT_PUT = put "/v1/memories/{memory}/files/{*path}": DocumentPut => DocumentWritten,
        "Write a document, as JSON or as the file itself. Requires If-Match, If-None-Match: * or force=1.", key;
    DOCUMENT_DELETE = delete "/v1/memories/{memory}/files/{*path}":
        DocumentChange => DocumentWritten,
        "Archive a document; it can be restored. Requires If-Match or force=1.", key;
    DOCUMENT_ADD = create "/v1/memories/{memory}/files": DocumentAdd => DocumentWritten,
        "Write a document at a path that is derived from its title.", key;
    DOCUMENT_APPEND = post "/v1/memories/{memory}/tree/append": DocumentAppend => DocumentWritten,
        "Append lines to a document, and skip lines that it contains.", key;
    DOCUMENT_EDIT = post "/v1/memories/{memory}/tree/edit": DocumentEdit => DocumentWritten,
        "Edit a document in place.", key;
    DOCUMENT_MOVE = post "/v1/memories/{memory}/tree/move": DocumentMove => DocumentWritten,
        "Move a document to another path.", key;
    RECORD_REDACT = post "/v1/memories/{memory}/redactions": RedactionAsk => Redaction,
        "Redact the content of versions of a record.";
    MEMORY_TOOL = post "/v1/memory-tool": MemoryToolCommand => MemoryToolAnswer,
        "Run a command of the memory tool on the documents of `mount`, or of `memory` and `namespace`.", key;
    PROMPT_DOCUMENTS = get "/v1/memory-tool": PromptDocumentsQuery => PromptDocuments,
        "Get the documents of a mount for the start of a session: `system/` in full, others as a listing.";
    MIRRORS_LIST = get "/v1/memories/{memory}/mirrors": Nothing => MirrorList,
        "List mirrors of a memory's trees, with the results of their last syncs.";
    MIRROR_ADD = create "/v1/memories/{memory}/mirrors": MirrorMake => Mirror,
        "Create a mirror, which stores a tree as files elsewhere.";
    MIRROR_STATUS = get "/v1/memories/{memory}/mirrors/{mirror}": Nothing => Mirror,
        "Get a mirror with the result of its last sync.";
    MIRROR_REMOVE = delete "/v1/memories/{memory}/mirrors/{mirror}": Nothing => Mirror,
        "Remove a mirror, and keep its files.";
    MIRROR_SYNC = post "/v1/memories/{memory}/mirrors/{mirror}/sync": Nothing => MirrorReport,
        "Synchronize a mirror and its tree.";
    MIRROR_BASE = post "/v1/memories/{memory}/mirrors/{mirror}/base": MirrorBaseAsk => MirrorBase,
        "Get the first commit of a clone that a git mirror has.";
    MIRROR_PULL = post "/v1/memories/{memory}/mirrors/{mirror}/pull": MirrorPull => MirrorReport,
        "Import the commits of a clone of a git mirror.";
    OBJECT_PUT = put "/v1/memories/{memory}/objects/{*key}": Bytes => ParkedObject,
        "Store bytes under a key, and replace existing ones.";
    OBJECT_GET = get "/v1/memories/{memory}/objects/{*key}": Nothing => Bytes,
        "Get the bytes of an object by its key.";
    OBJECTS_LIST = get "/v1/memories/{memory}/objects": ObjectListing => ObjectList,
        "List objects by key.";
    OBJECT_DELETE = delete "/v1/memories/{memory}/objects/{*key}": Nothing => ObjectDeleted,
        "Delete an object by its key.";
    TREE_LISTING = get "/v1/memories/{memory}/tree/listing": ListingQuery => TreeListing,
        "Get a listing of a tree within a token budget. `format=text` returns the text only.";
    TREE_LIST = get "/v1/memories/{memory}/tree": TreeQuery => TreePage,
        "List the documents of a tree by path.";
    TREE_SYSTEM = get "/v1/memories/{memory}/tree/system": SystemQuery => SystemListing,
        "Get the documents that are always loaded.";
    DOCUMENT_HISTORY = get "/v1/memories/{memory}/tree/history": HistoryQuery => DocumentHistory,
        "List the changes of a document.";
    TREE_CHANGES = get "/v1/memories/{memory}/tree/changes": ChangesQuery => TreeChanges,
        "List the changes of a tree, in order.";
    TREE_DIFF = get "/v1/memories/{memory}/tree/diff": DiffQuery => TreeDiff,
        "Compare two states of a tree.";
    TREE_SNAPSHOT = create "/v1/memories/{memory}/tree/snapshots": SnapshotMake => TreeSnapshot,
        "Create a snapshot: a name for the current state of a tree.", key;
    TREE_SNAPSHOTS = get "/v1/memories/{memory}/tree/snapshots":
        TreeSnapshotListing => TreeSnapshotList,
        "List the snapshots of a tree.";
    TREE_RESTORE = post "/v1/memories/{memory}/tree/restore": RestoreAsk => TreeRestored,
        "Restore documents, or preview the selection.", key;
    TREE_GREP = post "/v1/memories/{memory}/tree/grep": GrepAsk => GrepResult,
        "Find lines of documents that match a pattern.", read;
}
