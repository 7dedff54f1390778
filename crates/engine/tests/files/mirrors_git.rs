//! Mirrors in bare repositories, checked with git.

use std::path::{Path, PathBuf};
use std::process::Command;

use loci_api::documents::mirror::{MirrorPull, PulledFile};
use loci_documents::mirror::NewMirror;
use loci_documents::{DocumentPut, Edit, Precondition, PutContent, RecordRedact, RedactWhich, TreeAsk};
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::idempotency::IfErased;
use loci_model::ActorId;
use loci_model::principal::Principal;
use loci_model::trees::mirror::{MirrorKind, MirrorReport};
use loci_testkit_ports::block_on;

use super::fixture::Shelf;
use super::mirror_erasure::{VERSIONS, mara_forgotten, written_by_mara};
use super::mirrors::Mirrored;

const A: &str = "knowledge/facts/a.md";
const B: &str = "knowledge/skills/b.md";

fn mirrored() -> Mirrored {
    Mirrored::new(|new| new.kind = MirrorKind::Git)
}

/// Returns the output of git.
pub(super) fn git(at: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(at)
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn clone_of(mirrored: &Mirrored, name: &str, more: &[&str]) -> PathBuf {
    let root = mirrored.root();
    let from = format!("file://{}", root.display());
    let arguments = [&["clone", "-q"][..], more, &[from.as_str(), name][..]].concat();
    git(mirrored.folder.path(), &arguments);
    mirrored.folder.path().join(name)
}

pub(super) fn pull(mirrored: &Mirrored, base: &str, files: &[(&str, Option<&str>)]) -> MirrorReport {
    let Shelf { engine, caller, .. } = &mirrored.shelf;
    let file = |(path, content): &(&str, Option<&str>)| PulledFile {
        path: (*path).to_owned(),
        content: content.map(str::to_owned),
        executable: false,
    };
    let pull = MirrorPull { base: base.to_owned(), files: files.iter().map(file).collect() };
    block_on(engine.documents.mirror_pull(caller, &mirrored.shelf.memory(), "team", pull)).unwrap()
}

#[test]
fn one_write_is_one_commit_that_says_who_and_why() {
    let mirrored = mirrored();
    mirrored.shelf.put(A, "one\n");
    mirrored.shelf.edit(A, Edit::Replace { old: "one".to_owned(), new: "two".to_owned() }).unwrap();
    mirrored.shelf.move_to(A, B).unwrap();
    mirrored.shelf.put(A, "another\n");
    mirrored.shelf.delete(A).unwrap();
    assert_eq!(mirrored.sync().commits, 5);
    assert_eq!(mirrored.sync().commits, 0);
    let root = mirrored.root();
    let subjects = git(&root, &["log", "--reverse", "--format=%s|%an|%ae|%cn"]);
    let expect = [
        "memory(facts): create a.md",
        "memory(facts): update a.md",
        "memory(skills): move b.md",
        "memory(facts): create a.md",
        "memory(facts): archive a.md",
    ];
    let expect: Vec<String> =
        expect.iter().map(|one| format!("{one}|tester|tester@loci.local|Loci")).collect();
    assert_eq!(subjects.lines().collect::<Vec<_>>(), expect);
    assert_eq!(git(&root, &["show", &format!("main:{B}")]), "---\ndescription: \"two\"\n---\n\ntwo");
    assert_eq!(git(&root, &["ls-tree", "-r", "--name-only", "main"]), B);
    assert!(git(&root, &["log", "--format=%b", "main~3", "-1"]).starts_with("tidy\n\nupdate"));
    git(&root, &["fsck", "--strict", "--full"]);
    let blamed = git(&root, &["blame", "main", "--", B]);
    assert!(blamed.contains("tester"), "{blamed}");
}

#[test]
fn a_commit_that_makes_a_directory_of_a_file_is_taken_whole() {
    let mirrored = mirrored();
    mirrored.shelf.put(A, "one\n");
    mirrored.shelf.put(B, "other\n");
    let base = mirrored.sync().commit.unwrap();
    let inside = "knowledge/facts/a.md/i.md";
    let check = |base: &str, gone: &str, new: &str, text: &str| {
        let report = pull(&mirrored, base, &[(gone, None), (new, Some(text))]);
        assert_eq!((report.created, report.put_away, report.refused.len()), (1, 1, 0), "{report:?}");
        let root = mirrored.root();
        assert_eq!(git(&root, &["ls-tree", "-r", "--name-only", "main"]), format!("{new}\n{B}"));
        assert!(git(&root, &["show", &format!("main:{new}")]).ends_with(text.trim_end()));
        git(&root, &["fsck", "--strict", "--full"]);
        report.commit.unwrap()
    };
    let base = check(&base, A, inside, "two\n");
    check(&base, inside, A, "three\n");
}

#[test]
fn a_clone_whose_files_are_all_replaced_brings_what_is_new_and_puts_nothing_away() {
    let mirrored = mirrored();
    mirrored.shelf.put(A, "one\n");
    mirrored.shelf.put(B, "other\n");
    let base = mirrored.sync().commit.unwrap();
    let new = "knowledge/facts/new.md";
    let report = pull(&mirrored, &base, &[(A, None), (B, None), (new, Some("three\n"))]);
    assert_eq!((report.created, report.put_away, report.refused.len()), (1, 0, 0), "{report:?}");
    assert!(format!("{:?}", report.notes).contains("what is new is taken"), "{report:?}");
    let root = mirrored.root();
    assert_eq!(git(&root, &["ls-tree", "-r", "--name-only", "main"]), format!("{A}\n{new}\n{B}"));
    for (path, body) in [(A, "one\n"), (B, "other\n"), (new, "three\n")] {
        assert_eq!(mirrored.shelf.body(path), body, "{path}");
    }
    // A repetition changes nothing.
    let again = pull(&mirrored, &base, &[(A, None), (B, None), (new, Some("three\n"))]);
    assert_eq!((again.created, again.put_away, again.conflicts.len()), (0, 0, 0), "{again:?}");
}

#[test]
fn a15_clones_of_all_kinds_and_the_same_ids_again() {
    let mirrored = mirrored();
    for number in 0..100 {
        mirrored.shelf.put(&format!("knowledge/facts/{number}.md"), &format!("document {number}\n"));
        if number % 10 == 0 {
            mirrored.sync();
        }
    }
    mirrored.sync();
    let tip = git(&mirrored.root(), &["rev-parse", "main"]);
    for version in ["0", "2"] {
        let clone =
            clone_of(&mirrored, &format!("v{version}"), &["-c", &format!("protocol.version={version}")]);
        assert_eq!(git(&clone, &["rev-parse", "HEAD"]), tip);
        git(&clone, &["fsck", "--strict", "--full"]);
    }
    let shallow = clone_of(&mirrored, "shallow", &["--depth", "1"]);
    assert_eq!(git(&shallow, &["rev-list", "--count", "HEAD"]), "1");
    mirrored.shelf.put(A, "later\n");
    mirrored.sync();
    git(&shallow, &["pull", "-q"]);
    assert!(shallow.join(A).exists());
    // Pushes are rejected.
    std::fs::write(shallow.join(A), "mine\n").unwrap();
    git(&shallow, &["commit", "-qam", "mine"]);
    let pushed = Command::new("git").current_dir(&shallow).args(["push", "-q", "origin", "main"]).output();
    assert!(!pushed.unwrap().status.success());
    // A full rendering gives the same result.
    let tip = git(&mirrored.root(), &["rev-parse", "main"]);
    std::fs::remove_dir_all(mirrored.root()).unwrap();
    let Shelf { engine, caller, .. } = &mirrored.shelf;
    let again = mirrored.wanted("again", MirrorKind::Git);
    let again = loci_documents::mirror::NewMirror { path: "again.git".to_owned(), ..again };
    block_on(engine.documents.mirror_add(caller, again)).unwrap();
    block_on(engine.documents.mirror_sync(caller, &mirrored.shelf.memory(), "again")).unwrap();
    assert_eq!(git(&mirrored.folder.path().join("again.git"), &["rev-parse", "main"]), tip);
}

/// A name committed in decomposed form (NFD), as on macOS, stays one file through edits, moves and
/// a full rendering.
#[test]
fn a_file_keeps_the_name_under_which_it_was_committed() {
    let mirrored = mirrored();
    mirrored.shelf.put(A, "one\n");
    let base = mirrored.sync().commit.unwrap();
    let (decomposed, composed) = ("gro\u{308}\u{df}e", "gr\u{f6}\u{df}e");
    let note = format!("knowledge/facts/{decomposed}.md");
    let data = format!("knowledge/{decomposed}/{decomposed}.json");
    let files = |root: &Path| -> Vec<String> {
        let listed = git(root, &["-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "main"]);
        listed.lines().map(ToOwned::to_owned).collect()
    };
    let mut expect = vec![A.to_owned(), note.clone(), data.clone()];
    expect.sort();
    let report = pull(&mirrored, &base, &[(&note, Some("# Note\n\nBees.\n")), (&data, Some("{\"a\":1}\n"))]);
    assert!(report.refused.is_empty() && report.conflicts.is_empty(), "{report:?}");
    let clone = clone_of(&mirrored, "clone", &[]);
    assert_eq!(files(&mirrored.root()), expect);
    assert_eq!(std::fs::read_to_string(clone.join(&note)).unwrap(), "# Note\n\nBees.\n");
    // Changed on the other side, and pulled again.
    let at = format!("knowledge/facts/{composed}.md");
    mirrored.shelf.edit(&at, Edit::Replace { old: "Bees".to_owned(), new: "Wasps".to_owned() }).unwrap();
    let base = mirrored.sync().commit.unwrap();
    assert_eq!(files(&mirrored.root()), expect);
    assert!(git(&mirrored.root(), &["show", &format!("main:{note}")]).contains("Wasps"));
    let base = pull(&mirrored, &base, &[(&note, Some("# Note\n\nHornets.\n"))]).commit.unwrap();
    assert_eq!(files(&mirrored.root()), expect);
    assert_eq!(mirrored.sync().commits, 0);
    // A full rendering gives the same result.
    let Shelf { engine, caller, .. } = &mirrored.shelf;
    let again = mirrored.wanted("again", MirrorKind::Git);
    let again = loci_documents::mirror::NewMirror { path: "again.git".to_owned(), ..again };
    block_on(engine.documents.mirror_add(caller, again)).unwrap();
    block_on(engine.documents.mirror_sync(caller, &mirrored.shelf.memory(), "again")).unwrap();
    assert_eq!(files(&mirrored.folder.path().join("again.git")), expect);
    // A commit with the composed name renames it; a deletion deletes the one file.
    let renamed = [(note.as_str(), None), (at.as_str(), Some("# Note\n\nAnts.\n"))];
    pull(&mirrored, &base, &renamed);
    let mut expect = vec![A.to_owned(), at.clone(), data.clone()];
    expect.sort();
    assert_eq!(files(&mirrored.root()), expect);
    mirrored.shelf.delete(&format!("knowledge/{composed}/{composed}.json")).unwrap();
    mirrored.sync();
    assert_eq!(files(&mirrored.root()), [A, at.as_str()]);
}

#[test]
fn writes_within_a_pause_are_one_commit_whenever_they_are_rendered() {
    let ids = |often: bool| {
        let mirrored = Mirrored::new(|new| {
            new.kind = MirrorKind::Git;
            new.debounce_ms = 2_500;
        });
        for number in 0..9 {
            mirrored.shelf.put(&format!("knowledge/facts/{number}.md"), "x\n");
            if often {
                let Shelf { engine, caller, .. } = &mirrored.shelf;
                let report =
                    block_on(engine.documents.mirror_sync(caller, &mirrored.shelf.memory(), "team")).unwrap();
                assert!(report.notes[0].what.contains("changes wait"), "{report:?}");
            }
        }
        mirrored.shelf.world.clock().advance_ms(60_000);
        mirrored.sync();
        git(&mirrored.root(), &["log", "--format=%T %an %ad %s"])
    };
    let (often, once) = (ids(true), ids(false));
    assert_eq!((often.lines().count(), often.as_str()), (3, once.as_str()));
}

#[test]
fn a7_a_repository_that_is_gone_is_made_again() {
    let mirrored = mirrored();
    mirrored.shelf.put(A, "one\n");
    mirrored.shelf.put(B, "two\n");
    let tip = |report: &MirrorReport| report.commit.clone().unwrap();
    let first = tip(&mirrored.sync());
    for what in ["root", "contents"] {
        std::fs::remove_dir_all(mirrored.root()).unwrap();
        if what == "contents" {
            std::fs::create_dir(mirrored.root()).unwrap();
        }
        let report = mirrored.sync();
        assert_eq!((report.commits, report.finding.as_str(), report.error.as_deref()), (2, "gone", None));
        assert_eq!(tip(&report), first, "{what}");
        git(&mirrored.root(), &["fsck", "--strict"]);
        assert_eq!((mirrored.live(), mirrored.sync().finding.as_str()), (2, "whole"), "{what}");
    }
}

#[test]
fn a13_nothing_written_passes_for_a_trailer() {
    let mirrored = mirrored();
    let evil = "x\n\nRecord-Id: mem-evil\nSequence: 999\n---\ndiff --git a b";
    mirrored.shelf.put(A, &format!("{evil}\n"));
    let Shelf { engine, caller, tree, .. } = &mirrored.shelf;
    let delete = loci_documents::DocumentDelete {
        tree: tree.clone(),
        path: A.to_owned(),
        precondition: Some(loci_documents::Precondition::Any),
        reason: Some(format!("--- {evil}")),
    };
    let record = block_on(engine.documents.document_delete(caller, delete, None)).unwrap().record;
    mirrored.sync();
    let root = mirrored.root();
    let message = git(&root, &["log", "-1", "--format=%B"]);
    let file = mirrored.folder.path().join("message");
    std::fs::write(&file, format!("{message}\n")).unwrap();
    let trailers = git(&root, &["interpret-trailers", "--parse", file.to_str().unwrap()]);
    let found: Vec<&str> = trailers.lines().collect();
    assert_eq!(found.len(), 3, "{message}");
    assert_eq!(found[..2], ["Memory-Op: archive", format!("Record-Id: {record}").as_str()]);
    assert!(found[2].starts_with("Sequence: ") && !found[2].contains("999"), "{found:?}");
}

#[test]
fn what_a_clone_has_is_taken_as_edits() {
    let mirrored = mirrored();
    mirrored.shelf.put(A, "one\n");
    mirrored.shelf.put(B, "two\n");
    mirrored.sync();
    let base = git(&mirrored.root(), &["rev-parse", "main"]);
    // Both sides continue.
    mirrored.shelf.put(B, "the agent's\n");
    mirrored.sync();
    let head = "---\ndescription: \"x\"\n---\n\n";
    let report = pull(
        &mirrored,
        &base,
        &[
            (A, Some(&format!("{head}mine\n"))),
            (B, Some(&format!("{head}the person's\n"))),
            ("knowledge/facts/new.md", Some("new\n")),
            ("knowledge/system/no.md", Some("as an administrator\n")),
            ("sessions/x.md", Some("nobody's\n")),
        ],
    );
    assert_eq!((report.taken, report.created, report.conflicts.len(), report.refused.len()), (1, 2, 1, 1));
    assert_eq!(report.refused[0].path, "sessions/x.md");
    assert_eq!(mirrored.shelf.body(A), "mine\n");
    assert_eq!(mirrored.shelf.body(B), "the agent's\n");
    assert_eq!(mirrored.shelf.body(&report.conflicts[0].what), "the person's\n");
    assert!(report.commits >= 3, "{report:?}");
    // A repetition changes nothing.
    let tip = git(&mirrored.root(), &["rev-parse", "main"]);
    let again = pull(&mirrored, &base, &[(A, Some(&format!("{head}mine\n")))]);
    assert_eq!((again.taken, again.created, again.conflicts.len()), (0, 0, 0), "{again:?}");
    assert_eq!(git(&mirrored.root(), &["rev-parse", "main"]), tip);
    // A deletion in a clone, and invalid bases.
    let gone = pull(&mirrored, &tip, &[("knowledge/facts/new.md", None)]);
    assert_eq!(gone.put_away, 1, "{gone:?}");
    let Shelf { engine, caller, .. } = &mirrored.shelf;
    let memory = mirrored.shelf.memory();
    let unknown = "0".repeat(40);
    let pull = MirrorPull { base: unknown.clone(), files: Vec::new() };
    let error = block_on(engine.documents.mirror_pull(caller, &memory, "team", pull)).unwrap_err();
    assert_eq!(error.field.as_deref(), Some("base"));
    let found =
        block_on(engine.documents.mirror_base(caller, &memory, "team", &[unknown, base.clone()])).unwrap();
    assert_eq!(found, Some(base));
}

#[test]
fn a10_what_was_taken_out_is_in_no_object() {
    let mirrored = mirrored();
    let record = mirrored.shelf.put(A, "the marked string zanzibar-42\n").record;
    mirrored.shelf.put(B, "other\n");
    mirrored.sync();
    let Shelf { engine, caller, tree, .. } = &mirrored.shelf;
    let asked = RecordRedact {
        memory: tree.memory.clone(),
        record,
        which: RedactWhich::Match("zanzibar".to_owned()),
        reason: "asked for".to_owned(),
    };
    let done = block_on(engine.documents.record_redact(caller, asked)).unwrap();
    assert!(done.places.iter().any(|place| place.contains("mirror")), "{done:?}");
    let root = mirrored.root();
    git(&root, &["fsck", "--strict", "--full"]);
    let objects = git(&root, &["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]);
    assert!(objects.lines().count() > 3, "{objects}");
    for object in objects.lines() {
        let kind = git(&root, &["cat-file", "-t", object]);
        if kind != "tree" {
            assert!(!git(&root, &["cat-file", "-p", object]).contains("zanzibar"), "{object}");
        }
    }
    // It does not return.
    let base = git(&root, &["rev-parse", "main"]);
    let report = pull(&mirrored, &base, &[("knowledge/facts/c.md", Some("the marked string zanzibar-42\n"))]);
    assert_eq!((report.created, report.refused.len()), (0, 1), "{report:?}");
    let refused = mirrored.shelf.put_as(
        &mirrored.shelf.caller,
        Some("knowledge/facts/d.md"),
        super::fixture::text("the marked string zanzibar-42\n"),
        Some(loci_documents::Precondition::Any),
    );
    assert_eq!(refused.unwrap_err().reason, Some(loci_model::Reason::RedactedContent));
}

#[test]
fn no_clone_brings_a_forgotten_document_back() {
    let mirrored = mirrored();
    mirrored.shelf.put(A, "one\n");
    written_by_mara(&mirrored.shelf);
    let base = mirrored.sync().commit.unwrap();
    mara_forgotten(&mirrored.shelf);
    let [old, new] = VERSIONS;
    let report =
        pull(&mirrored, &base, &[("knowledge/facts/c.md", Some(old)), (A, Some(new)), (B, Some("two\n"))]);
    let mut refused: Vec<&str> = report.refused.iter().map(|one| one.path.as_str()).collect();
    refused.sort_unstable();
    assert_eq!(refused, [A, "knowledge/facts/c.md"], "{report:?}");
    assert_eq!((mirrored.shelf.body(A), mirrored.shelf.body(B)), ("one\n".to_owned(), "two\n".to_owned()));
}

#[test]
fn a_directory_forgets_what_was_taken_out() {
    let mirrored = Mirrored::new(|_| {});
    let record = mirrored.shelf.put(A, "base zanzibar-42\n").record;
    mirrored.sync();
    mirrored.shelf.put(A, "the agent's, zanzibar-42\n");
    mirrored.write(A, "the person's, without\n");
    let beside = mirrored.sync().conflicts[0].what.clone();
    assert!(mirrored.read(&beside).is_some());
    let Shelf { engine, caller, tree, .. } = &mirrored.shelf;
    let asked = RecordRedact {
        memory: tree.memory.clone(),
        record,
        which: RedactWhich::Match("zanzibar".to_owned()),
        reason: "asked for".to_owned(),
    };
    block_on(engine.documents.record_redact(caller, asked)).unwrap();
    assert!(!mirrored.read(A).unwrap().contains("zanzibar"));
}

/// Commits are made from the history of a tree. In memories for code the history loses a forgotten
/// person, and the commits are made again; in others the receipt names the mirror.
#[test]
fn commits_lose_a_forgotten_author_or_the_receipt_names_them() {
    let mirrored = mirrored();
    let Shelf { engine, caller, world, .. } = &mirrored.shelf;
    let code = block_on(engine.verified.code_memory(caller, &CallContext::default())).unwrap();
    let namespace = mirrored.shelf.tree.namespace.clone();
    let wanted = mirrored.wanted("code", MirrorKind::Git);
    let new = NewMirror { memory: code.clone(), path: "code".to_owned(), ..wanted };
    block_on(engine.documents.mirror_add(caller, new)).unwrap();
    let pauline = Principal::administrator("pauline");
    for (memory, name, path, is_made_anew) in
        [(mirrored.shelf.memory(), "team", "m", false), (code, "code", "code", true)]
    {
        for by in [caller, &pauline] {
            let put = DocumentPut {
                tree: TreeAsk { memory: memory.clone(), namespace: namespace.clone() },
                path: Some(A.to_owned()),
                content: PutContent::File(format!("A note by hand: {}\n", by.grants.len() + by.name.len())),
                precondition: Some(Precondition::Any),
                reason: None,
            };
            block_on(engine.documents.document_put_if_erased(by, put, None, IfErased::Answer)).unwrap();
        }
        world.clock().advance_ms(1_000);
        block_on(engine.documents.mirror_sync(caller, &memory, name)).unwrap();
        let root = mirrored.folder.path().join(path);
        let log = || git(&root, &["log", "--format=%an|%ae|%B"]);
        assert!(log().contains("pauline|pauline@loci.local"), "{}", log());
        let whom = ActorId::parse("pauline").unwrap();
        let receipt = block_on(engine.forget_actor(caller, &memory, &whom)).unwrap();
        let line = format!("mirror {name}: its commits keep the person as their author");
        assert_eq!(
            receipt.unreachable.iter().any(|one| one.starts_with(&line)),
            !is_made_anew,
            "{receipt:?}"
        );
        assert_eq!(receipt.mirrors.contains(&name.to_owned()), is_made_anew, "{receipt:?}");
        assert_eq!(log().contains("pauline"), !is_made_anew, "{}", log());
        assert_eq!(log().contains("\nerased-") || log().starts_with("erased-"), is_made_anew, "{}", log());
        assert!(log().contains("tester|tester@loci.local"), "{}", log());
        git(&root, &["fsck", "--strict", "--full"]);
    }
}
