//! Separation of mirrors: of two tenants, of two servers, and of a directory that returns.

use std::fs;
use std::sync::Arc;

use loci_api::documents::mirror::MirrorPull;
use loci_documents::mirror::NewMirror;
use loci_engine::memories::NewMemory;
use loci_engine::{EngineParts, EngineSettings};
use loci_engine_testkit::LocalPlaces;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::trees::mirror::{MirrorDirection, MirrorKind, MirrorReport};
use loci_model::{ErrorKind, MemoryId};
use loci_products::Loci;
use loci_testkit_ports::OpenVault;
use loci_testkit_ports::{SeededIds, block_on};

use super::mirrors::Mirrored;

const A: &str = "knowledge/facts/a.md";
const B: &str = "knowledge/facts/b.md";

/// Returns a caller with all rights on another memory only.
fn bob(mirrored: &Mirrored) -> (Principal, MemoryId) {
    let new = NewMemory { name: "bobs".to_owned(), event_expiry_days: 30, ..NewMemory::default() };
    let shelf = &mirrored.shelf;
    let memory = block_on(shelf.engine.memory_create(&shelf.caller, new, None)).unwrap().id;
    let capabilities = [Capability::Read, Capability::Write, Capability::Admin].into_iter().collect();
    let grant = Grant { memory: Some(memory.clone()), capabilities, ..Grant::everything() };
    (Principal { name: "bob".to_owned(), grants: vec![grant] }, memory)
}

#[test]
fn nobody_reads_a_repository_through_a_mirror_of_his_own() {
    let mirrored = Mirrored::new(|new| new.kind = MirrorKind::Git);
    mirrored.shelf.put(A, "alice's\n");
    let commit = mirrored.sync().commit.unwrap();
    let engine = &mirrored.shelf.engine;
    let own = block_on(engine.documents.mirror_repository(
        &mirrored.shelf.caller,
        &mirrored.shelf.memory(),
        "team",
    ));
    assert!(own.is_ok(), "{own:?}");
    let (bob, memory) = bob(&mirrored);
    let new = NewMirror {
        memory: memory.clone(),
        path: "b.git".to_owned(),
        ..mirrored.wanted("b", MirrorKind::Git)
    };
    block_on(engine.documents.mirror_add(&bob, new)).unwrap();
    let theirs = mirrored.folder.path().join(memory.as_str()).join("b.git");
    fs::create_dir_all(theirs.parent().unwrap()).unwrap();
    fs::rename(mirrored.root(), theirs).unwrap();
    let repository =
        block_on(engine.documents.mirror_repository(&bob, &memory, "b")).map_err(|error| error.kind);
    assert_eq!(repository, Err(ErrorKind::NotFound));
    let base = block_on(engine.documents.mirror_base(&bob, &memory, "b", std::slice::from_ref(&commit)))
        .map_err(|error| error.kind);
    assert_eq!(base, Err(ErrorKind::NotFound));
    let pull = MirrorPull { base: commit, files: Vec::new() };
    let pulled = block_on(engine.documents.mirror_pull(&bob, &memory, "b", pull)).map_err(|error| error.kind);
    assert_eq!(pulled.map(drop), Err(ErrorKind::NotFound));
    assert_eq!(block_on(engine.documents.mirror_sync(&bob, &memory, "b")).unwrap().finding, "not_ours");
}

