//! Unfinished work is not committed: no `todo!`, no `dbg!`, no note to return later. Open work is
//! an issue.

use super::rust_text::{line_of, words};
use super::{Finding, Tree};

/// Macros, searched for in code only.
const MACROS: [&str; 3] = ["todo", "unimplemented", "dbg"];
/// Marks, searched for in every text, including comments. They are split in halves so that this
/// file contains none.
const MARKS: [&str; 2] = [concat!("FIX", "ME"), concat!("X", "XX")];
/// A promise in a comment. The bare word may be data.
const PROMISES: [&str; 2] = [concat!("// TO", "DO"), concat!("# TO", "DO")];
/// Foreign texts without any restriction.
const FREE: [&str; 3] = ["LICENSE", "Cargo.lock", "package-lock.json"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|f| !FREE.iter().any(|free| f.path.ends_with(free))) {
        for name in MACROS {
            let calls = words(&file.code, name).into_iter();
            for at in
                calls.filter(|at| file.code.get(at + name.len()..).is_some_and(|rest| rest.starts_with('!')))
            {
                found.push(finding(&file.path, line_of(&file.code, at), format!("`{name}!` in code.")));
            }
        }
        for promise in PROMISES {
            for (at, _) in file.text.match_indices(promise) {
                found.push(finding(&file.path, line_of(&file.text, at), format!("the comment `{promise}`.")));
            }
        }
        for mark in MARKS {
            for at in words(&file.text, mark) {
                found.push(finding(&file.path, line_of(&file.text, at), format!("the mark `{mark}`.")));
            }
        }
    }
    found
}

fn finding(path: &str, line: usize, what: String) -> Finding {
    Finding {
        file: path.to_owned(),
        line,
        rule: "forbidden-word",
        what,
        remedy: "Do it now, or take it out and write an issue.",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn half_done_work_is_found() {
        let mark = concat!("FIX", "ME");
        let bad = format!("//! x\nfn a() {{ todo!(\"x\") }}\n// {mark}: later\nlet dbg = 1;\n");
        let found =
            check(&files(&[("a.rs", &bad), ("b.md", &format!("a {mark}S\n{mark}\n")), ("LICENSE", mark)]));
        let places: Vec<_> = found.iter().map(|f| (f.file.as_str(), f.line)).collect();
        assert_eq!(places, [("a.rs", 2), ("a.rs", 3), ("b.md", 2)]);
    }
}
