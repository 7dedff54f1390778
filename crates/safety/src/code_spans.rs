//! The code regions of a Markdown text: fences and spans. Only backticks and tildes determine them,
//! so that no other text can move them. The module parses no other Markdown: indented blocks are
//! prose.

use std::collections::BTreeMap;
use std::ops::Range;

/// A region of code in a Markdown text, with its delimiters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeRegion {
    /// The range of bytes in the text. A fence takes whole lines.
    pub range: Range<usize>,
    /// True for a fenced block, false for an inline span between backticks.
    pub fence: bool,
}

/// Returns the code regions of a text, in order, without overlaps. An unclosed fence extends to the
/// end.
pub fn regions(text: &str) -> Vec<CodeRegion> {
    if !text.contains('`') && !text.contains("~~~") {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut from = 0;
    for fence in fences(text) {
        spans(text, from..fence.start, &mut found);
        from = fence.end;
        found.push(CodeRegion { range: fence, fence: true });
    }
    spans(text, from..text.len(), &mut found);
    found
}

/// Returns the fences, each with the whole lines from its opening to its closing delimiter.
fn fences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let body = line.trim_start_matches([' ', '\t', '>']);
        let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'));
        if let Some(mark) = mark {
            let run = body.len() - body.trim_start_matches(mark).len();
            let info = body.get(run..).unwrap_or_default();
            match open {
                None if run >= 3 && !(mark == '`' && info.contains('`')) => open = Some((at, mark, run)),
                Some((start, opened_by, length))
                    if mark == opened_by && run >= length && info.trim().is_empty() =>
                {
                    found.push(start..end);
                    open = None;
                }
                _ => {}
            }
        }
        at = end;
    }
    found.extend(open.map(|(start, ..)| start..text.len()));
    found
}

/// Finds spans: a run of backticks up to the next run of the same length, within a paragraph.
fn spans(text: &str, within: Range<usize>, found: &mut Vec<CodeRegion>) {
    let Some(part) = text.get(within.clone()) else { return };
    let runs = runs(part);
    let mut by_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for run in &runs {
        by_length.entry(run.len()).or_default().push(run.start);
    }
    let blanks = blank_lines(part);
    let mut free = 0;
    for run in &runs {
        if run.start < free {
            continue;
        }
        let paragraph = blanks.partition_point(|blank| *blank < run.end);
        let paragraph = blanks.get(paragraph).copied().unwrap_or(part.len());
        let same = by_length.get(&run.len()).map(Vec::as_slice).unwrap_or_default();
        let next = same.get(same.partition_point(|start| *start < run.end)).filter(|next| **next < paragraph);
        if let Some(next) = next {
            free = next + run.len();
            let range = within.start + run.start..within.start + free;
            found.push(CodeRegion { range, fence: false });
        }
    }
}

/// Returns the runs of backticks.
fn runs(part: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in part.match_indices('`') {
        match found.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}

/// Returns the byte offsets at which blank lines begin.
fn blank_lines(part: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    for (number, line) in part.split_inclusive('\n').enumerate() {
        if number > 0 && line.trim().is_empty() {
            found.push(at);
        }
        at += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found() {
        let check = |text: &str, expect: &[&str]| {
            let found: Vec<_> = regions(text).into_iter().map(|region| &text[region.range]).collect();
            assert_eq!(found, expect, "{text:?}");
        };
        check("no code", &[]);
        check("use `Vec<b>` here", &["`Vec<b>`"]);
        check("``a ` b`` c", &["``a ` b``"]);
        check("one ` alone", &[]);
        check("`a\n\nb`", &[]);
        check("`a\nb`", &["`a\nb`"]);
        check("x\n```rust\nVec<b>\n```\ny `z`", &["```rust\nVec<b>\n```\n", "`z`"]);
        check("> ```\n> <b>\n> ```\n", &["> ```\n> <b>\n> ```\n"]);
        check("~~~\n```\n~~~\n", &["~~~\n```\n~~~\n"]);
        check("```\nopen <b>", &["```\nopen <b>"]);
        check("````\n```\n````", &["````\n```\n````"]);
        check("```a`b", &[]);
        check("```a``` b", &["```a```"]);
    }
}
