//! Malicious repositories: nothing in them is executed, nothing outside is read, nothing hangs and
//! nothing panics. Readable data is right, and other data gives an error.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use loci_model::facts::code::{ObjectId, Revision};
use loci_model::ports::code::{CodeResult, CodeSource};

use crate::sample::{Sample, isolation};

/// The contents of the repository that must not be read.
const SECRET: &str = "the secret of another repository\n";

/// Creates `work` with one commit, and `other` with a secret.
fn two() -> (Sample, ObjectId, ObjectId) {
    let sample = Sample::new();
    for (directory, content) in [("work", "harmless\n"), ("other", SECRET)] {
        sample.git(directory, &["init", "--quiet", "--initial-branch=main"]);
        sample.write(&format!("{directory}/a.txt"), content);
        sample.commit(directory, "first");
    }
    let (work, other) = (sample.id("work", "HEAD"), sample.id("other", "HEAD"));
    (sample, work, other)
}

/// Asks every question, and returns the text of all results for searching.
fn everything(source: &dyn CodeSource) -> String {
    let mut said = String::new();
    let mut note = |what: String| said.push_str(&what);
    note(format!("{:?}", source.default_branch()));
    for name in ["HEAD", "main", "WORKTREE", "origin/main", "v1", "abcdef1"] {
        let Ok(Some(at)) = source.resolve(name) else { continue };
        note(format!("{:?}", source.files(&at)));
        for path in ["a.txt", "link", "dir/a.txt", "outside/a.txt", ".git/config", "a.txt/x"] {
            note(contents(source, &at, path).unwrap_or_else(|error| format!("{error:?}")));
        }
        for file in source.files(&at).map(|files| files.to_vec()).unwrap_or_default() {
            note(contents(source, &at, &file.path).unwrap_or_else(|error| format!("{error:?}")));
        }
        if let Some(tip) = at.commit() {
            note(format!("{:?}", source.renames(&tip, &at, 50)));
            note(format!("{:?}", source.follow("a.txt", &tip, &at, 50)));
            note(format!("{:?}", source.is_ancestor(&tip, &tip)));
        }
    }
    said
}

fn contents(source: &dyn CodeSource, at: &Revision, path: &str) -> CodeResult<String> {
    let Some(entry) = source.entry(at, path)? else { return Ok(String::new()) };
    let content = source.read(&entry.id, 1 << 20)?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}

/// Asks every question at `work`, directly and by discovery; each must end.
fn ask_everything(sample: &Sample) -> String {
    let said = match sample.ask("work", |source| Ok(everything(source))) {
        Ok(said) => said,
        Err(error) => {
            assert_ne!(error.why.as_str(), "rate", "the work did not come to its end: {}", error.detail);
            error.detail
        }
    };
    format!("{said}{:?}", sample.discover("work"))
}

#[test]
fn configuration_runs_nothing_and_leads_nowhere() {
    let (sample, head, _) = two();
    let marker = sample.path("marker");
    let program = sample.path("program");
    sample.write("program", format!("#!/bin/sh\ntouch {}\n", marker.display()));
    Command::new("chmod").args(["+x"]).arg(&program).status().unwrap();
    let program = program.display();
    let other = sample.path("other");
    sample.write("other/included", "[remote \"origin\"]\n\turl = https://included.example/x\n");
    sample.write("work/.gitattributes", "* filter=bad diff=bad text eol=crlf\n");
    let head = {
        sample.commit("work", "attributes");
        let _ = head;
        sample.id("work", "HEAD")
    };
    for hook in ["post-checkout", "fsmonitor-watchman", "pre-auto-gc", "reference-transaction"] {
        sample.write(&format!("work/.git/hooks/{hook}"), format!("#!/bin/sh\ntouch {}\n", marker.display()));
    }
    let config = format!(
        "[core]\n\tbare = false\n\tworktree = {other}\n\tfsmonitor = {program}\n\thooksPath = {hooks}\n\tpager = {program}\n\
         \tsshCommand = {program}\n\tgitProxy = {program}\n\tattributesFile = /etc/passwd\n\texcludesFile = /etc/passwd\n\
         [include]\n\tpath = {other}/included\n[includeIf \"gitdir:/\"]\n\tpath = {other}/included\n\
         [filter \"bad\"]\n\tsmudge = {program}\n\tclean = {program}\n\tprocess = {program}\n\trequired\n\
         [diff]\n\texternal = {program}\n[diff \"bad\"]\n\ttextconv = {program}\n\tcommand = {program}\n\
         [remote \"origin\"]\n\turl = ext::{program}\n\tuploadpack = {program}\n\tpromisor = true\n\
         [extensions]\n\tpartialClone = origin\n[url \"ext::{program} \"]\n\tinsteadOf = https://\n",
        other = other.display(),
        hooks = sample.path("work/.git/hooks").display(),
    );
    sample.write("work/.git/config", config);
    let said = ask_everything(&sample);
    assert!(!marker.exists(), "a program was run");
    assert!(!said.contains("secret"), "the worktree is where the repository is");
    let found = sample.discover("work").unwrap().unwrap();
    assert_eq!((found.head, found.remotes), (Some(head), Vec::new()));
    assert_eq!(found.worktree, Some(sample.path("work")));
    assert_eq!(
        sample.content("work", Revision::Commit(head), "a.txt").unwrap().as_deref(),
        Some("harmless\n")
    );
}

