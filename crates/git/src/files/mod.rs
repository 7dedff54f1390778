//! The files of mirrors: the port `FileBackend` for a directory and for a bare repository. All
//! writing is in process, without external programs.
//!
//! | file | idea |
//! |---|---|
//! | `directory` | a directory: written under another name and renamed, never through a link |
//! | `bare_repository` | a bare repository: one commit per call, with an atomic move of its branch |
//! | `modes` | modes of written files and directories |
//! | `edited_tree` | trees with some of their files changed |
//! | `object_writer`, `pack_writer` | objects, as single files or as a pack |
//! | `clone_commits` | the differences of a clone from a commit in its history |
//! | `allowed_locations` | the permitted locations of mirrors |
//! | `markers` | markers of mirrors under the roots, including former mirrors |
//! | `location_thread` | the worker thread of a location |

mod allowed_locations;
mod bare_repository;
mod clone_commits;
mod directory;
mod edited_tree;
mod location_thread;
mod markers;
mod modes;
mod object_writer;
mod pack_writer;

pub use allowed_locations::LocalPlaces;
pub use bare_repository::BareFiles;
pub use clone_commits::{ChangedFile, Cloned};
pub use directory::DirectoryFiles;
