//! Some packages belong to certain crates: SQL to the stores, HTTP to the server and the client,
//! and the async runtime to crates that are not pure. Every other registry package is free if a
//! decision page has it.

use super::tree::Kind;
use super::{Finding, Tree};

/// Development crates: they may use the packages that they measure or drive.
const FREE: [&str; 6] = [
    "loci-bench",
    "loci-client-testkit",
    "loci-testkit-ports",
    "loci-store-conformance",
    "loci-engine-testkit",
    "xtask",
];

/// A package, and the crates that may name it outside their tests.
const HOMES: &[(&str, &[&str])] = &[
    ("rusqlite", &["loci-store-sqlite"]),
    ("tokio-postgres", &["loci-store-postgres"]),
    ("axum", &["loci-server", "loci-client", "loci"]),
    ("hyper", &["loci-server", "loci-client", "loci"]),
    ("hyper-util", &["loci-server", "loci-client", "loci"]),
    ("reqwest", &["loci-client", "loci-providers", "loci-outbound", "loci-forges", "loci"]),
    (
        "tokio",
        &[
            "loci-server",
            "loci-client",
            "loci",
            "loci-providers",
            "loci-outbound",
            "loci-forges",
            "loci-store-postgres",
        ],
    ),
    ("rten", &["loci-onnx"]),
    ("rten-tensor", &["loci-onnx"]),
    ("tokenizers", &["loci-onnx"]),
    ("anyhow", &["loci"]),
    ("clap", &["loci"]),
    ("uuid", &["loci"]),
    ("utoipa", &["loci-model", "loci-api", "loci-server"]),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (package, dir) in tree.members().filter(|(p, _)| !FREE.contains(&p.name.as_str())) {
        for dependency in package.dependencies.iter().filter(|d| d.kind != Kind::Dev) {
            let home = HOMES.iter().find(|(name, _)| *name == dependency.name);
            if home.is_some_and(|(_, homes)| !homes.contains(&package.name.as_str())) {
                found.push(Finding {
                    file: format!("{dir}/Cargo.toml"),
                    line: 0,
                    rule: "dependency-home",
                    what: format!("`{}` must not depend on `{}`.", package.name, dependency.name),
                    remedy: "Ask for what it gives through a port or an argument; its crates are listed in dependency_homes.rs.",
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::member;
    use super::*;

    #[test]
    fn a_package_away_from_home_is_found() {
        let tree = Tree {
            files: Vec::new(),
            packages: vec![
                member(
                    "loci-engine",
                    &[("rusqlite", Kind::Normal), ("tokio", Kind::Dev), ("serde", Kind::Normal)],
                ),
                member("loci-bench", &[("axum", Kind::Normal)]),
                member("loci-store-sqlite", &[("rusqlite", Kind::Normal), ("axum", Kind::Build)]),
            ],
        };
        let found: Vec<_> = check(&tree).into_iter().map(|f| f.what).collect();
        assert_eq!(
            found,
            [
                "`loci-engine` must not depend on `rusqlite`.",
                "`loci-store-sqlite` must not depend on `axum`."
            ]
        );
    }
}
