//! The path of a document: relative, made of segments, in NFC. Every backend, tool and host accepts
//! a valid path.
//!
//! This module does not track the paths of a tree; stores compare them by [`PathKey`]. The rules of
//! a path are in `path_rule`.

use std::fmt;

use loci_model::{Error, Result};
use unicode_normalization::UnicodeNormalization;

use super::case_folding::folded;
use super::path_rule::{PathRule, broken_by_path, broken_by_segment};

/// A valid document path: it satisfies all rules in `path_rule`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentPath(String);

/// The key by which paths are compared: NFC, case folded, NFC again. Two documents of a tree that
/// exist at the same time must not have equal keys.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathKey(String);

impl DocumentPath {
    /// Parses a path. Runs of `/` count as one, those at the ends are dropped, and NFD becomes NFC.
    ///
    /// # Errors
    /// `Invalid` for `path`, naming the broken rule and how to correct it.
    pub fn parse(input: &str) -> Result<Self> {
        Self::check(input)
            .map_err(|rule| Error::invalid("path", format!("{}: {}.", rule.sentence(), rule.remedy())))
    }

    /// Parses a path like [`parse`](Self::parse), for callers with their own error messages.
    ///
    /// # Errors
    /// The first rule that the path breaks, from its start.
    pub fn check(input: &str) -> Result<Self, PathRule> {
        let segments: Vec<String> = input
            .split('/')
            .filter(|segment| !segment.is_empty())
            .map(|segment| segment.nfc().collect())
            .collect();
        for (at, segment) in segments.iter().enumerate() {
            if let Some(rule) = broken_by_segment(segment, at == 0) {
                return Err(rule);
            }
        }
        let path = segments.join("/");
        match broken_by_path(&path, segments.len()) {
            Some(rule) => Err(rule),
            None => Ok(Self(path)),
        }
    }

    /// Returns the path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the segments, from the top.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// Returns the last segment.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the last segment without its ending: `dark-mode` of `knowledge/facts/dark-mode.md`.
    #[must_use]
    pub fn stem(&self) -> &str {
        stem_and_ending(self.file_name()).0
    }

    /// Returns the ending of the last segment with its dot; empty if it has none.
    #[must_use]
    pub fn ending(&self) -> &str {
        stem_and_ending(self.file_name()).1
    }

    /// Returns true for Markdown. Only Markdown files have a head that Loci reads and writes.
    #[must_use]
    pub fn is_markdown(&self) -> bool {
        let is_one = |ending: &&str| self.ending().eq_ignore_ascii_case(ending);
        [".md", ".markdown", ".mdx", ".mdc"].iter().any(is_one)
    }

    /// Returns the path before the last segment, without a `/` at the end; empty at the top.
    #[must_use]
    pub fn directory(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(directory, _)| directory)
    }

    /// Returns true if the path lies below the directory, compared by whole segments and by key.
    /// Every path lies below the empty directory.
    #[must_use]
    pub fn is_below(&self, directory: &str) -> bool {
        let directory = folded(directory.trim_end_matches('/'));
        directory.is_empty()
            || self.key().0.strip_prefix(directory.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns the key by which the path is unique.
    #[must_use]
    pub fn key(&self) -> PathKey {
        PathKey(folded(&self.0))
    }
}

/// Splits a name before its ending, at its last dot, unless the name begins with that dot.
fn stem_and_ending(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    }
}

impl PathKey {
    /// Returns the key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DocumentPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for PathKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::limits;
    use proptest::prelude::*;

