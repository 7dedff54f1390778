//! The documents at the root exist and are short enough to be read. Reviews judge their truth.

use super::{Finding, Tree};

const LINES_MAX: [(&str, usize); 3] = [("AGENTS.md", 80), ("README.md", 150), ("ARCHITECTURE.md", 400)];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, max) in LINES_MAX {
        let what = match tree.text(path).map(|text| text.lines().count()) {
            None => "the paper is missing.".to_owned(),
            Some(lines) if lines > max => format!("{lines} lines, at most {max} are allowed."),
            Some(_) => continue,
        };
        found.push(Finding {
            file: path.to_owned(),
            line: 0,
            rule: "paper-size",
            what,
            remedy: "Keep what a new reader needs there, and move the rest under docs/.",
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn missing_and_long_papers_are_found() {
        let found = check(&files(&[("AGENTS.md", &"x\n".repeat(81)), ("README.md", &"x\n".repeat(150))]));
        let names: Vec<_> = found.iter().map(|f| f.file.as_str()).collect();
        assert_eq!(names, ["AGENTS.md", "ARCHITECTURE.md"]);
    }
}
