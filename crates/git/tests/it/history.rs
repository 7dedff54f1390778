//! Histories and the changes of commits, compared with the output of git itself.

use std::collections::BTreeSet;

use loci_model::facts::code::ObjectId;
use loci_model::tasks::code_history::{CommitChanges, HistoryAsk};

use crate::sample::Sample;

fn text(seed: &str, lines: usize) -> String {
    (0..lines).map(|line| format!("let {seed}_{line} = compute_{seed}({line} * 7);\n")).collect()
}

fn all(tip: ObjectId) -> HistoryAsk {
    HistoryAsk { tip, without: None, commits_max: 1_000, span_s: None }
}

/// Creates a history with a rename, a merged branch, and a removed file.
fn sample() -> Sample {
    let sample = Sample::new();
    sample.git("work", &["init", "--quiet", "--initial-branch=main"]);
    sample.write("work/a.rs", text("a", 40));
    sample.write("work/b.rs", text("b", 40));
    sample.write("work/deep/c.rs", text("c", 40));
    sample.commit("work", "first (#1)");
    sample.git("work", &["tag", "first"]);
    sample.git("work", &["mv", "a.rs", "deep/moved.rs"]);
    sample.write("work/deep/moved.rs", format!("{}{}", text("a", 36), text("more", 4)));
    sample.write("work/b.rs", text("b", 41));
    sample.commit("work", "a rename\n\nwith a body");
    sample.git("work", &["checkout", "--quiet", "-b", "side", "first"]);
    sample.write("work/side.txt", "side\n");
    sample.commit("work", "beside");
    sample.git("work", &["checkout", "--quiet", "main"]);
    sample.git("work", &["merge", "--quiet", "--no-ff", "-m", "Merge pull request #2 from x/side", "side"]);
    sample.git("work", &["rm", "--quiet", "deep/c.rs"]);
    sample.commit("work", "c goes");
    sample
}

#[test]
fn histories_are_those_that_git_lists() {
    let sample = sample();
    let tip = sample.id("work", "HEAD");
    let history = sample.ask("work", move |source| source.history(&all(tip))).unwrap().unwrap();
    let listed = |arguments: &[&str]| -> BTreeSet<String> {
        sample.git("work", arguments).lines().map(str::to_owned).collect()
    };
    let seen = |commits: &[loci_model::tasks::code_history::HistoryCommit]| -> BTreeSet<String> {
        commits.iter().map(|commit| commit.id.to_string()).collect()
    };
    assert_eq!(seen(&history.commits), listed(&["rev-list", "HEAD"]));
    assert!(!history.is_cut);
    let subjects: Vec<&str> = history.commits.iter().map(|commit| commit.subject.as_str()).collect();
    assert_eq!(subjects.first(), Some(&"c goes"));
    assert!(subjects.contains(&"a rename") && subjects.contains(&"Merge pull request #2 from x/side"));

    let without = sample.id("work", "HEAD~1^1");
    let ask = HistoryAsk { without: Some(without), ..all(tip) };
    let newer = sample.ask("work", move |source| source.history(&ask)).unwrap().unwrap();
    assert_eq!(seen(&newer.commits), listed(&["rev-list", "HEAD", "^HEAD~1^1"]));

    let ask = HistoryAsk { commits_max: 2, ..all(tip) };
    let few = sample.ask("work", move |source| source.history(&ask)).unwrap().unwrap();
    assert_eq!(few.commits.iter().filter(|commit| commit.parents.len() < 2).count(), 2);
    assert!(few.is_cut);
    let ask = HistoryAsk { span_s: Some(-1), ..all(tip) };
    let none = sample.ask("work", move |source| source.history(&ask)).unwrap().unwrap();
    assert!(none.commits.is_empty() && none.is_cut, "the tip is older than a second in the future");
}

