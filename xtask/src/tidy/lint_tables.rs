//! Every crate has the lints of the workspace: by inheritance, or, for `embed` and `index`, by a
//! table that repeats them with `unsafe_code` denied instead of forbidden. It does not judge the
//! selection of lints.

use super::{Finding, Tree};
use toml::Table;

const OWN_TABLE: [&str; 2] = ["crates/embed", "crates/index"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let workspace = manifest(tree, "Cargo.toml").and_then(|m| m.get("workspace")?.get("lints").cloned());
    let mut found = Vec::new();
    for (_, dir) in tree.members() {
        let path = format!("{dir}/Cargo.toml");
        let lints = manifest(tree, &path).and_then(|m| m.get("lints").cloned());
        let inherits =
            lints.as_ref().and_then(|l| l.get("workspace")).and_then(toml::Value::as_bool) == Some(true);
        let equal =
            inherits || (OWN_TABLE.contains(&dir) && lints.is_some() && lints == own(workspace.clone()));
        if !equal {
            found.push(Finding {
                file: path,
                line: 0,
                rule: "lint-table",
                what: "its lints are not the workspace's.".to_owned(),
                remedy: "Write `[lints] workspace = true`; embed and index repeat the table with `unsafe_code = \"deny\"`.",
            });
        }
    }
    found
}

fn manifest(tree: &Tree, path: &str) -> Option<Table> {
    tree.text(path)?.parse().ok()
}

/// Returns the workspace's table in the form that the two crates with kernels must have.
fn own(workspace: Option<toml::Value>) -> Option<toml::Value> {
    let mut table = workspace?;
    table.get_mut("rust")?.as_table_mut()?.insert("unsafe_code".to_owned(), "deny".into());
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::{files, member};

    #[test]
    fn other_lints_than_the_workspaces_are_found() {
        let root = "[workspace.lints.rust]\nunsafe_code = \"forbid\"\nx = \"warn\"\n[workspace.lints.clippy]\nall = \"deny\"\n";
        let own = "[lints.rust]\nunsafe_code = \"deny\"\nx = \"warn\"\n[lints.clippy]\nall = \"deny\"\n";
        let less = "[lints.rust]\nunsafe_code = \"deny\"\n[lints.clippy]\nall = \"deny\"\n";
        let check = |name: &str, manifest: &str| {
            let package = member(name, &[]);
            let path = format!("{}/Cargo.toml", package.member_dir.as_deref().unwrap_or_default());
            let mut tree = files(&[("Cargo.toml", root), (&path, manifest)]);
            tree.packages.push(package);
            super::check(&tree).len()
        };
        assert_eq!(check("loci-model", "[lints]\nworkspace = true\n"), 0);
        assert_eq!(check("loci-embed", own), 0);
        assert_eq!(check("loci-embed", less), 1, "a lint is missing");
        assert_eq!(check("loci-model", own), 1, "only embed and index may have their own");
        assert_eq!(check("loci-model", "[package]\n"), 1, "no lints at all");
    }
}
