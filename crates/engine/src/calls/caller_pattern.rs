//! Regular expressions from callers. In the worst case a match visits every state of an
//! expression for each byte of a text, and it cannot be interrupted. An expression therefore has
//! a maximum number of states, and a text is matched only if states times bytes are within a
//! limit.

use loci_model::{Error, Result, limits};
use regex::{Regex, RegexBuilder, bytes};

/// The memory in bytes that is counted for one state of a compiled expression.
pub const STATE_BYTES: usize = 32;
/// The smallest number of states that the count distinguishes; smaller expressions count as this
/// number.
const STATES_LEAST: usize = 16;

/// A regular expression from a caller.
#[derive(Debug, Clone)]
pub struct CallerPattern {
    regex: Regex,
    states: usize,
}

impl CallerPattern {
    /// Compiles an expression.
    ///
    /// # Errors
    /// `Invalid` on `pattern` for its length, its form, or too many states.
    pub fn parse(pattern: &str, ignore_case: bool) -> Result<Self> {
        if !(1..=limits::PATTERN_CHARS_MAX).contains(&pattern.chars().count()) {
            let rule = format!("pattern must have 1 to {} characters", limits::PATTERN_CHARS_MAX);
            return Err(Error::invalid("pattern", rule));
        }
        let built = RegexBuilder::new(pattern)
            .case_insensitive(ignore_case)
            .size_limit(limits::PATTERN_SIZE_MAX)
            .build();
        let regex = built.map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => too_many_states(),
            _ => {
                let rule = "pattern must be a regular expression without look-around and back-references";
                Error::invalid("pattern", rule).caused_by(error)
            }
        })?;
        let states = states_of(pattern, ignore_case).ok_or_else(too_many_states)?;
        Ok(Self { regex, states })
    }

    /// Returns true if the expression matches a text; `None` if the text is too long to be
    /// matched with this expression.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        let work = self.states.saturating_mul(text.len());
        (work <= limits::PATTERN_WORK_MAX).then(|| self.regex.is_match(text))
    }

    /// Works like [`CallerPattern::is_match`], for operations that must check every text.
    ///
    /// # Errors
    /// `Invalid` on `pattern` if a text is too long for it.
    pub fn holds(&self, text: &str) -> Result<bool> {
        self.is_match(text).ok_or_else(|| {
            let rule = "pattern takes too much work for the longest of these texts: give one with fewer \
                        repetitions and alternatives, or narrow the other conditions";
            Error::invalid("pattern", rule)
        })
    }
}

fn too_many_states() -> Error {
    let rule = format!(
        "pattern must compile to at most {} states: use smaller counts of repetitions",
        limits::PATTERN_STATES_MAX
    );
    Error::invalid("pattern", rule)
}

/// Returns the number of states of an expression with each class of letters counted as one, rounded
/// up to a power of two; `None` if there are more than allowed. All letters of Unicode produce
/// hundreds of states, of which a byte visits few. The count is therefore that of the expression
/// compiled for single bytes.
pub fn states_of(pattern: &str, ignore_case: bool) -> Option<usize> {
    let plain = of_single_bytes(pattern);
    let mut states = STATES_LEAST;
    while states <= limits::PATTERN_STATES_MAX {
        let mut builder = bytes::RegexBuilder::new(&plain);
        let builder = builder.unicode(false).case_insensitive(ignore_case);
        match builder.size_limit(states * STATE_BYTES).build() {
            Ok(_) => return Some(states),
            Err(regex::Error::CompiledTooBig(_)) => states *= 2,
            // It has no form for single bytes, so the maximum is assumed.
            Err(_) => return Some(limits::PATTERN_STATES_MAX),
        }
    }
    None
}

/// Returns an expression with the same number of parts that contains single-byte letters only.
fn of_single_bytes(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let mut rest = pattern.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter != '\\' {
            plain.push(if letter.is_ascii() { letter } else { 'a' });
            continue;
        }
        let Some(escaped) = rest.next() else { break };
        match escaped {
            'p' | 'P' => {
                plain.push_str(r"\w");
                if rest.next() == Some('{') {
                    while rest.next().is_some_and(|letter| letter != '}') {}
                }
            }
            'x' | 'u' | 'U' if rest.peek() == Some(&'{') => {
                plain.push('a');
                while rest.next().is_some_and(|letter| letter != '}') {}
            }
            _ => plain.extend(['\\', if escaped.is_ascii() { escaped } else { 'a' }]),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_that_are_none_and_too_large_ones_are_refused() {
        let check = |pattern: &str, expect: &str| {
            let error = CallerPattern::parse(pattern, false).unwrap_err();
            assert_eq!(error.field.as_deref(), Some("pattern"), "{pattern}");
            assert!(error.message.contains(expect), "{pattern}: {}", error.message);
        };
        check("", "1 to 1000 characters");
        check(&"a".repeat(loci_model::limits::PATTERN_CHARS_MAX + 1), "1 to 1000 characters");
        check("(a", "regular expression");
        check("a(?=b)", "regular expression");
        check("a[ab]{3000}[^ab]", "at most 2048 states");
        check("(?:[ab]{100}){30}c", "at most 2048 states");
        check(r"\w{900}", "at most 2048 states");
        assert!(CallerPattern::parse(&"a".repeat(loci_model::limits::PATTERN_CHARS_MAX), false).is_ok());
        assert!(CallerPattern::parse("A", true).unwrap().is_match("a").unwrap());
    }

    #[test]
    fn states_follow_repetitions_and_not_alphabets() {
        let check = |pattern: &str, at_most: usize| {
            let states = CallerPattern::parse(pattern, true).unwrap().states;
            assert!(states <= at_most && states > at_most / 4, "{pattern}: {states}");
        };
        check("dark|light", 32);
        check(r"\w+\s+\w+", 32);
        check(r"[\p{Lu}ä-ü]\p{L}+\u{e9}", 32);
        check("[ab]{200}", 512);
        check("[ab]{800}c", 2_048);
    }

    #[test]
    fn long_texts_are_matched_with_small_expressions_alone() {
        let pattern = CallerPattern::parse("a[ab]{200}c", false).unwrap();
        let most = loci_model::limits::PATTERN_WORK_MAX / pattern.states;
        assert_eq!(pattern.is_match(&"a".repeat(most)), Some(false));
        assert_eq!(pattern.is_match(&"a".repeat(most + 1)), None);
        assert_eq!(pattern.holds(&"a".repeat(most + 1)).unwrap_err().field.as_deref(), Some("pattern"));
        let usual = CallerPattern::parse(r"\bfoo\w*\s+bar", false).unwrap();
        assert_eq!(usual.is_match(&"é foo ".repeat(loci_model::limits::FILE_BYTES_MAX / 7)), Some(false));
    }
}
