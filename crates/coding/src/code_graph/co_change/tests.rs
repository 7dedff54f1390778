//! Compares the graph with a naive count, and the measures with a history of known numbers.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::TaskId;
use loci_model::facts::code::ObjectId;
use loci_model::tasks::file_change::HistoryChange;
use proptest::prelude::*;

use super::counting_rules::FILES_MAX;
use super::graph::{Graph, TaskChange};
use super::impact::{Failed, touched};
use super::measures::Thresholds;
use super::missing_files::missing;

fn id(name: usize) -> ObjectId {
    let mut bytes = [0; 20];
    bytes[..8].copy_from_slice(&name.to_be_bytes());
    ObjectId::from_bytes(&bytes).unwrap()
}

/// A commit of a test, by paths.
#[derive(Debug, Clone, Default)]
struct Commit {
    files: Vec<String>,
    renamed: Vec<(String, String)>,
    gone: Vec<String>,
    pull_request: Option<u64>,
}

fn files(paths: &[&str]) -> Commit {
    Commit { files: paths.iter().map(|path| (*path).to_owned()).collect(), ..Commit::default() }
}

fn add(graph: &mut Graph, number: usize, commit: &Commit) {
    let mut paths: Vec<String> = Vec::new();
    let mut place = |path: &String| {
        paths.push(path.clone());
        u32::try_from(paths.len() - 1).unwrap()
    };
    let change = HistoryChange {
        id: id(number),
        at_s: i64::try_from(number).unwrap() * 100,
        pull_request: commit.pull_request,
        merge: None,
        files: commit.files.iter().map(&mut place).collect(),
        renamed: commit.renamed.iter().map(|(from, to)| (place(from), place(to))).collect(),
        gone: commit.gone.iter().map(&mut place).collect(),
        is_sweeping: false,
    };
    graph.add_commit(&change, &paths);
}

fn graph(commits: &[Commit]) -> Graph {
    let mut graph = Graph::default();
    commits.iter().enumerate().for_each(|(number, commit)| add(&mut graph, number, commit));
    graph
}

/// Returns `support confidence reverse lift` of every pair with a file.
fn pairs(graph: &Graph, path: &str) -> Vec<String> {
    let file = graph.file(path).unwrap();
    let mut found = graph.together_with(file);
    found.sort_by(|a, b| graph.surest(a, b));
    let shown = found.iter().map(|one| {
        let path = graph.path(one.file).unwrap();
        format!("{path} {} {:.2} {:.2} {:.2}", one.support, one.confidence, one.reverse_confidence, one.lift)
    });
    shown.collect()
}

fn paths(graph: &Graph, files: impl IntoIterator<Item = u32>) -> Vec<String> {
    files.into_iter().map(|file| graph.path(file).unwrap().to_owned()).collect()
}

/// Ten changes: the interface and its document changed together four times, of five and of six.
fn shop() -> Vec<Commit> {
    vec![
        files(&["api.ts", "openapi.yaml"]),
        files(&["api.ts", "openapi.yaml", "web.ts"]),
        files(&["api.ts", "openapi.yaml"]),
        files(&["api.ts", "openapi.yaml"]),
        files(&["api.ts"]),
        files(&["openapi.yaml", "README.md"]),
        files(&["openapi.yaml"]),
        files(&["web.ts"]),
        files(&["README.md"]),
        files(&["web.ts", "README.md"]),
    ]
}

#[test]
fn a73_measures_on_a_history_whose_numbers_are_known() {
    let graph = graph(&shop());
    assert_eq!(graph.count(), 10);
    assert_eq!(graph.count_of(graph.file("api.ts").unwrap()), 5);
    // 4 of 5, 4 of 6, 4 · 10 / (5 · 6).
    assert_eq!(pairs(&graph, "api.ts"), ["openapi.yaml 4 0.80 0.67 1.33", "web.ts 1 0.20 0.33 0.67"]);
    let often = graph.often_with(graph.file("api.ts").unwrap(), &Thresholds::default());
    assert_eq!(often.len(), 1, "web.ts changed with it once");
    let stricter = Thresholds { support: 5, ..Thresholds::default() };
    assert!(graph.often_with(graph.file("api.ts").unwrap(), &stricter).is_empty());
    let surer = Thresholds { confidence: 0.81, ..Thresholds::default() };
    assert!(graph.often_with(graph.file("api.ts").unwrap(), &surer).is_empty());
}

