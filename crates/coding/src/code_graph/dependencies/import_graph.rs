//! The importers of each file of a revision. The graph follows a change along them: importers,
//! their importers, step by step. Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::languages::{c_family, go, java_virtual_machine, javascript, python, rust};
use super::layout::{Basis, FileNumber, ImportTarget, Layout};
use super::scan::{Import, Language};

/// The maximum number of listed places of one file, the highest certainty first.
const SITES_MAX: usize = 20;
/// The maximum number of imports that are resolved, and of their edges. Further files are left out.
const IMPORTS_MAX: usize = 300_000;
const EDGES_MAX: usize = 500_000;
/// The maximum number of comparisons of a file's names with the declarations of other files of its
/// package.
pub(super) const COMPARISONS_MAX: usize = 30_000_000;
/// The factor of certainty for each further file: an importer may shield its own importers.
const STEP: f64 = 0.5;

/// An import of one file by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Edge {
    from: FileNumber,
    line: u32,
    basis: Basis,
}

/// A place where a file names another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Site {
    /// The named file.
    pub(crate) of: String,
    /// The line, from 1.
    pub(crate) line: u32,
    /// The way in which the name was matched.
    pub(crate) basis: Basis,
}

/// A file that depends on others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dependent {
    /// The file.
    pub(crate) path: String,
    /// The number of imports on the path; 1 if it imports one of the given files directly.
    pub(crate) distance: u32,
    /// The certainty of its best path, halved for each further file on it.
    pub(crate) certainty: f64,
    /// The lines that name the preceding files on the path, at most 20.
    pub(crate) sites: Vec<Site>,
    /// The number of all such places.
    pub(crate) site_count: u32,
}

/// The imports of a revision, in reverse.
#[derive(Debug, Default)]
pub(crate) struct ImportGraph {
    paths: Vec<String>,
    by_path: HashMap<String, FileNumber>,
    /// The importers of each file, in the order of their paths.
    importers: Vec<Vec<Edge>>,
    /// The number of files in supported languages that are over the limits or not text.
    pub(crate) left_out: u32,
}

impl ImportGraph {
    pub(super) fn new(layout: Layout, left_out: u32) -> Self {
        Self::within(layout, left_out, (IMPORTS_MAX, EDGES_MAX))
    }

    /// Returns the graph within limits on imports and edges. A file whose names could not all be
    /// resolved counts as left out.
    pub(super) fn within(
        layout: Layout,
        mut left_out: u32,
        (imports_max, edges_max): (usize, usize),
    ) -> Self {
        let mut importers: Vec<BTreeMap<FileNumber, Edge>> = vec![BTreeMap::new(); layout.paths.len()];
        let mut add = |to: FileNumber, edge: Edge| {
            let Some(of_file) = importers.get_mut(to as usize) else { return };
            let known = of_file.entry(edge.from).or_insert(edge);
            if (edge.basis, edge.line) < (known.basis, known.line) {
                *known = edge;
            }
        };
        let (mut imports, mut edges) = (0, 0);
        for from in (0..).take(layout.paths.len()) {
            let Some(language) = Language::of(layout.path(from)) else { continue };
            let mut is_whole = imports < imports_max && edges < edges_max && layout.has_room();
            for import in layout.scan(from).map_or(&[][..], |scan| scan.imports.as_slice()) {
                if !is_whole {
                    break;
                }
                imports += 1;
                for (to, basis) in resolve(&layout, language, from, import) {
                    edges += 1;
                    add(to, Edge { from, line: import.line, basis });
                }
                is_whole = edges <= edges_max && layout.has_room();
            }
            if is_whole {
                for (to, line) in seen(&layout, language, from) {
                    edges += 1;
                    add(to, Edge { from, line, basis: Basis::Reference });
                }
                is_whole = edges <= edges_max && layout.has_room();
            }
            left_out = left_out.saturating_add(u32::from(!is_whole));
        }
        let importers = importers.into_iter().map(|of_file| of_file.into_values().collect()).collect();
        let by_path = (0..).zip(&layout.paths).map(|(file, path)| (path.clone(), file)).collect();
        Self { paths: layout.paths, by_path, importers, left_out }
    }

