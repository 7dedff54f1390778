//! Files that mirrors are written to: the port `FileBackend` for a directory and for a bare
//! repository. Everything is written in process, no program is run.
//!
//! | file | idea |
//! |---|---|
//! | `directory` | a directory: written beside and renamed, never through a link |
//! | `bare` | a bare repository: one commit a call, its branch moved only from where it was |
//! | `modes` | modes of files and directories that are written |
//! | `edited_tree` | trees with some of their files changed |
//! | `object_writing`, `pack_writing` | objects, one by one or as a pack |
//! | `cloned` | what a clone has otherwise than a commit of its history |
//! | `places` | where mirrors may lie |
//! | `markers` | markers of mirrors below the roots, also of those that are no more |
//! | `served` | the thread that a place is worked on by |

mod bare;
mod cloned;
mod directory;
mod edited_tree;
mod markers;
mod modes;
mod object_writing;
mod pack_writing;
mod places;
mod served;

pub use bare::BareFiles;
pub use cloned::{ChangedFile, Cloned};
pub use directory::DirectoryFiles;
pub use places::LocalPlaces;
