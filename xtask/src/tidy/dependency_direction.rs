//! Our crates depend on each other exactly as ARCHITECTURE.md specifies. A new dependency is a line
//! in [`ARROWS`] and a decision page. `dependency_homes` checks the packages from a registry.

use super::tree::Kind;
use super::{Finding, Tree};

/// The crates of the workspace that each crate may depend on. `None`: all of them.
const ARROWS: &[(&str, Option<&[&str]>)] = &[
    ("loci-model", Some(&[])),
    ("loci-text", Some(&[])),
    ("loci-json", Some(&[])),
    ("loci-api", Some(&["loci-model"])),
    ("loci-safety", Some(&["loci-model"])),
    ("loci-document-text", Some(&["loci-model", "loci-text", "loci-json", "loci-safety"])),
    (
        "loci-engine",
        Some(&["loci-model", "loci-api", "loci-text", "loci-json", "loci-safety", "loci-document-text"]),
    ),
    ("loci-verified", Some(&["loci-engine", "loci-model", "loci-api", "loci-text", "loci-json"])),
    (
        "loci-coding",
        Some(&["loci-engine", "loci-verified", "loci-model", "loci-api", "loci-text", "loci-json"]),
    ),
    ("loci-documents", Some(&["loci-engine", "loci-model", "loci-api", "loci-text", "loci-json"])),
    ("loci-operations", Some(&["loci-engine", "loci-model", "loci-api", "loci-text", "loci-json"])),
    (
        "loci-products",
        Some(&["loci-engine", "loci-verified", "loci-coding", "loci-documents", "loci-operations"]),
    ),
    ("loci-index", Some(&["loci-model", "loci-text"])),
    ("loci-store-kit", Some(&["loci-model", "loci-text", "loci-index"])),
    ("loci-store-sqlite", Some(&["loci-model", "loci-text", "loci-index", "loci-store-kit"])),
    ("loci-store-postgres", Some(&["loci-model", "loci-text", "loci-index", "loci-store-kit"])),
    ("loci-embed", Some(&["loci-model", "loci-text"])),
    ("loci-providers", Some(&["loci-model", "loci-text", "loci-json", "loci-outbound"])),
    ("loci-outbound", Some(&["loci-model", "loci-text", "loci-json"])),
    ("loci-onnx", Some(&["loci-model", "loci-text"])),
    ("loci-git", Some(&["loci-model", "loci-text"])),
    ("loci-alerts", Some(&["loci-model", "loci-json"])),
    ("loci-forges", Some(&["loci-model", "loci-text", "loci-json", "loci-outbound"])),
    (
        "loci-server",
        Some(&[
            "loci-engine",
            "loci-verified",
            "loci-coding",
            "loci-documents",
            "loci-operations",
            "loci-products",
            "loci-model",
            "loci-text",
            "loci-json",
            "loci-api",
        ]),
    ),
    ("loci-client", Some(&["loci-api", "loci-json"])),
    ("loci-client-embedded", Some(&["loci", "loci-client"])),
    ("loci", None),
    ("loci-pgserver", Some(&[])),
    ("loci-testkit-ports", Some(&["loci-model", "loci-text"])),
    (
        "loci-store-conformance",
        Some(&[
            "loci-model",
            "loci-text",
            "loci-engine",
            "loci-verified",
            "loci-products",
            "loci-testkit-ports",
        ]),
    ),
    ("loci-engine-testkit", None),
    ("loci-client-testkit", None),
    ("loci-bench", None),
    ("xtask", None),
];

/// Crates that the tests of any crate may use.
const FOR_TESTS: [&str; 9] = [
    "loci-testkit-ports",
    "loci-store-conformance",
    "loci-engine-testkit",
    "loci-client-testkit",
    "loci-products",
    "loci-verified",
    "loci-coding",
    "loci-documents",
    "loci-operations",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let members: Vec<_> = tree.members().map(|(p, _)| p.name.as_str()).collect();
    let mut found = Vec::new();
    for (package, dir) in tree.members() {
        let path = format!("{dir}/Cargo.toml");
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == package.name) else {
            found.push(finding(path, format!("`{}` has no line in the table of arrows.", package.name)));
            continue;
        };
        let Some(allowed) = allowed else { continue };
        for dependency in package.dependencies.iter().filter(|d| members.contains(&d.name.as_str())) {
            let for_tests = dependency.kind == Kind::Dev && FOR_TESTS.contains(&dependency.name.as_str());
            if !for_tests && !allowed.contains(&dependency.name.as_str()) {
                found.push(finding(
                    path.clone(),
                    format!("`{}` must not see `{}`.", package.name, dependency.name),
                ));
            }
        }
    }
    found
}

fn finding(file: String, what: String) -> Finding {
    Finding {
        file,
        line: 0,
        rule: "dependency-direction",
        what,
        remedy: "Turn the arrow round with a port in loci-model, or decide the new arrow in docs/decisions and add it to the table.",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::member;
    use super::*;

    #[test]
    fn a_wrong_arrow_and_an_unknown_crate_are_found() {
        let tree = Tree {
            files: Vec::new(),
            packages: vec![
                member("loci-model", &[]),
                member("loci-text", &[("loci-model", Kind::Normal)]),
                member(
                    "loci-store-sqlite",
                    &[("loci-model", Kind::Normal), ("loci-testkit-ports", Kind::Dev)],
                ),
                member("loci-engine", &[("loci-testkit-ports", Kind::Normal), ("serde", Kind::Normal)]),
                member("loci-server", &[("loci-store-sqlite", Kind::Dev)]),
                member("loci-testkit-ports", &[("loci-model", Kind::Normal)]),
                member("loci-new", &[]),
            ],
        };
        let found: Vec<_> = check(&tree).into_iter().map(|f| f.what).collect();
        assert_eq!(
            found,
            [
                "`loci-text` must not see `loci-model`.",
                "`loci-engine` must not see `loci-testkit-ports`.",
                "`loci-server` must not see `loci-store-sqlite`.",
                "`loci-new` has no line in the table of arrows.",
            ]
        );
    }
}
