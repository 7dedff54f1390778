//! Text of Markdown that no page shows: comments of HTML, and link reference definitions that serve as
//! comments, like `[//]: # (text)`. Whoever reads the page, and agrees to it, has not read them. Code stays
//! as it is.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::code_spans;

/// A link reference definition, with what may stand before it in a list or a quotation. A title may span
/// lines.
static DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"(?m)^[ \t]*(?:(?:[-*+>]|\d{1,3}[.)])[ \t]+)*",
        r"\[(?P<label>[^\[\]\n]{1,999})\]:[ \t]*\n?[ \t]*(?P<place><[^<>\n]*>|[^\s<]\S*)",
        r#"(?P<title>[ \t]*\n?[ \t]+(?:"(?:[^"\n]|\n[^\s"])*"|'(?:[^'\n]|\n[^\s'])*'|\((?:[^()\n]|\n[^\s()])*\)))?"#,
        r"[ \t]*$",
    ))
});
static HTML_COMMENT: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?s)<!--.*?(?:-->|\z)"));

/// The number of times that text on both sides of a comment may form another.
const ROUNDS_MAX: usize = 8;
/// Labels of definitions that nothing refers to.
const COMMENT_LABELS: &[&str] = &["//", "#", "comment", "_", "todo", "hidden"];
/// Places that a reference to a page never has.
const NO_PLACES: &[&str] = &["#", "<>", "<#>", "/", "//"];

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by the tests of this file")]
fn compiled(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// The text without definitions that serve as comments; `None` where it has none.
pub(super) fn without_comments(text: &str) -> Option<String> {
    if !text.contains("]:") {
        return None;
    }
    without(text, comments(text).collect())
}

/// The text before its first definition that serves as a comment, also where that looks like code: for a text
/// in which comments came together on purpose.
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

/// The text as a page shows it: without comments of both kinds.
pub fn visible(text: &str) -> String {
    let mut now = text.to_owned();
    // Taking one out may put another together. Nothing but an attack needs more rounds, and then nothing is
    // taken on trust.
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

/// True for a line that is a link reference definition: a page shows nothing of it, nor of its title.
pub fn is_definition(line: &str) -> bool {
    let places = ["http://", "https://", "/", "./", "../", "#", "<", "mailto:"];
    DEFINITION
        .captures(line)
        .is_some_and(|found| places.iter().any(|start| found["place"].starts_with(start)))
}

/// The text without these ranges, as far as none of them touches code; `None` where none is left.
fn without(text: &str, mut ranges: Vec<Range<usize>>) -> Option<String> {
    if ranges.is_empty() {
        return None;
    }
    // In order, and none meets another.
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
        // What is shown, and what is code, stays.
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
