//! Allows `cfg(feature = …)` only where products are selected: in the binary's crate, in the server
//! and in `products`. Every build compiles every line of all other code. Exceptions are the lists
//! of the client's stores and backends, because a library has no binary that selects them. The
//! schemas of the types in `model` are exceptions too, because they add no behaviour (decision
//! 0261). Other cfgs (test, unix, target) are free.

use super::rust_text::{line_of, words};
use super::{Finding, Tree};

/// The folders that select products, and the lists of a library.
const HOMES: [&str; 5] = [
    "crates/app/",
    "crates/products/",
    "crates/server/",
    "crates/client/src/agent/stores/mod.rs",
    "crates/client/src/backend/mod.rs",
];

/// The crate whose types are part of the API. The condition [`SCHEMA`] gives them their schemas.
const NOUNS: &str = "crates/model/";
const SCHEMA: &str = "derive(utoipa::ToSchema)";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust().filter(|f| !HOMES.iter().any(|home| f.path.starts_with(home))) {
        for at in conditions(&file.code, file.path.starts_with(NOUNS)) {
            found.push(Finding {
                file: file.path.clone(),
                line: line_of(&file.code, at),
                rule: "cfg-feature",
                what: "`cfg(feature = …)` outside crates/app, crates/server, crates/products and the lists of the client's stores and backends.".to_owned(),
                remedy: "Make it a crate or a port that the wiring of crates/app chooses.",
            });
        }
    }
    found
}

/// Returns the positions at which a `cfg` requires a feature. `has_schemas` is true if the file may
/// have schemas.
fn conditions(code: &str, has_schemas: bool) -> Vec<usize> {
    let mut found = Vec::new();
    for word in ["cfg", "cfg_attr"] {
        for at in words(code, word) {
            let rest = code.get(at + word.len()..).unwrap_or("").trim_start_matches('!');
            let asked = if rest.starts_with('(') { inside(rest) } else { "" };
            let is_schema = has_schemas && word == "cfg_attr" && asked.contains(SCHEMA);
            if !is_schema && !words(asked, "feature").is_empty() {
                found.push(at);
            }
        }
    }
    found
}

/// Returns the text up to the parenthesis that closes the first one.
fn inside(text: &str) -> &str {
    let mut depth = 0i32;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(..i).unwrap_or(text);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn a_feature_outside_the_binary_is_found() {
        let bad = "//! x\n#[cfg(all(unix, feature = \"x\"))]\nfn a() {}\nlet b = cfg!(feature = \"y\");\n";
        let good = "//! cfg(feature = \"x\")\n#[cfg(unix)]\nfn feature() {}\n";
        let schema = "#[cfg_attr(feature = \"schema\", derive(utoipa::ToSchema))]\nstruct A;\n";
        let stores = "crates/client/src/agent/stores/mod.rs";
        let all = [
            ("crates/model/src/a.rs", bad),
            ("crates/model/src/b.rs", schema),
            ("crates/app/src/b.rs", bad),
            (stores, bad),
            ("c.rs", good),
            ("crates/engine/src/d.rs", schema),
        ];
        let found = check(&files(&all));
        assert_eq!(
            found.iter().map(|f| (f.file.as_str(), f.line)).collect::<Vec<_>>(),
            [("crates/model/src/a.rs", 2), ("crates/model/src/a.rs", 4), ("crates/engine/src/d.rs", 1)]
        );
    }
}
