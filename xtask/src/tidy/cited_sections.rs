//! A cited section must exist for a reader of the tree: only sections of a published standard,
//! named before the sign, are allowed. A section of a text that is not in the repository explains
//! nothing. A reason, a decision or a guide replaces it.

use super::{Finding, Tree};

/// The section sign, as an escape, so that this file does not contain it.
const SIGN: char = '\u{a7}';
/// Prefixes of the names of published standards.
const STANDARDS: [&str; 2] = ["RFC ", "YAML "];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in &tree.files {
        for (at, line) in file.text.lines().enumerate() {
            if line.match_indices(SIGN).any(|(place, _)| !is_of_standard(line.get(..place).unwrap_or(""))) {
                found.push(Finding {
                    file: file.path.clone(),
                    line: at + 1,
                    rule: "cited-section",
                    what: "a section is cited that is not in the repository.".to_owned(),
                    remedy: "Give the reason itself, a decision's number or a guide.",
                });
            }
        }
    }
    found
}

/// Returns true if the text before a sign ends with a standard and its number.
fn is_of_standard(before: &str) -> bool {
    let name = STANDARDS.iter().filter_map(|name| before.rfind(name).map(|at| at + name.len())).max();
    let number = name.and_then(|end| before.get(end..)).unwrap_or("");
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.trim_end().chars().all(|c| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn sections_of_standards_alone_are_cited() {
        let check = |text: &str, expect: usize| {
            assert_eq!(check(&files(&[("a.md", text)])).len(), expect, "{text}");
        };
        check("A strong tag (RFC 9110 \u{a7}13.1.5), as YAML 1.2.2 \u{a7}10.3.2 has it.\n", 0);
        check("The order of retrieval.md \u{a7}1.\n", 1);
        check("RFC 9110 has it, and so has \u{a7}4.\n", 1);
        check("No citation.\n\u{a7}4.\n", 1);
    }
}
