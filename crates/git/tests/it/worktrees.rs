//! Worktrees: the type of a directory, the files on disk, and several worktrees of one clone.

use loci_model::facts::code::{EntryKind, Origin, Revision};

use crate::sample::Sample;

fn sample() -> Sample {
    let sample = Sample::new();
    sample.git("work", &["init", "--quiet", "--initial-branch=main"]);
    sample.write("work/a.txt", "one\ntwo\nthree\nfour\nfive\n");
    sample.write("work/src/b.rs", "fn b() {}\n");
    sample.commit("work", "first");
    sample
}

#[test]
fn a_directory_tells_what_it_is() {
    let sample = sample();
    sample.git("work", &["remote", "add", "origin", "https://user:secret@forge.example/o/r.git"]);
    sample.git("work", &["worktree", "add", "-q", "-b", "side", "../linked"]);
    sample.git(".", &["clone", "-q", "--bare", "work", "bare.git"]);
    let head = sample.id("work", "HEAD");
    let place = |directory: &str| sample.discover(directory).unwrap();
    let here = place("work/src").expect("a clone");
    assert_eq!((here.common_dir, here.worktree), (sample.path("work/.git"), Some(sample.path("work"))));
    assert_eq!((here.branch.as_deref(), here.head, here.roots), (Some("main"), Some(head), vec![head]));
    assert_eq!(here.remotes, [("origin".to_owned(), "https://forge.example/o/r.git".to_owned())]);
    let linked = place("linked/src").expect("a worktree");
    assert_eq!((linked.common_dir, linked.worktree), (sample.path("work/.git"), Some(sample.path("linked"))));
    assert_eq!(linked.branch.as_deref(), Some("side"));
    let bare = place("bare.git").expect("a bare repository");
    assert_eq!((bare.common_dir, bare.worktree), (sample.path("bare.git"), None));
    assert_eq!(place("."), None);
    let worktree = sample.ask("bare.git", |source| source.resolve("WORKTREE")).unwrap();
    assert_eq!(worktree, None, "a bare repository has none");
}

#[test]
fn files_are_seen_as_they_lie_there() {
    let sample = sample();
    let head = sample.id("work", "HEAD");
    let at = sample.ask("work", |source| source.resolve("WORKTREE")).unwrap().unwrap();
    assert_eq!(at, Revision::Worktree(Some(head)));
    let committed = sample.ask("work", move |source| source.files(&Revision::Commit(head))).unwrap();
    let lying = sample.ask("work", move |source| source.files(&at)).unwrap();
    assert_eq!(committed, lying, "nothing has changed");
    sample.git("work", &["mv", "a.txt", "c.txt"]);
    sample.write("work/c.txt", "one\ntwo\nthree\nfour\nsix\n");
    sample.write("work/new/d.txt", "new\n");
    std::os::unix::fs::symlink("../../outside", sample.path("work/link")).unwrap();
    sample.write("outside", "secret\n");
    let paths = sample.paths("work", at).unwrap();
    assert_eq!(paths, ["c.txt", "link", "new/d.txt", "src/b.rs"]);
    let content = |path: &str| sample.content("work", at, path).unwrap();
    assert_eq!(content("c.txt").as_deref(), Some("one\ntwo\nthree\nfour\nsix\n"));
    assert_eq!(content("link").as_deref(), Some("../../outside"), "a link is its text, and not followed");
    assert_eq!(content("a.txt"), None);
    let (renames, followed, kind) = sample
        .ask("work", move |source| {
            let renames = source.renames(&head, &at, 50)?;
            let followed = source.follow("a.txt", &head, &at, 40)?;
            assert_eq!(source.origin("c.txt", &head, &at, 50)?, Origin::From("a.txt".to_owned()));
            assert_eq!(source.origin("new/d.txt", &head, &at, 50)?, Origin::New);
            Ok((renames, followed, source.entry(&at, "new")?.map(|entry| entry.kind)))
        })
        .unwrap();
    let renames: Vec<_> = renames.iter().map(|rename| (rename.from.as_str(), rename.to.as_str())).collect();
    assert_eq!(renames, [("a.txt", "c.txt")]);
    assert_eq!((followed.as_deref(), kind), (Some("c.txt"), Some(EntryKind::Directory)));
    let id = sample.git("work", &["hash-object", "c.txt"]);
    let entry = sample.ask("work", move |source| source.entry(&at, "c.txt")).unwrap().unwrap();
    assert_eq!(entry.id.to_string(), id, "the id is git's");
}