#[test]
fn a_mirror_lies_in_no_other_and_holds_none() {
    let mirrored = Mirrored::new(|new| new.path = "a/b".to_owned());
    let (_, memory) = bob(&mirrored);
    // Only an administrator of the server may use another memory's mirror.
    let caller = mirrored.shelf.caller.clone();
    let check = |path: &str, expect: Option<&str>| {
        for kind in [MirrorKind::Directory, MirrorKind::Git] {
            let wanted = mirrored.wanted(&format!("x{}", path.len()), kind);
            let new = NewMirror { memory: memory.clone(), path: path.to_owned(), ..wanted };
            let made = block_on(mirrored.shelf.engine.documents.mirror_add(&caller, new));
            assert_eq!(
                made.as_ref().err().and_then(|error| error.field.as_deref()),
                expect,
                "{path} {made:?}"
            );
            if let Ok(made) = made {
                block_on(mirrored.shelf.engine.documents.mirror_remove(&caller, &memory, &made.name))
                    .unwrap();
            }
        }
    };
    check("a/b", Some("path"));
    check("a/./b", Some("path"));
    check("a/b/c", Some("path"));
    check("a", Some("path"));
    check("a/bc", None);
    check("a/c", None);
}

#[test]
fn a_memory_has_its_folder_and_sees_no_others() {
    let mirrored = Mirrored::new(|_| ());
    mirrored.shelf.put(A, "alice's\n");
    mirrored.sync();
    let (bob, memory) = bob(&mirrored);
    let engine = &mirrored.shelf.engine;
    let add = |path: &str, name: &str| {
        let wanted = mirrored.wanted(name, MirrorKind::Directory);
        let new = NewMirror { memory: memory.clone(), path: path.to_owned(), adopt: true, ..wanted };
        block_on(engine.documents.mirror_add(&bob, new)).map_err(|error| (error.kind, error.message))
    };
    // The same name means another directory: Alice's mirror is neither used nor revealed.
    let made = add("m", "mine").unwrap();
    assert_eq!(made.path, format!("{memory}/m"));
    assert_eq!(block_on(engine.documents.mirror_sync(&bob, &memory, "mine")).unwrap().taken, 0);
    let alices = mirrored.folder.path().join("m");
    let absolute = |path: &std::path::Path| add(path.to_str().unwrap(), "x").unwrap_err();
    assert_eq!(
        absolute(&alices),
        absolute(&alices.with_file_name("free")),
        "a place in use looks like a free one"
    );
    assert_eq!(absolute(&alices).0, ErrorKind::Invalid);
    // The files of a removed mirror of a deleted memory belong to no one else, at any later path.
    let (shelf, alice) = (&mirrored.shelf, &mirrored.shelf.caller);
    block_on(engine.documents.mirror_remove(alice, &shelf.memory(), "team")).unwrap();
    block_on(engine.memory_delete(alice, &shelf.memory(), None)).unwrap();
    fs::rename(&alices, mirrored.folder.path().join(memory.as_str()).join("left")).unwrap();
    add("left", "left").unwrap();
    let report = block_on(engine.documents.mirror_sync(&bob, &memory, "left")).unwrap();
    assert_eq!((report.finding.as_str(), report.taken), ("not_empty", 0), "{report:?}");
}

#[test]
fn a_mirror_begins_in_no_other_that_came_meanwhile() {
    let mirrored = Mirrored::new(|new| new.path = "m/deep".to_owned());
    mirrored.write(".loci-mirror", "version 1\nanother instance's\n");
    let synced = block_on(mirrored.shelf.engine.documents.mirror_sync(
        &mirrored.shelf.caller,
        &mirrored.shelf.memory(),
        "team",
    ));
    assert_eq!(synced.unwrap_err().field.as_deref(), Some("path"));
    assert!(!mirrored.root().join("deep").exists());
}

