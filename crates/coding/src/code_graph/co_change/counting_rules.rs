//! What counts: which files, and how many of them a change may have that says anything of their pairs.

use loci_verified::verifier::{Glob, is_generated_path};

/// Files of one change at most that say something of each other.
pub(crate) const FILES_MAX: usize = 50;

/// What counts.
#[derive(Debug, Clone)]
pub(crate) struct Counting {
    /// A change of more files says nothing of any of them.
    pub(super) files_max: usize,
    /// Paths that do not count, beside generated and vendored files and lock files.
    excluded: Vec<Glob>,
}

impl Default for Counting {
    fn default() -> Self {
        Self { files_max: FILES_MAX, excluded: Vec::new() }
    }
}

impl Counting {
    /// Without files of these patterns; one that is none excludes nothing.
    pub(crate) fn without(patterns: &[String]) -> Self {
        let excluded = patterns.iter().filter_map(|pattern| Glob::parse(pattern).ok()).collect();
        Self { excluded, ..Self::default() }
    }

    /// Whether the file of a path counts.
    pub(crate) fn holds(&self, path: &str) -> bool {
        !is_generated_path(path) && !self.excluded.iter().any(|glob| glob.matches(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_do_not_write_does_not_count() {
        let counting = Counting::without(&["docs/**".to_owned(), "[".to_owned()]);
        for (path, expect) in [
            ("src/a.rs", true),
            ("Cargo.lock", false),
            ("web/node_modules/x/index.js", false),
            ("vendor/a.go", false),
            ("docs/guide.md", false),
            ("api/docs/guide.md", true),
        ] {
            assert_eq!(counting.holds(path), expect, "{path}");
        }
    }
}