#[test]
fn lists_hold_what_git_would_look_at() {
    let sample = sample();
    sample.write(
        "work/.gitignore",
        "*.log\n!kept.log\n/build/\nout/*.o\n**/cache/\ntrailing.tmp   \n#no\n\\#hash\n[ab]?.x\n",
    );
    sample.write("work/src/.gitignore", "deep/\n!a1.x\nlocal.txt\n");
    sample.write("work/.git/info/exclude", "excluded.txt\n");
    for path in [
        "x.log",
        "kept.log",
        "src/y.log",
        "build/z.txt",
        "src/build/z.txt",
        "out/m.o",
        "out/n/m.o",
        "a/b/cache/q",
        "cache",
        "trailing.tmp",
        "#hash",
        "#no",
        "a1.x",
        "c1.x",
        "src/a1.x",
        "src/b2.x",
        "src/deep/w.txt",
        "deep/w.txt",
        "src/local.txt",
        "local.txt",
        "excluded.txt",
        "ä ö/ü.txt",
    ] {
        sample.write(&format!("work/{path}"), path);
    }
    // Tracked files stay, regardless of their location.
    sample.write("work/build/tracked.txt", "tracked\n");
    sample.git("work", &["add", "--force", "build/tracked.txt"]);
    // A repository inside is not part of this one.
    sample.git("work/nested", &["init", "--quiet"]);
    sample.write("work/nested/n.txt", "n\n");
    sample.commit("work/nested", "nested");
    let listed = sample.git(
        "work",
        &["-c", "core.quotePath=false", "ls-files", "--cached", "--others", "--exclude-standard"],
    );
    let mut expect: Vec<_> = listed.lines().filter(|path| !path.ends_with('/')).collect();
    expect.sort_unstable();
    expect.dedup();
    let at = Revision::Worktree(None);
    assert_eq!(sample.paths("work", at).unwrap(), expect);
}

#[test]
fn contents_are_right_whenever_files_are_written() {
    let sample = sample();
    let at = Revision::Worktree(None);
    // Same size and time: the index entry of the file must not be trusted.
    for round in 0..20 {
        let content = format!("round {round:02}\n");
        sample.write("work/a.txt", &content);
        sample.git("work", &["add", "a.txt"]);
        let content = content.replace("round", "after");
        sample.write("work/a.txt", &content);
        let id = sample.git("work", &["hash-object", "a.txt"]);
        let files = sample.ask("work", move |source| source.files(&at)).unwrap();
        assert_eq!(files[0].entry.id.to_string(), id);
        assert_eq!(sample.content("work", at, "a.txt").unwrap(), Some(content));
    }
}

#[test]
fn a_content_that_is_gone_is_no_other_content() {
    let sample = sample();
    let at = Revision::Worktree(None);
    sample.write("work/a.txt", "not committed\n");
    let entry = sample.ask("work", move |source| Ok(source.files(&at)?[0].entry)).unwrap();
    sample.write("work/a.txt", "changed meanwhile\n");
    let error = sample.ask("work", move |source| source.read(&entry.id, 1 << 20)).unwrap_err();
    assert_eq!(error.why.as_str(), "partial_clone");
    sample.write("work/a.txt", "not committed\n");
    let content = sample.ask("work", move |source| source.read(&entry.id, 1 << 20)).unwrap();
    assert_eq!(&*content, b"not committed\n");
}

#[test]
fn parts_left_out_of_a_worktree_are_part_of_it() {
    for sparse_index in ["false", "true"] {
        let sample = sample();
        sample.write("work/out/c.txt", "left out\n");
        let head = sample.commit("work", "more");
        sample.git("work", &["sparse-checkout", "init", "--cone"]);
        sample.git("work", &["config", "index.sparse", sparse_index]);
        sample.git("work", &["sparse-checkout", "set", "src"]);
        sample.git("work", &["sparse-checkout", "reapply"]);
        assert!(!sample.path("work/out/c.txt").exists());
        let at = Revision::Worktree(Some(head));
        assert_eq!(sample.paths("work", at).unwrap(), ["a.txt", "out/c.txt", "src/b.rs"], "{sparse_index}");
        assert_eq!(sample.content("work", at, "out/c.txt").unwrap().as_deref(), Some("left out\n"));
        assert_eq!(sample.content("work", at, "out/d.txt").unwrap(), None);
    }
}

