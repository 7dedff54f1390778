//! What is special about a directory: modes, links, hidden names, spellings and a root that
//! vanishes.

use std::os::unix::fs::{PermissionsExt, symlink};

use futures::executor::block_on;

use super::*;

fn backend() -> (tempfile::TempDir, DirectoryBackend) {
    let folder = tempfile::tempdir().unwrap();
    let backend = DirectoryBackend::open(&folder.path().join("files")).unwrap();
    (folder, backend)
}

fn write(backend: &DirectoryBackend, path: &str, text: &str) -> Result<Written, StorageError> {
    block_on(backend.write(path, text.as_bytes(), &FilePrecondition::Any))
}

fn paths(backend: &DirectoryBackend) -> Vec<String> {
    block_on(backend.list("")).unwrap().into_iter().map(|entry| entry.path).collect()
}

#[test]
fn files_are_their_owners_alone() {
    let (folder, backend) = backend();
    write(&backend, "a/b/c.md", "text").unwrap();
    let mode = |path: &str| {
        let about = std::fs::metadata(folder.path().join("files").join(path)).unwrap();
        about.permissions().mode() & 0o777
    };
    let modes = ["", "a", "a/b", "a/b/c.md", ".loci-lock"].map(mode);
    assert_eq!(modes, [0o700, 0o700, 0o700, 0o600, 0o600]);
    assert!(block_on(backend.delete("a/b/c.md", &FilePrecondition::Any)).unwrap());
    let left: Vec<_> = std::fs::read_dir(folder.path().join("files")).unwrap().collect();
    assert_eq!(left.len(), 1, "only the lock stays: {left:?}");
}

#[test]
fn links_are_not_followed() {
    let (folder, backend) = backend();
    let outside = folder.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret.md"), "secret").unwrap();
    symlink(&outside, folder.path().join("files/way")).unwrap();
    symlink(outside.join("secret.md"), folder.path().join("files/link.md")).unwrap();
    for path in ["way/secret.md", "way/new.md", "link.md"] {
        let kinds = [
            block_on(backend.read(path)).map(drop),
            block_on(backend.exists(path)).map(drop),
            block_on(backend.delete(path, &FilePrecondition::Any)).map(drop),
            write(&backend, path, "text").map(drop),
        ]
        .map(|done| done.unwrap_err().kind);
        assert_eq!(kinds, [StorageErrorKind::PathConflict; 4], "{path}");
    }
    assert!(paths(&backend).is_empty());
    assert_eq!(std::fs::read_to_string(outside.join("secret.md")).unwrap(), "secret");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn hidden_and_temporary_files_are_invisible() {
    let (folder, backend) = backend();
    write(&backend, "a.md", "text").unwrap();
    for name in [".hidden", "a.md~", "b.swp", "c.tmp", "d.__strands_tmp_1", "bad:name"] {
        std::fs::write(folder.path().join("files").join(name), "x").unwrap();
        assert_eq!(write(&backend, name, "x").unwrap_err().kind, StorageErrorKind::InvalidPath, "{name}");
    }
    assert_eq!(paths(&backend), ["a.md"]);
}

#[test]
fn a_place_that_is_taken_is_no_other_name() {
    let (_folder, backend) = backend();
    write(&backend, "Notes/Straße.md", "text").unwrap();
    for path in ["notes/b.md", "Notes/STRASSE.md", "Notes", "Notes/Straße.md/below.md"] {
        assert_eq!(write(&backend, path, "x").unwrap_err().kind, StorageErrorKind::PathConflict, "{path}");
    }
    assert_eq!(paths(&backend), ["Notes/Straße.md"]);
}

#[test]
fn a_directory_that_vanished_is_not_empty() {
    let (folder, backend) = backend();
    std::fs::remove_dir_all(folder.path().join("files")).unwrap();
    assert!(block_on(backend.list("")).unwrap_err().is_retryable());
    assert!(write(&backend, "a.md", "x").unwrap_err().is_retryable());
    assert!(!folder.path().join("files").exists());
    std::fs::write(folder.path().join("file"), "x").unwrap();
    let error = DirectoryBackend::open(&folder.path().join("file")).unwrap_err();
    assert_eq!(error.kind, StorageErrorKind::PathConflict);
}
