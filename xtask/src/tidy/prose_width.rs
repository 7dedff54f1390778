//! Prose of Markdown has at most 100 columns. Tables, blocks of code, headings, markup, and a word
//! that is longer are left alone. Prompts and samples in `crates/` are texts of the product.

use super::{Finding, Tree};

const COLUMNS_MAX: usize = 100;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| is_prose(&file.path)) {
        let mut is_code = false;
        for (at, line) in file.text.lines().enumerate() {
            let text = line.trim_start();
            let is_fence = text.starts_with("```");
            is_code ^= is_fence;
            let columns = line.chars().count();
            if columns > COLUMNS_MAX && !is_code && !is_fence && can_be_wrapped(text) {
                found.push(Finding {
                    file: file.path.clone(),
                    line: at + 1,
                    rule: "prose-width",
                    what: format!("a line has {columns} columns, {COLUMNS_MAX} are the most."),
                    remedy: "Wrap the paragraph.",
                });
            }
        }
    }
    found
}

fn is_prose(path: &str) -> bool {
    path.ends_with(".md") && !path.starts_with("crates/")
}

/// Returns true for a line of words: no row of a table, no heading, no markup and no single long
/// word.
fn can_be_wrapped(text: &str) -> bool {
    !text.starts_with(['|', '#', '<']) && text.trim_start_matches(['-', '*', '>', ' ']).contains(' ')
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn long_lines_of_prose_are_found() {
        let check = |path: &str, text: &str, expect: &[usize]| {
            let found = check(&files(&[(path, text)]));
            assert_eq!(found.iter().map(|one| one.line).collect::<Vec<_>>(), expect, "{path}: {text}");
        };
        let (long, word) = ("ab ".repeat(34), "a".repeat(COLUMNS_MAX));
        check("docs/a.md", &format!("a\n{long}\n"), &[2]);
        check("docs/a.md", &format!("{}\n", "ä ".repeat(50)), &[]);
        check("docs/a.md", &format!("```sh\n{long}\n```\n- {long}\n"), &[4]);
        check("docs/a.md", &format!("| {long} |\n# {long}\n<!-- {long} -->\n- {word}\n"), &[]);
        check("crates/a/prompt.md", &format!("{long}\n"), &[]);
        check("a.txt", &format!("{long}\n"), &[]);
    }
}