#[test]
fn alternates_are_opened_inside_allowed_roots_only() {
    let (sample, head, other) = two();
    let inside = sample.path("work/inside");
    symlink(sample.path("other/.git/objects"), &inside).unwrap();
    let read = |sample: &Sample| sample.content("work", Revision::Commit(other), "a.txt");
    sample.write("work/.git/refs/heads/lent", format!("{other}\n"));
    for alternate in [
        sample.path("other/.git/objects").display().to_string(),
        "../../../other/.git/objects".to_owned(),
        inside.display().to_string(),
        "/etc".to_owned(),
        "/".to_owned(),
        "\0".to_owned(),
    ] {
        sample.write("work/.git/objects/info/alternates", format!("# objects of others\n\n{alternate}\n"));
        let error = read(&sample).unwrap_err();
        assert_eq!(error.why.as_str(), "partial_clone", "{alternate}");
        assert!(
            error.detail.contains("not allowed") && error.detail.contains("verified.roots"),
            "{}",
            error.detail
        );
        assert!(
            sample.content("work", Revision::Commit(head), "a.txt").unwrap().is_some(),
            "its own are read"
        );
        let error = sample.ask("work", |source| source.resolve("lent")).unwrap_err();
        assert_eq!(error.why.as_str(), "partial_clone", "a ref to what is borrowed: {alternate}");
        assert!(!ask_everything(&sample).contains("secret"));
    }
    // If the operator permits the other directory, objects are borrowed from it.
    let allowed = Sample::allowing(vec![sample.path("other")]);
    let at = sample.path("work");
    sample
        .write("work/.git/objects/info/alternates", sample.path("other/.git/objects").display().to_string());
    let content = allowed.ask_at(&at, move |source| contents(source, &Revision::Commit(other), "a.txt"));
    assert_eq!(content.unwrap(), SECRET);
}

