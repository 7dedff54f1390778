//! File backends: a port for file storage, its implementations, and the suite that tests a new one.
//!
//! * [`FileBackend`]: the port. Five methods of files are required; the others follow
//!   the [`BackendCapabilities`];
//! * [`DirectoryBackend`]: a directory, the reference; [`LociBackend`]: the documents of a server;
//!   [`HttpBackend`]: a server of the HTTP form, as `serve_backend` serves one of this process
//!   (feature `backend-server`);
//! * [`conformance`]: the suite that every backend passes;
//! * [`copy_files`]: from one backend to another;
//! * [`namespace`]: a view of the files below a prefix; [`clean_path`]: the rules for paths in all
//!   backends.
//!
//! The mirrors of a server have a different port, which also has markers and commits. The guide to
//! file backends is `docs/guides/file-backends.md`.

pub mod conformance;
mod copy;
mod directory;
mod file_backend;
mod file_change;
mod http_backend;
mod http_form;
#[cfg(feature = "backend-server")]
mod http_server;
#[cfg(feature = "backend-server")]
mod http_site;
mod listing_part;
mod loci_backend;
mod loci_errors;
mod path_rules;
mod prefixed_backend;
mod storage_error;
mod stored_file;

#[cfg(test)]
mod prefixed_backend_tests;

pub use copy::{CopyReport, copy_files};
pub use directory::DirectoryBackend;
pub use file_backend::{BackendCapabilities, FileBackend, StorageFuture};
pub use file_change::{
    BackendChange, BackendChanges, BackendDiff, FileDifference, FileOperation, FileVersion, FileVersions,
    NotRestored, Restored, SearchHit, SnapshotRef, VersionQuery,
};
pub use http_backend::HttpBackend;
pub use http_form::HTTP_BODY_BYTES_MAX;
#[cfg(feature = "backend-server")]
pub use http_server::{backend_router, serve_backend};
pub use listing_part::{ListingPart, RefusedFile};
pub use loci_backend::LociBackend;
pub use path_rules::{clean_path, clean_prefix, is_within};
pub use prefixed_backend::namespace;
pub use storage_error::{StorageError, StorageErrorKind};
pub use stored_file::{BackendEntry, BackendFile, FilePrecondition, FileWriteResult, sha256_hex};
