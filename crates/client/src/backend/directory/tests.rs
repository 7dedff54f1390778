//! Properties of a directory only: modes, links, hidden names, spellings, parts of a listing and a
//! root that vanishes.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use futures::executor::block_on;

use super::*;

fn backend() -> (tempfile::TempDir, DirectoryBackend) {
    let folder = tempfile::tempdir().unwrap();
    let backend = DirectoryBackend::open(&folder.path().join("files")).unwrap();
    (folder, backend)
}

fn write(backend: &DirectoryBackend, path: &str, text: &str) -> Result<FileWriteResult, StorageError> {
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

/// Returns the paths of a part, the skipped paths with their codes, and the end of the part.
fn part(backend: &DirectoryBackend, after: Option<&str>, limit: usize) -> (String, String, Option<String>) {
    let part = block_on(backend.list_part("", after, limit)).unwrap();
    let files: Vec<_> = part.files.into_iter().map(|entry| entry.path).collect();
    let skipped: Vec<_> = part.skipped.iter().map(|file| format!("{}={}", file.path, file.code)).collect();
    (files.join(" "), skipped.join(" "), part.next)
}

#[test]
fn files_that_are_not_listed_are_skipped_by_name() {
    let (folder, backend) = backend();
    let root = folder.path().join("files");
    write(&backend, "a/b.md", "text").unwrap();
    for name in ["bad:name", "a/con.md", ".hidden", "c.tmp"] {
        std::fs::write(root.join(name), "x").unwrap();
    }
    symlink(folder.path(), root.join("way")).unwrap();
    std::fs::write(root.join(std::ffi::OsStr::from_bytes(b"z\xff.md")), "x").unwrap();
    let skipped = "a/con.md=invalid_path bad:name=invalid_path way=path_conflict z\u{fffd}.md=invalid_path";
    assert_eq!(part(&backend, None, usize::MAX), ("a/b.md".to_owned(), skipped.to_owned(), None));
    let link = block_on(backend.list_part("way", None, 1)).unwrap();
    assert_eq!((link.files.len(), link.skipped.len()), (0, 1));
}

#[test]
fn a_deep_directory_is_skipped_and_the_others_are_listed() {
    let (folder, backend) = backend();
    let deepest = vec!["d"; 19].join("/");
    write(&backend, &format!("{deepest}/a.md"), "text").unwrap();
    let below = vec!["d"; 40].join("/");
    std::fs::create_dir_all(folder.path().join("files").join(below)).unwrap();
    let skipped = format!("{deepest}/d=invalid_path");
    assert_eq!(part(&backend, None, 9), (format!("{deepest}/a.md"), skipped, None));
}

#[test]
fn parts_of_a_listing_are_the_whole() {
    let (folder, backend) = backend();
    let all = ["a-b.md", "a.md", "a/b.md", "a/b/c.md", "a/z/y.md", "a0.md", "b/c.md"];
    for path in all {
        write(&backend, path, "text").unwrap();
    }
    for name in ["a/b:", "z:"] {
        std::fs::write(folder.path().join("files").join(name), "x").unwrap();
    }
    let whole = part(&backend, None, usize::MAX);
    assert_eq!(whole, (all.join(" "), "a/b:=invalid_path z:=invalid_path".to_owned(), None));
    for limit in 1..=all.len() {
        let (mut files, mut skipped, mut after) = (Vec::new(), Vec::new(), None::<String>);
        loop {
            let (found, left_out, next) = part(&backend, after.as_deref(), limit);
            files.extend(found.split_whitespace().map(str::to_owned));
            skipped.extend(left_out.split_whitespace().map(str::to_owned));
            match next {
                None => break,
                next => after = next,
            }
        }
        assert_eq!((files.join(" "), skipped.join(" ")), (whole.0.clone(), whole.1.clone()), "{limit}");
    }
}

#[test]
fn a_parent_that_stays_is_no_failure_of_delete() {
    let (folder, backend) = backend();
    let above = folder.path().join("files/a");
    write(&backend, "a/b/c.md", "text").unwrap();
    write(&backend, "a/stays.md", "text").unwrap();
    let set = |mode: u32| std::fs::set_permissions(&above, PermissionsExt::from_mode(mode)).unwrap();
    // Only root can remove the directory `b` now.
    set(0o500);
    let deleted = block_on(backend.delete("a/b/c.md", &FilePrecondition::Any));
    set(0o700);
    assert!(deleted.unwrap());
    assert_eq!(paths(&backend), ["a/stays.md"]);
}
