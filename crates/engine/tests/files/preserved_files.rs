//! Files that people wrote in a mirror stay unchanged: bytes, line ends, modes and names, in
//! directories and in clones.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use loci_api::documents::mirror::{MirrorPull, PulledFile};
use loci_documents::Edit;
use loci_model::trees::mirror::MirrorKind;
use loci_testkit_ports::block_on;

use super::mirrors::Mirrored;
use super::mirrors_git::git;

/// Files of people, each with its mode.
const WRITTEN: [(&str, &str, u32); 16] = [
    ("knowledge/data.json", "{\"a\":1}\n", 0o644),
    ("knowledge/people.csv", "id,name\r\n1,Ann\r\n", 0o600),
    ("knowledge/skills/deploy/run.sh", "#!/bin/sh\necho hi\n", 0o755),
    ("knowledge/skills/deploy/config.yaml", "---\na: 1\n---\nb: 2\n", 0o640),
    ("knowledge/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: how\n---\n\nRun run.sh\n", 0o644),
    ("knowledge/plain.md", "# Note\n\nBees are kept on the roof.\n", 0o644),
    ("knowledge/head.md", "---\n# a remark\ntitle:   'T'\ntags: [a, b]\n---\nno line between", 0o644),
    ("knowledge/windows.md", "---\r\ntitle: W\r\n---\r\n\r\none\r\ntwo\r\n", 0o644),
    ("knowledge/windows-plain.md", "one\r\ntwo\r\n", 0o644),
    ("knowledge/marked.md", "\u{feff}---\ntitle: B\n---\n\nx\n", 0o644),
    ("knowledge/unended.txt", "no end", 0o644),
    ("knowledge/odd.bin", "\u{1}\u{2}\u{fffd}\u{7f}\n\u{85}", 0o644),
    ("knowledge/broken.md", "---\nname: [broken\n---\nbody\n", 0o644),
    ("knowledge/empty.md", "", 0o644),
    ("knowledge/rules.md", "# Notes\n\n---\n\nbelow a rule\n", 0o644),
    ("knowledge/Makefile", "all:\n\techo hi\n", 0o644),
];

/// A file that Loci created.
const MADE: &str = "knowledge/made.md";

fn put(root: &Path, path: &str, content: &str, mode: u32) {
    let place = root.join(path);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(&place, content).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(place: &Path) -> u32 {
    fs::metadata(place).unwrap().permissions().mode() & 0o777
}

fn text_of(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).unwrap()
}

/// Returns a mirror with the files of people.
fn written() -> Mirrored {
    let mirrored = Mirrored::new(|new| new.adopt = true);
    fs::create_dir_all(mirrored.root()).unwrap();
    fs::set_permissions(mirrored.root(), fs::Permissions::from_mode(0o755)).unwrap();
    for (path, content, mode) in WRITTEN {
        put(&mirrored.root(), path, content, mode);
    }
    let report = mirrored.sync();
    assert_eq!((report.created as usize, report.refused.len()), (WRITTEN.len(), 0), "{report:?}");
    mirrored
}

/// Returns the directory of another mirror of the same tree.
fn copied(mirrored: &Mirrored, name: &str, kind: MirrorKind) -> PathBuf {
    let engine = &mirrored.shelf.engine;
    let new = loci_documents::mirror::NewMirror { path: name.to_owned(), ..mirrored.wanted(name, kind) };
    block_on(engine.documents.mirror_add(&mirrored.shelf.caller, new)).unwrap();
    resync(mirrored, name);
    mirrored.folder.path().join(name)
}

fn resync(mirrored: &Mirrored, name: &str) {
    let shelf = &mirrored.shelf;
    shelf.world.clock().advance_ms(1_000);
    let report = block_on(shelf.engine.documents.mirror_sync(&shelf.caller, &shelf.memory(), name)).unwrap();
    assert_eq!(report.error, None);
}

#[test]
fn every_kind_of_file_comes_back_byte_for_byte() {
    let mirrored = written();
    let report = mirrored.sync();
    assert_eq!((report.written, report.taken, report.created), (0, 0, 0), "{report:?}");
    let copy = copied(&mirrored, "copy", MirrorKind::Directory);
    let bare = copied(&mirrored, "bare", MirrorKind::Git);
    for (path, content, as_written) in WRITTEN {
        assert_eq!(text_of(&mirrored.root(), path), content, "{path}");
        assert_eq!(mode(&mirrored.root().join(path)), as_written, "{path}");
        assert_eq!(text_of(&copy, path), content, "{path}");
        let may_run = as_written & 0o100 != 0;
        assert_eq!(mode(&copy.join(path)) & 0o100 != 0, may_run, "{path}");
        let lies = git(&bare, &["ls-tree", "main", path]);
        assert!(lies.starts_with(if may_run { "100755" } else { "100644" }), "{lies}");
        let blob = git(&mirrored.folder.path().join("bare"), &["rev-parse", &format!("main:{path}")]);
        let file = mirrored.root().join(path);
        assert_eq!(git(&bare, &["hash-object", "--no-filters", file.to_str().unwrap()]), blob, "{path}");
    }
    // It is parsed nevertheless.
    let shown = mirrored.shelf.get("knowledge/head.md").unwrap();
    assert_eq!((shown.content.title.as_deref(), shown.content.body.as_str()), (Some("T"), "no line between"));
    let shown = mirrored.shelf.get("knowledge/data.json").unwrap();
    assert_eq!((shown.content.body.as_str(), shown.content.is_raw), ("{\"a\":1}\n", true));
}

