//! The files of a revision, indexed for the resolution of imports: by path, by name, by directory,
//! and by the packages of manifests. Pure.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::scan::Scan;

/// The index of a file among the files of a revision.
pub(super) type FileNumber = u32;

/// The ways to match an import with a file, the most certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Basis {
    /// The import names the file, by the rules of its language.
    Path,
    /// The import names the file, and one rule is a guess: an alias, or a root that no manifest
    /// states.
    Name,
    /// The file has no import and uses a name that another file of its package declares.
    Reference,
}

impl Basis {
    /// Returns the name that the API uses for this value.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Name => "name",
            Self::Reference => "reference",
        }
    }

    /// Returns the share of correct edges on this basis: a lower bound of the share that the
    /// benchmark `imports` measures (docs/reference/imports.md).
    pub(super) fn precision(self) -> f64 {
        match self {
            Self::Path => 0.95,
            Self::Name => 0.8,
            Self::Reference => 0.7,
        }
    }
}

/// A file that an import resolves to.
pub(super) type ImportTarget = (FileNumber, Basis);

/// The packages that manifests of one kind state. A directory has no trailing slash; the root is
/// empty.
#[derive(Debug, Default)]
pub(super) struct Packages {
    by_directory: HashMap<String, String>,
    by_name: HashMap<String, String>,
}

impl Packages {
    /// Adds a package under the name that imports use. If two packages share a name, the first one
    /// stays.
    pub(super) fn add(&mut self, name: String, directory: String) {
        self.by_directory.insert(directory.clone(), name.clone());
        self.by_name.entry(name).or_insert(directory);
    }

    /// Returns the directory of the package with a name.
    pub(super) fn directory(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(String::as_str)
    }

    /// Returns the directory itself or the nearest one above it that has a manifest.
    pub(super) fn nearest<'a>(&self, directory: &'a str) -> Option<&'a str> {
        upwards(directory).find(|above| self.by_directory.contains_key(*above))
    }
}

/// Files by the names that they declare, in the order of their paths.
pub(super) type Declarers = BTreeMap<String, Vec<FileNumber>>;

/// The files of a revision.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) paths: Vec<String>,
    pub(super) scans: Vec<Arc<Scan>>,
    by_path: HashMap<String, FileNumber>,
    /// The segments of each path in reverse order, sorted.
    by_ending: Vec<(String, FileNumber)>,
    in_directory: HashMap<String, Vec<FileNumber>>,
    declared_in_directory: HashMap<String, Declarers>,
    declared_in_package: HashMap<String, Declarers>,
    none: Declarers,
    /// The number of name comparisons left.
    comparisons: Cell<usize>,
    /// Packages of `Cargo.toml`, `package.json` and `go.mod`.
    pub(super) cargo: Packages,
    pub(super) npm: Packages,
    pub(super) go: Packages,
}

impl Layout {
    /// Returns the layout of files in the order of their paths, with a limit on name comparisons.
    pub(super) fn new(files: Vec<(String, Arc<Scan>)>, comparisons: usize) -> Self {
        let mut layout = Self { comparisons: Cell::new(comparisons), ..Self::default() };
        for (path, scan) in files {
            let number = FileNumber::try_from(layout.paths.len()).unwrap_or(FileNumber::MAX);
            layout.by_path.insert(path.clone(), number);
            layout.by_ending.push((from_end(&path), number));
            let (directory, _) = split(&path);
            layout.in_directory.entry(directory.to_owned()).or_default().push(number);
            declare(&mut layout.declared_in_directory, directory, &scan, number);
            if let Some(package) = &scan.package {
                declare(&mut layout.declared_in_package, package, &scan, number);
            }
            layout.paths.push(path);
            layout.scans.push(scan);
        }
        layout.by_ending.sort_unstable();
        layout
    }

    pub(super) fn file(&self, path: &str) -> Option<FileNumber> {
        self.by_path.get(path).copied()
    }

    pub(super) fn path(&self, file: FileNumber) -> &str {
        self.paths.get(file as usize).map_or("", String::as_str)
    }

    pub(super) fn scan(&self, file: FileNumber) -> Option<&Scan> {
        self.scans.get(file as usize).map(Arc::as_ref)
    }

    pub(super) fn in_directory(&self, directory: &str) -> &[FileNumber] {
        self.in_directory.get(directory).map_or(&[], Vec::as_slice)
    }

    /// Returns the names that files of a directory declare.
    pub(super) fn declared_in_directory(&self, directory: &str) -> &Declarers {
        self.declared_in_directory.get(directory).unwrap_or(&self.none)
    }

    /// Returns the names that the files of a package declare. `None` if no file states the package.
    pub(super) fn declared_in_package(&self, package: &str) -> Option<&Declarers> {
        self.declared_in_package.get(package)
    }

