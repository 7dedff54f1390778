//! Mirrors in directories: the direction of each change, and the protection against data loss.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loci_documents::mirror::{MirrorShown, NewMirror};
use loci_documents::{Precondition, RecordRedact, RedactWhich};
use loci_engine::records::conflicts;
use loci_engine_testkit::LocalPlaces;
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::ports::files::FilePlaces;
use loci_model::ports::store::StoreExt;
use loci_model::principal::Capability;
use loci_model::record::conflict::Conflict;
use loci_model::trees::mirror::{
    MirrorDeletes, MirrorDirection, MirrorKind, MirrorOrigin, MirrorRemark, MirrorReport,
};
use loci_model::{ErrorKind, Namespace, RecordId, limits};
use loci_testkit_ports::block_on;

use super::fixture::{Shelf, text};

/// A tree and its mirror.
pub(super) struct Mirrored {
    pub(super) shelf: Shelf,
    pub(super) folder: tempfile::TempDir,
}

impl Mirrored {
    pub(super) fn new(change: impl FnOnce(&mut NewMirror)) -> Self {
        let local =
            |folder| -> Arc<dyn FilePlaces> { Arc::new(LocalPlaces::new(folder, &[PathBuf::from(".")])) };
        Self::at(local, change)
    }

    pub(super) fn at(
        places: impl FnOnce(PathBuf) -> Arc<dyn FilePlaces>,
        change: impl FnOnce(&mut NewMirror),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path().to_owned());
        let shelf = Shelf::of(TestEngine::with_files(places).unwrap());
        let mirrored = Self { shelf, folder };
        let mut new = mirrored.wanted("team", MirrorKind::Directory);
        change(&mut new);
        block_on(mirrored.shelf.engine.documents.mirror_add(&mirrored.shelf.caller, new)).unwrap();
        mirrored
    }

    pub(super) fn wanted(&self, name: &str, kind: MirrorKind) -> NewMirror {
        NewMirror {
            memory: self.shelf.memory(),
            name: name.to_owned(),
            namespace: self.shelf.tree.namespace.clone(),
            layout: "native".to_owned(),
            kind,
            path: "m".to_owned(),
            direction: MirrorDirection::TwoWay,
            deletes: MirrorDeletes::Enabled,
            interval_ms: 5_000,
            render_ids: false,
            system: false,
            sessions: false,
            adopt: false,
            debounce_ms: 0,
            origin: MirrorOrigin::Added,
        }
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().join("m")
    }

    pub(super) fn sync(&self) -> MirrorReport {
        let Shelf { engine, caller, world, .. } = &self.shelf;
        world.clock().advance_ms(1_000);
        let report = block_on(engine.documents.mirror_sync(caller, &self.shelf.memory(), "team")).unwrap();
        assert_eq!(report.error, None);
        report
    }

    pub(super) fn status(&self) -> MirrorShown {
        let Shelf { engine, caller, .. } = &self.shelf;
        block_on(engine.documents.mirror_status(caller, &self.shelf.memory(), "team")).unwrap()
    }

    pub(super) fn write(&self, path: &str, content: &str) {
        let place = self.root().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, content).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root().join(path)).ok()
    }

    fn delete(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    fn later(&self, seconds: u64) {
        self.shelf.world.clock().advance_ms(seconds * 1_000);
    }

    /// Returns a tree with this number of documents, and a mirror of it.
    fn with_documents(count: usize) -> Self {
        let mirrored = Self::new(|_| {});
        for number in 0..count {
            mirrored.shelf.put(&path(number), &format!("document {number}\n"));
        }
        assert_eq!(mirrored.sync().written as usize, count);
        mirrored
    }

    pub(super) fn live(&self) -> usize {
        let Shelf { engine, caller, tree, .. } = &self.shelf;
        let listed = engine.documents.documents_list(caller, tree, (None, None), (None, 1_000));
        block_on(listed).unwrap().items.len()
    }
}

fn path(number: usize) -> String {
    format!("knowledge/facts/f-{number:03}.md")
}

const A: &str = "knowledge/facts/a.md";
const B: &str = "knowledge/facts/b.md";

/// Returns the counts of a report in short form.
fn counts(report: &MirrorReport) -> String {
    let counts = [
        ("written", report.written),
        ("removed", report.removed),
        ("taken", report.taken),
        ("created", report.created),
        ("moved", report.moved),
        ("put_away", report.put_away),
        ("conflicts", report.conflicts.len() as u64),
        ("refused", report.refused.len() as u64),
        ("waiting", report.waiting_deletes),
    ];
    let said = counts.iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what} {count}"));
    said.collect::<Vec<_>>().join(", ")
}