#[test]
fn what_points_elsewhere_is_not_followed() {
    type Harm = fn(&Sample, &Path, &Path);
    let harms: [(&str, Harm); 13] = [
        ("`.git` is a link", |_, work, other| {
            std::fs::remove_dir_all(work.join(".git")).unwrap();
            symlink(other.join(".git"), work.join(".git")).unwrap();
        }),
        ("`.git` is a file", |_, work, other| {
            std::fs::remove_dir_all(work.join(".git")).unwrap();
            std::fs::write(work.join(".git"), format!("gitdir: {}\n", other.join(".git").display())).unwrap();
        }),
        ("`.git` is a file that leads up", |_, work, _| {
            std::fs::remove_dir_all(work.join(".git")).unwrap();
            std::fs::write(work.join(".git"), "gitdir: ../other/.git\n").unwrap();
        }),
        ("a worktree of its own making", |_, work, other| {
            std::fs::rename(work.join(".git"), work.join("private")).unwrap();
            std::fs::write(work.join(".git"), "gitdir: private\n").unwrap();
            let common = other.join(".git").display().to_string();
            std::fs::write(work.join("private/commondir"), common).unwrap();
            std::fs::write(work.join("private/gitdir"), work.join(".git").display().to_string()).unwrap();
        }),
        ("`commondir` in a usual repository", |_, work, other| {
            std::fs::write(work.join(".git/commondir"), other.join(".git").display().to_string()).unwrap();
        }),
        ("`objects` is a link", |_, work, other| {
            std::fs::remove_dir_all(work.join(".git/objects")).unwrap();
            symlink(other.join(".git/objects"), work.join(".git/objects")).unwrap();
        }),
        ("a directory of objects is a link", |sample, work, other| {
            let id = sample.id("other", "HEAD").to_string();
            let folder = format!("objects/{}", &id[..2]);
            drop(std::fs::remove_dir_all(work.join(".git").join(&folder)));
            symlink(other.join(".git").join(&folder), work.join(".git").join(&folder)).unwrap();
        }),
        ("packs are a link", |sample, work, other| {
            sample.git("other", &["repack", "-adq"]);
            drop(std::fs::remove_dir_all(work.join(".git/objects/pack")));
            symlink(other.join(".git/objects/pack"), work.join(".git/objects/pack")).unwrap();
        }),
        ("`refs` is a link", |_, work, other| {
            std::fs::remove_dir_all(work.join(".git/refs")).unwrap();
            symlink(other.join(".git/refs"), work.join(".git/refs")).unwrap();
        }),
        ("a branch is a link", |_, work, other| {
            std::fs::remove_file(work.join(".git/refs/heads/main")).unwrap();
            symlink(other.join("a.txt"), work.join(".git/refs/heads/main")).unwrap();
        }),
        ("a ref that leads out", |_, work, _| {
            std::fs::write(work.join(".git/HEAD"), "ref: refs/../../../other/.git/refs/heads/main\n")
                .unwrap();
        }),
        ("refs in a ring", |_, work, _| {
            std::fs::write(work.join(".git/refs/heads/main"), "ref: refs/heads/ring\n").unwrap();
            std::fs::write(work.join(".git/refs/heads/ring"), "ref: refs/heads/main\n").unwrap();
        }),
        ("links in the worktree", |_, work, other| {
            symlink(other, work.join("dir")).unwrap();
            symlink("../other", work.join("outside")).unwrap();
            symlink(other.join("a.txt"), work.join("link")).unwrap();
            symlink(other.join("a.txt"), work.join(".gitignore")).unwrap();
            drop(std::fs::remove_dir_all(work.join(".git/info")));
            symlink(other, work.join(".git/info")).unwrap();
        }),
    ];
    for (name, harm) in harms {
        let (sample, _, other) = two();
        harm(&sample, &sample.path("work"), &sample.path("other"));
        let said = ask_everything(&sample);
        assert!(!said.contains("secret"), "{name}: {said}");
        let head = other.to_string();
        assert!(!said.contains(&head), "{name}: a commit of the other repository is seen");
    }
}

#[test]
fn pipes_do_not_hold_the_reader() {
    for path in [
        "HEAD",
        "config",
        "packed-refs",
        "refs/heads/main",
        "index",
        "shallow",
        "info/exclude",
        "../a.txt",
        "../b.txt",
    ] {
        let (sample, _, _) = two();
        let file = sample.path("work/.git").join(path);
        drop(std::fs::remove_file(&file));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
        ask_everything(&sample);
    }
}

#[test]
fn damage_is_an_error_and_never_a_wrong_answer() {
    let sample = Sample::new();
    sample.git("work", &["init", "--quiet", "--initial-branch=main"]);
    for step in 0..4 {
        let line = |n: usize| format!("line {n} of {}\n", if n == 30 { step } else { 0 });
        sample.write("work/a.txt", (0..60).map(line).collect::<String>());
        sample.write("work/dir/a.txt", format!("{step}\n"));
        sample.commit("work", "a step");
    }
    sample.git("work", &["repack", "-adfq", "--depth=10"]);
    let right = everything_of(&sample);
    assert!(right.contains("line 30 of 3"), "{right}");
    let pack = sample.path("work/.git/objects/pack");
    let files: Vec<_> = std::fs::read_dir(&pack)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| matches!(path.extension().and_then(|e| e.to_str()), Some("pack" | "idx")))
        .chain([sample.path("work/.git/index"), sample.path("work/.git/HEAD")])
        .collect();
    assert_eq!(files.len(), 4);
    for file in files {
        let whole = std::fs::read(&file).unwrap();
        let step = (whole.len() / 25).max(1);
        for at in (0..whole.len()).step_by(step) {
            let mut flipped = whole.clone();
            flipped[at] ^= 0xff;
            for damaged in [flipped, whole[..at].to_vec()] {
                replace(&file, &damaged);
                let said = everything_of(&sample);
                let texts = said.matches("line 30 of").count();
                assert_eq!(texts, said.matches("line 30 of 3\nline 31").count(), "{file:?} at {at}");
            }
        }
        replace(&file, &whole);
        assert_eq!(everything_of(&sample), right, "{file:?}");
    }
}

