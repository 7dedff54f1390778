//! A memory as files: the documents of one namespace under their paths, and every other record under a path of its own
//! (files-and-git.md).
//!
//! The pure parts know no store, clock or id: names, frontmatter, what tools answer, plans of consolidation. What reads and writes is a verb of
//! [`Engine`](crate::Engine), one file each. Files on a disk, git and S3 are written elsewhere: they are renderings of what is here.
//!
//! | part | idea | specification |
//! |---|---|---|
//! | [`path`](crate::document_text::path), [`path_rule`](crate::document_text::path_rule) | a document's path, its rules and its key | §5.1, §5.2 |
//! | [`folding`](crate::document_text::folding) | one spelling of what differs in case or composition only | §5.2 |
//! | [`slug`](crate::document_text::slug) | a file's name made of a title | §5.3 |
//! | [`derived`](crate::document_text::derived) | path, title and description of what has none | §4.4, §5.3, §5.4 |
//! | [`frontmatter`](crate::document_text::frontmatter) | what stands between fences at the top of a file | §5.4 |
//! | [`memory_tool`] | the commands that Anthropic's models know, on any tree | §11 |
//! | `mounts`, `mounted_tree`, `tool_command` | which trees the tool shows, and its commands on them | §11.1 |
//! | [`mirroring`] | a tree as files elsewhere, kept the same from both sides | §8, §9 |
//! | [`consolidating`] | the upkeep of a tree as a plan, without a model | §14 |
//! | [`upkeep`] | such plans kept, applied and undone as runs | §14 |
//! | `areas` | what may be written where | §4.1 |
//! | `document` | a record as a document and as a file | §3 |
//! | `tree`, `settling`, `catching_up`, `view` | which record lies where, kept up with records; the whole of it in memory | §4.4 |
//! | `tree_write`, `writing`, `precondition` | one write of a tree, and what all verbs do in it | §2.4, §3.2 |
//! | `get`, `list`, `put`, `append`, `edit`, `remove`, `grep`, `line_search` | documents | §10 |
//! | `listing`, `system`, `prompt_context` | what a model is shown, within a budget | §7 |
//! | `reads` | how often documents are read | §3.1 |
//! | `objects` | bytes that agents park: no documents | §4.2 |
//! | [`bucket`] | documents and parked bytes under one kind of key | §12 |
//! | `history`, `diff`, `snapshots`, `restore`, `redact`, `redacted_content` | versions | §3.2, §9.4, §10 |
//! | `tree_state` | what callers call the states of a tree | §10 |

mod append;
mod background;
pub mod bucket;
mod catching_up;
pub mod consolidating;
pub(crate) mod diff;
mod edit;
pub(crate) mod edits;
mod erased;
mod get;
mod grep;
mod history;
mod hooks;
pub(crate) mod jobs;
mod line_diffs;
mod line_search;
pub(crate) mod lines;
mod list;
mod listing;
pub mod memory_tool;
pub mod mirroring;
mod mounted_tree;
mod mounts;
mod objects;
mod precondition;
mod product;
mod prompt_context;
mod put;
pub(crate) mod reads;
mod redact;
mod redacted_content;
mod remove;
mod restore;
pub(crate) mod settling;
mod snapshots;
mod system;
mod tool_command;
pub(crate) mod tree;
mod tree_state;
pub(crate) mod tree_write;
pub mod upkeep;
mod versions;
mod view;
pub(crate) mod writing;
mod written;

pub use append::{AppendTo, DocumentAppend};
pub use diff::{FileDiff, Point, TreeDiff};
pub use edit::DocumentEdit;
pub use edits::Edit;
pub use get::DocumentShown;
pub use grep::{GrepLine, Grepped, TreeGrep};
pub use history::{CHANGES_MAX, DocumentVersion, TreeChanged};
pub use list::{TreeItem, TreeListing};
pub use listing::{LISTING_TOKENS, LISTING_VERSION, Listed, Listing, ListingAsk};
pub use mounts::{MemoryToolMounts, Mount, MountAsk, MountEntry, MountMode, MountTree};
pub use objects::NewObject;
pub use precondition::Precondition;
pub(crate) use product::product;
pub use prompt_context::{CONTEXT_TOKENS, MountContext};
pub use put::{DocumentPut, PutContent};
pub use redact::{RecordRedact, RedactWhich, Redacted};
pub use remove::{DocumentDelete, DocumentMove};
pub use restore::{RestoredDocument, TreeRestore, TreeRestored};

pub use system::{Omitted, SYSTEM_TOKENS, SystemDocuments};
pub use tree::TreeAsk;
pub(crate) use view::Trees;
pub use written::DocumentWritten;
