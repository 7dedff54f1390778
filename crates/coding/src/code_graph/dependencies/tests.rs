//! Imports of a labelled corpus: six small repositories, each with the edges that exist, those that
//! names alone do not find (`missed_files`), and the false ones that the analysis finds (`wrong`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::import_graph::{COMPARISONS_MAX, ImportGraph};
use super::layout::{Basis, Layout};
use super::manifests;
use super::scan::{Language, scan};

const CORPUS: &[(&str, &str)] = &[
    ("rust", include_str!("corpus/rust.txt")),
    ("javascript", include_str!("corpus/javascript.txt")),
    ("python", include_str!("corpus/python.txt")),
    ("go", include_str!("corpus/go.txt")),
    ("java_virtual_machine", include_str!("corpus/java_virtual_machine.txt")),
    ("c_family", include_str!("corpus/c_family.txt")),
];
const EDGES: &str = "edges";

/// Returns the files of a corpus, and its edges.
fn parts(text: &str) -> (Vec<(&str, &str)>, &str) {
    let mut files: Vec<(&str, &str)> =
        text.split("=== ").skip(1).map(|part| part.split_once('\n').unwrap()).collect();
    let (name, edges) = files.pop().unwrap();
    assert_eq!(name, EDGES);
    (files, edges)
}

fn graph(files: &[(&str, &str)]) -> ImportGraph {
    let read = files.iter().filter_map(|(path, text)| {
        let language = Language::of(path)?;
        Some(((*path).to_owned(), Arc::new(scan(language, text))))
    });
    let mut layout = Layout::new(read.collect(), COMPARISONS_MAX);
    for (path, text) in files.iter().filter(|(path, _)| manifests::is_manifest(path)) {
        manifests::add(&mut layout, path, text);
    }
    ImportGraph::new(layout, 0)
}

#[test]
fn files_beyond_the_bounds_of_a_huge_package_are_counted() {
    let all: String = (0..40).map(|at| format!("F{at} f; ")).collect();
    let file = |at: usize| {
        let text = format!("package a;\nimport a.*;\nclass F{at} {{ {all} }}");
        (format!("a/F{at:02}.java"), Arc::new(scan(Language::Java, &text)))
    };
    let files: Vec<_> = (0..40).map(file).collect();
    // Each file imports 39 others, and refers to them: 78 edges, and twice 81 comparisons.
    for (comparisons, imports, edges, left_out, file_count) in [
        (COMPARISONS_MAX, 1_000, 10_000, 0, 40),
        (COMPARISONS_MAX, 3, 10_000, 37, 40),
        (COMPARISONS_MAX, 1_000, 200, 38, 40),
        (2 * 162 + 1, 1_000, 10_000, 38, 40),
    ] {
        let layout = Layout::new(files.clone(), comparisons);
        let graph = ImportGraph::within(layout, 0, (imports, edges));
        assert_eq!((graph.left_out, graph.file_count()), (left_out, file_count), "{comparisons} {edges}");
        let importers = graph.dependents(&graph.matching(|path| path == "a/F39.java"), 1);
        assert!(importers.len() <= 40 - left_out as usize + 1, "{}", importers.len());
    }
}

/// Returns all edges as `a -> b basis`.
fn edges(graph: &ImportGraph) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in graph.matching(|_| true) {
        for row in graph.dependents(&[file].into(), 1) {
            let basis = row.sites[0].basis.as_str();
            found.insert(format!("{} -> {} {basis}", row.path, graph.path(file)));
        }
    }
    found
}

#[test]
fn imports_of_the_corpus_are_found_as_precisely_as_is_stated() {
    let (mut right, mut wrong, mut missed) = (BTreeMap::new(), BTreeMap::new(), 0);
    for (name, text) in CORPUS {
        let (files, labels) = parts(text);
        let mut expect = BTreeSet::new();
        for label in labels.lines().filter(|line| !line.is_empty()) {
            let basis = |edge: &str| edge.rsplit(' ').next().unwrap().to_owned();
            if label.starts_with("missed ") {
                missed += 1;
            } else if let Some(edge) = label.strip_prefix("wrong ") {
                *wrong.entry(basis(edge)).or_insert(0_u32) += 1;
                expect.insert(edge.to_owned());
            } else {
                *right.entry(basis(label)).or_insert(0_u32) += 1;
                expect.insert(label.to_owned());
            }
        }
        assert_eq!(edges(&graph(&files)), expect, "{name}");
    }
    for basis in [Basis::Path, Basis::Name, Basis::Reference] {
        let of = |counts: &BTreeMap<String, u32>| counts.get(basis.as_str()).copied().unwrap_or_default();
        let precision = f64::from(of(&right)) / f64::from(of(&right) + of(&wrong));
        assert!(precision >= basis.precision(), "{basis:?}: {precision:.3}");
    }
    let found: u32 = right.values().sum();
    assert!(f64::from(found) / f64::from(found + missed) >= 0.9, "{found} found, {missed} missed");
}

#[test]
fn importers_of_importers_are_less_certain() {
    let files = [
        ("a.py", "x = 1"),
        ("b.py", "import a\nimport d"),
        ("c.py", "\nimport b"),
        ("d.py", "import c"),
        ("e.py", "import a, b"),
    ];
    let graph = graph(&files);
    let shown = |depth: u32| -> Vec<String> {
        let of = graph.matching(|path| path == "a.py");
        let row = |row: &super::Dependent| {
            let sites: Vec<String> =
                row.sites.iter().map(|site| format!("{}:{}", site.of, site.line)).collect();
            format!("{} {} {:.3} {}", row.path, row.distance, row.certainty, sites.join(","))
        };
        graph.dependents(&of, depth).iter().map(row).collect()
    };
    assert_eq!(shown(1), ["b.py 1 0.950 a.py:1", "e.py 1 0.950 a.py:1"]);
    let two = ["b.py 1 0.950 a.py:1", "c.py 2 0.451 b.py:2", "e.py 1 0.950 a.py:1"];
    assert_eq!(shown(2), two);
    assert_eq!(shown(5).len(), 4, "a circle ends: {:?}", shown(5));
}

#[test]
fn deep_and_broken_text_is_read_to_its_end() {
    let braces = format!("use {}", "a::{".repeat(100_000));
    let many = "fun <".repeat(50_000);
    for (language, text) in [
        (Language::Rust, braces.as_str()),
        (Language::Kotlin, many.as_str()),
        (Language::Python, "from . import (a,"),
        (Language::Go, "import ("),
        (Language::C, "#include <"),
        (Language::JavaScript, "import {`"),
        (Language::Java, "import static"),
    ] {
        let found = scan(language, text);
        assert!(found.imports.len() <= 1, "{language:?}: {:?}", found.imports.len());
    }
}
