//! Mirrors: copies of trees as files in another location, synchronised in both directions.
//!
//! | file | content |
//! |---|---|
//! | [`sync_plan`] | the actions of a sync, from tree, mirror and last agreement: pure |
//! | [`layouts`] | the files of a tree, and the meaning of a file that a person wrote: pure |
//! | `path_conflicts` | removals that free the place of a file or a directory: pure |
//! | [`guards`] | guards against deletions by a missing or foreign mirror: pure |
//! | `mirrors`, `sync` | add, list, remove; one exclusive sync, with its report |
//! | `erasures` | mirrors after an erasure, and their remaining content |
//! | `orphan_files` | files in folders of mirrors without a document |
//! | `separation` | no mirror in another, none on another installation's disks |
//! | `rendering`, `sync_state` | the files to write; the agreed state between two syncs |
//! | `two_way_sync`, `ingestion`, `file_intake`, `file_writes` | a sync of files: check, take, write |
//! | `adopted_secrets` | files with secrets from before the mirror, which are not overwritten |
//! | `earlier_renderings` | files from before the mirror: versions of documents |
//! | `after_restore` | files of a mirror after a restore of its store: no agreement counts |
//! | `spelling` | names that a disk composes differently from a tree |
//! | `git` | a bare repository: the history of the tree as commits, and edits of a clone |
//! | `transcripts` | conversations as files: pure, except for reading them |
//! | `sync_schedule` | the periodic sync of every mirror |

mod adopted_secrets;
mod after_restore;
mod earlier_renderings;
mod erasures;
mod file_intake;
mod file_writes;
mod git;
pub mod guards;
mod ingestion;
pub mod layouts;
mod mirrors;
mod orphan_files;
mod path_conflicts;
mod rendering;
mod separation;
mod settings;
mod spelling;
mod sync;
pub mod sync_plan;
mod sync_schedule;
mod sync_state;
mod transcripts;
mod two_way_sync;

pub use mirrors::{INTERVAL_MS_MIN, MirrorShown, NewMirror};
pub(crate) use mirrors::{is_mirrored, outdate, outdate_conversations, outdate_history, outdate_joined};
pub use settings::MirrorSettings;
pub(crate) use sync_schedule::{Mirrors, Schedule};

use loci_engine::document_text::areas::Area;
use loci_engine::document_text::path::DocumentPath;

/// Returns true for a path in the native layout whose file Loci writes without a document.
fn rendered_area(path: &str) -> bool {
    DocumentPath::check(path).is_ok_and(|path| Area::of(&path) == Area::Rendered)
}