#[test]
fn a_directory_that_comes_back_is_anothers() {
    for (kind, finding) in [(MirrorKind::Directory, "not_ours"), (MirrorKind::Git, "not_ours")] {
        let mirrored = Mirrored::new(|new| new.kind = kind);
        mirrored.shelf.put(A, "one\n");
        mirrored.shelf.put(B, "two\n");
        mirrored.sync();
        let away = mirrored.folder.path().join("away");
        // It is not mounted, and a replacement directory is in use instead.
        fs::rename(mirrored.root(), &away).unwrap();
        if kind == MirrorKind::Git {
            let made =
                loci_engine_testkit::LocalPlaces::new(mirrored.folder.path().to_owned(), &[".".into()]);
            drop(loci_model::ports::files::FilePlaces::open(&made, kind, "m", false).unwrap());
        }
        mirrored.sync();
        mirrored.shelf.put(A, "later\n");
        mirrored.shelf.put("knowledge/facts/c.md", "three\n");
        assert_eq!(mirrored.sync().refused, Vec::new());
        fs::remove_dir_all(mirrored.root()).unwrap();
        fs::rename(&away, mirrored.root()).unwrap();
        for _ in 0..3 {
            mirrored.shelf.world.clock().advance_ms(60_000);
            let report = mirrored.sync();
            assert_eq!(
                (report.finding.as_str(), report.taken, report.put_away),
                (finding, 0, 0),
                "{report:?}"
            );
        }
        assert_eq!(mirrored.shelf.body(A), "later\n");
        assert_eq!(mirrored.shelf.body("knowledge/facts/c.md"), "three\n");
    }
}

/// Returns another server on the same store with its own disks.
fn other_server(mirrored: &Mirrored, folder: &std::path::Path) -> Loci {
    let (store, clock) = (mirrored.shelf.world.store(), Arc::new(mirrored.shelf.world.clock()));
    let parts = EngineParts::quiet(store, None, clock, Arc::new(SeededIds::new(9)), Arc::new(OpenVault));
    let files = Some(Arc::new(LocalPlaces::new(folder.to_owned(), &[".".into()])) as _);
    Loci::new(EngineParts { files, ..parts }, EngineSettings::default())
}

#[test]
fn a_mirror_is_kept_where_its_disks_are() {
    for kind in [MirrorKind::Directory, MirrorKind::Git] {
        let mirrored = Mirrored::new(|new| new.kind = kind);
        mirrored.shelf.put(A, "one\n");
        mirrored.sync();
        let folder = tempfile::tempdir().unwrap();
        let other = other_server(&mirrored, folder.path());
        let (caller, memory) = (&mirrored.shelf.caller, mirrored.shelf.memory());
        let sync = |engine: &Loci| -> loci_model::Result<MirrorReport> {
            block_on(engine.documents.mirror_sync(caller, &memory, "team"))
        };
        let refused = sync(&other).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Conflict, "{refused:?}");
        assert!(!folder.path().join("m/knowledge").exists());
        mirrored.shelf.world.clock().advance_ms(60_000);
        let report = mirrored.sync();
        assert_eq!((report.finding.as_str(), report.written, report.put_away), ("whole", 0, 0));
        // The server that creates the mirror again keeps it on its own disk.
        block_on(other.documents.mirror_remove(caller, &memory, "team")).unwrap();
        block_on(other.documents.mirror_add(caller, mirrored.wanted("team", kind))).unwrap();
        assert_eq!(sync(&other).unwrap().written, 1);
        assert_eq!(sync(&mirrored.shelf.engine).unwrap_err().kind, ErrorKind::Conflict);
    }
}

#[test]
fn a_mirror_is_made_again_where_one_was_removed() {
    for (adopt, finding) in [(false, "not_empty"), (true, "whole")] {
        let mirrored = Mirrored::new(|_| {});
        mirrored.shelf.put(A, "one\n");
        mirrored.sync();
        let (engine, caller) = (&mirrored.shelf.engine, &mirrored.shelf.caller);
        block_on(engine.documents.mirror_remove(caller, &mirrored.shelf.memory(), "team")).unwrap();
        let again = NewMirror { adopt, ..mirrored.wanted("team", MirrorKind::Directory) };
        block_on(engine.documents.mirror_add(caller, again)).unwrap();
        let report = mirrored.sync();
        assert_eq!((report.finding.as_str(), report.written), (finding, 0), "{report:?}");
    }
}

