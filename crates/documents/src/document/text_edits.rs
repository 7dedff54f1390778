//! Edits of a text that name their place by its content instead of by offsets. An edit applies to
//! the current text completely, or fails. Pure. Sections are defined by Markdown headings outside
//! of code fences.

use loci_engine::document_text::line_ends::{line_end, occurrences, with_line_end};
use loci_model::{Error, Result};

/// An edit of a document's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Appends text as new lines at the end.
    Append {
        /// The text to append.
        text: String,
    },
    /// Inserts text at the beginning.
    Prepend {
        /// The text to insert.
        text: String,
    },
    /// Replaces a text that must occur exactly once.
    Replace {
        /// The text to replace.
        old: String,
        /// The replacement. An empty text removes the old one.
        new: String,
    },
    /// Inserts text after a line, given by its number.
    Insert {
        /// The number of the line after which the text is inserted. 0 inserts at the beginning.
        line: usize,
        /// The text to insert.
        text: String,
    },
    /// Replaces the body of a section, up to the next heading of the same or a higher level.
    ReplaceSection {
        /// The heading of the section, without `#` marks.
        heading: String,
        /// The new body of the section.
        text: String,
    },
    /// Inserts text before a heading.
    InsertBefore {
        /// The heading, without `#` marks.
        heading: String,
        /// The text to insert.
        text: String,
    },
    /// Inserts text after a section and its subsections.
    InsertAfter {
        /// The heading of the section, without `#` marks.
        heading: String,
        /// The text to insert.
        text: String,
    },
}

/// Returns the text after applying an edit.
///
/// # Errors
/// `Invalid`, naming the member of the edit: the old text is missing or occurs several times, or
/// the line or heading does not exist.
pub(crate) fn apply(text: &str, edit: &Edit) -> Result<String> {
    let joined = |before: &str, new: &str, after: &str| joined(before, new, after, line_end(text));
    match edit {
        Edit::Append { text: new } => Ok(joined(text, new, "")),
        Edit::Prepend { text: new } => Ok(joined("", new, text)),
        Edit::Replace { old, new } => replaced(text, old, new),
        Edit::Insert { line, text: new } => {
            let count = text.lines().count();
            if *line > count {
                let rule = format!("line must be 0 to {count}: the document has {count} lines");
                return Err(Error::invalid("line", rule));
            }
            let at = text.split_inclusive('\n').take(*line).map(str::len).sum();
            Ok(inserted(text, at, new))
        }
        Edit::ReplaceSection { heading, text: new } => {
            let section = section_of(text, heading)?;
            let (before, after) = (part(text, 0, section.body), part(text, section.end, text.len()));
            Ok(joined(before, new, after))
        }
        Edit::InsertBefore { heading, text: new } => {
            Ok(inserted(text, section_of(text, heading)?.start, new))
        }
        Edit::InsertAfter { heading, text: new } => Ok(inserted(text, section_of(text, heading)?.end, new)),
    }
}

/// Returns the line number, from 1, of each occurrence of `wanted` in a text. Occurrences may
/// overlap.
pub(crate) fn places(text: &str, wanted: &str) -> Vec<usize> {
    let (mut lines, mut line, mut counted) = (Vec::new(), 1, 0);
    for place in occurrences(text, wanted) {
        line += part(text, counted, place.start).matches('\n').count();
        counted = place.start;
        lines.push(line);
    }
    lines
}

fn replaced(text: &str, old: &str, new: &str) -> Result<String> {
    if old.is_empty() {
        return Err(Error::invalid("old", "old must not be empty: use insert to add text"));
    }
    match places(text, old).as_slice() {
        [] => {
            Err(Error::invalid("old", "old does not stand in the document: send it exactly as it is there"))
        }
        [_] => {
            let place = occurrences(text, old).into_iter().next();
            place.map_or_else(
                || Err(Error::bug("a text that stood in the document stands there no more")),
                |place| Ok(loci_engine::document_text::line_ends::replaced(text, &place, new)),
            )
        }
        several => {
            let lines: Vec<String> = several.iter().map(ToString::to_string).collect();
            let rule = format!("old stands on lines {}: make it long enough to stand once", lines.join(", "));
            Err(Error::invalid("old", rule))
        }
    }
}

struct Section {
    /// The byte offset of the section's heading.
    start: usize,
    /// The byte offset of the section's body.
    body: usize,
    /// The byte offset of the section's end.
    end: usize,
}

fn section_of(text: &str, wanted: &str) -> Result<Section> {
    let wanted = wanted.trim().trim_start_matches('#').trim();
    let headings = headings(text);
    let named: Vec<usize> =
        headings.iter().enumerate().filter(|(_, one)| one.name == wanted).map(|(place, _)| place).collect();
    let (Some(place), None) = (named.first(), named.get(1)) else {
        let rule = if named.is_empty() { "no heading" } else { "more than one heading" };
        return Err(Error::invalid("heading", format!("{rule} of that name stands in the document")));
    };
    let Some(found) = headings.get(*place) else { return Err(Error::bug("a heading that is not there")) };
    let end = headings
        .iter()
        .skip(place + 1)
        .find(|next| next.level <= found.level)
        .map_or(text.len(), |next| next.start);
    Ok(Section { start: found.start, body: found.end, end })
}