/// Like [`everything`], with a newly opened repository.
fn everything_of(sample: &Sample) -> String {
    let fresh = Sample::new();
    match fresh.ask_at(&sample.path("work"), |source| Ok(everything(source))) {
        Ok(said) => said,
        Err(error) => {
            assert_ne!(error.why.as_str(), "rate", "the work did not come to its end: {}", error.detail);
            error.detail
        }
    }
}

fn replace(file: &Path, content: &[u8]) {
    std::fs::remove_file(file).unwrap();
    std::fs::write(file, content).unwrap();
}

/// Writes an object unchanged, even if git considers it invalid.
fn object(sample: &Sample, kind: &str, content: &[u8]) -> ObjectId {
    use std::io::Write as _;
    let mut git = Command::new("git")
        .current_dir(sample.path("work"))
        .args(["hash-object", "-t", kind, "-w", "--literally", "--stdin"])
        .envs(isolation())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    git.stdin.take().unwrap().write_all(content).unwrap();
    let output = git.wait_with_output().unwrap();
    ObjectId::parse(String::from_utf8_lossy(&output.stdout).trim()).unwrap()
}

fn tree(sample: &Sample, entries: &[(&str, &str, ObjectId)]) -> ObjectId {
    let mut content = Vec::new();
    for (mode, name, id) in entries {
        content.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        content.extend_from_slice(id.as_bytes());
    }
    object(sample, "tree", &content)
}

fn commit_of(sample: &Sample, tree: ObjectId) -> ObjectId {
    let who = "A <a@example.org> 1767323045 +0000";
    object(
        sample,
        "commit",
        format!("tree {tree}\nauthor {who}\ncommitter {who}\n\nmade by hand\n").as_bytes(),
    )
}

#[test]
fn names_that_git_refuses_are_not_there() {
    let (sample, _, _) = two();
    let blob = object(&sample, "blob", b"x\n");
    let below = tree(&sample, &[("100644", "a.txt", blob)]);
    let names = ["..", ".", ".git", ".GIT", "git~1", "a/b", "a\\b", ".g\u{200c}it", ""];
    let mut entries: Vec<_> = names.iter().map(|name| ("100644", *name, blob)).collect();
    entries.extend([("40000", ".git", below), ("40000", "..", below), ("100644", "good.txt", blob)]);
    entries.extend([("777777", "mode", blob), ("0", "none", blob)]);
    let commit = commit_of(&sample, tree(&sample, &entries));
    let at = Revision::Commit(commit);
    assert_eq!(sample.paths("work", at).unwrap(), ["good.txt"]);
    for path in names.into_iter().chain([".git/a.txt", "../a.txt", "mode", "none"]) {
        assert_eq!(sample.content("work", at, path).unwrap(), None, "{path}");
    }
    assert_eq!(sample.content("work", at, "good.txt").unwrap().as_deref(), Some("x\n"));
}

#[test]
fn a_tree_without_order_gives_no_renames_of_its_own() {
    let (sample, _, _) = two();
    let blobs = [b"one\n", b"two\n"].map(|content| object(&sample, "blob", content));
    let entries =
        [("100644", "a.txt", blobs[0]), ("100644", "b.txt", blobs[1]), ("100644", "c.txt", blobs[0])];
    let mut turned = entries;
    turned.reverse();
    let [old, new] = [entries, turned].map(|entries| commit_of(&sample, tree(&sample, &entries)));
    let renames = sample.ask("work", move |source| source.renames(&old, &Revision::Commit(new), 50)).unwrap();
    assert_eq!(*renames, []);
    assert_eq!(sample.paths("work", Revision::Commit(new)).unwrap(), ["a.txt", "b.txt", "c.txt"]);
}

