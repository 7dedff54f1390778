//! Mirrors after a restore: the store is an earlier one, the files are not, and later agreements do
//! not count.

use std::path::PathBuf;
use std::sync::Arc;

use loci_engine_testkit::LocalPlaces;
use loci_model::Namespace;
use loci_model::trees::mirror::{MirrorKind, MirrorRemark};

use super::fixture::Shelf;
use super::mirror_erasure::{mara_forgotten, written_by_mara};
use super::mirrors::Mirrored;
use super::mirrors_git::{git, pull};

const A: &str = "knowledge/facts/a.md";
const B: &str = "knowledge/facts/b.md";
const C: &str = "knowledge/facts/c.md";
const LOST: &str = "knowledge/facts/lost.md";

/// Returns a copy of the current store with the same file places.
fn backup(mirrored: &Mirrored) -> Shelf {
    let places = LocalPlaces::new(mirrored.folder.path().to_owned(), &[PathBuf::from(".")]);
    let copied = mirrored.shelf.world.copied(Some(Arc::new(places))).unwrap();
    mirrored.shelf.in_world(copied)
}

/// Returns the mirror with its files and the store of the backup.
fn restored(mirrored: Mirrored, backup: Shelf) -> Mirrored {
    Mirrored { shelf: backup, folder: mirrored.folder }
}

fn committed(mirrored: &Mirrored) -> Vec<String> {
    let listed = git(&mirrored.root(), &["ls-tree", "-r", "--name-only", "main"]);
    listed.lines().map(ToOwned::to_owned).collect()
}

/// Returns a repository with commits newer than its restored store, and the newest commit.
fn repository_ahead() -> (Mirrored, String) {
    let mirrored = Mirrored::new(|new| new.kind = MirrorKind::Git);
    mirrored.shelf.put(A, "one\n");
    mirrored.shelf.put(B, "other\n");
    mirrored.sync();
    let backup = backup(&mirrored);
    mirrored.shelf.put(A, "lost\n");
    mirrored.shelf.put(LOST, "lost too\n");
    mirrored.shelf.delete(B).unwrap();
    let newest = mirrored.sync().commit.unwrap();
    assert_eq!(committed(&mirrored), [A, LOST]);
    (restored(mirrored, backup), newest)
}

#[test]
fn a_repository_comes_to_the_restored_tree_in_one_commit() {
    // Fewer writes than the repository is ahead, the same number, and more.
    for count in [0, 1, 3, 8] {
        let (mirrored, ahead) = repository_ahead();
        let new: Vec<String> = (0..count).map(|number| format!("knowledge/facts/n-{number}.md")).collect();
        for path in &new {
            mirrored.shelf.put(path, "new\n");
        }
        let report = mirrored.sync();
        assert_eq!((report.finding.as_str(), report.commits), ("whole", 1), "{count}: {report:?}");
        assert!(report.notes.iter().any(|note| note.what.contains("as before a restore")), "{report:?}");
        let expect: Vec<String> = [A, B].map(str::to_owned).into_iter().chain(new).collect();
        assert_eq!(committed(&mirrored), expect, "{count}");
        let root = mirrored.root();
        assert!(git(&root, &["show", &format!("main:{A}")]).ends_with("one"), "{count}");
        // Earlier commits stay unchanged.
        git(&root, &["merge-base", "--is-ancestor", &ahead, "main"]);
        assert!(git(&root, &["show", &format!("{ahead}:{LOST}")]).ends_with("lost too"));
        git(&root, &["fsck", "--strict", "--full"]);
        // It continues as usual.
        assert_eq!(mirrored.sync().commits, 0, "{count}");
        mirrored.shelf.put(A, "two\n");
        assert_eq!(mirrored.sync().commits, 1, "{count}");
        assert!(git(&root, &["show", &format!("main:{A}")]).ends_with("two"), "{count}");
        assert_eq!(git(&root, &["log", "-1", "--format=%s", "main"]), "memory(facts): update a.md");
    }
}

#[test]
fn a_repository_that_has_the_same_files_goes_on_from_the_restored_log() {
    let mirrored = Mirrored::new(|new| new.kind = MirrorKind::Git);
    mirrored.shelf.put(A, "one\n");
    mirrored.sync();
    let backup = backup(&mirrored);
    mirrored.shelf.put(LOST, "lost\n");
    mirrored.shelf.delete(LOST).unwrap();
    mirrored.sync();
    let mirrored = restored(mirrored, backup);
    assert_eq!(mirrored.sync().commits, 0);
    for text in ["two", "three"] {
        mirrored.shelf.put(A, &format!("{text}\n"));
        assert_eq!(mirrored.sync().commits, 1, "{text}");
        assert!(git(&mirrored.root(), &["show", &format!("main:{A}")]).ends_with(text), "{text}");
    }
}

