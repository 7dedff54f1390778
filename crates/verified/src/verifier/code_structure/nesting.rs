//! The nesting of lines by their indentation: the lines that enclose them, the check for code that
//! never runs, and the comparison of texts that differ only in white space and line breaks. It is a
//! line-based approximation and parses nothing.

use std::sync::LazyLock;

use regex::Regex;

use super::code_text::{CodeText, bracket_balance};
use crate::verifier::lines::file_lines::FileLines;

/// Returns the indexes of the non-blank lines that enclose the one at `from`, innermost first.
pub(super) fn enclosing_places(path: &str, file: &FileLines, from: usize) -> Vec<usize> {
    let indent = |at: usize| file.indents(at, at + 1).first().copied().unwrap_or(0);
    let mut found = Vec::new();
    let mut depth = indent(from);
    for at in (0..from).rev() {
        if depth == 0 {
            break;
        }
        let is_comment = has_blocks_of_statements(path) && file.line(at).starts_with('#');
        if indent(at) < depth && !is_comment {
            depth = indent(at);
            found.push(opening(file, at, depth));
        }
    }
    found
}

/// Returns the first line of a header that ends with `):`.
fn opening(file: &FileLines, at: usize, depth: u32) -> usize {
    let closes = |at: usize| file.line(at).starts_with([')', ']', '}']);
    if !closes(at) {
        return at;
    }
    let is_first =
        |before: &usize| file.indents(*before, before + 1).first() == Some(&depth) && !closes(*before);
    (0..at).rev().find(is_first).unwrap_or(at)
}

/// Returns true if a condition that is never true encloses the line.
pub(in crate::verifier) fn never_runs(path: &str, file: &FileLines, from: usize) -> bool {
    enclosing_places(path, file, from).into_iter().any(|at| NEVER.is_match(file.line(at)))
}

/// Returns the enclosing lines that decide if, how often or as what a line counts.
pub(in crate::verifier) fn deciding_places(path: &str, file: &FileLines, from: usize) -> Vec<usize> {
    let mut places = enclosing_places(path, file, from);
    if has_blocks_of_statements(path) {
        places.retain(|at| CONTROL.is_match(file.line(*at)));
    }
    places
}

/// Returns true for languages in which enclosing lines decide: all of them, or those of control
/// flow.
pub(in crate::verifier) fn is_decided_by_indentation(path: &str) -> bool {
    has_blocks_of_statements(path) || ["yaml", "yml"].contains(&extension(path))
}

/// Returns true for files in which a tab at the start of a line differs from spaces.
pub(in crate::verifier) fn tabs_are_meaning(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "Makefile" | "makefile" | "GNUmakefile")
        || ["mk", "yaml", "yml"].contains(&extension(path))
}

/// Returns statements with their depth. Lines joined by a bracket, a string or a backslash are one
/// statement, and comments are left out.
pub(in crate::verifier) fn statements<'l>(
    path: &str,
    lines: impl Iterator<Item = &'l str>,
) -> Vec<(usize, String)> {
    let mut scan = CodeText::of(path);
    let mut found: Vec<(usize, String)> = Vec::new();
    let (mut open, mut goes_on): (Vec<usize>, bool) = (Vec::new(), false);
    let mut brackets = 0_i32;
    for line in lines {
        let is_text = !scan.is_in_code();
        let code = scan.line(line);
        let packed: String = code.split_whitespace().collect();
        if packed.is_empty() && !is_text {
            continue;
        }
        match found.last_mut().filter(|_| is_text || goes_on || brackets > 0) {
            Some((_, statement)) => statement.push_str(packed.trim_end_matches('\\')),
            None => {
                let columns = line.chars().take_while(|c| c.is_whitespace());
                let indent = columns.fold(0, |at, c| if c == '\t' { (at / 8 + 1) * 8 } else { at + 1 });
                while open.last().is_some_and(|outer| *outer > indent) {
                    open.pop();
                }
                if open.last() != Some(&indent) {
                    open.push(indent);
                }
                found.push((open.len(), packed.trim_end_matches('\\').to_owned()));
            }
        }
        brackets = (brackets + bracket_balance(&code)).max(0);
        goes_on = code.ends_with('\\');
    }
    found
}

fn has_blocks_of_statements(path: &str) -> bool {
    ["py", "pyi", "pyx", "pyw", "bzl", "star", "gd", "nim", "coffee"].contains(&extension(path))
}

fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

static CONTROL: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"^(?:async )?(?:if|elif|else|for|while|try|except|finally|with|match|case|unless|when)\b")
});
static NEVER: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"^(?:\} ?)?(?:else )?(?:el)?(?:if|while) ?\(? ?(?:false|False|FALSE|0|nil|None)(?: ?\)| ?:| ?\{| ?;| and | && |$)",
    )
});

#[expect(clippy::expect_used, reason = "the forms are constants, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant pattern compiles")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> FileLines {
        FileLines::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn enclosing_lines_are_found_and_judged() {
        for (path, text, decide, never) in [
            ("a.py", "def f():\n    if a:\n        b()", "if a:", false),
            ("a.py", "def f():\n    b()", "", false),
            ("a.py", "if (\n    a\n    and b\n):\n    c()", "if (", false),
            ("a.py", "def f(\n    a,\n):\n# words\n    c()", "", false),
            ("a.py", "if False:\n    def f():\n        b()", "if False:", true),
            ("a.py", "if False and a:\n    b()", "if False and a:", true),
            ("a.py", "if falsy:\n    b()", "if falsy:", false),
            ("a.yaml", "a:\n  b:\n    c: 1", "b:|a:", false),
            ("a.rs", "fn f() {\n    if false {\n        b();", "if false {|fn f() {", true),
            ("a.sh", "if 0; then\n  b", "if 0; then", true),
        ] {
            let file = file(text);
            let from = file.len() - 1;
            let shown: Vec<&str> =
                deciding_places(path, &file, from).into_iter().map(|at| file.line(at)).collect();
            assert_eq!((shown.join("|").as_str(), never_runs(path, &file, from)), (decide, never), "{text}");
        }
    }

    #[test]
    fn statements_are_nested_alike_whatever_their_line_breaks() {
        for (path, one, other, same) in [
            ("a.py", "if a:\n    b(c, d)\ne()", "if a:\n  b(c,\n    d)\ne()", true),
            ("a.py", "if a:\n    b(c, d)\ne()", "if a:\n    b(c,\n      d)\n    e()", false),
            ("a.py", "x = f(\n  a,\n    b)\n# c\ny", "x = f(\n  a,\n  b)\n    # c\ny", true),
            ("a.py", "x = a + \\\n  b", "x = a + b", true),
            ("a.py", "f(\")\")\n    x", "f(\")\")\nx", false),
            ("a.yaml", "a: [b,\n  c]\nd: e", "a: [b, c]\nd: e", true),
            ("a.yaml", "a:\n  b: c\n  d: e", "a:\n  b: c\nd: e", false),
        ] {
            assert_eq!(
                statements(path, one.lines()) == statements(path, other.lines()),
                same,
                "{one} {other}"
            );
        }
    }
}
