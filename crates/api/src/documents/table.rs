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
        "Plan the upkeep of a tree, or do it.";
    CONSOLIDATIONS_LIST = get "/v1/memories/{memory}/consolidations":
        ConsolidationListing => ConsolidationList,
        "Runs of a tree, the newest first.";
    CONSOLIDATION_GET = get "/v1/memories/{memory}/consolidations/{run}":
        ConsolidationAsk => ConsolidationRun,
        "A run, with what it changes.";
    CONSOLIDATION_APPLY = post "/v1/memories/{memory}/consolidations/{run}/apply":
        ConsolidationApply => ConsolidationRun,
        "Apply a plan, or some of its actions.", key;
    CONSOLIDATION_REVERT = post "/v1/memories/{memory}/consolidations/{run}/revert":
        ConsolidationRevert => ConsolidationRun,
        "Put documents back to before a run, by another.", key;
    CONSOLIDATION_CANCEL = post "/v1/memories/{memory}/consolidations/{run}/cancel":
        ConsolidationAsk => ConsolidationRun,
        "Call a run off.";
    CONSOLIDATION_REPLAN = post "/v1/memories/{memory}/consolidations/{run}/replan":
        ConsolidationAsk => ConsolidationRun,
        "Plan anew what changed since.";
    DOCUMENT_GET = get "/v1/memories/{memory}/files/{*path}": DocumentAsk => FileDocument,
        "A document by its path; `raw=1` answers the file itself.";
    DOCUMENT_PUT = put "/v1/memories/{memory}/files/{*path}": DocumentPut => DocumentWritten,
        "Write a document: JSON, or the file itself. Needs If-Match, If-None-Match: * or force=1.", key;
    DOCUMENT_DELETE = delete "/v1/memories/{memory}/files/{*path}":
        DocumentChange => DocumentWritten,
        "Put a document away; it can be restored. Needs If-Match or force=1.", key;
    DOCUMENT_ADD = create "/v1/memories/{memory}/files": DocumentAdd => DocumentWritten,
        "Write a document whose title says its path.", key;
    DOCUMENT_APPEND = post "/v1/memories/{memory}/tree/append": DocumentAppend => DocumentWritten,
        "Add lines to a document, each once.", key;
    DOCUMENT_EDIT = post "/v1/memories/{memory}/tree/edit": DocumentEdit => DocumentWritten,
        "Edit a document as it is there.", key;
    DOCUMENT_MOVE = post "/v1/memories/{memory}/tree/move": DocumentMove => DocumentWritten,
        "Give a document another path.", key;
    RECORD_REDACT = post "/v1/memories/{memory}/redactions": RedactionAsk => Redaction,
        "Take out what versions of a record said.";
    MEMORY_TOOL = post "/v1/memory-tool": MemoryToolCommand => MemoryToolAnswer,
        "A command of the memory tool on the documents of `mount`, or of `memory` and `namespace`.", key;
    PROMPT_DOCUMENTS = get "/v1/memory-tool": PromptDocumentsQuery => PromptDocuments,
        "The documents of a mount that a session begins with: `system/` in full, the others as a listing.";
    MIRRORS_LIST = get "/v1/memories/{memory}/mirrors": Nothing => MirrorList,
        "List mirrors of a memory's trees, with what their last syncs did.";
    MIRROR_ADD = create "/v1/memories/{memory}/mirrors": MirrorMake => Mirror,
        "Keep a tree as files elsewhere.";
    MIRROR_STATUS = get "/v1/memories/{memory}/mirrors/{mirror}": Nothing => Mirror,
        "A mirror, with what its last sync did.";
    MIRROR_REMOVE = delete "/v1/memories/{memory}/mirrors/{mirror}": Nothing => Mirror,
        "Remove a mirror; its files stay where they are.";
    MIRROR_SYNC = post "/v1/memories/{memory}/mirrors/{mirror}/sync": Nothing => MirrorReport,
        "Bring a mirror and its tree together.";
    MIRROR_BASE = post "/v1/memories/{memory}/mirrors/{mirror}/base": MirrorBaseAsk => MirrorBase,
        "The first of a clone's commits that a git mirror has.";
    MIRROR_PULL = post "/v1/memories/{memory}/mirrors/{mirror}/pull": MirrorPull => MirrorReport,
        "Take what was committed in a clone of a git mirror.";
    OBJECT_PUT = put "/v1/memories/{memory}/objects/{*key}": Bytes => ParkedObject,
        "Park bytes under a key, in the place of what was there.";
    OBJECT_GET = get "/v1/memories/{memory}/objects/{*key}": Nothing => Bytes,
        "The bytes that are parked under a key.";
    OBJECTS_LIST = get "/v1/memories/{memory}/objects": ObjectListing => ObjectList,
        "What is parked, by key.";
    OBJECT_DELETE = delete "/v1/memories/{memory}/objects/{*key}": Nothing => ObjectDeleted,
        "Remove what is parked under a key.";
    TREE_LISTING = get "/v1/memories/{memory}/tree/listing": ListingQuery => TreeListing,
        "What there is, within a budget of tokens; `format=text` answers the text alone.";
    TREE_LIST = get "/v1/memories/{memory}/tree": TreeQuery => TreePage,
        "What lies in a tree of documents, by path.";
    TREE_SYSTEM = get "/v1/memories/{memory}/tree/system": SystemQuery => SystemListing,
        "The documents that are always loaded.";
    DOCUMENT_HISTORY = get "/v1/memories/{memory}/tree/history": HistoryQuery => DocumentHistory,
        "What happened to a document.";
    TREE_CHANGES = get "/v1/memories/{memory}/tree/changes": ChangesQuery => TreeChanges,
        "What happened in a tree, in order.";
    TREE_DIFF = get "/v1/memories/{memory}/tree/diff": DiffQuery => TreeDiff,
        "What changed between two states of a tree.";
    TREE_SNAPSHOT = create "/v1/memories/{memory}/tree/snapshots": SnapshotMake => TreeSnapshot,
        "Name the state that a tree is in.", key;
    TREE_SNAPSHOTS = get "/v1/memories/{memory}/tree/snapshots":
        TreeSnapshotListing => TreeSnapshotList,
        "States of a tree with a name.";
    TREE_RESTORE = post "/v1/memories/{memory}/tree/restore": RestoreAsk => TreeRestored,
        "Put documents back, or say which would be.", key;
    TREE_GREP = post "/v1/memories/{memory}/tree/grep": GrepAsk => GrepResult,
        "Lines of documents that a pattern matches.", read;
}
