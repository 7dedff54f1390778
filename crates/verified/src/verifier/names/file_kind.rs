//! The purpose of a file, by its path: code, prose, a sample for tests, or a copy kept aside. Code
//! that is found only in a file of another kind no longer runs.

/// The purpose of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::verifier) enum FileKind {
    /// Code or configuration.
    Code,
    /// Text for people.
    Prose,
    /// Input of tests.
    Sample,
    /// A copy, a patch or a log.
    Aside,
}

const PROSE: &[&str] =
    &["md", "mdx", "markdown", "rst", "txt", "text", "adoc", "asciidoc", "org", "tex", "rtf"];
const PROSE_NAMES: &[&str] =
    &["README", "CHANGELOG", "CHANGES", "NEWS", "HISTORY", "LICENSE", "AUTHORS", "NOTICE", "TODO"];
/// Prefixes of the names of text files that programs read.
const READ_NAMES: &[&str] = &["CMakeLists", "requirements", "constraints", "robots"];
const SAMPLES: &[&str] = &[
    "fixtures",
    "fixture",
    "__fixtures__",
    "testdata",
    "test_data",
    "test-data",
    "snapshots",
    "__snapshots__",
    "golden",
    "goldens",
];
const ASIDE: &[&str] = &["orig", "bak", "old", "rej", "patch", "diff", "save", "log"];

impl FileKind {
    /// Returns the kind of the file with this path.
    pub(in crate::verifier) fn of(path: &str) -> Self {
        let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_lowercase();
        if ASIDE.contains(&extension.as_str()) || name.ends_with('~') {
            return Self::Aside;
        }
        if directories.split('/').any(|part| SAMPLES.contains(&part)) || extension == "snap" {
            return Self::Sample;
        }
        let is_read = READ_NAMES.iter().any(|begin| name.starts_with(begin));
        if (PROSE.contains(&extension.as_str()) && !is_read) || PROSE_NAMES.contains(&name) {
            return Self::Prose;
        }
        Self::Code
    }

    /// Returns true if lines lose their meaning when they move from a file of kind `before` to one
    /// of this kind.
    pub(in crate::verifier) fn is_less_than(self, before: Self) -> bool {
        self != Self::Code && self != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_what_a_file_is_for() {
        for (path, expect) in [
            ("src/a.py", FileKind::Code),
            ("Makefile", FileKind::Code),
            ("CMakeLists.txt", FileKind::Code),
            ("requirements-dev.txt", FileKind::Code),
            ("docs/conf.py", FileKind::Code),
            ("tests/a_test.py", FileKind::Code),
            ("CHANGELOG.md", FileKind::Prose),
            ("README", FileKind::Prose),
            ("notes/a.txt", FileKind::Prose),
            ("tests/fixtures/a.txt", FileKind::Sample),
            ("testdata/a.go", FileKind::Sample),
            ("src/a.py.orig", FileKind::Aside),
            ("src/a.py~", FileKind::Aside),
            ("fix.patch", FileKind::Aside),
        ] {
            assert_eq!(FileKind::of(path), expect, "{path}");
        }
        assert!(
            FileKind::Prose.is_less_than(FileKind::Code) && FileKind::Sample.is_less_than(FileKind::Prose)
        );
        assert!(
            !FileKind::Code.is_less_than(FileKind::Prose) && !FileKind::Prose.is_less_than(FileKind::Prose)
        );
    }
}
