//! The sources of a crate name every dependency of its manifest. The check compares words.
//! Therefore a dependency that is kept only for its side effects (a feature enabled, a library
//! linked) must be listed as an exception.

use super::rust_text::words;
use super::tree::{Kind, SourceFile};
use super::{Finding, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for (package, dir) in tree.members() {
        let sources: Vec<_> = tree.rust().filter(|f| f.path.starts_with(&format!("{dir}/"))).collect();
        for dependency in &package.dependencies {
            if !sources.iter().any(|f| uses(f, dir, &dependency.ident, dependency.kind)) {
                found.push(Finding {
                    file: format!("{dir}/Cargo.toml"),
                    line: 0,
                    rule: "unused-dependency",
                    what: format!(
                        "`{}` is asked for and never used ({:?}).",
                        dependency.name, dependency.kind
                    ),
                    remedy: "Remove it from the manifest, or move it to the table of its use.",
                });
            }
        }
    }
    found
}

/// Returns true if a file that may use this kind of dependency names it.
fn uses(file: &SourceFile, dir: &str, ident: &str, kind: Kind) -> bool {
    let is_build_script = file.path.strip_prefix(dir) == Some("/build.rs");
    match kind {
        Kind::Build => is_build_script && !words(&file.code, ident).is_empty(),
        Kind::Dev => !is_build_script && !words(&file.code, ident).is_empty(),
        // A package that only tests use belongs among the dev-dependencies.
        Kind::Normal => !is_build_script && !words(&file.code_outside_tests, ident).is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::{files, member};
    use super::*;

    #[test]
    fn what_no_source_names_is_found() {
        let source = "//! serde_json in words is no use.\nuse tokio_rustls::x;\n#[cfg(test)]\nmod tests { use tempfile::x; }\n";
        let mut tree = files(&[("crates/engine/src/lib.rs", source)]);
        tree.packages.push(member(
            "loci-engine",
            &[
                ("serde_json", Kind::Normal),
                ("tokio-rustls", Kind::Normal),
                ("tempfile", Kind::Normal),
                ("tempfile", Kind::Dev),
            ],
        ));
        let found: Vec<_> = check(&tree).into_iter().map(|f| f.what).collect();
        assert_eq!(
            found,
            [
                "`serde_json` is asked for and never used (Normal).",
                "`tempfile` is asked for and never used (Normal)."
            ]
        );
    }
}
