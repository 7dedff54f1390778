//! Mirrors: a tree as files elsewhere, synchronised in both directions.
//!
//! | file | content |
//! |---|---|
//! | [`sync_plan`] | the actions of a sync, from tree, mirror and last agreement: pure |
//! | [`layouts`] | the files of a tree, and the meaning of a file that a person wrote: pure |
//! | `in_the_way` | removals that free the place of a file or a directory: pure |
//! | [`guards`] | guards against deletions by a missing or foreign mirror: pure |
//! | `mirrors`, `syncing` | add, list, remove; one exclusive sync, with its report |
//! | `erasures` | mirrors after an erasure, and their remaining content |
//! | `leftovers` | files in folders of mirrors without a document |
//! | `apart` | no mirror in another, none on another installation's disks |
//! | `rendering`, `keeping` | the files to write; the agreed state between two syncs |
//! | `two_way`, `ingesting`, `taking`, `writing_files` | a sync of files: check, take, write |
//! | `adopted` | files with secrets from before the mirror, which are not overwritten |
//! | `earlier_renderings` | files from before the mirror: versions of documents |
//! | `after_restore` | files of a mirror after a restore of its store: no agreement counts |
//! | `spelling` | names that a disk composes differently from a tree |
//! | `git` | a bare repository: the history of the tree as commits, and edits of a clone |
//! | `transcripts` | conversations as files: pure, except for reading them |
//! | `keeping_up` | the periodic sync of every mirror |

mod adopted;
mod after_restore;
mod apart;
mod earlier_renderings;
mod erasures;
mod git;
pub mod guards;
mod in_the_way;
mod ingesting;
mod keeping;
mod keeping_up;
pub mod layouts;
mod leftovers;
mod mirrors;
mod rendering;
mod settings;
mod spelling;
pub mod sync_plan;
mod syncing;
mod taking;
mod transcripts;
mod two_way;
mod writing_files;

pub(crate) use keeping_up::{Mirrors, Schedule};
pub use mirrors::{INTERVAL_MS_MIN, MirrorShown, NewMirror};
pub(crate) use mirrors::{is_mirrored, outdate, outdate_conversations, outdate_history, outdate_joined};
pub use settings::MirrorSettings;

use loci_engine::document_text::areas::Area;
use loci_engine::document_text::path::DocumentPath;

/// True for a path that Loci renders without a document in the native layout.
fn rendered_area(path: &str) -> bool {
    DocumentPath::check(path).is_ok_and(|path| Area::of(&path) == Area::Rendered)
}
