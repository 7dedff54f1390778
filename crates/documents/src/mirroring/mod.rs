//! Mirrors: a tree as files elsewhere, kept the same from both sides.
//!
//! | file | idea |
//! |---|---|
//! | [`sync_plan`] | what is to be done, from what the tree, the mirror and their last agreement hold: pure |
//! | [`layouts`] | which files there are to be, and what one means that somebody wrote: pure |
//! | `in_the_way` | what leaves a place before a file comes where a directory lay, or the other way round: pure |
//! | [`guards`] | what keeps a mirror that is gone, or another's, from deleting anything: pure |
//! | `mirrors`, `syncing` | the verbs: making, listing, removing; one sync, alone, with its report |
//! | `erasures` | mirrors after an erasure, and what is left in them |
//! | `leftovers` | files in folders of mirrors that no document holds |
//! | `apart` | no mirror in another, none on another's disks |
//! | `rendering`, `keeping` | the files that there are to be; what both sides agreed on, between two syncs |
//! | `two_way`, `ingesting`, `taking`, `writing_files` | a sync of files: the look, what the tree takes, what is written |
//! | `adopted` | files that lay there before their mirror and hold secrets: what writes over none of them |
//! | `earlier_renderings` | files that lay there before their mirror: versions of documents |
//! | `after_restore` | files of a mirror after a restore of its store: no agreement counts |
//! | `spelling` | names that a disk composes otherwise than a tree |
//! | `git` | a bare repository: the history of the tree as commits, and edits of a clone |
//! | `transcripts` | conversations as files: pure, but for reading them |
//! | `keeping_up` | every mirror in its interval |

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

/// True for what Loci renders by itself in the native layout.
fn rendered_area(path: &str) -> bool {
    DocumentPath::check(path).is_ok_and(|path| Area::of(&path) == Area::Rendered)
}