fn paths_below(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                open.push(entry.path());
            } else {
                found.push(entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn what_changes_on_one_side_comes_to_the_other() {
    let mirrored = Mirrored::new(|_| {});
    mirrored.shelf.put(A, "one\n");
    assert_eq!(counts(&mirrored.sync()), "written 1");
    assert_eq!(mirrored.read(A).unwrap(), "---\ndescription: \"one\"\n---\n\none\n");
    assert_eq!(counts(&mirrored.sync()), "");
    // A change in the tree.
    mirrored.shelf.put(A, "two\n");
    assert_eq!(counts(&mirrored.sync()), "written 1");
    // A change in the file, with front matter; and a new file without it, stored raw.
    mirrored.write(A, "---\ndescription: \"two\"\n---\n\nthree\n");
    mirrored.write(B, "new\n");
    assert_eq!(counts(&mirrored.sync()), "written 1, taken 1, created 1");
    assert_eq!((mirrored.shelf.body(A), mirrored.shelf.body(B)), ("three\n".to_owned(), "new\n".to_owned()));
    assert_eq!(mirrored.read(B).unwrap(), "new\n");
    assert_eq!(mirrored.read(A).unwrap(), "---\ndescription: \"three\"\n---\n\nthree\n");
    assert_eq!(counts(&mirrored.sync()), "");
    // A mirror writes under its own name.
    let told = block_on(mirrored.shelf.engine.documents.document_history(
        &mirrored.shelf.caller,
        &mirrored.shelf.tree,
        B,
        (None, 9),
    ));
    assert_eq!(told.unwrap().items[0].by.as_deref(), Some("mirror:team"));
    // Deleted in the tree.
    mirrored.shelf.delete(A).unwrap();
    assert_eq!(counts(&mirrored.sync()), "removed 1");
    assert_eq!(paths_below(&mirrored.root()), [".loci-mirror", B]);
    let shown = mirrored.status();
    assert_eq!((shown.state.unwrap().report.removed, shown.open_conflicts), (1, 0));
}

#[test]
fn a_renamed_file_is_the_same_record() {
    let mirrored = Mirrored::new(|_| {});
    let record = mirrored.shelf.put(A, "one\n").record;
    mirrored.sync();
    fs::create_dir_all(mirrored.root().join("knowledge/skills")).unwrap();
    fs::rename(mirrored.root().join(A), mirrored.root().join("knowledge/skills/b.md")).unwrap();
    assert_eq!(counts(&mirrored.sync()), "moved 1");
    assert_eq!(mirrored.shelf.get("knowledge/skills/b.md").unwrap().record, record);
    assert_eq!(counts(&mirrored.sync()), "");
}

#[test]
fn a_file_becomes_a_directory_and_a_directory_a_file() {
    let mirrored = Mirrored::new(|_| {});
    let inside = "knowledge/facts/a.md/i.md";
    mirrored.shelf.put(A, "one\n");
    mirrored.shelf.put(B, "other\n");
    mirrored.sync();
    let lie = |expect: &[&str]| assert_eq!(paths_below(&mirrored.root()), expect);
    // By a person: immediately, and with another text, so that it is no move.
    mirrored.delete(A);
    mirrored.write(inside, "two\n");
    assert_eq!(counts(&mirrored.sync()), "created 1, put_away 1");
    assert_eq!(mirrored.shelf.body(inside), "two\n");
    lie(&[".loci-mirror", inside, B]);
    fs::remove_dir_all(mirrored.root().join(A)).unwrap();
    mirrored.write(A, "three\n");
    assert_eq!(counts(&mirrored.sync()), "created 1, put_away 1");
    assert_eq!(mirrored.shelf.body(A), "three\n");
    lie(&[".loci-mirror", A, B]);
    assert_eq!((counts(&mirrored.sync()).as_str(), mirrored.live()), ("", 2));
    // In the tree.
    mirrored.shelf.delete(A).unwrap();
    mirrored.shelf.put(inside, "four\n");
    assert_eq!(counts(&mirrored.sync()), "written 1, removed 1");
    lie(&[".loci-mirror", inside, B]);
    mirrored.shelf.delete(inside).unwrap();
    mirrored.shelf.put(A, "five\n");
    assert_eq!(counts(&mirrored.sync()), "written 1, removed 1");
    lie(&[".loci-mirror", A, B]);
    assert!(mirrored.read(A).unwrap().ends_with("five\n"));
    assert_eq!(counts(&mirrored.sync()), "");
}

#[test]
fn a8_what_both_sides_changed_is_kept_twice() {
    let mirrored = Mirrored::new(|_| {});
    mirrored.shelf.put(A, "base\n");
    mirrored.sync();
    mirrored.shelf.put(A, "the agent's\n");
    mirrored.write(A, "---\ndescription: \"base\"\n---\n\nthe person's\n");
    let report = mirrored.sync();
    assert_eq!(counts(&report), "written 2, conflicts 1");
    let beside = &report.conflicts[0].what;
    assert!(beside.starts_with("knowledge/facts/a.conflict-") && beside.len() == A.len() + 17, "{beside}");
    assert_eq!(mirrored.shelf.body(A), "the agent's\n");
    assert_eq!(mirrored.shelf.body(beside), "the person's\n");
    assert!(mirrored.read(A).unwrap().ends_with("the agent's\n"));
    assert!(mirrored.read(beside).unwrap().ends_with("the person's\n"));
    assert_eq!(mirrored.status().open_conflicts, 1);
    assert_eq!(counts(&mirrored.sync()), "");
    // The mirror of another tree has no part in it.
    let new = NewMirror {
        namespace: Namespace::parse("/other").unwrap(),
        path: "n".to_owned(),
        ..mirrored.wanted("other", MirrorKind::Directory)
    };
    let Shelf { engine, caller, .. } = &mirrored.shelf;
    block_on(engine.documents.mirror_add(caller, new)).unwrap();
    let other = block_on(engine.documents.mirror_status(caller, &mirrored.shelf.memory(), "other"));
    assert_eq!(other.unwrap().open_conflicts, 0);
    // After the decision the copy is removed.
    mirrored.shelf.delete(beside).unwrap();
    assert_eq!(counts(&mirrored.sync()), "removed 1");
    assert_eq!(mirrored.status().open_conflicts, 0);
}

#[test]
fn newer_conflicts_of_other_trees_hide_none() {
    let mirrored = Mirrored::new(|_| {});
    mirrored.shelf.put(A, "base\n");
    mirrored.sync();
    mirrored.shelf.put(A, "the agent's\n");
    mirrored.write(A, "---\ndescription: \"base\"\n---\n\nthe person's\n");
    assert_eq!(counts(&mirrored.sync()), "written 2, conflicts 1");
    let shelf = &mirrored.shelf;
    shelf.world.clock().advance_ms(1_000);
    let (memory, found_at) = (shelf.memory(), shelf.engine.now());
    let actor = conflicts::actor_of(&shelf.tree.namespace).unwrap();
    let store = shelf.world.store();
    block_on(store.write(move |tx| {
        for number in 0..limits::STANDING_LOOKED_AT_MAX {
            let record =
                |part: u8| RecordId::compose(&format!("00000000-0000-7000-800{part}-0000{number:08x}"));
            tx.ledger_mut().put_noun(&Conflict {
                memory: memory.clone(),
                actor: actor.clone(),
                id: format!("other-{number}"),
                standing: record(0)?,
                against: record(1)?,
                reason: String::new(),
                found_at,
                resolution: None,
            })?;
        }
        Ok(())
    }))
    .unwrap();
    assert_eq!(mirrored.status().open_conflicts, 1);
}

#[test]
fn b2_lines_that_both_sides_added_are_both_there() {
    let mirrored = Mirrored::new(|_| {});
    mirrored.shelf.put(A, "# T\n- base\n");
    mirrored.sync();
    mirrored.shelf.put(A, "# T\n- base\n- one\n");
    let file = mirrored.read(A).unwrap();
    mirrored.write(A, &format!("{file}- two\n"));
    assert_eq!(counts(&mirrored.sync()), "written 1, taken 1");
    assert_eq!(mirrored.shelf.body(A), "# T\n- base\n- one\n- two\n");
    assert!(mirrored.read(A).unwrap().ends_with("- one\n- two\n"));
    assert_eq!(counts(&mirrored.sync()), "");
}

#[test]
fn an_edit_of_what_was_deleted_brings_it_back() {
    let mirrored = Mirrored::new(|_| {});
    mirrored.shelf.put(A, "base\n");
    mirrored.shelf.put(B, "other\n");
    mirrored.sync();
    mirrored.shelf.delete(A).unwrap();
    mirrored.write(A, "---\ndescription: \"base\"\n---\n\nthe only copy\n");
    assert_eq!(counts(&mirrored.sync()), "created 1");
    assert_eq!(mirrored.shelf.body(A), "the only copy\n");
    // In the other direction: the tree's edit wins over a deleted file.
    mirrored.shelf.put(B, "changed\n");
    mirrored.delete(B);
    assert_eq!(counts(&mirrored.sync()), "written 1");
}

#[test]
fn a7_a_mirror_that_is_gone_deletes_nothing() {
    let mirrored = Mirrored::with_documents(20);
    for what in ["all", "root", "contents", "files"] {
        match what {
            "all" | "root" => fs::remove_dir_all(mirrored.root()).unwrap(),
            "contents" => {
                fs::remove_dir_all(mirrored.root()).unwrap();
                fs::create_dir(mirrored.root()).unwrap();
            }
            _ => fs::remove_dir_all(mirrored.root().join("knowledge")).unwrap(),
        }
        let report = mirrored.sync();
        assert_eq!((counts(&report).as_str(), report.finding.as_str()), ("written 20", "gone"), "{what}");
        mirrored.later(60);
        assert_eq!((mirrored.live(), counts(&mirrored.sync()).as_str()), (20, ""), "{what}");
    }
    // Only the marker is missing, or belongs to another mirror: nothing is done in either
    // direction.
    for marker in [None, Some("version 1\nsomebody else\n"), Some("")] {
        let own = mirrored.read(".loci-mirror").unwrap();
        match marker {
            None => mirrored.delete(".loci-mirror"),
            Some(text) => mirrored.write(".loci-mirror", text),
        }
        mirrored.write(&path(3), "mine\n");
        mirrored.delete(&path(4));
        mirrored.later(60);
        let report = mirrored.sync();
        assert_eq!((counts(&report).as_str(), report.finding.as_str()), ("", "not_ours"), "{marker:?}");
        assert_eq!((report.notes.len(), mirrored.shelf.body(&path(3)).as_str()), (1, "document 3\n"));
        mirrored.write(&path(3), "---\ndescription: \"document 3\"\n---\n\ndocument 3\n");
        mirrored.write(&path(4), "---\ndescription: \"document 4\"\n---\n\ndocument 4\n");
        mirrored.write(".loci-mirror", &own);
        assert_eq!(counts(&mirrored.sync()), "");
    }
    assert_eq!(mirrored.live(), 20);
}

#[test]
fn a_mirror_does_not_begin_where_files_lie() {
    let folder_with_file = |adopt: bool| {
        let mirrored = Mirrored::new(|new| new.adopt = adopt);
        mirrored.shelf.put(A, "one\n");
        mirrored.write(B, "mine\n");
        mirrored
    };
    let refused = folder_with_file(false);
    let report = refused.sync();
    assert_eq!((report.finding.as_str(), counts(&report).as_str()), ("not_empty", ""));
    assert_eq!(paths_below(&refused.root()), [B]);
    let adopted = folder_with_file(true);
    assert_eq!(counts(&adopted.sync()), "written 1, created 1");
    assert_eq!(adopted.shelf.body(B), "mine\n");
}

#[test]
fn a9_deletions_wait_and_come_a_part_at_a_time() {
    for (deleted, first, rest) in [(1, 1, 0), (8, 8, 0), (9, 9, 0), (100, 50, 50)] {
        let mirrored = Mirrored::with_documents(200);
        (0..deleted).for_each(|number| mirrored.delete(&path(number)));
        assert_eq!(counts(&mirrored.sync()), format!("waiting {deleted}"));
        mirrored.later(27);
        assert_eq!(counts(&mirrored.sync()), format!("waiting {deleted}"), "not yet");
        mirrored.later(2);
        let report = mirrored.sync();
        assert_eq!((report.put_away, report.waiting_deletes), (first, rest), "{deleted}");
        assert_eq!(mirrored.live() as u64, 200 - first);
        let after = mirrored.sync();
        let next = rest.min(37);
        assert_eq!((after.put_away, after.waiting_deletes), (next, rest - next), "a quarter of what is left");
    }
    // A second scan of the same sync deletes nothing more.
    let mirrored = Mirrored::with_documents(200);
    (0..100).for_each(|number| mirrored.delete(&path(number)));
    mirrored.sync();
    mirrored.later(31);
    mirrored.write(A, "new\n");
    assert_eq!(counts(&mirrored.sync()), "created 1, put_away 50, waiting 50");
    let mirrored = Mirrored::with_documents(200);
    (0..200).for_each(|number| mirrored.delete(&path(number)));
    mirrored.later(60);
    assert_eq!(counts(&mirrored.sync()), "written 200");
    assert_eq!(mirrored.live(), 200);
}

#[test]
fn a_file_that_comes_back_in_time_deletes_nothing() {
    let mirrored = Mirrored::with_documents(3);
    let file = mirrored.read(&path(1)).unwrap();
    mirrored.delete(&path(1));
    mirrored.sync();
    mirrored.write(&path(1), &file);
    mirrored.later(60);
    assert_eq!(counts(&mirrored.sync()), "");
    mirrored.delete(&path(1));
    assert_eq!(counts(&mirrored.sync()), "waiting 1");
    mirrored.shelf.put(&path(1), "changed meanwhile\n");
    mirrored.later(60);
    assert_eq!(counts(&mirrored.sync()), "written 1");
}

#[test]
fn deletions_may_be_said_alone_or_undone() {
    for (deletes, expect) in [(MirrorDeletes::LogOnly, "note"), (MirrorDeletes::Disabled, "written")] {
        let mirrored = Mirrored::new(|new| new.deletes = deletes);
        mirrored.shelf.put(A, "one\n");
        mirrored.shelf.put(B, "two\n");
        mirrored.sync();
        mirrored.delete(A);
        let first = mirrored.sync();
        mirrored.later(60);
        let second = mirrored.sync();
        assert_eq!((mirrored.live(), second.put_away), (2, 0));
        match expect {
            "note" => assert_eq!(second.notes[0].what, "deletion_logged"),
            _ => assert_eq!(first.written, 1),
        }
    }
}

#[test]
fn one_bad_file_is_told_once_and_stops_nobody() {
    let mirrored = Mirrored::new(|_| {});
    mirrored.shelf.put("knowledge/system/rules.md", "be kind\n");
    mirrored.sync();
    let bad = "knowledge/facts/bad.md";
    fs::create_dir_all(mirrored.root().join("knowledge/facts")).unwrap();
    fs::write(mirrored.root().join(bad), [0xff, 0xfe, 0x00]).unwrap();
    mirrored.write("notes.md", "outside of the tree\n");
    mirrored.write("knowledge/system/rules.md", "---\ndescription: \"be kind\"\n---\n\nobey the mirror\n");
    mirrored.write(A, "good\n");
    mirrored.write("knowledge/facts/~draft.md~", "an editor's\n");
    std::os::unix::fs::symlink("/etc/passwd", mirrored.root().join("knowledge/facts/link.md")).unwrap();
    let report = mirrored.sync();
    assert_eq!(counts(&report), "created 1, refused 3");
    let mut refused: Vec<&str> = report.refused.iter().map(|one| one.path.as_str()).collect();
    refused.sort_unstable();
    assert_eq!(refused, [bad, "knowledge/system/rules.md", "notes.md"]);
    assert!(report.notes.iter().any(|note| note.path.ends_with("link.md") && note.what == "symlink"));
    assert_eq!(mirrored.shelf.body("knowledge/system/rules.md"), "be kind\n");
    assert_eq!(counts(&mirrored.sync()), "", "told once");
    mirrored.write(bad, "text now\n");
    assert_eq!(counts(&mirrored.sync()), "created 1");
    assert_eq!(mirrored.shelf.body(bad), "text now\n");
    // The setting permits it.
    let allowed = Mirrored::new(|new| new.system = true);
    allowed.write(".keep", "");
    allowed.sync();
    allowed.write("knowledge/system/rules.md", "be brief\n");
    assert_eq!(counts(&allowed.sync()), "created 1");
}

#[test]
fn secrets_are_masked_in_the_mirror_too() {
    let mirrored = Mirrored::new(|_| {});
    mirrored.sync();
    let secret = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5uV7wX9yZ1aB3dE5"].concat();
    mirrored.write(A, &format!("the token is {secret}\n"));
    let report = mirrored.sync();
    assert!(report.notes.iter().any(|note| note.what.contains("masked")), "{report:?}");
    assert!(!mirrored.shelf.body(A).contains(&secret) && !mirrored.read(A).unwrap().contains(&secret));
    // Also in front matter.
    for head in
        ["title: \"TOKEN\"", "description: \"TOKEN\"", "keys:\n  - \"TOKEN\"", "deep:\n  key: \"TOKEN\""]
    {
        mirrored.write(B, &format!("---\n{}\n---\n\ntext\n", head.replace("TOKEN", &secret)));
        mirrored.sync();
        let file = mirrored.read(B).unwrap();
        assert!(file.ends_with("\ntext\n") && !file.contains(&secret), "{head}: {file}");
    }
}

/// A file that existed before the mirror may be the only copy of its secret.
#[test]
fn a_file_that_was_adopted_with_a_secret_is_not_written_over() {
    let secret = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5uV7wX9yZ1aB3dE5"].concat();
    let mine = format!("the token is {secret}\n");
    let adopted = || {
        let mirrored = Mirrored::new(|new| new.adopt = true);
        mirrored.write(A, &mine);
        mirrored.write(B, "plain\n");
        mirrored
    };
    let stays = |mirrored: &Mirrored, report: &MirrorReport| {
        assert_eq!(mirrored.read(A).as_deref(), Some(mine.as_str()), "{report:?}");
        let told = |note: &&MirrorRemark| note.path == A && note.what.contains("left as it is");
        assert_eq!(report.notes.iter().filter(told).count(), 1, "{report:?}");
        assert!(report.notes.iter().all(|note| !note.what.contains(&secret)), "{report:?}");
    };
    let mirrored = adopted();
    let report = mirrored.sync();
    assert_eq!(counts(&report), "created 2");
    stays(&mirrored, &report);
    assert_eq!(mirrored.shelf.body(A), "the token is [REDACTED:github_token]\n");
    let report = mirrored.sync();
    assert_eq!(counts(&report), "");
    stays(&mirrored, &report);
    // A change that keeps the secret is accepted, and the file stays.
    let more = format!("{mine}and more\n");
    mirrored.write(A, &more);
    assert_eq!(counts(&mirrored.sync()), "taken 1");
    assert_eq!(mirrored.shelf.body(A), "the token is [REDACTED:github_token]\nand more\n");
    assert_eq!(mirrored.read(A).as_deref(), Some(more.as_str()));
    // Without the secret it is an ordinary file.
    mirrored.write(A, "no token\n");
    assert_eq!(counts(&mirrored.sync()), "taken 1");
    let report = mirrored.sync();
    assert_eq!((counts(&report).as_str(), report.notes.len()), ("", 0), "{report:?}");
    mirrored.shelf.put(A, "an agent's\n");
    assert_eq!(counts(&mirrored.sync()), "written 1");
    // Changes of the document are not written to the file, and a new file is masked as usual.
    let mirrored = adopted();
    mirrored.sync();
    mirrored.shelf.put(A, "an agent's\n");
    let report = mirrored.sync();
    assert_eq!(counts(&report), "");
    stays(&mirrored, &report);
    mirrored.shelf.delete(A).unwrap();
    stays(&mirrored, &mirrored.sync());
    mirrored.write("knowledge/facts/c.md", &format!("for the shop, {mine}"));
    mirrored.sync();
    assert!(!mirrored.read("knowledge/facts/c.md").unwrap().contains(&secret));
    // If a document already existed, both texts are kept, and the file stays as well.
    let mirrored = adopted();
    mirrored.shelf.put(A, "an agent's\n");
    let report = mirrored.sync();
    assert_eq!(report.conflicts.len(), 1, "{report:?}");
    stays(&mirrored, &report);
    assert_eq!(mirrored.shelf.body(A), "an agent's\n");
    assert!(!mirrored.read(&report.conflicts[0].what).unwrap().contains(&secret));
    stays(&mirrored, &mirrored.sync());
}

/// Redacts the parts of a document that contain a text, and updates the mirrors.
pub(super) fn redact(mirrored: &Mirrored, path: &str, text: &str) {
    let asked = RecordRedact {
        memory: mirrored.shelf.memory(),
        record: mirrored.shelf.get(path).unwrap().record,
        which: RedactWhich::Match(text.to_owned()),
        reason: "asked for".to_owned(),
    };
    let done =
        block_on(mirrored.shelf.engine.documents.record_redact(&mirrored.shelf.caller, asked)).unwrap();
    assert!(done.places.contains(&"mirror team".to_owned()), "{done:?}");
}

#[test]
fn an_erasure_comes_to_an_adopted_file_only_with_its_own_document() {
    let secret = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5uV7wX9yZ1aB3dE5"].concat();
    let mine = format!("the token is {secret}\n");
    let adopted = |before: Option<&str>| {
        let mirrored = Mirrored::new(|new| new.adopt = true);
        mirrored.write(A, &mine);
        mirrored.write(B, "plain words\n");
        if let Some(text) = before {
            mirrored.shelf.put(A, text);
        }
        let report = mirrored.sync();
        (mirrored, report)
    };
    let lies = |mirrored: &Mirrored, expect: &str| assert_eq!(mirrored.read(A).as_deref(), Some(expect));
    // A redaction of another document, with any intermediate change of its own.
    let (mirrored, _) = adopted(None);
    redact(&mirrored, B, "plain words");
    lies(&mirrored, &mine);
    assert!(!mirrored.read(B).unwrap().contains("plain words"));
    mirrored.shelf.put(A, "an agent's\n");
    mirrored.shelf.put(B, "again others\n");
    redact(&mirrored, B, "again others");
    lies(&mirrored, &mine);
    // A redaction of its own document: the file had the text of an earlier version.
    redact(&mirrored, A, "the token is");
    assert!(!mirrored.read(A).unwrap().contains(&secret));
    mirrored.shelf.put(A, "as any file\n");
    assert_eq!(counts(&mirrored.sync()), "written 1");
    // The document of its name has another text, and the file's text is kept next to it.
    let (mirrored, report) = adopted(Some("an agent's\n"));
    redact(&mirrored, B, "plain words");
    lies(&mirrored, &mine);
    redact(&mirrored, &report.conflicts[0].what, "the token is");
    assert!(mirrored.read(A).unwrap().ends_with("an agent's\n"));
    // An archived document is not an erased one.
    let (mirrored, _) = adopted(None);
    mirrored.shelf.delete(A).unwrap();
    redact(&mirrored, B, "plain words");
    lies(&mirrored, &mine);
}

#[test]
fn an_adopted_file_stays_under_another_name() {
    let secret = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5uV7wX9yZ1aB3dE5"].concat();
    let mine = format!("the token is {secret}\n");
    let mirrored = Mirrored::new(|new| new.adopt = true);
    mirrored.write(A, &mine);
    mirrored.write(B, "plain\n");
    mirrored.sync();
    let (c, d) = ("knowledge/facts/c.md", "knowledge/facts/d.md");
    fs::rename(mirrored.root().join(A), mirrored.root().join(c)).unwrap();
    assert_eq!(counts(&mirrored.sync()), "created 1, waiting 1");
    assert_eq!(mirrored.read(c).as_deref(), Some(mine.as_str()));
    mirrored.later(30);
    assert_eq!(counts(&mirrored.sync()), "put_away 1");
    assert_eq!((mirrored.read(A), mirrored.read(c)), (None, Some(mine.clone())));
    assert_eq!(mirrored.shelf.body(c), "the token is [REDACTED:github_token]\n");
    // A move onto another file.
    fs::rename(mirrored.root().join(c), mirrored.root().join(B)).unwrap();
    mirrored.sync();
    assert_eq!(mirrored.read(B).as_deref(), Some(mine.as_str()));
    // Another text with the same secret is a new file.
    mirrored.write(d, &format!("{mine}and more\n"));
    mirrored.sync();
    assert!(!mirrored.read(d).unwrap().contains(&secret));
}

#[test]
fn a_document_that_no_directory_shows_is_not_taken_for_deleted() {
    let mirrored = Mirrored::new(|_| {});
    mirrored.shelf.put(A, "one\n");
    mirrored.shelf.put("knowledge/facts/draft.tmp", "kept\n");
    for _ in 0..3 {
        let report = mirrored.sync();
        assert_eq!((report.notes.len(), report.put_away), (1, 0), "{report:?}");
        mirrored.later(60);
    }
    assert_eq!(mirrored.shelf.body("knowledge/facts/draft.tmp"), "kept\n");
}

/// The treatment of a file that is no longer readable, and of the files below it.
#[test]
fn what_is_passed_over_is_not_taken_for_deleted() {
    let check = |what: &str, change: &dyn Fn(&Mirrored)| {
        let mirrored = Mirrored::with_documents(3);
        change(&mirrored);
        let before = paths_below(&mirrored.root());
        for _ in 0..3 {
            let report = mirrored.sync();
            assert_eq!((counts(&report).as_str(), report.finding.as_str()), ("", "whole"), "{what}");
            mirrored.later(60);
        }
        assert_eq!((mirrored.live(), paths_below(&mirrored.root())), (3, before), "{what}");
        // The tree's changes do not overwrite it either.
        mirrored.shelf.put(&path(1), "changed\n");
        assert_eq!(counts(&mirrored.sync()), "", "{what}");
    };
    let too_large = "x".repeat(usize::try_from(limits::MIRRORED_FILE_BYTES_MAX).unwrap() + 1);
    check("too large", &|mirrored| mirrored.write(&path(1), &too_large));
    check("a link", &|mirrored| {
        mirrored.delete(&path(1));
        std::os::unix::fs::symlink("/etc/hostname", mirrored.root().join(path(1))).unwrap();
    });
    check("a directory behind a link", &|mirrored| {
        let (facts, away) = (mirrored.root().join("knowledge/facts"), mirrored.folder.path().join("facts"));
        fs::rename(&facts, &away).unwrap();
        std::os::unix::fs::symlink(&away, &facts).unwrap();
    });
    check("another mirror's root", &|mirrored| {
        mirrored.write("knowledge/facts/.loci-mirror", "version 1\nanother's\n");
    });
}

#[test]
fn a_copy_of_a_long_name_stops_nobody() {
    let mirrored = Mirrored::new(|_| {});
    let long = format!("knowledge/facts/{}.md", "语".repeat(65));
    mirrored.shelf.put(&long, "base\n");
    mirrored.sync();
    mirrored.shelf.put(&long, "the agent's\n");
    mirrored.write(&long, "the person's\n");
    mirrored.write(A, "new\n");
    let report = mirrored.sync();
    assert_eq!((report.created, report.conflicts.len(), report.refused.len()), (1, 1, 0), "{report:?}");
    assert_eq!(mirrored.shelf.body(&report.conflicts[0].what), "the person's\n");
}

#[test]
fn what_one_side_added_oddly_is_kept_beside() {
    // The addition in the file, and true if it is merged into the tree's text.
    for (added, is_taken) in [
        ("- two\n- three\n", true),
        ("- two\n\n\n", true),
        ("- two\n\n- three\n", false),
        ("- two\n- two\n", false),
        ("- base\n", false),
    ] {
        let mirrored = Mirrored::new(|new| new.render_ids = true);
        mirrored.shelf.put(A, "# T\n- base\n");
        mirrored.sync();
        mirrored.shelf.put(A, "# T\n- base\n- one\n");
        let file = mirrored.read(A).unwrap();
        mirrored.write(A, &format!("{file}{added}"));
        let report = mirrored.sync();
        assert_eq!((report.taken == 1, report.conflicts.len() == 1), (is_taken, !is_taken), "{added:?}");
    }
}

#[test]
fn directions() {
    let export = Mirrored::new(|new| new.direction = MirrorDirection::Export);
    export.shelf.put(A, "one\n");
    export.sync();
    export.write(A, "mine\n");
    export.write(B, "mine\n");
    let report = export.sync();
    assert_eq!((counts(&report).as_str(), report.notes.len()), ("", 2));
    assert_eq!(export.read(A).unwrap(), "mine\n");
    let import = Mirrored::new(|new| new.direction = MirrorDirection::Import);
    import.shelf.put(A, "one\n");
    assert_eq!(counts(&import.sync()), "");
    import.write(B, "mine\n");
    assert_eq!(counts(&import.sync()), "created 1");
    assert_eq!(import.read(B).unwrap(), "mine\n");
    import.write(B, "mine again\n");
    assert_eq!(counts(&import.sync()), "taken 1");
    assert_eq!((import.shelf.body(B).as_str(), import.status().open_conflicts), ("mine again\n", 0));
}

#[test]
fn quick_edits_of_a_file_without_a_head_are_no_conflicts() {
    let mirrored = Mirrored::new(|new| new.direction = MirrorDirection::TwoWay);
    mirrored.sync();
    for number in 0..3 {
        mirrored.write(A, &format!("edit {number}\n"));
        let report = mirrored.sync();
        assert_eq!(report.conflicts, Vec::new(), "{number}");
    }
    assert_eq!(mirrored.shelf.body(A), "edit 2\n");
}

#[test]
fn a14_names_of_all_scripts_go_round() {
    let names = ["日本語", "العربية", "हिन्दी", "emoji-🎉", "straße", "ışık", "cafe\u{301}"];
    let mirrored = Mirrored::new(|_| {});
    for name in names {
        mirrored.shelf.put(&format!("knowledge/facts/{name}.md"), &format!("{name}\n"));
    }
    assert_eq!(mirrored.sync().written as usize, names.len());
    assert_eq!(counts(&mirrored.sync()), "");
    for name in &names[..6] {
        let path = format!("knowledge/facts/{name}.md");
        let file = mirrored.read(&path).unwrap();
        mirrored.write(&path, &format!("{file}more\n"));
    }
    // Derived forms of a text change with it.
    assert_eq!(counts(&mirrored.sync()), "written 6, taken 6");
    // Two names that some file systems cannot distinguish.
    mirrored.write("knowledge/facts/EMOJI-🎉.md", "other\n");
    assert_eq!(counts(&mirrored.sync()), "refused 1");
    assert_eq!(counts(&mirrored.sync()), "");
}

#[test]
fn a24_a_clock_that_goes_back_changes_nothing() {
    let mirrored = Mirrored::with_documents(4);
    mirrored.shelf.world.clock().put_back_ms(3_600_000);
    mirrored.shelf.put(&path(1), "earlier\n");
    mirrored.write(B, "new\n");
    assert_eq!(counts(&mirrored.sync()), "written 1, created 1");
    mirrored.delete(&path(2));
    assert_eq!(counts(&mirrored.sync()), "waiting 1");
    mirrored.later(31);
    assert_eq!(counts(&mirrored.sync()), "put_away 1");
}

#[test]
fn who_may_do_what() {
    let mirrored = Mirrored::new(|_| {});
    let Shelf { engine, tree, .. } = &mirrored.shelf;
    let memory = &tree.memory;
    let reader = mirrored.shelf.writer(&[Capability::Read]);
    let writer = mirrored.shelf.writer(&[Capability::Read, Capability::Write]);
    let kind = |result: loci_model::Result<MirrorReport>| result.map(|_| ()).map_err(|error| error.kind);
    assert_eq!(kind(block_on(engine.documents.mirror_sync(&reader, memory, "team"))), Err(ErrorKind::Denied));
    assert_eq!(kind(block_on(engine.documents.mirror_sync(&writer, memory, "team"))), Ok(()));
    assert_eq!(
        kind(block_on(engine.documents.mirror_sync(&writer, memory, "none"))),
        Err(ErrorKind::NotFound)
    );
    let stranger = loci_model::principal::Principal { name: "x".to_owned(), grants: Vec::new() };
    assert!(block_on(engine.documents.mirrors_list(&stranger, memory)).is_err());
    assert_eq!(block_on(engine.documents.mirrors_list(&reader, memory)).unwrap().len(), 1);
    let new = mirrored.wanted("second", MirrorKind::Directory);
    let refused = block_on(engine.documents.mirror_add(&writer, new.clone())).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Denied);
    let check = |change: &dyn Fn(&mut NewMirror), field: &str| {
        let mut new = new.clone();
        change(&mut new);
        let error = block_on(engine.documents.mirror_add(&mirrored.shelf.caller, new)).unwrap_err();
        assert_eq!(error.field.as_deref(), Some(field), "{error:?}");
    };
    check(&|new| new.name = "Über".to_owned(), "name");
    check(&|new| new.name = "team".to_owned(), "name");
    check(&|new| new.path = "/etc/x".to_owned(), "path");
    check(&|new| new.path = "../x".to_owned(), "path");
    check(&|new| new.interval_ms = 4_999, "interval");
    check(&|new| new.layout = "flat".to_owned(), "layout");
    check(&|new| new.kind = MirrorKind::S3, "kind");
    block_on(engine.documents.mirror_remove(&mirrored.shelf.caller, memory, "team")).unwrap();
    assert!(block_on(engine.documents.mirrors_list(&reader, memory)).unwrap().is_empty());
}

#[test]
fn what_is_written_past_a_document_is_taken_by_preconditions() {
    let mirrored = Mirrored::new(|_| {});
    mirrored.shelf.put(A, "one\n");
    mirrored.sync();
    // Equal bytes on both sides are in agreement.
    mirrored.shelf.put(A, "two\n");
    mirrored.write(A, "---\ndescription: \"two\"\n---\n\ntwo\n");
    assert_eq!(counts(&mirrored.sync()), "");
    let put = mirrored.shelf.put_as(&mirrored.shelf.caller, Some(A), text("x"), Some(Precondition::Absent));
    assert!(put.is_err());
}