/// Removes the mirror, creates it again in its folder, and syncs it.
fn made_again(mirrored: &Mirrored, layout: &str) -> MirrorReport {
    let (engine, caller) = (&mirrored.shelf.engine, &mirrored.shelf.caller);
    block_on(engine.documents.mirror_remove(caller, &mirrored.shelf.memory(), "team")).unwrap();
    let wanted = mirrored.wanted("team", MirrorKind::Directory);
    let again = NewMirror { adopt: true, layout: layout.to_owned(), ..wanted };
    block_on(engine.documents.mirror_add(caller, again)).unwrap();
    mirrored.sync()
}

/// Returns the numbers of files that changed in either direction, and of conflicts and rejections.
fn moved(report: &MirrorReport) -> [u64; 5] {
    let (conflicts, refused) = (report.conflicts.len() as u64, report.refused.len() as u64);
    [report.written, report.taken, report.created, conflicts, refused]
}

#[test]
fn a_folder_that_is_adopted_again_knows_the_files_that_stay() {
    let secret = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5uV7wX9yZ1aB3dE5"].concat();
    let mine = format!("the token is {secret}\n");
    let mirrored = Mirrored::new(|new| new.adopt = true);
    mirrored.write(A, &mine);
    mirrored.write(B, "plain\n");
    assert_eq!(moved(&mirrored.sync()), [0, 0, 2, 0, 0]);
    // It stays unchanged, even if the folder is adopted several times.
    let rests = |text: &str, documents: usize| {
        for report in [made_again(&mirrored, "native"), mirrored.sync(), made_again(&mirrored, "native")] {
            assert_eq!(moved(&report), [0; 5], "{report:?}");
            let told = |path: &str| report.notes.iter().any(|note| note.path == path);
            assert!(told(A), "{report:?}");
            assert_eq!(mirrored.read(A).as_deref(), Some(text));
        }
        assert_eq!(mirrored.live(), documents);
    };
    rests(&mine, 2);
    // Its next edit is accepted as before.
    let more = format!("{mine}and more\n");
    mirrored.write(A, &more);
    assert_eq!(moved(&mirrored.sync()), [0, 1, 0, 0, 0]);
    assert_eq!(mirrored.shelf.body(A), "the token is [REDACTED:github_token]\nand more\n");
    // The document changes without the file, which has the text of an earlier version.
    mirrored.shelf.put(A, "an agent's\n");
    rests(&more, 2);
    assert_eq!(mirrored.shelf.body(A), "an agent's\n");
    // A file that changed on both sides is kept next to it, once.
    let other = format!("{mine}and else\n");
    mirrored.write(A, &other);
    assert_eq!(mirrored.sync().conflicts.len(), 1);
    rests(&other, 3);
}

#[test]
fn a_folder_that_is_adopted_again_follows_its_documents() {
    let (moved, gone) = ("knowledge/facts/c.md", "knowledge/facts/gone.md");
    let edited = "knowledge/facts/mine.md";
    for direction in [MirrorDirection::TwoWay, MirrorDirection::Export] {
        let mirrored = Mirrored::new(|_| {});
        let shelf = &mirrored.shelf;
        for path in [A, B, gone, edited] {
            shelf.put(path, &format!("the first text of {path}\n"));
        }
        mirrored.sync();
        block_on(shelf.engine.documents.mirror_remove(&shelf.caller, &shelf.memory(), "team")).unwrap();
        for path in [A, A, gone, edited] {
            let version = shelf.get(path).unwrap().version + 1;
            shelf.put(path, &format!("text {version} of {path}\n"));
        }
        shelf.move_to(B, moved).unwrap();
        shelf.delete(gone).unwrap();
        mirrored.write(edited, "a person's\n");
        let wanted = mirrored.wanted("team", MirrorKind::Directory);
        let again = NewMirror { adopt: true, direction, ..wanted };
        block_on(shelf.engine.documents.mirror_add(&shelf.caller, again)).unwrap();
        let report = mirrored.sync();
        // A file of an earlier mirror follows the tree; a person's text is never replaced.
        let text = |path: &str| mirrored.read(path).unwrap_or_default();
        assert!(text(A).ends_with(&format!("text 3 of {A}\n")), "{direction:?}: {}", text(A));
        assert_eq!(mirrored.read(B), None, "{direction:?}: {report:?}");
        assert!(text(moved).ends_with(&format!("the first text of {B}\n")), "{direction:?}: {report:?}");
        assert!(shelf.get(gone).is_err(), "{direction:?}: {report:?}");
        let conflicts = usize::from(direction == MirrorDirection::TwoWay);
        assert_eq!((report.conflicts.len(), mirrored.live()), (conflicts, 3 + conflicts), "{report:?}");
        assert_eq!(text(edited) == "a person's\n", direction == MirrorDirection::Export, "{report:?}");
    }
}