#[test]
fn changes_are_those_that_git_shows() {
    let sample = sample();
    let changes = |name: &str| {
        let id = sample.id("work", name);
        sample.ask("work", move |source| source.changes(&id, 50)).unwrap().unwrap()
    };
    let text = |found: CommitChanges| {
        let renames = found.renames.iter().map(|rename| format!("{}>{}", rename.from, rename.to));
        let renames: Vec<String> = renames.collect();
        format!("~{:?} +{:?} -{:?} {renames:?}", found.changed, found.come, found.gone)
    };
    for (name, expect) in [
        ("first", r#"~[] +["a.rs", "b.rs", "deep/c.rs"] -[] []"#),
        ("HEAD~2", r#"~["b.rs"] +[] -[] ["a.rs>deep/moved.rs"]"#),
        ("side", r#"~[] +["side.txt"] -[] []"#),
        ("HEAD", r#"~[] +[] -["deep/c.rs"] []"#),
    ] {
        assert_eq!(text(changes(name)), expect, "{name}");
    }
}

#[test]
fn what_a_shallow_clone_does_not_hold_is_not_guessed() {
    let sample = sample();
    let from = format!("file://{}", sample.path("work").display());
    sample.git("", &["clone", "--quiet", "--depth=1", &from, "shallow"]);
    let tip = sample.id("shallow", "HEAD");
    let history = sample.ask("shallow", move |source| source.history(&all(tip))).unwrap().unwrap();
    assert_eq!(history.commits.len(), 1);
    assert!(history.is_cut);
    assert_eq!(sample.ask("shallow", move |source| source.changes(&tip, 50)).unwrap(), None);
}

#[test]
fn merge_bases_are_those_that_git_names() {
    let sample = sample();
    sample.git("work", &["checkout", "--quiet", "-b", "feature", "HEAD~1"]);
    sample.write("work/page.txt", "page\n");
    sample.commit("work", "a page");
    sample.git("work", &["checkout", "--quiet", "--orphan", "alone"]);
    sample.commit("work", "another beginning");
    for (one, other) in [
        ("main", "feature"),
        ("feature", "main"),
        ("main", "first"),
        ("side", "main"),
        ("side", "feature"),
        ("main", "main"),
        ("main", "main~1^1"),
    ] {
        let ids = (sample.id("work", one), sample.id("work", other));
        let found = sample.ask("work", move |source| source.merge_base(&ids.0, &ids.1)).unwrap();
        let expect = sample.git("work", &["merge-base", one, other]);
        assert_eq!(found.map(|id| id.to_string()), Some(expect), "{one} {other}");
    }
    let ids = (sample.id("work", "main"), sample.id("work", "alone"));
    assert_eq!(sample.ask("work", move |source| source.merge_base(&ids.0, &ids.1)), Ok(None));

    // A criss-cross merge has two merge bases: either is right, and the choice is the same in both
    // directions.
    sample.git("work", &["checkout", "--quiet", "-b", "left", "main"]);
    sample.git("work", &["merge", "--quiet", "--no-ff", "-m", "left", "feature"]);
    sample.git("work", &["checkout", "--quiet", "-b", "right", "feature"]);
    sample.git("work", &["merge", "--quiet", "--no-ff", "-m", "right", "main"]);
    let [left, right] = ["left", "right"].map(|name| sample.id("work", name));
    let ask = |one, other| sample.ask("work", move |source| source.merge_base(&one, &other)).unwrap();
    let all = sample.git("work", &["merge-base", "--all", "left", "right"]);
    let found = ask(left, right).unwrap().to_string();
    assert!(all.lines().count() == 2 && all.contains(&found), "{found} {all}");
    assert_eq!(ask(right, left).map(|id| id.to_string()), Some(found));
}

#[test]
fn a_merge_base_beyond_the_edge_of_a_clone_is_not_guessed() {
    let sample = sample();
    sample.git("work", &["checkout", "--quiet", "-b", "feature", "main~1"]);
    let feature = sample.commit("work", "a page");
    let from = format!("file://{}", sample.path("work").display());
    sample.git("", &["clone", "--quiet", "--depth=1", "--no-single-branch", &from, "shallow"]);
    let main = sample.id("work", "main");
    let ask = |one, other| sample.ask("shallow", move |source| source.merge_base(&one, &other));
    assert_eq!(ask(feature, main).map_err(|error| error.why.as_str()), Err("partial_clone"));
    assert_eq!(ask(main, main), Ok(Some(main)), "a commit itself needs no history");
    sample.git("shallow", &["fetch", "--quiet", "--deepen=1"]);
    assert_eq!(ask(feature, main), Ok(Some(sample.id("work", "main~1"))));
}