struct Heading<'a> {
    level: usize,
    name: &'a str,
    start: usize,
    end: usize,
}

/// Returns the Markdown headings that begin with `#` and are outside of code fences.
fn headings(text: &str) -> Vec<Heading<'_>> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let bare = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                let level = line.bytes().take_while(|byte| *byte == b'#').count();
                let rest = part(line, level, line.len());
                if (1..=6).contains(&level) && rest.starts_with([' ', '\t', '\n', '\r']) {
                    let name = rest.trim().trim_end_matches('#').trim_end();
                    found.push(Heading { level, name, start, end });
                }
            }
            (Some(_), _) => {}
        }
        start = end;
    }
    found
}

fn inserted(text: &str, at: usize, new: &str) -> String {
    joined(part(text, 0, at), new, part(text, at, text.len()), line_end(text))
}

/// Joins three texts. `new` gets lines of its own, with the line end `end`.
fn joined(before: &str, new: &str, after: &str, end: &str) -> String {
    let mut out = before.to_owned();
    if !out.is_empty() && !out.ends_with('\n') && !new.is_empty() {
        out.push_str(end);
    }
    out.push_str(&with_line_end(new, end));
    if !new.is_empty() && !new.ends_with('\n') {
        out.push_str(end);
    }
    out.push_str(after);
    out
}

fn part(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn edits() {
        let check = |before: &str, edit: Edit, expect: Result<&str, &str>| {
            let after = apply(before, &edit);
            let after = after.as_deref().map_err(|error| error.field.clone().unwrap_or_default());
            assert_eq!(after, expect.map_err(ToOwned::to_owned), "{before:?} {edit:?}");
        };
        let replace = |old: &str, new: &str| Edit::Replace { old: text(old), new: text(new) };
        let insert = |line: usize, new: &str| Edit::Insert { line, text: text(new) };
        check("a", Edit::Append { text: text("b") }, Ok("a\nb\n"));
        check("a\n", Edit::Append { text: text("b\n") }, Ok("a\nb\n"));
        check("", Edit::Append { text: text("b") }, Ok("b\n"));
        check("a\n", Edit::Prepend { text: text("b") }, Ok("b\na\n"));
        check("one two", replace("two", "three"), Ok("one three"));
        check("one two", replace("one two", ""), Ok(""));
        check("aaa", replace("aa", "b"), Err("old"));
        check("a\na\n", replace("a", "b"), Err("old"));
        check("a\r\nb\r\nc\r\n", replace("a\nb", "x\ny"), Ok("x\r\ny\r\nc\r\n"));
        check("a\r\nb", Edit::Append { text: text("c\nd") }, Ok("a\r\nb\r\nc\r\nd\r\n"));
        check("a\r\nb\r\n", insert(1, "x"), Ok("a\r\nx\r\nb\r\n"));
        check("a", replace("x", "b"), Err("old"));
        check("a", replace("", "b"), Err("old"));
        check("a\nb\n", insert(0, "x"), Ok("x\na\nb\n"));
        check("a\nb\n", insert(1, "x"), Ok("a\nx\nb\n"));
        check("a\nb", insert(2, "x"), Ok("a\nb\nx\n"));
        check("a\nb", insert(3, "x"), Err("line"));
        check("", insert(0, "x"), Ok("x\n"));
    }

    #[test]
    fn sections() {
        let page = "# A\none\n## B\ntwo\n```\n# C\n```\n# D\nthree\n";
        let check = |edit: Edit, expect: Result<&str, &str>| {
            let after = apply(page, &edit);
            let after = after.as_deref().map_err(|error| error.field.clone().unwrap_or_default());
            assert_eq!(after, expect.map_err(ToOwned::to_owned), "{edit:?}");
        };
        let new = || text("new");
        let replace = |heading: &str| Edit::ReplaceSection { heading: text(heading), text: new() };
        check(replace("B"), Ok("# A\none\n## B\nnew\n# D\nthree\n"));
        check(replace("# A"), Ok("# A\nnew\n# D\nthree\n"));
        check(replace("C"), Err("heading"));
        let before = Edit::InsertBefore { heading: text("D"), text: new() };
        check(before, Ok("# A\none\n## B\ntwo\n```\n# C\n```\nnew\n# D\nthree\n"));
        let after = Edit::InsertAfter { heading: text("D"), text: new() };
        check(after, Ok("# A\none\n## B\ntwo\n```\n# C\n```\n# D\nthree\nnew\n"));
        assert!(apply("# A\n# A\n", &replace("A")).is_err());
    }
}
