//! A file in the folder of one product names no other product's folder. Shared code lies above both
//! folders. The only dependency between products is that of coding agents on verified facts.

use super::{Finding, Tree};

/// The products, by the names of their folders and crates.
const PRODUCTS: [&str; 4] = ["verified", "coding", "documents", "operations"];
/// Pairs of products of which the first may name the second.
const ARROWS: [(&str, &str); 1] = [("coding", "verified")];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust() {
        let Some(own) = product_of(&file.path) else { continue };
        for (at, line) in file.code_outside_tests.lines().enumerate() {
            let others = PRODUCTS.iter().filter(|other| **other != own && !ARROWS.contains(&(own, **other)));
            for other in others.filter(|other| names(line, other)) {
                found.push(Finding {
                    file: file.path.clone(),
                    line: at + 1,
                    rule: "product-folder",
                    what: format!("a file of `{own}` names `{other}`."),
                    remedy: "Move what both need above the folders of products.",
                });
            }
        }
    }
    found
}

/// Returns the product in whose folder or crate a file lies.
fn product_of(path: &str) -> Option<&str> {
    let folders = path.strip_prefix("crates/").and_then(|rest| rest.rsplit_once('/'))?.0;
    folders.split('/').find(|folder| PRODUCTS.contains(folder))
}

/// Returns true if a line names a product's module or crate in a path.
fn names(line: &str, product: &str) -> bool {
    line.match_indices(product).any(|(at, _)| {
        let before = line.get(..at).unwrap_or("");
        let before = before.strip_suffix("loci_").unwrap_or(before);
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        is_word && line.get(at + product.len()..).is_some_and(|rest| rest.starts_with("::"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::SourceFile;
    use super::*;

    #[test]
    fn a_product_names_no_other() {
        let check = |path: &str, code: &str, expect: &[usize]| {
            let files = vec![SourceFile::new(path, code)];
            let found = check(&Tree { files, ..Tree::default() });
            assert_eq!(found.iter().map(|one| one.line).collect::<Vec<_>>(), expect, "{path}: {code}");
        };
        let client = |product: &str, code: &str, expect: &[usize]| {
            check(&format!("crates/client/src/{product}/one.rs"), code, expect);
        };
        client("verified", "use loci_api::verified::table;\nuse loci_api::coding::table;\n", &[2]);
        client("coding", "use loci_api::verified::table;\nuse loci_operations::Operations;\n", &[2]);
        client("documents", "let coding::A = engine.coding::<B>();\n", &[1]);
        client("documents", "engine.coding::<B>();\nlet encoding::A = \"coding::\";\n", &[]);
        check("crates/operations/src/lib.rs", "use loci_coding::Coding;\n", &[1]);
        check("crates/client/src/search.rs", "use loci_api::coding::table;\n", &[]);
    }
}
