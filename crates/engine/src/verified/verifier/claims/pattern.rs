//! Patterns of claims: RE2-style, linear in time, bounded in size (verified-memory.md §7.1). `^` and `$` stand for the ends of
//! lines.

use regex::{Regex, RegexBuilder};

/// Largest compiled pattern, in bytes. The time a search takes grows with it.
const COMPILED_BYTES_MAX: usize = 256 << 10;
/// Deepest nesting of a pattern.
const NEST_MAX: u32 = 64;

/// The pattern, compiled; `None` where it is none or too large.
pub(super) fn compiled(source: &str) -> Option<Regex> {
    RegexBuilder::new(source)
        .multi_line(true)
        .size_limit(COMPILED_BYTES_MAX)
        .dfa_size_limit(COMPILED_BYTES_MAX)
        .nest_limit(NEST_MAX)
        .build()
        .ok()
}

/// How many groups the pattern captures.
pub(super) fn groups(pattern: &Regex) -> usize {
    pattern.captures_len().saturating_sub(1)
}

/// What the pattern's first group captures in the text: `None` where the pattern does not match or the group takes no part.
pub(super) fn captured<'t>(pattern: &Regex, text: &'t str) -> Option<&'t str> {
    Some(pattern.captures(text)?.get(1)?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_patterns_are_none_and_slow_ones_do_not_exist() {
        for (source, expect) in [
            ("a+", true),
            ("(", false),
            ("(?=a)", false),
            ("a{1000}{1000}", false),
            (&"(".repeat(65), false),
            (r"version\s*=\s*\x22([\w.-]+)\x22", true),
        ] {
            assert_eq!(compiled(source).is_some(), expect, "{source}");
        }
        let catastrophic = compiled("(a+)+$").unwrap();
        let text = format!("{}b", "a".repeat(100_000));
        assert!(!catastrophic.is_match(&text));
        assert!(compiled("^b$").unwrap().is_match("a\nb\nc"));
    }
}