#[test]
fn great_trees_and_great_objects_come_to_an_end() {
    let (sample, head, _) = two();
    let blob = object(&sample, "blob", b"x\n");
    // Ten directories in each of ten levels, all equal: ten billion files in eleven objects.
    let mut wide = tree(&sample, &[("100644", "a.txt", blob)]);
    for _ in 0..10 {
        let names: Vec<_> = (0..10).map(|n| n.to_string()).collect();
        wide = tree(&sample, &names.iter().map(|name| ("40000", name.as_str(), wide)).collect::<Vec<_>>());
    }
    let mut deep = tree(&sample, &[("100644", "a.txt", blob)]);
    for _ in 0..300 {
        deep = tree(&sample, &[("40000", "d", deep)]);
    }
    for (name, root, path) in
        [("wide", wide, "0/1/2/3/4/5/6/7/8/9/a.txt".to_owned()), ("deep", deep, "d/".repeat(300) + "a.txt")]
    {
        let at = Revision::Commit(commit_of(&sample, root));
        let why = |error: loci_model::ports::code::CodeError| error.why.as_str();
        assert_eq!(sample.paths("work", at).map_err(why), Err("too_large"), "{name}");
        if name == "deep" {
            let renames = sample.ask("work", move |source| source.renames(&head, &at, 50));
            assert_eq!(renames.map_err(why).map(|_| ()), Err("too_large"), "{name}");
        }
        assert_eq!(sample.content("work", at, &path).unwrap().as_deref(), Some("x\n"), "{name}");
    }
    // A large object is not inflated to find that it is too large.
    let large = sample.path("large");
    std::fs::File::create(&large).unwrap().set_len(140 << 20).unwrap();
    let id = sample.git("work", &["hash-object", "-w", &large.display().to_string()]);
    let id = ObjectId::parse(&id).unwrap();
    for max in [1_u64 << 20, u64::MAX] {
        let error = sample.ask("work", move |source| source.read(&id, max)).unwrap_err();
        assert_eq!(error.why.as_str(), "too_large");
    }
}

#[test]
fn trees_that_stand_for_much_more_than_they_hold_come_to_an_end() {
    let (sample, head, _) = two();
    let blob = object(&sample, "blob", b"x\n");
    // A directory of two megabytes under a path of four kilobytes: its paths would need 280
    // megabytes.
    let names: Vec<_> = (0..70_000).map(|number| format!("{number:05}")).collect();
    let entries: Vec<_> = names.iter().map(|name| ("100644", name.as_str(), blob)).collect();
    let mut below = tree(&sample, &entries);
    let long = "d".repeat(250);
    for _ in 0..16 {
        below = tree(&sample, &[("40000", long.as_str(), below)]);
    }
    let at = Revision::Commit(commit_of(&sample, below));
    let why = |error: loci_model::ports::code::CodeError| error.why.as_str();
    assert_eq!(sample.paths("work", at).map_err(why), Err("too_large"));
    let path = format!("{long}/").repeat(16) + "00007";
    assert_eq!(sample.content("work", at, &path).unwrap().as_deref(), Some("x\n"));
    assert_eq!(sample.paths("work", Revision::Commit(head)).unwrap(), ["a.txt"]);
}

#[test]
fn a_commit_of_very_many_parents_is_not_read() {
    let (sample, head, _) = two();
    let empty = tree(&sample, &[]);
    let who = "A <a@example.org> 1767323045 +0000";
    for (count, expect) in [(1_024, Ok(true)), (1_025, Err("too_large"))] {
        let parents = format!("parent {head}\n").repeat(count);
        let content = format!("tree {empty}\n{parents}author {who}\ncommitter {who}\n\nmany\n");
        let many = object(&sample, "commit", content.as_bytes());
        let answer = sample.ask("work", move |source| source.is_ancestor(&head, &many));
        assert_eq!(answer.map_err(|error| error.why.as_str()), expect, "{count} parents");
    }
}

#[test]
fn a_stream_that_goes_on_is_not_inflated() {
    use std::io::Write as _;
    let (sample, _, _) = two();
    for (head, bytes, expect) in [
        ("blob 3\0", 50_000_000_usize, "partial_clone"),
        ("blob 99999999999999\0", 3, "too_large"),
        ("blob 99999999999999999999999\0", 3, "partial_clone"),
        ("blob -3\0", 3, "partial_clone"),
        ("blob 4\0", 3, "partial_clone"),
        ("blub 3\0", 3, "partial_clone"),
    ] {
        let id = "12".repeat(20);
        let file = std::fs::File::create(sample.path("stream")).unwrap();
        let mut stream = flate2::write::ZlibEncoder::new(file, flate2::Compression::fast());
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&vec![b'x'; bytes]).unwrap();
        stream.finish().unwrap();
        let place = sample.path(&format!("work/.git/objects/12/{}", &id[2..]));
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::copy(sample.path("stream"), place).unwrap();
        let id = ObjectId::parse(&id).unwrap();
        let error = sample.ask("work", move |source| source.read(&id, 1 << 20)).unwrap_err();
        assert_eq!(error.why.as_str(), expect, "{head:?}");
    }
}
