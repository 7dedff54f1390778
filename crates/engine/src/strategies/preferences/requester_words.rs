//! The requester's own words in a task description: without code, quotations, logs, and the words
//! of an issue or a colleague. Pure. In doubt a line counts as another's: a missed preference will
//! be repeated, but a foreign one would be obeyed for a long time.

use std::sync::LazyLock;

use loci_text::quotation::{Quotation, without_quotations};
use regex::Regex;

/// A line that introduces the words of another person, which continue to the end.
static INTRODUCES: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:issue|ticket|comment|reporter|report|review|reviewer|log|logs|output|error|message|e-?mail|description|says|said|writes|wrote|quote|quoted|transcript|tool|fehler|meldung|ausgabe|schreibt|sagt|erreur|sortie|dit|écrit|salida|dice|escribe)\b[^.!?]*:\s*$",
    )
});
/// A heading of a section written by others.
static FOREIGN_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)^#{1,6}\s.*\b(?:issue|ticket|description|comment|comments|log|logs|output|error|errors|steps|expected|actual|stack|trace|traceback|context|review|discussion)\b",
    )
});
/// A line of a log.
static LOG: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"^\s*(?:\[?\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d)|\b(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)\b")
});
/// Several words between quotation marks, or as code.
const QUOTED: &[Quotation] = &[
    Quotation::any('"', &['"']).of_words(),
    Quotation::any('“', &['”']),
    Quotation::any('„', &['“', '”']),
    Quotation::any('«', &['»']),
    Quotation::any('`', &['`']).of_words(),
];

/// Returns the compiled pattern of a constant text.
#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by the tests of this folder")]
pub fn compiled(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// Returns the lines that the requester wrote. A removed part leaves a separate line, so that its
/// neighbours are not joined.
pub fn own_words(description: &str) -> String {
    let (mut kept, mut fence, mut is_foreign) = (String::new(), None, false);
    for line in description.lines() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if fence.is_some() || mark.is_some() {
            kept.push('\n');
            continue;
        }
        if trimmed.starts_with('#') {
            is_foreign = FOREIGN_HEADING.is_match(trimmed);
        }
        let is_code = line.starts_with("    ") || line.starts_with('\t');
        if is_foreign || is_code || trimmed.starts_with('>') || trimmed.starts_with('#') || LOG.is_match(line)
        {
            kept.push('\n');
            continue;
        }
        if INTRODUCES.is_match(line) {
            break;
        }
        kept.push_str(&without_quotations(line, QUOTED, " … "));
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_somebody_else_s() {
        let check = |description: &str, expect: &str| {
            let kept = own_words(description);
            let kept: Vec<&str> = kept.split_whitespace().collect();
            assert_eq!(kept.join(" "), expect, "{description}");
        };
        check("Do a.\n```\nnot this\n```\nDo b.", "Do a. Do b.");
        check("Do a.\n~~~\nnot this\n```\nnor this", "Do a.");
        check("> not this\nDo a.", "Do a.");
        check("Do a.\n\n    not this\n\tnor this", "Do a.");
        check("## Task\nDo a.\n## Logs\nnot this\n## Then\nDo b.", "Do a. Do b.");
        check("Do a. The issue says:\nnot this", "");
        check("Do a.\nThe reporter wrote:\nnot this\n\nnor this", "Do a.");
        check("12:00:01 not this\nDo a.", "Do a.");
        check("He says \"never do this\" and `x`.", "He says … and `x`.");
        check("Rename `a b c` to `d`.", "Rename … to `d`.");
    }
}