#[test]
fn submodules_and_moved_worktrees_are_what_they_are() {
    let sample = sample();
    sample.git("inner", &["init", "--quiet", "--initial-branch=main"]);
    sample.write("inner/i.txt", "inner\n");
    let inner = sample.commit("inner", "inner");
    let url = sample.path("inner").display().to_string();
    sample.git("work", &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "sub"]);
    let head = sample.commit("work", "a submodule");
    for at in [Revision::Commit(head), Revision::Worktree(Some(head))] {
        let entry = sample.ask("work", move |source| source.entry(&at, "sub")).unwrap().unwrap();
        assert_eq!((entry.kind, entry.id), (EntryKind::Submodule, inner));
        assert_eq!(sample.content("work", at, "sub/i.txt").unwrap(), None, "{at:?}");
        assert_eq!(sample.paths("work", at).unwrap(), [".gitmodules", "a.txt", "src/b.rs", "sub"]);
    }
    let found = sample.discover("work/sub").unwrap().unwrap();
    assert_eq!((found.worktree, found.head), (Some(sample.path("work/sub")), Some(inner)));
    for relative in ["false", "true"] {
        sample.git(
            "work",
            &[
                "-c",
                &format!("worktree.useRelativePaths={relative}"),
                "worktree",
                "add",
                "-q",
                "-b",
                relative,
                &format!("../linked-{relative}"),
            ],
        );
        let found = sample.discover(&format!("linked-{relative}")).unwrap().unwrap();
        assert_eq!((found.branch.as_deref(), found.common_dir), (Some(relative), sample.path("work/.git")));
    }
}

/// Files that cannot be named, or are too large to be read: a caller that tests for the absence of
/// a content gets a report of them.
#[test]
fn what_cannot_be_listed_is_told() {
    use std::os::unix::ffi::OsStrExt as _;
    let sample = sample();
    let named = |name: &[u8]| sample.path("work").join(std::ffi::OsStr::from_bytes(name));
    std::fs::write(named(b"bad\xff.py"), "x\n").unwrap();
    std::fs::create_dir(named(b"src/odd\xfe")).unwrap();
    std::fs::write(named(b"src/odd\xfe/in.py"), "x\n").unwrap();
    let unlisted = |at: Revision| {
        let mut paths = sample.ask("work", move |source| source.unlisted(&at)).unwrap().to_vec();
        paths.sort();
        paths
    };
    assert_eq!(unlisted(Revision::Commit(sample.id("work", "HEAD"))), [""; 0]);
    let committed = sample.commit("work", "odd names");
    let lying = Revision::Worktree(Some(committed));
    for at in [Revision::Commit(committed), lying] {
        assert_eq!(unlisted(at), ["bad\u{fffd}.py", "src/odd\u{fffd}/"], "{at:?}");
    }
    let large = std::fs::File::create(sample.path("work/large.txt")).unwrap();
    large.set_len((32 << 20) + 1).unwrap();
    std::fs::copy(sample.path("work/large.txt"), sample.path("work/ignored.txt")).unwrap();
    sample.write("work/.gitignore", "ignored.txt\n");
    assert_eq!(unlisted(lying), ["bad\u{fffd}.py", "large.txt", "src/odd\u{fffd}/"]);
    assert!(!sample.paths("work", lying).unwrap().contains(&"large.txt".to_owned()));
}

/// Its directory may be missing: the submodule is part of the worktree as it is of the commit.
#[test]
fn a_submodule_is_there_without_its_directory() {
    let sample = sample();
    let head = sample.id("work", "HEAD");
    sample.git("work", &["update-index", "--add", "--cacheinfo", &format!("160000,{head},sub")]);
    sample.git("work", &["commit", "--quiet", "--message", "a submodule"]);
    let commit = sample.id("work", "HEAD");
    let kind = |at: Revision| {
        let entry = sample.ask("work", move |source| source.entry(&at, "sub")).unwrap();
        entry.map(|entry| (entry.kind, entry.id))
    };
    let lying = Revision::Worktree(Some(commit));
    for is_made in [false, true] {
        if is_made {
            std::fs::create_dir(sample.path("work/sub")).unwrap();
        }
        for at in [Revision::Commit(commit), lying] {
            assert_eq!(kind(at), Some((EntryKind::Submodule, head)), "{at:?}");
            assert!(sample.paths("work", at).unwrap().contains(&"sub".to_owned()), "{at:?}");
        }
    }
    sample.git("work", &["update-index", "--force-remove", "sub"]);
    std::fs::remove_dir(sample.path("work/sub")).unwrap();
    assert_eq!(kind(lying), None);
}
