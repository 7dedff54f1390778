//! What of claims reads files and patterns of strangers whole.

use std::hint::black_box;

use super::config_file::config_value;
use super::pattern::ClaimPattern;

/// Text that patterns are compared with.
const LINES: &str = "aaaa aaaa aaaa aaaa bbbb\n";

/// Looks for a member of a configuration file that is not there.
pub(in super::super) fn config(path: &str, text: &str) {
    black_box(config_value(path, text, "/a/b"));
}

/// Compares a text with a pattern, and the text as a pattern with a file.
pub(in super::super) fn pattern(text: &str) {
    black_box(is_match("(a+)+[0-9a-z]*$", text));
    black_box(is_match(text, LINES));
}

/// True where the pattern is one that may be matched with the text, and matches.
fn is_match(pattern: &str, text: &str) -> bool {
    let pattern = ClaimPattern::parse(pattern);
    let regex = pattern.as_ref().and_then(|pattern| pattern.within(text));
    regex.is_some_and(|regex| regex.is_match(text))
}
