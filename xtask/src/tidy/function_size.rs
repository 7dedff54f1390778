//! A function has at most 70 lines from its `fn` to its closing brace, including comments and blank
//! lines. Tests are free: their tables may be long.

use super::rust_text::{functions, line_of};
use super::{Finding, Tree};

const LINES_MAX: usize = 70;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust() {
        let code = &file.code_outside_tests;
        for function in functions(code) {
            let line = line_of(code, function.span.from);
            let lines = line_of(code, function.span.to.saturating_sub(1)).saturating_sub(line) + 1;
            if lines > LINES_MAX {
                found.push(Finding {
                    file: file.path.clone(),
                    line,
                    rule: "function-size",
                    what: format!("`{}` has {lines} lines, at most {LINES_MAX} are allowed.", function.name),
                    remedy: "Keep the decisions here and move the work of its branches into functions of their own.",
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn a_function_of_71_lines_is_found_and_one_of_70_is_not() {
        let of = |name: &str, lines: usize| format!("fn {name}() {{\n{}}}\n", "x();\n".repeat(lines - 2));
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", of("free", 90));
        let source = format!("{}{}{tests}", of("fits", 70), of("long", 71));
        let found = check(&files(&[("a.rs", &source)]));
        assert_eq!(found.iter().map(|f| f.line).collect::<Vec<_>>(), [71]);
        assert!(found.iter().all(|f| f.what.contains("`long` has 71 lines")));
    }
}
