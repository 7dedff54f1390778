//! A file in the folder of one product names no other product's folder. Shared code lies above both
//! folders. The only dependency between products is that of coding agents on verified facts.

use super::rust_text::{line_of, words};
use super::{Finding, Tree};

/// The products, by the names of their folders and crates.
const PRODUCTS: [&str; 4] = ["verified", "coding", "documents", "operations"];
/// Pairs of products of which the first may name the second.
const ARROWS: [(&str, &str); 1] = [("coding", "verified")];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust() {
        let Some(own) = product_of(&file.path) else { continue };
        let code = &file.code_outside_tests;
        let imports = imports(code);
        for other in PRODUCTS.iter().filter(|other| **other != own && !ARROWS.contains(&(own, **other))) {
            found.extend(names(code, &imports, other).into_iter().map(|line| Finding {
                file: file.path.clone(),
                line,
                rule: "product-folder",
                what: format!("a file of `{own}` names `{other}`."),
                remedy: "Move what both need above the folders of products.",
            }));
        }
    }
    found
}

/// Returns the product in whose folder or crate a file lies.
fn product_of(path: &str) -> Option<&str> {
    let folders = path.strip_prefix("crates/").and_then(|rest| rest.rsplit_once('/'))?.0;
    folders.split('/').find(|folder| PRODUCTS.contains(folder))
}

/// An item of a `use` declaration: its whole path, and the offset at which it ends.
struct Import {
    path: String,
    end: usize,
}

/// Returns the items that a file imports. Groups are resolved: `a::{b, c::d}` is `a::b` and
/// `a::c::d`.
fn imports(code: &str) -> Vec<Import> {
    let mut found = Vec::new();
    for from in words(code, "use") {
        let (mut groups, mut path, mut end) = (Vec::<String>::new(), String::new(), from);
        for (at, c) in code.get(from + "use".len()..).unwrap_or("").char_indices() {
            match c {
                '{' => groups.push(path.clone()),
                ',' | '}' | ';' => {
                    let item = path.split(" as ").next().unwrap_or("");
                    found.push(Import { path: item.split_whitespace().collect(), end });
                    if c == '}' {
                        groups.pop();
                    }
                    path = groups.last().cloned().unwrap_or_default();
                }
                // A bound: `use<'a>`.
                '<' => break,
                _ => path.push(c),
            }
            if c == ';' {
                break;
            }
            if !c.is_whitespace() {
                end = from + "use".len() + at;
            }
        }
    }
    found
}

/// Returns true if an import is the module or crate of a product itself. An item of the same name
/// in another module is none.
fn imports_product(import: &Import, product: &str) -> bool {
    let (before, last) = import.path.rsplit_once("::").unwrap_or(("", import.path.as_str()));
    let is_root = |part: &str| matches!(part, "" | "crate" | "super" | "self") || part.starts_with("loci_");
    last.strip_prefix("loci_").unwrap_or(last) == product && before.split("::").all(is_root)
}

/// Returns the lines that name a product's module or crate, in a path or as an import.
fn names(code: &str, imports: &[Import], product: &str) -> Vec<usize> {
    let imported = imports.iter().filter(|import| imports_product(import, product)).map(|import| import.end);
    let mut places: Vec<usize> = imported.collect();
    for word in [product.to_owned(), format!("loci_{product}")] {
        places.extend(words(code, &word).into_iter().filter(|at| {
            let is_member = code.get(..*at).is_some_and(|before| before.ends_with('.'));
            !is_member && code.get(at + word.len()..).is_some_and(|rest| rest.starts_with("::"))
        }));
    }
    let mut lines: Vec<usize> = places.into_iter().map(|at| line_of(code, at)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
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
        client("verified", "use loci_api::{\n    facts::A,\n    coding,\n};\n", &[3]);
        client("verified", "use loci_api::{facts::A, documents::{B, C}, operations as ops};\n", &[1, 1]);
        client("verified", "use loci_api::coding;\n", &[1]);
        client("verified", "use crate::operation::{Bytes, operations};\n", &[]);
        client("verified", "fn a() -> impl B + use<'_> {}\nlet coding = 1;\n", &[]);
        check("crates/operations/src/lib.rs", "use loci_coding::Coding;\n", &[1]);
        check("crates/client/src/search.rs", "use loci_api::coding::table;\n", &[]);
    }
}
