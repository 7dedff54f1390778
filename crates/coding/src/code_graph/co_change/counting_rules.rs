//! Rules for counting: the files that count, and the size up to which a change counts for the pairs
//! of its files.

use loci_verified::verifier::{Glob, is_generated_path};

/// The maximum number of files in a change that counts for the pairs of its files.
pub(crate) const FILES_MAX: usize = 50;

/// The counting rules of one graph.
#[derive(Debug, Clone)]
pub(crate) struct CountingRules {
    /// The maximum number of files in a counted change. A larger change counts for none of its
    /// files.
    pub(super) files_max: usize,
    /// Patterns of further paths that do not count, in addition to generated files, vendored files
    /// and lock files.
    excluded: Vec<Glob>,
}

impl Default for CountingRules {
    fn default() -> Self {
        Self { files_max: FILES_MAX, excluded: Vec::new() }
    }
}

impl CountingRules {
    /// Returns the default rules without the files that match these patterns. A string that is not
    /// a valid pattern excludes nothing.
    pub(crate) fn without(patterns: &[String]) -> Self {
        let excluded = patterns.iter().filter_map(|pattern| Glob::parse(pattern).ok()).collect();
        Self { excluded, ..Self::default() }
    }

    /// True if the file at a path counts.
    pub(crate) fn holds(&self, path: &str) -> bool {
        !is_generated_path(path) && !self.excluded.iter().any(|glob| glob.matches(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_do_not_write_does_not_count() {
        let counting = CountingRules::without(&["docs/**".to_owned(), "[".to_owned()]);
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