#[test]
fn what_is_in_every_change_is_above_chance_with_nothing() {
    let mut commits = vec![files(&["a", "log"]); 5];
    commits.push(files(&["b", "log"]));
    let graph = graph(&commits);
    assert_eq!(pairs(&graph, "a"), ["log 5 1.00 0.83 1.00"]);
    assert!(graph.often_with(graph.file("a").unwrap(), &Thresholds::default()).is_empty());
}

#[test]
fn a73_large_changes_are_of_no_file_and_single_ones_of_one() {
    let many: Vec<String> = (0..=FILES_MAX).map(|number| format!("f{number}")).collect();
    let mut commits = vec![Commit { files: many.clone(), ..Commit::default() }];
    commits.push(files(&["f1"]));
    commits.push(Commit { files: many.iter().skip(1).cloned().collect(), ..Commit::default() });
    let graph = graph(&commits);
    assert_eq!(graph.count(), 3, "all of them count as changes");
    assert_eq!(graph.count_of(graph.file("f0").unwrap()), 0, "one file too many");
    assert_eq!(graph.count_of(graph.file("f1").unwrap()), 2);
    assert_eq!(graph.together_with(graph.file("f1").unwrap()).len(), FILES_MAX - 1);
}

#[test]
fn a73_a_task_and_its_squash_commit_are_one_change() {
    let task = TaskId::parse("t-1").unwrap();
    let changed = ["a".to_owned(), "b".to_owned()];
    let told =
        |commits, pull_request| TaskChange { task: &task, commits, pull_request, files: &changed, at_s: 50 };
    let squash = Commit { pull_request: Some(7), ..files(&["a", "b", "c"]) };
    let known = [id(0)];
    for (name, told, commits) in [
        ("by its pull request", told(&[], Some(7)), 1),
        ("by its commit", told(&known, None), 1),
        ("another change", told(&[], Some(8)), 2),
    ] {
        for is_first in [true, false] {
            let mut graph = Graph::default();
            if is_first {
                graph.add_task(&told);
            }
            add(&mut graph, 0, &squash);
            if !is_first {
                graph.add_task(&told);
            }
            graph.add_task(&told);
            assert_eq!(graph.count(), commits, "{name}");
            let file = graph.file("a").unwrap();
            assert_eq!(graph.count_of(file), commits, "{name}");
            assert_eq!(graph.pair(file, graph.file("c").unwrap()).support, 1, "{name}");
        }
    }
}

#[test]
fn what_a_third_report_shows_to_be_one_change_becomes_one() {
    let task = TaskId::parse("t-1").unwrap();
    let mut graph = graph(&[files(&["a", "b"]), Commit { pull_request: Some(7), ..files(&["b", "c"]) }]);
    assert_eq!(graph.count(), 2);
    let (commits, changed) = ([id(0)], ["d".to_owned()]);
    graph.add_task(&TaskChange {
        task: &task,
        commits: &commits,
        pull_request: Some(7),
        files: &changed,
        at_s: 1_000,
    });
    assert_eq!(graph.count(), 1);
    assert_eq!(graph.count_of(graph.file("b").unwrap()), 1);
    assert_eq!(graph.together_with(graph.file("d").unwrap()).len(), 3);
}

#[test]
fn a73_a_renamed_file_keeps_what_was_counted() {
    let mut commits = shop();
    let renamed = vec![("api.ts".to_owned(), "src/orders.ts".to_owned())];
    commits.push(Commit { renamed, ..Commit::default() });
    commits.push(files(&["src/orders.ts", "openapi.yaml"]));
    let graph = graph(&commits);
    let file = graph.file("src/orders.ts").unwrap();
    assert_eq!(graph.file("api.ts"), Some(file), "it is asked for by its former path, too");
    assert_eq!(graph.count_of(file), 7);
    assert_eq!(graph.pair(file, graph.file("openapi.yaml").unwrap()).support, 5);
    let often = graph.often_with(graph.file("openapi.yaml").unwrap(), &Thresholds::default());
    assert_eq!(paths(&graph, often.iter().map(|one| one.file)), ["src/orders.ts"]);
}

