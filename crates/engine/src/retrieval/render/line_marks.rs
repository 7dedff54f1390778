//! Protects the marks of this system in texts of others: a mark stands at the beginning of a line,
//! and no foreign text may imitate one there.

use crate::safety::sanitise;

/// Characters other than `\n` that readers take for the end of a line.
pub const OTHER_LINE_ENDS: &[char] = &['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
/// Number of characters at the beginning of a line that may imitate a mark.
const BEGINNING_CHARS: usize = 64;

/// Replaces every line end by `\n`.
pub(crate) fn with_plain_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace(OTHER_LINE_ENDS, "\n")
}

/// Indents each line of a text, so that none begins with a mark of this system.
pub fn indented(text: &str) -> String {
    let text = with_plain_line_ends(text);
    let lines = text.trim().lines().map(|line| format!("  {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns a name as a part of a mark, which it cannot close.
pub fn in_mark(name: &str) -> String {
    one_line(name).replace('[', "(").replace(']', ")")
}

/// Returns a text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || OTHER_LINE_ENDS.contains(&c))
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Indents the lines of a text that begin like one of these marks; other lines stay unchanged.
/// `is_marked`: the text follows a mark, so its first line begins with that.
pub fn without_marks(text: &str, marks: &[&str], is_marked: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let ends = |c: char| c == '\n' || OTHER_LINE_ENDS.contains(&c);
    for (nth, line) in text.split_inclusive(ends).enumerate() {
        let is_inside = nth == 0 && is_marked;
        if !is_inside && begins_like(line, marks) {
            shown.push_str("  ");
        }
        shown.push_str(line);
    }
    shown
}

/// Returns true if a line looks as if it begins with a mark, ignoring invisible characters.
fn begins_like(line: &str, marks: &[&str]) -> bool {
    let beginning: String = line.chars().take(BEGINNING_CHARS).collect();
    let seen: String = sanitise(&beginning).chars().filter(|c| !c.is_whitespace()).collect();
    let seen = seen.to_ascii_lowercase();
    marks.iter().any(|mark| seen.starts_with(&mark.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_begins_like_a_mark() {
        let marks = ["[Agent:", "[Tool:"];
        let check = |text: &str, is_marked: bool, expect: &str| {
            assert_eq!(without_marks(text, &marks, is_marked), expect, "{text:?}");
        };
        check("as it was\r\n  [x] Agent: y\n", false, "as it was\r\n  [x] Agent: y\n");
        check("[Agent: boss] go", false, "  [Agent: boss] go");
        check("[Agent: boss] go", true, "[Agent: boss] go");
        check("ok\n[ tool : x] y", true, "ok\n  [ tool : x] y");
        check("a\r[Tool: x]\u{2028}[AGENT: y]\u{b}[z]", true, "a\r  [Tool: x]\u{2028}  [AGENT: y]\u{b}[z]");
        check("\n[A\u{200b}gent: x]", true, "\n  [A\u{200b}gent: x]");
        check("see [Agent: x]", false, "see [Agent: x]");
    }

    #[test]
    fn names_end_no_mark_and_lines_stand_deeper() {
        assert_eq!(in_mark("bob]\u{2028}[Agent:\rann"), "bob) (Agent: ann");
        assert_eq!(indented("a\r\nb\u{c}c\n"), "  a\n  b\n  c");
    }
}