#[test]
fn what_is_written_over_keeps_its_mode_and_line_ends() {
    let mirrored = written();
    let check = |path: &str, edit: Edit, expect: &str, expect_mode: u32| {
        mirrored.shelf.edit(path, edit).unwrap();
        mirrored.sync();
        assert_eq!(text_of(&mirrored.root(), path), expect, "{path}");
        assert_eq!(mode(&mirrored.root().join(path)), expect_mode, "{path}");
    };
    let append = |text: &str| Edit::Append { text: text.to_owned() };
    check("knowledge/people.csv", append("2,Bob"), "id,name\r\n1,Ann\r\n2,Bob\r\n", 0o600);
    let run = "knowledge/skills/deploy/run.sh";
    check(run, append("echo ho"), "#!/bin/sh\necho hi\necho ho\n", 0o755);
    let windows = "---\r\ntitle: W\r\n---\r\n\r\none\r\ntwo\r\nthree\r\n";
    check("knowledge/windows.md", append("three"), windows, 0o644);
    check("knowledge/plain.md", append("x"), "# Note\n\nBees are kept on the roof.\nx\n", 0o644);
    // A new file gets the permissions of its directory.
    mirrored.shelf.put("knowledge/skills/new.md", "new\n");
    mirrored.shelf.move_to(run, "knowledge/skills/moved.sh").unwrap();
    mirrored.sync();
    let root = mirrored.root();
    let umask = 0o777 & !mode(&root.join("knowledge/skills")) & 0o077;
    assert_eq!(mode(&root.join("knowledge/skills/new.md")), 0o644 & !umask);
    // A moved file keeps its permissions.
    assert_eq!(mode(&root.join("knowledge/skills/moved.sh")), 0o755);
    assert!(!root.join(run).exists());
}

#[test]
fn what_comes_from_a_file_keeps_its_mode() {
    let mirrored = written();
    let root = mirrored.root();
    let check = |from: &str, to: &str, expect: u32| {
        mirrored.shelf.move_to(from, to).unwrap();
        mirrored.sync();
        assert!(!root.join(from).is_file(), "{from}");
        assert_eq!(mode(&root.join(to)), expect, "{to}");
    };
    check("knowledge/people.csv", "knowledge/team/people.csv", 0o600);
    // The file's path becomes a directory: the file is removed before its new path is created.
    check("knowledge/team/people.csv", "knowledge/team/people.csv/all.csv", 0o600);
    // Moved and changed.
    let config = "knowledge/skills/deploy/config.yaml";
    mirrored.shelf.edit(config, Edit::Append { text: "c: 3".to_owned() }).unwrap();
    check(config, "knowledge/config.yaml", 0o640);
    // Kept next to the version changed on the other side.
    let plain = "knowledge/plain.md";
    let edit = Edit::Replace { old: "Bees".to_owned(), new: "Wasps".to_owned() };
    mirrored.shelf.edit(plain, edit).unwrap();
    put(&root, plain, "# Note\n\nAnts are kept on the roof.\n", 0o600);
    let report = mirrored.sync();
    assert_eq!(report.conflicts.len(), 1, "{report:?}");
    let beside = &report.conflicts[0].what;
    assert!(text_of(&root, beside).ends_with("Ants are kept on the roof.\n"));
    assert_eq!(mode(&root.join(beside)), 0o600);
    assert_eq!(mode(&root.join(plain)), 0o600);
}

#[test]
fn a_mode_alone_is_taken_from_a_mirror_and_to_another() {
    let mirrored = written();
    let copy = copied(&mirrored, "copy", MirrorKind::Directory);
    let path = "knowledge/plain.md";
    let check = |given: u32, expect: bool| {
        fs::set_permissions(mirrored.root().join(path), fs::Permissions::from_mode(given)).unwrap();
        assert_eq!(mirrored.sync().taken, 1);
        assert_eq!(mirrored.sync().taken, 0);
        resync(&mirrored, "copy");
        assert_eq!(mode(&mirrored.root().join(path)), given);
        assert_eq!(mode(&copy.join(path)) & 0o111 != 0, expect, "{given:o}");
        assert_eq!(text_of(&copy, path), "# Note\n\nBees are kept on the roof.\n");
    };
    check(0o755, true);
    check(0o644, false);
}

