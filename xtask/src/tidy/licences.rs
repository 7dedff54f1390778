//! Every package that could be compiled has a licence from the list. Another licence needs a
//! decision page and a line here. Licences of data are not checked here.

use super::spdx::satisfied;
use super::{Finding, Tree};

const ALLOWED: [&str; 13] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "CDLA-Permissive-2.0",
    "BSL-1.0",
    "CC0-1.0",
    "0BSD",
    "Unlicense",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for package in &tree.packages {
        let licence = package.licence.as_deref().unwrap_or("");
        if !satisfied(licence, &|name| ALLOWED.contains(&name)) {
            let said =
                if licence.is_empty() { "no licence expression".to_owned() } else { format!("`{licence}`") };
            found.push(Finding {
                file: "Cargo.lock".to_owned(),
                line: 0,
                rule: "licence",
                what: format!("{} {} has {said}.", package.name, package.version),
                remedy: "Do without it, or decide the licence in docs/decisions and add it to the list in licences.rs.",
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::foreign;
    use super::*;

    #[test]
    fn packages_with_other_licences_or_none_are_found() {
        let tree = Tree {
            files: Vec::new(),
            packages: vec![
                foreign("good", "1.0.0", Some("Unlicense OR MIT")),
                foreign("copyleft", "2.0.0", Some("MPL-2.0")),
                foreign("silent", "3.0.0", None),
            ],
        };
        let found: Vec<_> = check(&tree).into_iter().map(|f| f.what).collect();
        assert_eq!(found, ["copyleft 2.0.0 has `MPL-2.0`.", "silent 3.0.0 has no licence expression."]);
    }
}
