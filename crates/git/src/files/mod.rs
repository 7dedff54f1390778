//! The files of mirrors: the port `FileBackend` for a directory and for a bare repository. All
//! writing is in process, without external programs.
//!
//! | file | idea |
//! |---|---|
//! | `directory` | a directory: written under another name and renamed, never through a link |
//! | `bare` | a bare repository: one commit per call, with an atomic move of its branch |
//! | `modes` | modes of written files and directories |
//! | `edited_tree` | trees with some of their files changed |
//! | `object_writing`, `pack_writing` | objects, as single files or as a pack |
//! | `cloned` | the differences of a clone from a commit in its history |
//! | `places` | the permitted locations of mirrors |
//! | `markers` | markers of mirrors under the roots, including former mirrors |
//! | `served` | the worker thread of a location |

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