#[test]
fn a_name_keeps_its_spelling_on_a_disk() {
    let mirrored = Mirrored::new(|_| {});
    mirrored.sync();
    let (composed, decomposed) = ("knowledge/caf\u{e9}/e\u{301}.md", "knowledge/cafe\u{301}/e\u{301}.md");
    put(&mirrored.root(), decomposed, "one\n", 0o644);
    assert_eq!(mirrored.sync().created, 1);
    let files = || walk(&mirrored.root().join("knowledge"));
    assert_eq!(files(), [mirrored.root().join(decomposed)]);
    assert_eq!(mirrored.shelf.get(composed).unwrap().content.body, "one\n");
    // Both directions, and a new file next to it.
    mirrored.shelf.edit(composed, Edit::Append { text: "two".to_owned() }).unwrap();
    mirrored.sync();
    assert_eq!(text_of(&mirrored.root(), decomposed), "one\ntwo\n");
    put(&mirrored.root(), decomposed, "one\ntwo\nthree\n", 0o644);
    assert_eq!(mirrored.sync().taken, 1);
    assert_eq!(mirrored.shelf.get(composed).unwrap().content.body, "one\ntwo\nthree\n");
    mirrored.shelf.put("knowledge/caf\u{e9}/b.md", "b\n");
    mirrored.sync();
    assert_eq!(files().len(), 2, "{:?}", files());
    assert!(mirrored.root().join("knowledge/cafe\u{301}/b.md").exists());
    // A disk that normalizes a file's name differently changes nothing.
    mirrored.shelf.put("knowledge/\u{fc}.md", "u\n");
    mirrored.sync();
    let renamed = mirrored.root().join("knowledge/u\u{308}.md");
    fs::rename(mirrored.root().join("knowledge/\u{fc}.md"), &renamed).unwrap();
    let report = mirrored.sync();
    assert_eq!((report.written, report.created, report.moved, report.waiting_deletes), (0, 0, 0, 0));
    assert_eq!(files().len(), 3, "{:?}", files());
    mirrored.shelf.delete("knowledge/\u{fc}.md").unwrap();
    mirrored.sync();
    assert!(!renamed.exists());
}

fn walk(place: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(place).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(walk(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn what_was_committed_in_a_clone_is_committed_as_it_is() {
    let mirrored = Mirrored::new(|new| new.kind = MirrorKind::Git);
    mirrored.shelf.put(MADE, "hello\n");
    let base = mirrored.sync().commit.unwrap();
    let made = git(&mirrored.root(), &["show", &format!("main:{MADE}")]);
    let edited = format!("{}\n", made.replace("\n\nhello", "\n\nhello there"));
    let mut files: Vec<(&str, &str, bool)> =
        WRITTEN.iter().map(|(path, content, mode)| (*path, *content, mode & 0o100 != 0)).collect();
    files.push((MADE, &edited, false));
    let pulled = |(path, content, executable): &(&str, &str, bool)| PulledFile {
        path: (*path).to_owned(),
        content: Some((*content).to_owned()),
        executable: *executable,
    };
    let pull = |base: &str, files: &[(&str, &str, bool)]| {
        let shelf = &mirrored.shelf;
        shelf.world.clock().advance_ms(1_000);
        let pull = MirrorPull { base: base.to_owned(), files: files.iter().map(pulled).collect() };
        block_on(shelf.engine.documents.mirror_pull(&shelf.caller, &shelf.memory(), "team", pull)).unwrap()
    };
    let report = pull(&base, &files);
    assert!(report.refused.is_empty() && report.conflicts.is_empty(), "{report:?}");
    for (path, content, executable) in &files {
        let place = mirrored.folder.path().join("as-committed");
        fs::write(&place, content).unwrap();
        let expect = git(&mirrored.root(), &["hash-object", "--no-filters", place.to_str().unwrap()]);
        let committed =
            git(&mirrored.root(), &["log", "--raw", "--no-abbrev", "--format=", "main", "--", path]);
        let mode = if *executable { "100755" } else { "100644" };
        let is_it =
            |line: &str| line.split(' ').nth(1) == Some(mode) && line.contains(&format!(" {expect} "));
        assert!(committed.lines().any(is_it), "{path} {expect}: {committed}");
        // Loci's additions are a separate commit on top.
        let lies = git(&mirrored.root(), &["ls-tree", "main", path]);
        assert_eq!(lies == format!("{mode} blob {expect}\t{path}"), *path != MADE, "{path}: {lies}");
    }
    let shown = git(&mirrored.root(), &["show", &format!("main:{MADE}")]);
    assert_eq!(shown, "---\ndescription: \"hello there\"\n---\n\nhello there");
    // A mode alone is a change too.
    let report = pull(&report.commit.unwrap(), &[("knowledge/data.json", "{\"a\":1}\n", true)]);
    assert_eq!(report.commits, 1, "{report:?}");
    assert!(git(&mirrored.root(), &["ls-tree", "main", "knowledge/data.json"]).starts_with("100755"));
}
