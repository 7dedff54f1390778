//! Every Rust file opens with `//!`: the purpose and the limits of the file. Reviews judge the
//! quality of the text.

use super::{Finding, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter(|f| !f.text.trim_start_matches('\u{feff}').starts_with("//! "))
        .map(|f| Finding {
            file: f.path.clone(),
            line: 1,
            rule: "header",
            what: "the file does not open with `//! `.".to_owned(),
            remedy: "Say in its first lines what it is for, and what it does not do.",
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn a_file_without_a_header_is_found() {
        let found = check(&files(&[
            ("a.rs", "use x;\n//! late\n"),
            ("b.rs", "//! For b.\nuse x;\n"),
            ("c.py", "x = 1\n"),
        ]));
        assert_eq!(found.iter().map(|f| f.file.as_str()).collect::<Vec<_>>(), ["a.rs"]);
    }
}