#[test]
fn a_path_that_is_taken_again_is_another_file() {
    let moved = Commit { renamed: vec![("a".to_owned(), "b".to_owned())], ..Commit::default() };
    let graph = graph(&[files(&["a", "x"]), moved, files(&["a", "y"])]);
    let (new, old) = (graph.file("a").unwrap(), graph.file("b").unwrap());
    assert_ne!(new, old);
    assert_eq!(pairs(&graph, "a"), ["y 1 1.00 1.00 3.00"]);
    assert_eq!(pairs(&graph, "b"), ["x 1 0.50 1.00 1.50"]);
}

#[test]
fn a_path_that_a_task_named_before_the_rename_came_is_the_same_file() {
    let task = TaskId::parse("t-1").unwrap();
    let mut graph = graph(&[files(&["a", "x"])]);
    let changed = ["b".to_owned(), "x".to_owned()];
    graph.add_task(&TaskChange {
        task: &task,
        commits: &[],
        pull_request: Some(1),
        files: &changed,
        at_s: 1,
    });
    let squash =
        Commit { renamed: vec![("a".to_owned(), "b".to_owned())], pull_request: Some(1), ..files(&["x"]) };
    add(&mut graph, 1, &squash);
    assert_eq!(graph.count(), 2);
    assert_eq!(pairs(&graph, "b"), ["x 2 1.00 1.00 1.00"]);
}

#[test]
fn what_is_gone_is_counted_and_not_shown() {
    let mut commits = vec![files(&["a", "b"]); 4];
    commits.push(Commit { gone: vec!["b".to_owned()], ..Commit::default() });
    let mut graph = graph(&commits);
    assert!(pairs(&graph, "a").is_empty());
    add(&mut graph, 5, &files(&["b"]));
    assert_eq!(pairs(&graph, "a"), ["b 4 1.00 0.67 1.00"], "it came back");
}

#[test]
fn sets_hold_pairwise() {
    // Both a and b, and b and c, always change together; a and c change apart too often for a
    // group.
    let mut commits = vec![files(&["a", "b", "c"]); 37];
    commits.extend([files(&["a", "b"]), files(&["a", "b"]), files(&["b", "c"]), files(&["b", "c"])]);
    commits.extend(vec![files(&["p", "q"]); 5]);
    commits.extend(vec![files(&["r", "s"]); 4]);
    let graph = graph(&commits);
    let sets: Vec<(Vec<String>, u32)> =
        graph.always().iter().map(|set| (paths(&graph, set.files.iter().copied()), set.support)).collect();
    let set = |files: &[&str], support| (files.iter().map(|file| (*file).to_owned()).collect(), support);
    assert_eq!(sets, [set(&["b", "a"], 39), set(&["p", "q"], 5)]);
}

#[test]
fn a74_the_document_of_an_interface_is_missed() {
    let graph = graph(&shop());
    let of = |asked: &[&str]| {
        let files: BTreeSet<u32> = asked.iter().filter_map(|path| graph.file(path)).collect();
        let found = missing(&graph, &files, &BTreeSet::new(), &Thresholds::default());
        paths(&graph, found.iter().map(|one| one.together.file))
    };
    assert_eq!(of(&["api.ts"]), ["openapi.yaml"]);
    assert!(of(&["api.ts", "openapi.yaml"]).is_empty());
    assert!(of(&["web.ts"]).is_empty());
    assert!(of(&["nowhere.ts"]).is_empty());
}

