//! What of claims reads files and patterns of strangers whole.

use std::hint::black_box;

use super::config_file::config_value;
use super::pattern::compiled;

/// Text that patterns are compared with.
const LINES: &str = "aaaa aaaa aaaa aaaa bbbb\n";

/// Looks for a member of a configuration file that is not there.
pub(in super::super) fn config(path: &str, text: &str) {
    black_box(config_value(path, text, "/a/b"));
}

/// Compares a text with a pattern, and the text as a pattern with a file.
pub(in super::super) fn pattern(text: &str) {
    black_box(compiled("(a+)+[0-9a-z]*$").is_some_and(|pattern| pattern.is_match(text)));
    black_box(compiled(text).is_some_and(|pattern| pattern.is_match(LINES)));
}
