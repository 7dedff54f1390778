//! Warns about packages that are compiled in several versions: each costs build time and bytes. It
//! is only a warning, because most duplicates are the choice of other projects.

use super::{Finding, Tree};
use std::collections::BTreeMap;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in &tree.packages {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    versions
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| Finding {
            file: "Cargo.lock".to_owned(),
            line: 0,
            rule: "duplicate",
            what: format!("{name} is there as {}.", versions.join(" and ")),
            remedy: "See `cargo tree -d` for who asks; an older version of ours may be the reason.",
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::foreign;
    use super::*;

    #[test]
    fn a_package_in_two_versions_is_found() {
        let packages = [("a", "1.0.0"), ("a", "2.0.0"), ("b", "1.0.0")];
        let packages = packages.iter().map(|(n, v)| foreign(n, v, Some("MIT"))).collect();
        let found: Vec<_> =
            check(&Tree { files: Vec::new(), packages }).into_iter().map(|f| f.what).collect();
        assert_eq!(found, ["a is there as 1.0.0 and 2.0.0."]);
    }
}