    #[test]
    fn what_a_path_becomes() {
        let check = |input: &str, expect: &str| {
            assert_eq!(DocumentPath::parse(input).unwrap().as_str(), expect, "{input:?}");
        };
        check("knowledge/facts/a.md", "knowledge/facts/a.md");
        check("/knowledge//facts///a.md/", "knowledge/facts/a.md");
        check("cafe\u{301}.md", "café.md");
        check("日本語メモ.md", "日本語メモ.md");
        check("می\u{200c}خواهم.md", "می\u{200c}خواهم.md");
        check("क\u{94d}\u{200d}ष.md", "क\u{94d}\u{200d}ष.md");
        check("👩\u{200d}💻 ❤\u{fe0f}.md", "👩\u{200d}💻 ❤\u{fe0f}.md");
        check("1\u{fe0f}\u{20e3}.md", "1\u{fe0f}\u{20e3}.md");
        check("100%.md", "100%.md");
        check("a b.md", "a b.md");
        check(".hidden/x", ".hidden/x");
        check("x/.loci-mirror", "x/.loci-mirror");
        check("console.md", "console.md");
        check("gitignore/.gitignore", "gitignore/.gitignore");
    }

    #[test]
    fn parts() {
        let path = DocumentPath::parse("knowledge/facts/Dark.mode.md").unwrap();
        assert_eq!(
            (path.directory(), path.file_name(), path.stem(), path.ending(), path.key().as_str()),
            ("knowledge/facts", "Dark.mode.md", "Dark.mode", ".md", "knowledge/facts/dark.mode.md")
        );
        assert!(path.is_below("knowledge") && path.is_below("Knowledge/Facts/") && path.is_below(""));
        assert!(!path.is_below("know") && !path.is_below("knowledge/facts/Dark.mode.md"));
        let top = DocumentPath::parse(".env").unwrap();
        assert_eq!((top.directory(), top.stem(), top.ending()), ("", ".env", ""));
        assert_eq!(top.segments().collect::<Vec<_>>(), [".env"]);
    }

    #[test]
    fn what_a_refusal_says() {
        let check = |input: &str, expect: &str| {
            let error = DocumentPath::parse(input).unwrap_err();
            assert_eq!((error.field.as_deref(), error.message.as_str()), (Some("path"), expect));
        };
        check("a/../b", "A path may not have a segment `..`: give the path from the top.");
        check(".git/config", "A path may not have a reserved name: choose another name.");
        let rules: std::collections::HashSet<&str> =
            PathRule::ALL.iter().map(|rule| rule.sentence()).collect();
        assert_eq!(rules.len(), PathRule::ALL.len());
    }

    #[test]
    fn limits_hold_at_the_limit_and_not_one_past_it() {
        let segment = "a".repeat(limits::FILE_SEGMENT_BYTES_MAX);
        assert!(DocumentPath::check(&segment).is_ok());
        assert_eq!(DocumentPath::check(&format!("{segment}a")), Err(PathRule::LongSegment));
        let deep = vec!["a"; limits::FILE_SEGMENTS_MAX].join("/");
        assert!(DocumentPath::check(&deep).is_ok());
        assert_eq!(DocumentPath::check(&format!("{deep}/a")), Err(PathRule::Deep));
        let long = vec!["a".repeat(127); 8].join("/");
        assert_eq!(long.len(), limits::FILE_PATH_BYTES_MAX - 1);
        assert!(DocumentPath::check(&format!("{long}a")).is_ok());
        assert_eq!(DocumentPath::check(&format!("{long}aa")), Err(PathRule::Long));
    }

    proptest! {
        #[test]
        fn a_path_is_read_as_itself(input in "[a-zA-Z0-9éßİıΣ日 ._%~-]{1,12}(/[a-zA-Z0-9e\u{301}ς .-]{1,12}){0,3}") {
            if let Ok(path) = DocumentPath::check(&input) {
                prop_assert_eq!(DocumentPath::check(path.as_str()), Ok(path.clone()));
                let key = DocumentPath::check(path.key().as_str());
                prop_assert_eq!(key.map(|same| same.key()), Ok(path.key()));
            }
        }

        #[test]
        fn any_text_is_read_or_refused(input in any::<String>()) {
            if let Ok(path) = DocumentPath::check(&input) {
                prop_assert!(path.segments().all(|segment| !segment.is_empty() && segment != ".."));
                prop_assert!(path.as_str().len() <= limits::FILE_PATH_BYTES_MAX);
            }
        }
    }
}
