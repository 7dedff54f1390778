//! Reading commits: names, entries, files, contents, renames, histories; loose and packed, in both
//! object formats.

use loci_model::facts::code::{EntryKind, ObjectId, Origin, Revision};

use crate::sample::Sample;

/// Returns lines that differ between files.
fn text(seed: &str, lines: usize) -> String {
    (0..lines).map(|line| format!("let {seed}_{line} = compute_{seed}({line} * 7);\n")).collect()
}

struct History {
    first: ObjectId,
    renamed: ObjectId,
    merged: ObjectId,
    last: ObjectId,
}

/// Creates a history with a rename, a moved directory, a merge, tags and a remote branch, in
/// `work`.
fn history(sample: &Sample, format: &str) -> History {
    sample.git("work", &["init", "--quiet", "--initial-branch=main", &format!("--object-format={format}")]);
    sample.write("work/README.md", "# Sample\n");
    sample.write("work/src/main.rs", text("main", 40));
    sample.write("work/src/util/deep/number.rs", text("number", 40));
    sample.write("work/src/util/word.rs", text("word", 40));
    std::os::unix::fs::symlink("src/main.rs", sample.path("work/link")).unwrap();
    let first = sample.commit("work", "first");
    sample.git("work", &["tag", "--annotate", "v1", "--message", "one"]);
    sample.git("work", &["tag", "light"]);
    sample.git("work", &["mv", "src/main.rs", "src/start.rs"]);
    sample.write("work/src/start.rs", format!("{}{}", text("main", 36), text("more", 4)));
    let renamed = sample.commit("work", "a rename");
    sample.git("work", &["checkout", "--quiet", "-b", "side", "v1"]);
    sample.write("work/side.txt", "side\n");
    sample.commit("work", "beside");
    sample.git("work", &["checkout", "--quiet", "main"]);
    sample.git("work", &["merge", "--quiet", "--no-edit", "side"]);
    let merged = sample.id("work", "HEAD");
    sample.git("work", &["mv", "src/util", "lib"]);
    sample.git("work", &["mv", "src/start.rs", "begin.rs"]);
    sample.write("work/begin.rs", format!("{}{}", text("main", 31), text("more", 9)));
    let last = sample.commit("work", "a directory moves");
    sample.git("work", &["update-ref", "refs/remotes/origin/trunk", &first.to_string()]);
    sample.git("work", &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    History { first, renamed, merged, last }
}

/// Runs a check on the history as created, and packed.
fn for_all_forms(check: impl Fn(&Sample, &History)) {
    for format in ["sha1", "sha256"] {
        let sample = Sample::new();
        let history = history(&sample, format);
        check(&sample, &history);
        sample.git("work", &["repack", "-adfq", "--depth=20"]);
        sample.git("work", &["pack-refs", "--all"]);
        check(&sample, &history);
    }
}

#[test]
fn names_stand_for_commits() {
    for_all_forms(|sample, history| {
        let resolve = |name: &str| {
            let name = name.to_owned();
            sample.ask("work", move |source| source.resolve(&name)).unwrap()
        };
        let full = history.merged.to_string();
        for (name, expect) in [
            ("HEAD", Some(history.last)),
            ("main", Some(history.last)),
            ("refs/heads/main", Some(history.last)),
            ("heads/main", Some(history.last)),
            ("v1", Some(history.first)),
            ("light", Some(history.first)),
            ("tags/v1", Some(history.first)),
            ("origin/trunk", Some(history.first)),
            ("origin", Some(history.first)),
            ("remotes/origin/trunk", Some(history.first)),
            (&full, Some(history.merged)),
            (&full.to_uppercase(), Some(history.merged)),
            (&full[..7], Some(history.merged)),
            (&full[..12].to_uppercase(), Some(history.merged)),
            (&full[..6], None),
            ("absent", None),
            ("", None),
            ("-main", None),
            ("../config", None),
            ("HEAD~x", None),
            ("WORKTREE~1", None),
            ("HEAD~9999", None),
            ("config", None),
            (&"0".repeat(full.len()), None),
            (&"0".repeat(8), None),
        ] {
            assert_eq!(resolve(name), expect.map(Revision::Commit), "{name}");
        }
        assert_eq!(resolve("WORKTREE"), Some(Revision::Worktree(Some(history.last))));
        for name in
            ["HEAD~1", "HEAD^", "main~2", "main^^", "HEAD~0", "v1^0", &format!("{full}^1"), "HEAD~1^1"]
        {
            let expect = sample.git("work", &["rev-parse", "--verify", &format!("{name}^{{commit}}")]);
            assert_eq!(
                resolve(name).map(|found| found.commit().unwrap().to_string()),
                Some(expect),
                "{name}"
            );
        }
        let second = sample.git("work", &["rev-parse", "--verify", &format!("{full}^2")]);
        assert_eq!(resolve(&format!("{full}^2")).unwrap().commit().unwrap().to_string(), second);
        assert_eq!(resolve(&format!("{full}^3")), None, "a merge of two has no third parent");
        let tree = sample.git("work", &["rev-parse", "HEAD^{tree}"]);
        assert_eq!(resolve(&tree), None, "a tree is no commit");
        let default = sample.ask("work", |source| source.default_branch()).unwrap();
        assert_eq!(default, Some(("trunk".to_owned(), history.first)));
    });
}

#[test]
fn entries_files_and_contents_are_those_of_git() {
    for_all_forms(|sample, history| {
        for commit in [history.first, history.renamed, history.merged, history.last] {
            let listed = sample.git("work", &["ls-tree", "-r", &commit.to_string()]);
            let seen = sample.ask("work", move |source| {
                let at = Revision::Commit(commit);
                let mut lines = Vec::new();
                for file in source.files(&at)?.iter() {
                    let entry = source.entry(&at, &file.path)?.expect("a listed file is there");
                    assert_eq!((entry.kind, entry.id), (file.entry.kind, file.entry.id));
                    assert_eq!(entry.bytes, Some(source.read(&entry.id, 1 << 20)?.len() as u64));
                    let mode = if entry.kind == EntryKind::Symlink { "120000" } else { "100644" };
                    lines.push(format!("{mode} blob {}\t{}", entry.id, file.path));
                }
                Ok(lines.join("\n"))
            });
            assert_eq!(seen.unwrap(), listed);
        }
        let at = Revision::Commit(history.last);
        let content = |path: &str| sample.content("work", at, path).unwrap();
        assert_eq!(content("README.md").as_deref(), Some("# Sample\n"));
        assert_eq!(content("link").as_deref(), Some("src/main.rs"), "a link is its target's text");
        for path in
            ["src/main.rs", "link/x", "README.md/x", "lib/../README.md", "/README.md", "", ".git/config"]
        {
            assert_eq!(content(path), None, "{path}");
        }
        let kind = sample.ask("work", move |source| source.entry(&at, "lib/deep")).unwrap();
        assert_eq!(kind.map(|entry| entry.kind), Some(EntryKind::Directory));
        let too_large = sample.ask("work", move |source| {
            let entry = source.entry(&at, "begin.rs")?.expect("it is there");
            source.read(&entry.id, 100)
        });
        assert_eq!(too_large.unwrap_err().why.as_str(), "too_large");
    });
}

#[test]
fn renames_are_those_of_git() {
    for_all_forms(|sample, history| {
        for (from, to) in [
            (history.first, history.renamed),
            (history.merged, history.last),
            (history.first, history.last),
            (history.last, history.first),
        ] {
            for similarity in [40, 50, 80, 100] {
                let range = format!("{from}..{to}");
                let percent = format!("-M{similarity}%");
                let listed =
                    sample.git("work", &["diff", "--name-status", "--diff-filter=R", &percent, &range]);
                let mut expect: Vec<_> = listed
                    .lines()
                    .filter_map(|line| line.split_once('\t').map(|(_, paths)| paths.to_owned()))
                    .collect();
                expect.sort_unstable();
                let seen = sample.ask("work", move |source| {
                    let renames = source.renames(&from, &Revision::Commit(to), similarity)?;
                    Ok(renames.iter().map(|r| format!("{}\t{}", r.from, r.to)).collect::<Vec<_>>())
                });
                assert_eq!(seen.unwrap(), expect, "{range} {percent}");
            }
        }
    });
}

#[test]
fn files_are_followed_step_by_step() {
    for_all_forms(|sample, history| {
        let (first, merged, last) = (history.first, history.merged, history.last);
        let side = sample.id("work", "side");
        for (path, from, to, expect) in [
            ("src/main.rs", first, last, Some("begin.rs")),
            ("src/main.rs", first, merged, Some("src/start.rs")),
            ("src/start.rs", merged, last, Some("begin.rs")),
            ("src/util/deep/number.rs", first, last, Some("lib/deep/number.rs")),
            ("README.md", first, last, Some("README.md")),
            ("README.md", last, last, Some("README.md")),
            ("absent", first, last, None),
            ("src", first, last, None),
            ("side.txt", side, last, None), // not on the line of first parents
            ("README.md", last, first, None),
        ] {
            let seen = sample
                .ask("work", move |source| source.follow(path, &from, &Revision::Commit(to), 40))
                .unwrap();
            assert_eq!(seen.as_deref(), expect, "{path}");
        }
    });
}

#[test]
fn files_are_traced_back_step_by_step() {
    for_all_forms(|sample, history| {
        let (first, merged, last) = (history.first, history.merged, history.last);
        let side = sample.id("work", "side");
        let from = |path: &str| Origin::From(path.to_owned());
        for (path, earlier, later, expect) in [
            ("begin.rs", first, last, from("src/main.rs")),
            ("begin.rs", merged, last, from("src/start.rs")),
            ("src/start.rs", first, merged, from("src/main.rs")),
            ("lib/deep/number.rs", first, last, from("src/util/deep/number.rs")),
            ("README.md", first, last, from("README.md")),
            ("README.md", last, last, from("README.md")),
            ("side.txt", first, last, Origin::New),
            ("absent", first, last, Origin::New),
            ("README.md", side, last, Origin::Unknown), // not on the line of first parents
            ("README.md", last, first, Origin::Unknown),
        ] {
            let seen = sample
                .ask("work", move |source| source.origin(path, &earlier, &Revision::Commit(later), 50))
                .unwrap();
            assert_eq!(seen, expect, "{path}");
        }
    });
}

#[test]
fn ancestors_are_those_of_git() {
    for_all_forms(|sample, history| {
        let side = sample.id("work", "side");
        let all = [history.first, history.renamed, side, history.merged, history.last];
        for older in all {
            for newer in all {
                let bases =
                    sample.git("work", &["merge-base", "--all", &older.to_string(), &newer.to_string()]);
                let seen = sample.ask("work", move |source| source.is_ancestor(&older, &newer)).unwrap();
                assert_eq!(seen, bases == older.to_string(), "{older} {newer}");
            }
        }
    });
}

#[test]
fn what_is_committed_is_seen_at_once() {
    let sample = Sample::new();
    let history = history(&sample, "sha1");
    let resolve = || sample.ask("work", |source| source.resolve("main")).unwrap();
    assert_eq!(resolve(), Some(Revision::Commit(history.last)));
    sample.write("work/new.txt", "new\n");
    let next = sample.commit("work", "next");
    assert_eq!(resolve(), Some(Revision::Commit(next)));
    assert_eq!(sample.content("work", Revision::Commit(next), "new.txt").unwrap().as_deref(), Some("new\n"));
    sample.write("work/newer.txt", "newer\n");
    let packed = sample.commit("work", "packed before anybody looks");
    sample.git("work", &["gc", "--quiet", "--prune=now"]);
    assert_eq!(resolve(), Some(Revision::Commit(packed)));
    let content = |path: &str| sample.content("work", Revision::Commit(packed), path).unwrap();
    assert_eq!(content("newer.txt").as_deref(), Some("newer\n"));
    assert_eq!(content("begin.rs").map(|content| content.lines().count()), Some(40));
}