    /// Deducts name comparisons from the limit. `false` if the limit is exhausted.
    pub(super) fn compares(&self, names: usize) -> bool {
        let left = self.comparisons.get().saturating_sub(names);
        self.comparisons.set(left);
        left > 0
    }

    /// True as long as names may be compared.
    pub(super) fn has_room(&self) -> bool {
        self.comparisons.get() > 0
    }

    /// Returns the names that a file uses and others declare, each with the line of its first use
    /// and the declaring files. Empty if the limit does not allow all comparisons.
    pub(super) fn used<'a>(
        &'a self,
        by: &'a Scan,
        declared: &'a Declarers,
    ) -> Vec<(&'a str, u32, &'a [FileNumber])> {
        if !self.compares(by.words.len().min(declared.len())) {
            return Vec::new();
        }
        let used: Vec<(&str, u32, &[FileNumber])> = if by.words.len() < declared.len() {
            let of = |(name, line): (&'a String, &u32)| {
                Some((name.as_str(), *line, declared.get(name)?.as_slice()))
            };
            by.words.iter().filter_map(of).collect()
        } else {
            let of = |(name, files): (&'a String, &'a Vec<FileNumber>)| {
                Some((name.as_str(), *by.words.get(name)?, files.as_slice()))
            };
            declared.iter().filter_map(of).collect()
        };
        let files = used.iter().map(|(_, _, files)| files.len()).sum();
        if self.compares(files) { used } else { Vec::new() }
    }

    /// Returns the first path that is a file.
    pub(super) fn first(&self, paths: impl IntoIterator<Item = String>) -> Option<FileNumber> {
        paths.into_iter().find_map(|path| self.file(&path))
    }

    /// Returns the only file whose path ends with these segments. `None` if several files match.
    pub(super) fn only_ending(&self, suffix: &str) -> Option<FileNumber> {
        let ending = from_end(suffix);
        let below = format!("{ending}/");
        let from = self.by_ending.partition_point(|(path, _)| *path < below);
        let longer = self.by_ending.iter().skip(from).take_while(|(path, _)| path.starts_with(&below));
        let mut found = self.file(suffix).into_iter().chain(longer.map(|(_, file)| *file));
        let only = found.next()?;
        found.next().is_none().then_some(only)
    }
}

fn declare(declared: &mut HashMap<String, Declarers>, group: &str, scan: &Scan, file: FileNumber) {
    let names = declared.entry(group.to_owned()).or_default();
    for name in &scan.declares {
        names.entry(name.clone()).or_default().push(file);
    }
}

/// Returns the segments of a path in reverse order.
fn from_end(path: &str) -> String {
    path.rsplit('/').collect::<Vec<_>>().join("/")
}

/// Splits a path into its directory and its name.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns a path below a directory. The empty directory is the root.
pub(super) fn join(directory: &str, rest: &str) -> String {
    match (directory.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (false, true) => directory.to_owned(),
        (false, false) => format!("{directory}/{rest}"),
    }
}

/// Returns the directory above. `None` for the root.
pub(super) fn above(directory: &str) -> Option<&str> {
    (!directory.is_empty()).then(|| split(directory).0)
}

/// Returns a directory and all directories above it, the nearest first.
pub(super) fn upwards(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |directory| above(directory))
}

/// Resolves a relative path from a directory, including `.` and `..`. `None` above the root.
pub(super) fn relative(directory: &str, path: &str) -> Option<String> {
    let mut segments: Vec<&str> = directory.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            other => segments.push(other),
        }
    }
    Some(segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_and_taken_apart() {
        for (directory, path, expect) in [
            ("a/b", "./c", Some("a/b/c")),
            ("a/b", "../c", Some("a/c")),
            ("a", "../..", None),
            ("", "x//y", Some("x/y")),
        ] {
            assert_eq!(relative(directory, path).as_deref(), expect, "{directory} {path}");
        }
        assert_eq!(upwards("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!((split("a/b.c"), split("b.c")), (("a", "b.c"), ("", "b.c")));
        assert_eq!((join("", "a"), join("a", ""), join("a", "b")), ("a".into(), "a".into(), "a/b".into()));
    }

    #[test]
    fn only_one_file_ends_with_a_suffix() {
        let files = ["a/x/y.h", "b/x/y.h", "z/only.h"].map(|path| (path.to_owned(), Arc::default()));
        let layout = Layout::new(files.to_vec(), 1);
        assert_eq!(layout.only_ending("x/y.h"), None);
        assert_eq!(layout.only_ending("a/x/y.h"), Some(0));
        assert_eq!(layout.only_ending("only.h"), Some(2));
        assert_eq!(layout.only_ending("ly.h"), None);
        assert_eq!(layout.only_ending("z/only.h"), Some(2), "the whole path");
        assert_eq!(layout.only_ending("h"), None);
        assert_eq!(layout.only_ending(""), None);
    }
}
