//! The scanners of claims, which read foreign files and patterns in full.

use std::hint::black_box;

use super::config_file::config_value;
use super::pattern::ClaimPattern;

/// The text that is matched with patterns.
const LINES: &str = "aaaa aaaa aaaa aaaa bbbb\n";

/// Looks up a missing member in a configuration file.
pub(in super::super) fn config(path: &str, text: &str) {
    black_box(config_value(path, text, "/a/b"));
}

/// Matches a text with a pattern, and uses the text as a pattern for a file.
pub(in super::super) fn pattern(text: &str) {
    black_box(is_match("(a+)+[0-9a-z]*$", text));
    black_box(is_match(text, LINES));
}

/// Returns true if the pattern may be matched with the text, and matches.
fn is_match(pattern: &str, text: &str) -> bool {
    let pattern = ClaimPattern::parse(pattern);
    let regex = pattern.as_ref().and_then(|pattern| pattern.within(text));
    regex.is_some_and(|regex| regex.is_match(text))
}