    /// Returns the number of files whose imports are read.
    pub(crate) fn file_count(&self) -> u32 {
        u32::try_from(self.paths.len()).unwrap_or(u32::MAX)
    }

    /// Returns the file at a path.
    pub(crate) fn file(&self, path: &str) -> Option<FileNumber> {
        self.by_path.get(path).copied()
    }

    /// Returns the files whose paths satisfy a predicate.
    pub(crate) fn matching(&self, fits: impl Fn(&str) -> bool) -> BTreeSet<FileNumber> {
        (0..).zip(&self.paths).filter(|(_, path)| fits(path)).map(|(file, _)| file).collect()
    }

    pub(crate) fn path(&self, file: FileNumber) -> &str {
        self.paths.get(file as usize).map_or("", String::as_str)
    }

    /// Returns the files that depend on the given ones within a number of steps, in the order of
    /// their paths.
    pub(crate) fn dependents(&self, of: &BTreeSet<FileNumber>, depth: u32) -> Vec<Dependent> {
        let mut found: BTreeMap<FileNumber, Dependent> = BTreeMap::new();
        let mut front: BTreeMap<FileNumber, f64> = of.iter().map(|file| (*file, 1.0)).collect();
        for distance in 1..=depth {
            let mut next: BTreeMap<FileNumber, Dependent> = BTreeMap::new();
            for (file, certainty) in &front {
                for edge in self.importers.get(*file as usize).map_or(&[][..], Vec::as_slice) {
                    if of.contains(&edge.from) || found.contains_key(&edge.from) {
                        continue;
                    }
                    let row = next.entry(edge.from).or_insert_with(|| Dependent {
                        path: self.path(edge.from).to_owned(),
                        distance,
                        certainty: 0.0,
                        sites: Vec::new(),
                        site_count: 0,
                    });
                    let step = if distance > 1 { STEP } else { 1.0 };
                    row.certainty = row.certainty.max(certainty * edge.basis.precision() * step);
                    let of = self.path(*file).to_owned();
                    row.sites.push(Site { of, line: edge.line, basis: edge.basis });
                }
            }
            front = next.iter().map(|(file, row)| (*file, row.certainty)).collect();
            found.extend(next);
        }
        let mut rows: Vec<Dependent> = found.into_values().collect();
        for row in &mut rows {
            row.site_count = u32::try_from(row.sites.len()).unwrap_or(u32::MAX);
            row.sites.sort_by(|a, b| (a.basis, a.line, &a.of).cmp(&(b.basis, b.line, &b.of)));
            row.sites.truncate(SITES_MAX);
        }
        rows.sort_by(|a, b| a.path.cmp(&b.path));
        rows
    }
}

fn resolve(layout: &Layout, language: Language, from: FileNumber, import: &Import) -> Vec<ImportTarget> {
    match language {
        Language::Rust => rust::resolve(layout, from, import),
        Language::JavaScript => javascript::resolve(layout, from, import),
        Language::Python => python::resolve(layout, from, import),
        Language::Go => go::resolve(layout, from, import),
        Language::Java | Language::Kotlin => java_virtual_machine::resolve(layout, from, import),
        Language::C => c_family::resolve(layout, from, import),
    }
}

/// Returns the files that a file uses without an import.
fn seen(layout: &Layout, language: Language, from: FileNumber) -> Vec<(FileNumber, u32)> {
    match language {
        Language::Go => go::seen(layout, from),
        Language::Java | Language::Kotlin => java_virtual_machine::seen(layout, from),
        Language::C => c_family::seen(layout, from),
        Language::Rust | Language::JavaScript | Language::Python => Vec::new(),
    }
}
