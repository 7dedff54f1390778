//! The files of a revision as imports look for them: by path, by name, by directory, and what
//! manifests call packages. Pure.

use std::collections::HashMap;
use std::sync::Arc;

use super::scan::Scan;

/// A file, by its place among the files of a revision.
pub(super) type FileNumber = u32;

/// The ways to match an import with a file, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// The import names the file, by the rules of its language.
    Path,
    /// The import names it, and one rule had to be guessed: an alias, a root that no manifest
    /// states.
    Name,
    /// No import: the file uses a name that the other one of its package declares.
    Reference,
}

impl Basis {
    /// The word of answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Name => "name",
            Self::Reference => "reference",
        }
    }

    /// The share of such edges that are right: a lower bound of what `imports` measures
    /// (docs/guides/related-files.md).
    pub(super) fn precision(self) -> f64 {
        match self {
            Self::Path => 0.95,
            Self::Name => 0.8,
            Self::Reference => 0.7,
        }
    }
}

/// A file that an import leads to.
pub(super) type Target = (FileNumber, Basis);

/// Packages that manifests of one kind state. A directory has no slash at its end; the root's is
/// empty.
#[derive(Debug, Default)]
pub(super) struct Packages {
    by_directory: HashMap<String, String>,
    by_name: HashMap<String, String>,
}

impl Packages {
    /// Adds a package by its name, as imports write it; of two that share a name the first one
    /// stays.
    pub(super) fn add(&mut self, name: String, directory: String) {
        self.by_directory.insert(directory.clone(), name.clone());
        self.by_name.entry(name).or_insert(directory);
    }

    /// The directory of the package of a name.
    pub(super) fn directory(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(String::as_str)
    }

    /// The nearest directory above, or the directory itself, that has a manifest.
    pub(super) fn nearest<'a>(&self, directory: &'a str) -> Option<&'a str> {
        upwards(directory).find(|above| self.by_directory.contains_key(*above))
    }
}

/// The files of a revision.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) paths: Vec<String>,
    pub(super) scans: Vec<Arc<Scan>>,
    by_path: HashMap<String, FileNumber>,
    by_name: HashMap<String, Vec<FileNumber>>,
    in_directory: HashMap<String, Vec<FileNumber>>,
    of_package: HashMap<String, Vec<FileNumber>>,
    /// `Cargo.toml`, `package.json` and `go.mod`.
    pub(super) cargo: Packages,
    pub(super) npm: Packages,
    pub(super) go: Packages,
}

impl Layout {
    pub(super) fn new(files: Vec<(String, Arc<Scan>)>) -> Self {
        let mut layout = Self::default();
        for (path, scan) in files {
            let number = FileNumber::try_from(layout.paths.len()).unwrap_or(FileNumber::MAX);
            layout.by_path.insert(path.clone(), number);
            let (directory, name) = split(&path);
            layout.by_name.entry(name.to_owned()).or_default().push(number);
            layout.in_directory.entry(directory.to_owned()).or_default().push(number);
            if let Some(package) = &scan.package {
                layout.of_package.entry(package.clone()).or_default().push(number);
            }
            layout.paths.push(path);
            layout.scans.push(scan);
        }
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

    /// Files that state this package.
    pub(super) fn of_package(&self, package: &str) -> &[FileNumber] {
        self.of_package.get(package).map_or(&[], Vec::as_slice)
    }

    /// The first of some paths that is a file.
    pub(super) fn first(&self, paths: impl IntoIterator<Item = String>) -> Option<FileNumber> {
        paths.into_iter().find_map(|path| self.file(&path))
    }

    /// The one file whose path ends with these segments; `None` where several do.
    pub(super) fn only_ending(&self, suffix: &str) -> Option<FileNumber> {
        let (_, name) = split(suffix);
        let ending = format!("/{suffix}");
        let mut found = self.by_name.get(name)?.iter().copied().filter(|file| {
            let path = self.path(*file);
            path == suffix || path.ends_with(&ending)
        });
        let only = found.next()?;
        found.next().is_none().then_some(only)
    }
}

/// A path as its directory and its name.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// A path below a directory; the empty directory is the root.
pub(super) fn join(directory: &str, rest: &str) -> String {
    match (directory.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (false, true) => directory.to_owned(),
        (false, false) => format!("{directory}/{rest}"),
    }
}

/// The directory above; `None` above the root.
pub(super) fn above(directory: &str) -> Option<&str> {
    (!directory.is_empty()).then(|| split(directory).0)
}

/// A directory and all above it, the nearest first.
pub(super) fn upwards(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |directory| above(directory))
}

/// A relative path from a directory, `.` and `..` taken in; `None` above the root.
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
        let layout = Layout::new(files.to_vec());
        assert_eq!(layout.only_ending("x/y.h"), None);
        assert_eq!(layout.only_ending("a/x/y.h"), Some(0));
        assert_eq!(layout.only_ending("only.h"), Some(2));
        assert_eq!(layout.only_ending("ly.h"), None);
    }
}
