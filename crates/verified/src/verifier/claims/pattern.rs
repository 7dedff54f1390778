//! Patterns of claims: RE2 syntax, linear in time, bounded in size. `^` and `$` match the ends of
//! lines. A text is matched only if the pattern's states times the text's bytes stay within a
//! limit.

use loci_engine::calls::caller_pattern::{STATE_BYTES, states_of};
use loci_model::limits;
use regex::{Regex, RegexBuilder};

/// The largest compiled pattern, in bytes.
const COMPILED_BYTES_MAX: usize = 256 << 10;
/// The deepest nesting of a pattern.
const NEST_MAX: u32 = 64;

/// A compiled pattern of a claim.
pub(super) struct ClaimPattern {
    regex: Regex,
    states: usize,
}

impl ClaimPattern {
    /// Compiles a pattern; `None` if it is invalid or too large.
    pub(super) fn parse(source: &str) -> Option<Self> {
        let regex = RegexBuilder::new(source)
            .multi_line(true)
            .size_limit(COMPILED_BYTES_MAX)
            .dfa_size_limit(COMPILED_BYTES_MAX)
            .nest_limit(NEST_MAX)
            .build()
            .ok()?;
        // A pattern with too many states to count is assigned the number that the size limit
        // allows.
        let states = states_of(source, false).unwrap_or(COMPILED_BYTES_MAX / STATE_BYTES);
        Some(Self { regex, states })
    }

    /// Returns the number of capture groups.
    pub(super) fn groups(&self) -> usize {
        self.regex.captures_len().saturating_sub(1)
    }

    /// Returns the pattern for a match with this text; `None` if the text is too long for it.
    pub(super) fn within(&self, text: &str) -> Option<&Regex> {
        let work = self.states.saturating_mul(text.len());
        (work <= limits::CLAIM_PATTERN_WORK_MAX).then_some(&self.regex)
    }
}

/// Returns the text of the pattern's first group; `None` if the pattern does not match or the group
/// takes no part.
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
            assert_eq!(ClaimPattern::parse(source).is_some(), expect, "{source}");
        }
        let is_match =
            |source, text: &str| ClaimPattern::parse(source).unwrap().within(text).unwrap().is_match(text);
        assert!(!is_match("(a+)+$", &format!("{}b", "a".repeat(100_000))));
        assert!(is_match("^b$", "a\nb\nc"));
    }

    #[test]
    fn long_texts_are_matched_with_small_patterns_alone() {
        let check = |source: &str, bytes_least: usize, bytes_most: usize| {
            let pattern = ClaimPattern::parse(source).unwrap();
            let longest = loci_model::limits::CLAIM_PATTERN_WORK_MAX / pattern.states;
            assert!((bytes_least..=bytes_most).contains(&longest), "{source}: {longest}");
            let text = "a".repeat(longest + 1);
            let fits = |text: Option<&str>| text.and_then(|text| pattern.within(text)).is_some();
            assert_eq!((fits(text.get(..longest)), fits(Some(&text))), (true, false), "{source}");
        };
        check(r"version\s*=\s*\x22([\w.-]+)\x22", 1 << 20, 8 << 20);
        check(r"a[ab\n]{200}[^ab\n]", 128 << 10, 1 << 20);
        check(r"a[ab\n]{2500}[^ab\n]", 16 << 10, 16 << 10);
    }
}
