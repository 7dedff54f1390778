//! Code of local clones, bare repositories and worktrees: the ports `CodeSource` and `CodeSources`;
//! and directories and bare repositories that mirrors are written to: the port `FileBackend`
//! (`files`).
//!
//! Of code it reads git's objects itself, in process: packs and loose objects (`objects`), refs, trees, the index. Nothing is checked
//! out, written, run or fetched; of a repository's configuration only the format of objects and the URLs of remotes are read.
//! A repository is data from a stranger: every size, depth and count has a limit (`limits`), every file is opened without
//! following links (`beneath`), and every object is compared with its id.
//!
//! It does not know of verification, of forges, nor of which repository a URL means.

mod beneath;
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
