//! Code and comments of Rust have at most as many columns as the formatter gives to code, and so
//! have lines that are a comment in Python, TypeScript, TOML and shell. Lines with a literal are
//! left alone, unless a comment follows their code: a text is not cut for the sake of its source.
//! Rows of a table in a comment, settings that a comment shows, and generated files are left alone
//! too.

use super::{Finding, Tree};

/// Columns of a line, those of rustfmt.toml.
const COLUMNS_MAX: usize = 110;
/// Files that `clients/generate` writes.
const GENERATED: [&str; 2] = ["clients/typescript/src/api.ts", "clients/typescript/src/operations.ts"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in &tree.files {
        let is_rust = file.path.ends_with(".rs");
        let marks = comment_marks(&file.path);
        let mut code = file.code.lines();
        for (at, line) in file.text.lines().enumerate() {
            let code = code.next().unwrap_or("");
            let columns = line.chars().count();
            let is_measured = if is_rust { !has_literal(line, code) } else { is_comment(line, marks) };
            if columns > COLUMNS_MAX && is_measured && !is_table_row(line) {
                found.push(Finding {
                    file: file.path.clone(),
                    line: at + 1,
                    rule: "line-width",
                    what: format!("a line has {columns} columns, {COLUMNS_MAX} are the most."),
                    remedy: "Wrap the comment, or give a part of the expression a name.",
                });
            }
        }
    }
    found
}

/// Returns the marks that begin a comment in a file of another language than Rust.
fn comment_marks(path: &str) -> &'static [&'static str] {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        _ if GENERATED.contains(&path) => &[],
        "py" | "toml" | "sh" => &["#"],
        "ts" | "mjs" => &["//", "/*", "*"],
        _ => &[],
    }
}

/// Returns true for a line that is a comment. A setting in a comment cannot be wrapped.
fn is_comment(line: &str, marks: &[&str]) -> bool {
    let text = line.trim_start();
    marks.iter().any(|mark| text.starts_with(*mark)) && !text.contains(" = {")
}

/// Returns true for a line of which a literal is a part and no comment follows: it has a mark of
/// one, or is a line within one, which is blanked in the code.
fn has_literal(line: &str, code: &str) -> bool {
    let behind_code = line.get(code.trim_end().len()..).unwrap_or("");
    let has_comment = behind_code.trim_start().starts_with("//");
    !has_comment && (line.contains(['"', '\'']) || code.trim().is_empty())
}

fn is_table_row(line: &str) -> bool {
    line.trim_start().trim_start_matches(['/', '!']).trim_start().starts_with('|')
}

#[cfg(test)]
mod tests {
    use super::super::tree::SourceFile;
    use super::*;

    #[test]
    fn long_lines_of_code_and_comments_are_found() {
        let check = |code: &str, expect: usize| {
            let files = vec![SourceFile::new("crates/a/src/a.rs", code)];
            assert_eq!(check(&Tree { files, ..Tree::default() }).len(), expect, "{code}");
        };
        let (long, text) = ("a".repeat(COLUMNS_MAX), "ä".repeat(COLUMNS_MAX - 4));
        check(&format!("/// {long}\n"), 1);
        check(&format!("/// {text}\n"), 0);
        check(&format!("//! | {long} |\n"), 0);
        check(&format!("let a = b({long});\n"), 1);
        check(&format!("let a = \"{long}\";\n"), 0);
        check(&format!("let a = \"b\\\n {long}\";\n"), 0);
        check(&format!("let a = b; // {long}\n"), 1);
        check(&format!("let a = \"b\"; // {long}\n"), 1);
        check(&format!("let a = \"// {long}\";\n"), 0);
    }

    #[test]
    fn long_comments_of_other_languages_are_found() {
        let check = |path: &str, text: &str, expect: usize| {
            let files = vec![SourceFile::new(path, text)];
            assert_eq!(check(&Tree { files, ..Tree::default() }).len(), expect, "{path}: {text}");
        };
        let long = "a".repeat(COLUMNS_MAX);
        check("a.py", &format!("    # {long}\n"), 1);
        check("a.py", &format!("    a = '{long}'\n"), 0);
        check("a.toml", &format!("# {long}\n"), 1);
        check("a.toml", &format!("# a = {{ b = '{long}' }}\n"), 0);
        check("a.sh", &format!("# {long}\n"), 1);
        check("a.ts", &format!("/**\n * {long}\n */\n"), 1);
        check("a.mjs", &format!("// {long}\n"), 1);
        check(GENERATED[0], &format!("// {long}\n"), 0);
        check("a.txt", &format!("# {long}\n"), 0);
    }
}
