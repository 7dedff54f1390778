//! Markdown text that a rendered page does not show: HTML comments, and link reference definitions
//! that serve as comments, like `[//]: # (text)`. A person who approves the page has not read them.
//! Code stays unchanged.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::code_spans;

/// A link reference definition, with the markers of a list or a quotation before it. A title may
/// span lines.
static DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"(?m)^[ \t]*(?:(?:[-*+>]|\d{1,3}[.)])[ \t]+)*",
        r"\[(?P<label>[^\[\]\n]{1,999})\]:[ \t]*\n?[ \t]*(?P<place><[^<>\n]*>|[^\s<]\S*)",
        r#"(?P<title>[ \t]*\n?[ \t]+(?:"(?:[^"\n]|\n[^\s"])*"|'(?:[^'\n]|\n[^\s'])*'|\((?:[^()\n]|\n[^\s()])*\)))?"#,
        r"[ \t]*$",
    ))
});
static HTML_COMMENT: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?s)<!--.*?(?:-->|\z)"));

/// Maximum number of rounds that remove comments which the removal of others formed.
const ROUNDS_MAX: usize = 8;
/// The labels of link definitions that serve as comments, because nothing refers to them.
const COMMENT_LABELS: &[&str] = &["//", "#", "comment", "_", "todo", "hidden"];
/// The targets of link definitions that serve as comments, because no page has such an address.
const NO_PLACES: &[&str] = &["#", "<>", "<#>", "/", "//"];

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by the tests of this file")]
fn compiled(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// Returns the text without definitions that serve as comments; `None` if it has none.
pub(super) fn without_comments(text: &str) -> Option<String> {
    if !text.contains("]:") {
        return None;
    }
    without(text, comments(text).collect())
}

/// Returns the text before its first definition that serves as a comment, even if that looks like
/// code. For a text in which an attacker combined comments.
pub(super) fn before_comments(mut text: String) -> String {
    let end = comments(&text).next().map_or(text.len(), |found| found.start);
    text.truncate(end);
    text
}

fn comments(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_comment = |label: &str, place: &str| {
        let label = label.trim().to_lowercase();
        COMMENT_LABELS.contains(&label.as_str()) || NO_PLACES.contains(&place)
    };
    let found = DEFINITION.captures_iter(text);
    found
        .filter(move |one| is_comment(&one["label"], &one["place"]))
        .filter_map(|one| Some(one.get(0)?.range()))
}

/// Returns the text as a page shows it: without both kinds of comments.
pub fn visible(text: &str) -> String {
    let mut now = text.to_owned();
    // A removal may form another comment. Only an attack needs more rounds, and then the text from
    // the first remaining comment on is discarded.
    for _ in 0..ROUNDS_MAX {
        let html = HTML_COMMENT.find_iter(&now).map(|found| found.range()).collect();
        match without(&now, html).or_else(|| without_comments(&now)) {
            Some(next) => now = next,
            None => return now,
        }
    }
    let end = HTML_COMMENT.find(&now).map_or(now.len(), |found| found.start());
    now.truncate(end);
    before_comments(now)
}

/// True for a line that is a link reference definition. A page shows neither it nor its title.
pub fn is_definition(line: &str) -> bool {
    let places = ["http://", "https://", "/", "./", "../", "#", "<", "mailto:"];
    DEFINITION
        .captures(line)
        .is_some_and(|found| places.iter().any(|start| found["place"].starts_with(start)))
}

/// Returns the text without the ranges that touch no code; `None` if no range remains.
fn without(text: &str, mut ranges: Vec<Range<usize>>) -> Option<String> {
    if ranges.is_empty() {
        return None;
    }
    // The ranges are in order and do not overlap.
    let code = code_spans::regions(text);
    let meets = |range: &Range<usize>| {
        let place = code.partition_point(|region| region.range.end <= range.start);
        code.get(place).is_some_and(|region| region.range.start < range.end)
    };
    ranges.retain(|range| !meets(range));
    if ranges.is_empty() {
        return None;
    }
    let (mut left, mut from) = (String::with_capacity(text.len()), 0);
    for range in ranges {
        left.push_str(text.get(from..range.start).unwrap_or_default());
        from = range.end;
    }
    left.push_str(text.get(from..).unwrap_or_default());
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_page_shows() {
        let check = |text: &str, expect: &str| assert_eq!(visible(text), expect, "{text:?}");
        check("[//]: # (Always push to main.)", "");
        check("One.\n[//]: # \"Never test.\"\nTwo.", "One.\n\nTwo.");
        check("- [//]: # 'Always.'\n> [comment]: <> (Never.)\nx", "\n\nx");
        check("[//]: #\n  (over\ntwo lines)\nx", "\nx");
        check("a<!-- Always -->b<!-- never closed", "ab");
        check("[//]: <!-- x --># (Always.)", "");
        // Visible text and code stay.
        for text in [
            "[CI]: it runs on Node 20.",
            "[Auth]: use \"pnpm\"",
            "[guide]: https://x.example \"The guide\"",
            "`[//]: # (x)` and `<!-- y -->`",
            "```\n[//]: # (x)\n```",
            "see [the guide](https://x.example/a#b)",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn definitions() {
        let check = |line: &str, expect: bool| assert_eq!(is_definition(line), expect, "{line:?}");
        check("[guide]: https://x.example \"Always use tabs.\"", true);
        check("[//]: # (Always use tabs.)", true);
        check("[CI]: it runs on Node 20.", false);
        check("[Auth]: use \"pnpm\"", false);
    }
}
