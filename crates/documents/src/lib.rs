//! The documents product: the records of a memory as files. A document has a path within its
//! namespace, and every other record has a derived path.
//!
//! The texts of the memory tool and the plans of consolidation are pure: they depend on no store,
//! clock or id. Each operation is one file with an `impl Documents` block that reads and writes the
//! store. Adapters in other crates write trees to disks, git and S3.
//!
//! | folder | content |
//! |---|---|
//! | [`document_text`](loci_engine::document_text) | a record as a document |
//! | `document` | the operations that read and change one document |
//! | `trees` | the path of each record, which follows the record; writes, listings |
//! | `document_history` | versions, differences, snapshots, restored states |
//! | `removed_content` | redacted and erased content, and checks against its return |
//! | [`memory_tool`] | the memory commands of Anthropic's models, on any tree |
//! | `mounts` | the trees that the tool shows, and its commands on them |
//! | [`mirror`] | a tree as files elsewhere, synchronised in both directions |
//! | [`consolidation`] | the upkeep of a tree as a plan, without a model |
//! | [`upkeep`] | such plans stored, applied and reverted as runs |
//! | [`bucket`] | documents and parked bytes under one kind of key |

mod background;
pub mod bucket;
pub mod consolidation;
mod document;
mod document_history;
mod hooks;
mod jobs;
pub mod memory_tool;
pub mod mirror;
mod mounts;
mod product;
mod removed_content;
mod scanners;
mod settings;
mod shelves;
mod trees;
pub mod upkeep;

pub use bucket::parked_objects::NewObject;
pub use document::append::{AppendTo, DocumentAppend};
pub use document::edit::DocumentEdit;
pub use document::get::DocumentShown;
pub use document::precondition::Precondition;
pub use document::put::{DocumentPut, PutContent};
pub use document::remove::{DocumentDelete, DocumentMove};
pub use document::text_edits::Edit;
pub use document::write_answer::DocumentWritten;
pub use document_history::diff::Point;
pub use document_history::history::CHANGES_MAX;
pub use document_history::restore::TreeRestore;
pub use mounts::mount_settings::{MemoryToolMounts, Mount, MountAsk, MountEntry, MountMode, MountTree};
pub use mounts::prompt_context::{CONTEXT_TOKENS, MountContext};
pub use product::DocumentsParts;
pub use removed_content::redact::{RecordRedact, RedactWhich};
pub use scanners::scanners;
pub use settings::DocumentsSettings;
pub use trees::listing::{LISTING_TOKENS, LISTING_VERSION, Listing};
pub use trees::system_documents::{SYSTEM_TOKENS, SystemDocuments};
pub use trees::tree::TreeAsk;

use loci_engine::Engine;

/// The operations on documents over an engine. Clones share their state, and all APIs use one.
#[derive(Clone)]
pub struct Documents {
    pub(crate) engine: Engine,
    pub(crate) parts: DocumentsParts,
}

impl Documents {
    /// Returns the operations on documents over an engine with which [`DocumentsParts::product`]
    /// was registered.
    pub fn new(engine: Engine, parts: &DocumentsParts) -> Self {
        Self { engine, parts: parts.clone() }
    }

    /// Returns the active settings.
    pub fn settings(&self) -> &DocumentsSettings {
        &self.parts.settings
    }
}
