//! Local git repositories: the ports `CodeSource` and `CodeSources` for local clones, bare
//! repositories and worktrees, and the port `FileBackend` (`files`) for directories and bare
//! repositories of mirrors.
//!
//! For code it reads git's objects itself, in process: packs and loose objects (`objects`), refs,
//! trees, the index. Nothing is checked out, written, executed or fetched. Of a repository's
//! configuration only the object format and the URLs of remotes are read. A repository is untrusted
//! data: every size, depth and count has a limit (`limits`), every file is opened without following
//! links (`confined_files`), and every object is compared with its id.
//!
//! It is independent of verification and of forges, and does not map URLs to repositories.

mod confined_files;
mod fault;
mod files;
mod history;
mod limits;
mod memory_folder;
mod objects;
mod paths;
mod pool;
mod repository;
mod scanners;
mod source;
mod sources;
mod trees;
mod worktree;

pub use files::{BareFiles, ChangedFile, Cloned, DirectoryFiles, LocalPlaces};
pub use scanners::SCANNERS;
pub use sources::{GitOptions, GitSources};
