//! Decision pages are `docs/decisions/NNNN-title.md`. Each number occurs once, so that a number
//! identifies a page.

use super::{Finding, Tree};
use std::collections::BTreeMap;

const FOLDER: &str = "docs/decisions/";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for file in &tree.files {
        let Some(name) = file.path.strip_prefix(FOLDER).filter(|n| *n != "README.md") else { continue };
        let number = name.split('-').next().unwrap_or("");
        let well_named =
            number.len() == 4 && number.bytes().all(|b| b.is_ascii_digit()) && name.ends_with(".md");
        if !well_named {
            found.push(finding(&file.path, "the name is not NNNN-title.md.".to_owned()));
        } else if let Some(first) = seen.insert(number, name) {
            found.push(finding(&file.path, format!("{number} is the number of {first} too.")));
        }
    }
    found
}

fn finding(path: &str, what: String) -> Finding {
    Finding {
        file: path.to_owned(),
        line: 0,
        rule: "decision-number",
        what,
        remedy: "Take the next free number, and keep the title short.",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn odd_names_and_numbers_used_twice_are_found() {
        let found = check(&files(&[
            ("docs/decisions/0001-a.md", ""),
            ("docs/decisions/0001-b.md", ""),
            ("docs/decisions/2-c.md", ""),
            ("docs/decisions/README.md", ""),
        ]));
        let names: Vec<_> = found.iter().map(|f| f.file.as_str()).collect();
        assert_eq!(names, ["docs/decisions/0001-b.md", "docs/decisions/2-c.md"]);
    }
}