#[test]
fn a_coding_agents_folder_that_is_adopted_again_makes_no_conflict() {
    let secret = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5uV7wX9yZ1aB3dE5"].concat();
    let layout = "claude-memory";
    let mirrored = Mirrored::new(|new| (new.layout, new.adopt) = (layout.to_owned(), true));
    let topic = format!(
        "---\nname: deploy\ndescription: how\nmetadata:\n  type: project\n---\n\nThe token is {secret}\n"
    );
    let index = format!("# Memory\n\n- [Deploy](deploy.md) — how\n- the other token is {secret}\n");
    mirrored.write("MEMORY.md", &index);
    mirrored.write("deploy.md", &topic);
    mirrored.sync();
    let documents = mirrored.live();
    for report in [made_again(&mirrored, layout), mirrored.sync(), made_again(&mirrored, layout)] {
        assert!(report.conflicts.is_empty() && report.refused.is_empty(), "{report:?}");
        assert_eq!((report.created, mirrored.live()), (0, documents), "{report:?}");
        assert_eq!(mirrored.read("MEMORY.md").unwrap(), index);
        assert_eq!(mirrored.read("deploy.md").unwrap(), topic);
    }
}

#[test]
fn a_document_and_the_directory_of_its_name_both_lie_in_a_mirror() {
    let mirrored = Mirrored::new(|_| {});
    mirrored.shelf.put("knowledge/facts", "mine\n");
    mirrored.shelf.records("/team", vec![mirrored.shelf.fact("Bees are kept on the roof.")]);
    let report = mirrored.sync();
    assert_eq!((report.written, report.notes.len(), report.refused.len()), (2, 0, 0), "{report:?}");
    assert_eq!(mirrored.read("knowledge/facts").as_deref(), Some("mine\n"));
    let beside = fs::read_dir(mirrored.root().join("knowledge/facts-2")).unwrap();
    assert_eq!(beside.count(), 1, "{report:?}");
}

#[test]
fn what_lies_in_the_way_is_named_until_it_is_gone() {
    let mirrored = Mirrored::new(|new| new.adopt = true);
    let (inside, alone) = ("knowledge/a/b.md", "knowledge/c.md");
    mirrored.shelf.put(inside, "one\n");
    mirrored.shelf.put(alone, "two\n");
    mirrored.write("knowledge/a", "mine\n");
    fs::create_dir_all(mirrored.root().join(alone)).unwrap();
    for _ in 0..2 {
        let report = mirrored.sync();
        for (path, lies) in
            [(inside, "knowledge/a is no directory"), (alone, "knowledge/c.md is a directory")]
        {
            let note = report.notes.iter().find(|note| note.path == path).unwrap();
            assert!(note.what.contains(lies) && note.what.contains("away"), "{report:?}");
        }
        assert_eq!(mirrored.read("knowledge/a").as_deref(), Some("mine\n"));
    }
    fs::remove_dir(mirrored.root().join(alone)).unwrap();
    fs::remove_file(mirrored.root().join("knowledge/a")).unwrap();
    let report = mirrored.sync();
    assert_eq!((report.written, report.notes.len()), (2, 0), "{report:?}");
}
