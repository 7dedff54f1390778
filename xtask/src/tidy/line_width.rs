//! Code and comments have at most as many columns as the formatter gives to code. Lines with a
//! literal are left alone: a text is not cut for the sake of its source. So are rows of a table in
//! a comment.

use super::{Finding, Tree};

/// Columns of a line, those of rustfmt.toml.
const COLUMNS_MAX: usize = 110;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust() {
        for (at, (line, code)) in file.text.lines().zip(file.code.lines()).enumerate() {
            let columns = line.chars().count();
            if columns > COLUMNS_MAX && !has_literal(line, code) && !is_table_row(line) {
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

/// True for a line of which a literal is a part: it has a mark of one, or is a line within one, which
/// is blanked in the code. A comment after code is none.
fn has_literal(line: &str, code: &str) -> bool {
    let is_comment = line.trim_start().starts_with("//");
    !is_comment && (line.contains(['"', '\'']) || code.trim().is_empty())
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
    }
}
