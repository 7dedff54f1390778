//! The kernel of the engine names no product. The compiler rejects imports and calls, because the
//! kernel's crate does not depend on a product's (`dependency_direction`). This check finds names
//! in literals: names of profiles, of formats and of the products themselves.

use super::{Finding, Tree};

/// The folders of the kernel and of its pure parts.
const KERNEL: [&str; 3] = ["crates/engine/src/", "crates/safety/src/", "crates/document-text/src/"];
/// Names that belong to a product, as whole literals.
const NAMES: &[&str] = &["\"verified\"", "\"coding\"", "\"operations\"", "\"sre\"", "\"loci-sre\""];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust().filter(|file| KERNEL.iter().any(|folder| file.path.starts_with(folder))) {
        for (line, text) in file.lines_outside_tests() {
            for name in NAMES.iter().filter(|name| text.contains(**name)) {
                found.push(Finding {
                    file: file.path.clone(),
                    line,
                    rule: "product-order",
                    what: format!("the kernel names the product {name}."),
                    remedy: "Turn the arrow round with a hook (engine/src/hooks).",
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::SourceFile;
    use super::*;

    #[test]
    fn the_kernel_names_no_product() {
        let check = |path: &str, code: &str, expect: &[usize]| {
            let files = vec![SourceFile::new(path, code)];
            let lines: Vec<usize> =
                check(&Tree { files, ..Tree::default() }).iter().map(|one| one.line).collect();
            assert_eq!(lines, expect, "{path}: {code}");
        };
        let kernel =
            |code: &str, expect: &[usize]| check("crates/engine/src/records/update.rs", code, expect);
        kernel("const A: &str = \"notes\";\n", &[]);
        kernel("\nconst A: &str = \"coding\";\n", &[2]);
        kernel("const A: &str = \"coding agents\";\n", &[]);
        kernel("#[cfg(test)]\nmod tests { const A: &str = \"coding\"; }\n", &[]);
        check("crates/coding/src/lib.rs", "const A: &str = \"coding\";\n", &[]);
    }
}
