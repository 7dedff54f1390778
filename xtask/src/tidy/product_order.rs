//! The kernel of the engine names no product, and products see each other in one order alone.

use super::{Finding, Tree};

/// A product's folder in the engine, and the products that it may see.
const PRODUCTS: &[(&str, &[&str])] =
    &[("verified", &[]), ("coding", &["verified"]), ("documents", &[]), ("operations", &[])];
/// The folder in which they lie.
const ENGINE: &str = "crates/engine/src/";
/// The beginning of a path from the root of the crate.
const ROOT: &str = "crate::";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust() {
        let Some(place) = file.path.strip_prefix(ENGINE) else { continue };
        let own = PRODUCTS.iter().find(|(folder, _)| place.split('/').next() == Some(folder));
        for (line, named) in named_modules(&file.code_outside_tests) {
            let Some((product, _)) = PRODUCTS.iter().find(|(folder, _)| *folder == named) else { continue };
            let may_see = own.is_some_and(|(folder, seen)| folder == product || seen.contains(product));
            if !may_see {
                let who = own.map_or("the kernel", |(folder, _)| folder);
                found.push(Finding {
                    file: file.path.clone(),
                    line,
                    rule: "product-order",
                    what: format!("{who} names the product `{product}`."),
                    remedy: "Turn the arrow round with a hook (engine/src/hooks), or move what both need into the kernel.",
                });
            }
        }
    }
    found
}

/// The modules at the root of the crate that the code names, with their lines.
fn named_modules(code: &str) -> Vec<(usize, &str)> {
    let mut named = Vec::new();
    for (at, start) in code.match_indices(ROOT) {
        let line = code.get(..at).unwrap_or_default().matches('\n').count() + 1;
        let rest = code.get(at + start.len()..).unwrap_or_default();
        match rest.strip_prefix('{') {
            Some(list) => named.extend(first_words(list).into_iter().map(|word| (line, word))),
            None => named.push((line, word(rest))),
        }
    }
    named
}

/// The first word of each entry of a list, up to the brace that closes it.
fn first_words(list: &str) -> Vec<&str> {
    let (mut words, mut depth, mut begins) = (Vec::new(), 0_usize, true);
    for (at, sign) in list.char_indices() {
        match sign {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            _ if begins && !sign.is_whitespace() => {
                words.push(word(list.get(at..).unwrap_or_default()));
                begins = false;
            }
            _ => {}
        }
    }
    words
}

fn word(text: &str) -> &str {
    let end = text.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::tree::SourceFile;
    use super::*;

    #[test]
    fn products_are_named_in_their_order_alone() {
        let check = |path: &str, code: &str, expect: &[usize]| {
            let files = vec![SourceFile::new(&format!("{ENGINE}{path}"), code)];
            let lines: Vec<usize> =
                check(&Tree { files, ..Tree::default() }).iter().map(|one| one.line).collect();
            assert_eq!(lines, expect, "{path}: {code}");
        };
        check("records/update.rs", "use crate::memories::existing;\n", &[]);
        check("records/update.rs", "\nuse crate::operations;\n", &[2]);
        check("records/update.rs", "use crate::{Engine, access, operations};\n", &[1]);
        check("records/update.rs", "use crate::{Engine, access::{self, operations}};\n", &[]);
        check("records/update.rs", "fn f() { crate::documents::tree::g() }\n", &[1]);
        check(
            "records/update.rs",
            "// crate::operations\n#[cfg(test)]\nmod tests { use crate::operations; }\n",
            &[],
        );
        check("coding/rules/mod.rs", "use crate::verified::x;\nuse crate::coding::y;\n", &[]);
        check("coding/rules/mod.rs", "use crate::documents::x;\n", &[1]);
        check("verified/mod.rs", "use crate::coding::x;\n", &[1]);
        check("operations/mod.rs", "use crate::coding::x;\n", &[1]);
    }
}