#[test]
fn what_a_clone_committed_before_a_restore_is_still_taken() {
    let new = "knowledge/facts/by-hand.md";
    for is_synced in [false, true] {
        let (mirrored, ahead) = repository_ahead();
        if is_synced {
            mirrored.sync();
        }
        let report = pull(&mirrored, &ahead, &[(new, Some("by hand\n"))]);
        assert_eq!((report.created, report.put_away, report.error.as_deref()), (1, 0, None), "{report:?}");
        assert_eq!(committed(&mirrored), [A, B, new], "{is_synced}");
        assert_eq!(mirrored.shelf.body(A), "one\n", "{is_synced}");
    }
}

#[test]
fn whoever_is_forgotten_after_a_restore_is_in_no_commit() {
    for is_synced in [false, true] {
        let mirrored = Mirrored::new(|new| {
            (new.kind, new.namespace) = (MirrorKind::Git, Namespace::parse("/users/mara").unwrap());
        });
        mirrored.sync();
        let backup = backup(&mirrored);
        written_by_mara(&mirrored.shelf);
        assert!(mirrored.sync().commits > 0);
        let mirrored = restored(mirrored, backup);
        if is_synced {
            mirrored.sync();
        }
        assert!(!git(&mirrored.root(), &["rev-list", "--all"]).is_empty(), "{is_synced}");
        let receipt = mara_forgotten(&mirrored.shelf);
        assert_eq!(receipt.mirrors, ["team"], "{is_synced}: {receipt:?}");
        assert_eq!(git(&mirrored.root(), &["rev-list", "--all"]), "", "{is_synced}");
    }
}

#[test]
fn a_directory_undoes_no_restore() {
    let mirrored = Mirrored::new(|_| {});
    mirrored.shelf.put(A, "one\n");
    mirrored.shelf.put(B, "other\n");
    mirrored.shelf.put(C, "third\n");
    mirrored.sync();
    // The directory is one version behind at the backup.
    mirrored.shelf.put(C, "third again\n");
    let backup = backup(&mirrored);
    let behind = mirrored.read(C).unwrap();
    mirrored.shelf.put(A, "garbage\n");
    mirrored.shelf.delete(B).unwrap();
    mirrored.shelf.put(LOST, "lost\n");
    mirrored.sync();
    mirrored.write(C, &behind);
    assert_eq!((mirrored.read(B), mirrored.read(LOST).is_some()), (None, true));

    let mirrored = restored(mirrored, backup);
    let report = mirrored.sync();
    assert_eq!((report.taken, report.created, report.moved, report.put_away), (0, 0, 0, 0), "{report:?}");
    assert!(report.notes.iter().any(|note| note.what.contains("restored from a backup")), "{report:?}");
    let paths = |remarks: &[MirrorRemark]| -> Vec<String> {
        remarks.iter().map(|remark| remark.path.clone()).collect()
    };
    assert_eq!(
        (paths(&report.conflicts), paths(&report.refused)),
        (vec![A.to_owned()], vec![LOST.to_owned()])
    );
    assert!(mirrored.shelf.body(&report.conflicts[0].what).contains("garbage"));
    // A file that is missing for long enough is not deleted either.
    for _ in 0..3 {
        mirrored.shelf.world.clock().advance_ms(31_000);
        let report = mirrored.sync();
        assert_eq!(
            (report.written, report.taken, report.created, report.put_away),
            (0, 0, 0, 0),
            "{report:?}"
        );
        assert!(report.conflicts.is_empty() && report.refused.is_empty(), "{report:?}");
    }
    for (path, body) in [(A, "one\n"), (B, "other\n"), (C, "third again\n")] {
        assert_eq!(mirrored.shelf.body(path), body, "{path}");
        assert!(mirrored.read(path).unwrap().ends_with(body), "{path}");
    }
    assert_eq!(mirrored.live(), 4, "three documents, and what is kept beside one");
    // A file without a document stays until it is changed.
    assert!(mirrored.read(LOST).unwrap().ends_with("lost\n"));
    mirrored.write(LOST, "mine\n");
    assert_eq!(mirrored.sync().created, 1);
    assert_eq!(mirrored.shelf.body(LOST), "mine\n");
    // From here on it is an ordinary mirror.
    mirrored.write(A, "by hand\n");
    assert_eq!(mirrored.sync().taken, 1);
    assert_eq!(mirrored.shelf.body(A), "by hand\n");
}