#[test]
fn impact_goes_on_from_file_to_file_and_takes_in_what_failed() {
    let mut commits = vec![files(&["a", "b"]); 4];
    commits.extend(vec![files(&["b", "c"]); 8]);
    commits.extend(vec![files(&["x", "y"]); 6]);
    let graph = graph(&commits);
    let from: BTreeSet<u32> = graph.file("a").into_iter().collect();
    let failed = |path: &str, episode: &str| Failed {
        episode: loci_model::RecordId::compose(episode).unwrap(),
        files: [graph.file(path).unwrap(), graph.file("a").unwrap()].into(),
    };
    let failed = [
        failed("y", "018f0000-0000-7000-8000-000000000001"),
        failed("y", "018f0000-0000-7000-8000-000000000002"),
    ];
    let shown = |depth: u32| -> Vec<String> {
        let rows = touched(&graph, &from, depth, &Thresholds::default(), &failed);
        let row = |row: &super::impact::AffectedFile| {
            let confidence = row.together.map_or(0.0, |together| together.confidence);
            let path = graph.path(row.file).unwrap();
            format!("{path} {} {confidence:.2} {}", row.distance, row.episodes.len())
        };
        rows.iter().map(row).collect()
    };
    assert_eq!(shown(1), ["b 1 1.00 0", "y 1 0.00 2"]);
    assert_eq!(shown(2), ["b 1 1.00 0", "y 1 0.00 2", "c 2 0.67 0"], "as sure as each other: the nearer one");
}

proptest! {
    /// Without renames, every count equals a naive count over all changes, in any order of the
    /// reports.
    #[test]
    fn counts_are_those_of_counting_naively(
        commits in prop::collection::vec(
            (prop::collection::btree_set(0_u8..12, 1..6), prop::option::of(0_u64..4)), 1..40
        ),
    ) {
        let made: Vec<Commit> = commits
            .iter()
            .map(|(files, pull_request)| Commit {
                files: files.iter().map(|name| format!("f{name}")).collect(),
                pull_request: *pull_request,
                ..Commit::default()
            })
            .collect();
        let graph = graph(&made);
        let mut changes: BTreeMap<(Option<u64>, usize), BTreeSet<String>> = BTreeMap::new();
        for (number, commit) in made.iter().enumerate() {
            let key = commit.pull_request.map_or((None, number), |request| (Some(request), 0));
            changes.entry(key).or_default().extend(commit.files.iter().cloned());
        }
        let changes: Vec<BTreeSet<String>> = changes.into_values().collect();
        prop_assert_eq!(graph.count() as usize, changes.len());
        let count = |wanted: &[&str]| {
            let has_all = |change: &&BTreeSet<String>| wanted.iter().all(|path| change.contains(*path));
            changes.iter().filter(has_all).count()
        };
        let all: BTreeSet<String> = changes.iter().flatten().cloned().collect();
        for path in &all {
            let file = graph.file(path).unwrap();
            prop_assert_eq!(graph.count_of(file) as usize, count(&[path.as_str()]));
            let together: BTreeMap<&str, u32> = graph
                .together_with(file)
                .iter()
                .map(|one| (graph.path(one.file).unwrap(), one.support))
                .collect();
            for other in all.iter().filter(|other| *other != path) {
                let expect = count(&[path.as_str(), other.as_str()]);
                prop_assert_eq!(together.get(other.as_str()).copied().unwrap_or(0) as usize, expect);
            }
        }
    }

    /// A repeated report changes nothing. The counts of a file do not depend on the time of a
    /// task's report.
    #[test]
    fn what_is_known_changes_nothing(
        commits in prop::collection::vec(prop::collection::btree_set(0_u8..8, 1..4), 1..20),
    ) {
        let made: Vec<Commit> = commits
            .iter()
            .map(|files| Commit { files: files.iter().map(|name| format!("f{name}")).collect(), ..Commit::default() })
            .collect();
        let once = graph(&made);
        let mut twice = graph(&made);
        made.iter().enumerate().for_each(|(number, commit)| add(&mut twice, number, commit));
        prop_assert_eq!(once.count(), twice.count());
        for (file, path) in once.files() {
            prop_assert_eq!(Some(file), twice.file(path));
            prop_assert_eq!(once.transactions_of(file), twice.transactions_of(file));
        }
    }
}
