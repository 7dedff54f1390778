//! File backends: written files are readable by git, nothing leaves the root, and the same changes
//! give the same ids.

use std::path::Path;
use std::process::Command;

use futures::executor::block_on;
use loci_git::{BareFiles, DirectoryFiles};
use loci_model::ports::files::{ChangeNote, FileBackend, FileChange, FileStep, FilesApplied, Precondition};
use loci_model::{ErrorKind, Result, Timestamp};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

fn note(message: &str) -> ChangeNote {
    ChangeNote {
        author_name: "alice/s-1".to_owned(),
        author_email: "alice@test".to_owned(),
        committer_email: "loci@test".to_owned(),
        at: Timestamp::parse("2026-11-25T10:00:00Z").unwrap(),
        message: message.to_owned(),
    }
}

fn change(path: &str, text: Option<&str>, only_if: Precondition) -> FileChange {
    let bytes = text.map(|text| text.as_bytes().to_vec());
    FileChange { path: path.to_owned(), bytes, executable: None, like: None, only_if }
}

fn put(backend: &dyn FileBackend, files: &[(&str, Option<&str>)], message: &str) -> FilesApplied {
    let changes = files.iter().map(|(path, text)| change(path, *text, Precondition::Any)).collect();
    block_on(backend.apply(changes, note(message))).unwrap()
}

fn holds(text: &str) -> Precondition {
    Precondition::Holds(Sha256::digest(text.as_bytes()).into())
}

fn paths(backend: &dyn FileBackend) -> Vec<String> {
    block_on(backend.list()).unwrap().entries.into_iter().map(|entry| entry.path).collect()
}

fn text(backend: &dyn FileBackend, path: &str) -> Option<String> {
    block_on(backend.read(path)).unwrap().map(|found| String::from_utf8(found.bytes).unwrap())
}

fn git(at: &Path, words: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "protocol.file.allow=always"]).args(words).current_dir(at);
    let done = command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", at).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn a_new_file_takes_the_mode_of_the_one_that_it_comes_from() {
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("m");
    let backend = DirectoryFiles::open(&root).unwrap();
    let give = |path: &str, mode: u32| {
        set_permissions(root.join(path), Permissions::from_mode(mode)).unwrap();
    };
    let mode = |path: &str| metadata(root.join(path)).unwrap().permissions().mode() & 0o777;
    let apply = |changes: Vec<FileChange>| {
        let count = changes.len();
        assert_eq!(block_on(backend.apply(changes, note("x"))).unwrap().changed.len(), count);
    };
    let new = |path: &str, like: &str| {
        let change = change(path, Some("one\n"), Precondition::Absent);
        FileChange { like: Some(like.to_owned()), ..change }
    };
    give("", 0o755);
    apply(vec![change("a.md", Some("one\n"), Precondition::Any)]);
    give("a.md", 0o600);
    apply(vec![new("b/b.md", "a.md")]);
    assert_eq!(mode("b/b.md"), 0o600);
    apply(vec![FileChange { executable: Some(true), ..new("c.md", "a.md") }]);
    assert_eq!(mode("c.md"), 0o700);
    // A file removed since the last listing, because its path is needed.
    apply(vec![change("a.md", None, Precondition::Any)]);
    apply(vec![new("a.md/i.md", "a.md")]);
    assert_eq!(mode("a.md/i.md"), 0o600);
    block_on(backend.list()).unwrap();
    apply(vec![new("d.md", "a.md"), change("e.md", Some("one\n"), Precondition::Absent)]);
    assert_eq!(mode("d.md"), mode("e.md"), "nobody knows it any more");
    // An existing file keeps its own mode.
    give("c.md", 0o640);
    let over = change("c.md", Some("two\n"), Precondition::Any);
    apply(vec![FileChange { like: Some("b/b.md".to_owned()), ..over }]);
    assert_eq!(mode("c.md"), 0o640);
}

