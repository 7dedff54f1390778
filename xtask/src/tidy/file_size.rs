//! A Rust file holds at most 500 lines of code, without its tests, and an SQL file at most 800
//! lines. Blank lines and comments of Rust files are free.

use super::{Finding, Tree};

const CODE_LINES_MAX: usize = 500;
const SQL_LINES_MAX: usize = 800;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in &tree.files {
        let (lines, max) = if file.path.ends_with(".rs") {
            (code_lines(&file.code_outside_tests), CODE_LINES_MAX)
        } else if file.path.ends_with(".sql") {
            (file.text.lines().count(), SQL_LINES_MAX)
        } else {
            continue;
        };
        if lines > max {
            found.push(Finding {
                file: file.path.clone(),
                line: 0,
                rule: "file-size",
                what: format!("{lines} lines of code, at most {max} are allowed."),
                remedy: "Split it by idea: each file one idea, named by it.",
            });
        }
    }
    found
}

fn code_lines(code: &str) -> usize {
    code.lines().filter(|l| !l.trim().is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn long_files_are_found_and_their_tests_and_comments_are_not_counted() {
        let code = "let x = 1;\n".repeat(501);
        let tests = format!("fn a() {{}}\n#[cfg(test)]\nmod tests {{\n{code}}}\n");
        let comments = "// x\n\n".repeat(600);
        let found = check(&files(&[
            ("long.rs", &code),
            ("tested.rs", &tests),
            ("said.rs", &comments),
            ("crates/a/tests/it.rs", &code),
            ("long.sql", &"x\n".repeat(801)),
        ]));
        let names: Vec<_> = found.iter().map(|f| f.file.as_str()).collect();
        assert_eq!(names, ["long.rs", "long.sql"]);
        assert!(found.iter().any(|f| f.what.contains("501 lines")));
    }
}
