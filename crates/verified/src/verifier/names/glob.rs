//! Patterns of paths: `*` and `?` within a segment, `**` across segments, `[a-z]`, `{a,b}`. A match
//! costs at most the pattern's length times the path's.

use std::fmt;

use regex::{Regex, RegexBuilder};

/// The longest pattern, in bytes.
const GLOB_BYTES_MAX: usize = 500;

/// A pattern of paths.
#[derive(Clone)]
pub struct Glob(Regex);

/// The reason why a pattern is invalid, as a text for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadGlob(pub &'static str);

impl fmt::Debug for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Glob").field(&self.0.as_str()).finish()
    }
}

impl Glob {
    /// Parses a pattern for whole paths.
    ///
    /// # Errors
    /// The rule that the pattern breaks.
    pub fn parse(pattern: &str) -> Result<Self, BadGlob> {
        if pattern.is_empty() || pattern.len() > GLOB_BYTES_MAX {
            return Err(BadGlob("a glob has 1 to 500 bytes"));
        }
        let mut source = String::from("^");
        let mut rest = pattern;
        let mut open = 0_u32;
        while let Some(c) = rest.chars().next() {
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            rest = match c {
                '*' => stars(rest, &mut source),
                '[' => class(rest, &mut source)?,
                '?' => pushed(&mut source, "[^/]", rest),
                '{' => {
                    open += 1;
                    pushed(&mut source, "(?:", rest)
                }
                '}' if open > 0 => {
                    open -= 1;
                    pushed(&mut source, ")", rest)
                }
                ',' if open > 0 => pushed(&mut source, "|", rest),
                '\\' => {
                    let next = rest.chars().next().ok_or(BadGlob("a glob does not end with `\\`"))?;
                    source.push_str(&regex::escape(next.encode_utf8(&mut [0; 4])));
                    rest.get(next.len_utf8()..).unwrap_or_default()
                }
                _ => pushed(&mut source, &regex::escape(c.encode_utf8(&mut [0; 4])), rest),
            };
        }
        if open > 0 {
            return Err(BadGlob("a `{` of the glob is not closed"));
        }
        source.push('$');
        let built = RegexBuilder::new(&source).size_limit(1 << 20).dfa_size_limit(1 << 20).build();
        built.map(Self).map_err(|_| BadGlob("the glob is too large"))
    }

    /// Returns true if the whole path matches.
    pub fn matches(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

fn pushed<'a>(source: &mut String, text: &str, rest: &'a str) -> &'a str {
    source.push_str(text);
    rest
}

/// Translates the rest after a first star.
fn stars<'a>(rest: &'a str, source: &mut String) -> &'a str {
    let Some(after) = rest.strip_prefix('*') else {
        source.push_str("[^/]*");
        return rest;
    };
    let after = after.trim_start_matches('*');
    let at_segment_start = source == "^" || source.ends_with('/');
    match after.strip_prefix('/') {
        Some(after) if at_segment_start => pushed(source, "(?:[^/]+/)*", after),
        Some(_) | None => pushed(source, ".*", after),
    }
}

/// Translates the rest after an opening bracket.
fn class<'a>(rest: &'a str, source: &mut String) -> Result<&'a str, BadGlob> {
    let unclosed = BadGlob("a `[` of the glob is not closed");
    let (negated, body) = match rest.strip_prefix(['!', '^']) {
        Some(body) => (true, body),
        None => (false, rest),
    };
    let first = usize::from(body.starts_with(']'));
    let end = body.get(first..).and_then(|tail| tail.find(']')).ok_or(unclosed)? + first;
    let members = body.get(..end).ok_or(unclosed)?;
    source.push_str(if negated { "[^/" } else { "[" });
    for c in members.chars() {
        if matches!(c, '\\' | '[' | ']' | '^' | '&' | '~') {
            source.push('\\');
        }
        source.push(c);
    }
    source.push(']');
    body.get(end + 1..).ok_or(unclosed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_match_whole() {
        for (pattern, path, expect) in [
            ("*.rs", "main.rs", true),
            ("*.rs", "src/main.rs", false),
            ("**/*.rs", "main.rs", true),
            ("**/*.rs", "a/b/main.rs", true),
            ("src/**", "src/a/b", true),
            ("src/**", "lib/a", false),
            ("src/**/mod.rs", "src/mod.rs", true),
            ("src/**/mod.rs", "src/a/b/mod.rs", true),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[!a-c]x", "/x", false),
            ("*.{toml,json}", "a.json", true),
            ("*.{toml,json}", "a.yaml", false),
            ("a.b", "aXb", false),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("a(b)+", "a(b)+", true),
        ] {
            assert_eq!(Glob::parse(pattern).unwrap().matches(path), expect, "{pattern} {path}");
        }
    }

    #[test]
    fn bad_patterns_are_refused() {
        for pattern in ["", "[a", "{a,b", "a\\", &"a".repeat(501), "[z-a]"] {
            assert!(Glob::parse(pattern).is_err(), "{pattern}");
        }
    }
}