#[test]
fn both_places_keep_what_they_are_given() {
    let check = |backend: &dyn FileBackend| {
        assert_eq!(paths(backend), Vec::<String>::new());
        put(backend, &[("knowledge/facts/a.md", Some("one\n")), ("knowledge/b.md", Some("two\n"))], "first");
        assert_eq!(paths(backend), ["knowledge/b.md", "knowledge/facts/a.md"]);
        assert_eq!(text(backend, "knowledge/facts/a.md").as_deref(), Some("one\n"));
        assert_eq!(text(backend, "knowledge/facts/none.md"), None);
        // Repeating it is no change.
        assert_eq!(put(backend, &[("knowledge/b.md", Some("two\n"))], "again"), FilesApplied::default());
        let refused = |change: FileChange| block_on(backend.apply(vec![change], note("no"))).unwrap().refused;
        assert_eq!(refused(change("knowledge/b.md", Some("x"), Precondition::Absent)), ["knowledge/b.md"]);
        assert_eq!(refused(change("knowledge/b.md", Some("x"), holds("other"))), ["knowledge/b.md"]);
        assert_eq!(refused(change("knowledge/b.md", Some("three\n"), holds("two\n"))), [""; 0]);
        assert_eq!(text(backend, "knowledge/b.md").as_deref(), Some("three\n"));
        put(backend, &[("knowledge/facts/a.md", None), ("knowledge/facts/none.md", None)], "gone");
        assert_eq!(paths(backend), ["knowledge/b.md"]);
        block_on(backend.mark("version 1\nm-1\n")).unwrap();
        let listing = block_on(backend.list()).unwrap();
        assert_eq!((listing.has_root, listing.marker.as_deref()), (true, Some("version 1\nm-1\n")));
        assert_eq!(listing.entries.len(), 1);
    };
    let folder = TempDir::new().unwrap();
    check(&BareFiles::open(&folder.path().join("team.git")).unwrap());
    check(&DirectoryFiles::open(&folder.path().join("team")).unwrap());
}

#[test]
fn a_repository_is_what_git_reads() {
    let folder = TempDir::new().unwrap();
    let bare = folder.path().join("team.git");
    let backend = BareFiles::open(&bare).unwrap();
    let many: Vec<(String, String)> =
        (0..300).map(|at| (format!("knowledge/facts/f-{at}.md"), format!("fact {at}\n"))).collect();
    let files: Vec<(&str, Option<&str>)> =
        many.iter().map(|(path, text)| (path.as_str(), Some(text.as_str()))).collect();
    put(&backend, &files, "memory: update 300 documents");
    let message = "memory(facts): update f-7.md\n\nbecause\n\nMemory-Op: modified\nSequence: 12\n";
    let commit = put(&backend, &[("knowledge/facts/f-7.md", Some("seven\n"))], message).commit.unwrap();
    put(
        &backend,
        &[("knowledge/facts/f-8.md", None), ("knowledge/x", Some("a")), ("knowledge/x.md", Some("b"))],
        "x",
    );
    git(&bare, &["fsck", "--strict", "--full"]);
    git(folder.path(), &["clone", "-q", "team.git", "clone"]);
    let clone = folder.path().join("clone");
    assert_eq!(std::fs::read_to_string(clone.join("knowledge/facts/f-7.md")).unwrap(), "seven\n");
    assert!(!clone.join("knowledge/facts/f-8.md").exists());
    assert_eq!(git(&clone, &["rev-list", "--count", "HEAD"]).trim(), "3");
    let shown = git(
        &clone,
        &["show", "-s", "--format=%an|%ae|%cn|%ce|%aI|%s|%(trailers:key=Sequence,valueonly)", &commit],
    );
    assert_eq!(
        shown.trim(),
        "alice/s-1|alice@test|Loci|loci@test|2026-11-25T10:00:00Z|memory(facts): update f-7.md|12"
    );
    assert_eq!(git(&clone, &["ls-files", "--stage", "knowledge/x.md"]).split(' ').next(), Some("100644"));
    git(folder.path(), &["clone", "-q", "--depth", "1", &format!("file://{}", bare.display()), "shallow"]);
    // After git repacks and prunes it, reading and writing continue.
    git(&bare, &["gc", "-q", "--prune=now"]);
    put(&backend, &[("knowledge/facts/f-9.md", Some("nine\n"))], "after gc");
    assert_eq!(text(&backend, "knowledge/facts/f-9.md").as_deref(), Some("nine\n"));
    git(&bare, &["fsck", "--strict"]);
    assert_eq!(block_on(backend.newest()).unwrap().unwrap().message, "after gc\n");
}

#[test]
fn the_same_changes_give_the_same_ids() {
    let made = || -> Vec<String> {
        let folder = TempDir::new().unwrap();
        let backend = BareFiles::open(&folder.path().join("m.git")).unwrap();
        let mut ids = Vec::new();
        for (path, text) in [("a/b/c.md", Some("1")), ("a/b.md", Some("2")), ("a/b/c.md", None)] {
            ids.extend(put(&backend, &[(path, text)], path).commit);
        }
        ids
    };
    let first = made();
    assert_eq!((first.len(), &first), (3, &made()));
}

