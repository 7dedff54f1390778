//! The layout of notes in Markdown: one file per topic, with the topic's heading on its first line
//! and one fact per line. Other agents read and write the same layout. Pure.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::agent::limits::FILE_SLUG_CHARS_MAX;

/// Returns the first line, trimmed.
pub(super) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim()
}

/// Returns the heading without `#` marks.
pub(super) fn topic(line: &str) -> &str {
    line.trim_start_matches('#').trim()
}

/// Returns true if two first lines are headings of the same topic, so that their facts belong in
/// one file.
pub(super) fn is_same_topic(one: &str, other: &str) -> bool {
    topic(one).to_lowercase() == topic(other).to_lowercase()
}

/// Returns the name of a topic's file without its extension: a slug of the heading, or a digest if
/// no letter remains. From the second attempt on it ends in a number, because another topic may
/// already have the name.
pub(super) fn stem(first_line: &str, attempt: u32) -> String {
    let slug = slug(first_line);
    let stem = if slug.is_empty() {
        let digest = Sha256::digest(topic(first_line).to_lowercase());
        let digits: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        format!("entry-{digits}")
    } else {
        slug
    };
    if attempt <= 1 { stem } else { format!("{stem}-{attempt}") }
}

fn slug(first_line: &str) -> String {
    let mut out = String::new();
    for character in topic(first_line).chars().flat_map(char::to_lowercase) {
        if out.len() >= FILE_SLUG_CHARS_MAX {
            break;
        }
        if character.is_ascii_lowercase() || character.is_ascii_digit() {
            out.push(character);
        } else if (character.is_whitespace() || character == '-') && !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.trim_end_matches('-').to_owned()
}

/// Returns the text to append to a file: the lines of `new` that the file does not contain yet.
/// `None` if it contains all.
pub(super) fn appended(present: &str, new: &str) -> Option<String> {
    let mut known: BTreeSet<&str> = present.lines().map(str::trim).collect();
    let mut out = String::new();
    for line in new.lines().skip(1).map(str::trim_end) {
        if !line.trim().is_empty() && known.insert(line.trim()) {
            out.push_str(line);
            out.push('\n');
        }
    }
    if out.is_empty() {
        return None;
    }
    let is_closed = present.is_empty() || present.ends_with('\n');
    Some(if is_closed { out } else { format!("\n{out}") })
}

/// Returns the facts in a note: all lines except headings. A note that is only a heading has that
/// line as its fact.
pub(super) fn facts(text: &str) -> Vec<&str> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    if lines().count() <= 1 {
        return lines().map(topic).filter(|line| !line.is_empty()).collect();
    }
    lines().skip(usize::from(first_line(text).starts_with('#'))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        let check =
            |line: &str, attempt: u32, expect: &str| assert_eq!(stem(line, attempt), expect, "{line}");
        check("# Editor theme", 1, "editor-theme");
        check("## C++ & Rust!", 1, "c-rust");
        check("User likes tea", 2, "user-likes-tea-2");
        check(&"ab ".repeat(40), 1, "ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab");
        assert_ne!(stem("# 好み", 1), stem("# 食べ物", 1));
        assert!(stem("# 好み", 1).starts_with("entry-"));
        check("#", 1, &stem("", 1));
        let megabyte = format!("# {}", "- ".repeat(500_000));
        assert!(stem(&megabyte, 1).starts_with("entry-"));
    }

    #[test]
    fn what_is_appended() {
        let check = |present: &str, new: &str, expect: Option<&str>| {
            assert_eq!(appended(present, new).as_deref(), expect, "{new}");
        };
        check("# T\na\n", "# T\nb\na\nb", Some("b\n"));
        check("# T\na", "# T\nb", Some("\nb\n"));
        check("# T\na\n", "# T\n  a \n\n", None);
        check("# T\n", "# T", None);
    }

    #[test]
    fn facts_of_a_file() {
        assert_eq!(facts("# T\n\n- a\nb\n"), ["- a", "b"]);
        assert_eq!(facts("User likes tea\n"), ["User likes tea"]);
        assert_eq!(
            facts("User lives in Seattle\nUser has a dog\n"),
            ["User lives in Seattle", "User has a dog"]
        );
        assert_eq!(facts("# Only a heading"), ["Only a heading"]);
        assert!(facts(" \n").is_empty());
    }
}