#[test]
fn whoever_moves_the_branch_meanwhile_is_not_overwritten() {
    let folder = TempDir::new().unwrap();
    let bare = folder.path().join("m.git");
    let backend = BareFiles::open(&bare).unwrap();
    put(&backend, &[("a.md", Some("1"))], "first");
    std::fs::write(bare.join("refs/heads/main.lock"), "").unwrap();
    let apply =
        || block_on(backend.apply(vec![change("a.md", Some("2"), Precondition::Any)], note("second")));
    let lost: Result<FilesApplied> = apply();
    assert_eq!(lost.unwrap_err().kind, ErrorKind::Conflict);
    assert_eq!(text(&backend, "a.md").as_deref(), Some("1"));
    std::fs::remove_file(bare.join("refs/heads/main.lock")).unwrap();
    assert!(apply().unwrap().commit.is_some());
}

#[test]
fn nothing_leaves_a_directory() {
    let folder = TempDir::new().unwrap();
    let (outside, inside) = (folder.path().join("outside"), folder.path().join("m"));
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret.md"), "secret").unwrap();
    let backend = DirectoryFiles::open(&inside).unwrap();
    std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
    std::os::unix::fs::symlink(outside.join("secret.md"), inside.join("file.md")).unwrap();
    assert_eq!((text(&backend, "link/secret.md"), text(&backend, "file.md")), (None, None));
    let write =
        |path: &str| block_on(backend.apply(vec![change(path, Some("x"), Precondition::Any)], note("")));
    assert!(write("link/new.md").is_err());
    assert!(!outside.join("new.md").exists());
    // A link at the path of a file is replaced; its target is not changed.
    write("file.md").unwrap();
    assert_eq!(std::fs::read_to_string(outside.join("secret.md")).unwrap(), "secret");
    let listing = block_on(backend.list()).unwrap();
    assert_eq!(
        listing.skipped.iter().map(|one| (one.path.as_str(), one.why)).collect::<Vec<_>>(),
        [("link", "symlink")]
    );
    for name in [".hidden.md", "a.md~", "b.swp", ".#c.md", "d.__strands_tmp_1"] {
        std::fs::write(inside.join(name), "x").unwrap();
    }
    assert_eq!(paths(&backend), ["file.md"]);
    let passed_over = block_on(backend.list()).unwrap().passed_over;
    assert_eq!(passed_over, [".#c.md", ".hidden.md", "a.md~", "b.swp", "d.__strands_tmp_1"]);
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(inside.join("file.md")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
    std::fs::remove_dir_all(&inside).unwrap();
    assert!(!block_on(backend.list()).unwrap().has_root, "an empty listing says nothing then");
    assert!(write("a.md").is_err() && !inside.exists());
}

#[test]
fn a_directory_that_was_removed_is_made_again_by_its_marker_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("mirror");
    let backend = DirectoryFiles::open(&root).unwrap();
    put(&backend, &[("knowledge/facts/a.md", Some("one\n"))], "first");
    std::fs::remove_dir_all(&root).unwrap();
    let again = || change("knowledge/facts/a.md", Some("one\n"), Precondition::Absent);
    assert!(block_on(backend.apply(vec![again()], note("again"))).is_err());
    assert!(!root.exists(), "it is not made again in the middle of a sync");
    block_on(backend.mark("version 1\nm-1\n")).unwrap();
    block_on(backend.apply(vec![again()], note("again"))).unwrap();
    assert_eq!(paths(&backend), ["knowledge/facts/a.md"]);
}

#[test]
fn a_repository_that_is_renewed_forgets_its_objects() {
    let folder = tempfile::tempdir().unwrap();
    let backend = BareFiles::open(&folder.path().join("m.git")).unwrap();
    let first = put(&backend, &[("a.md", Some("one\n"))], "first").commit.unwrap();
    put(&backend, &[("a.md", Some("two\n"))], "second");
    assert_eq!(block_on(backend.list_at(&first)).unwrap().unwrap().entries.len(), 1);
    assert!(block_on(backend.list_at(&"0".repeat(40))).unwrap().is_none());
    block_on(backend.renew()).unwrap();
    assert!(
        block_on(backend.newest()).unwrap().is_none() && block_on(backend.list_at(&first)).unwrap().is_none()
    );
    let steps = [("first", "one\n"), ("second", "two\n")].map(|(message, content)| FileStep {
        changes: vec![change("a.md", Some(content), Precondition::Any)],
        note: note(message),
    });
    let applied = block_on(backend.apply_all(steps.to_vec())).unwrap();
    assert_eq!(applied[0].commit.as_ref(), Some(&first), "the same, together as one by one");
    assert_eq!(text(&backend, "a.md").as_deref(), Some("two\n"));
}
