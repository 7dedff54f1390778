//! No path of the native API is written twice: the tables of `api` have it, and everything else reads
//! it there.

use std::collections::BTreeMap;

use super::{Finding, Tree};

/// The beginning of a literal with such a path.
const START: &str = "\"/v1/";
/// Crates whose code is looked at.
const CRATES: [&str; 4] = ["crates/api/src/", "crates/server/src/", "crates/client/src/", "crates/app/src/"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut places: BTreeMap<&str, Vec<(String, usize)>> = BTreeMap::new();
    for file in tree.rust().filter(|file| CRATES.iter().any(|folder| file.path.starts_with(folder))) {
        // Literals are blank in the code: a line that has other code outside of tests has its own.
        let lines = file.text.lines().zip(file.code_outside_tests.lines()).enumerate();
        for (number, (text, _)) in lines.filter(|(_, (_, code))| !code.trim().is_empty()) {
            for (at, _) in text.match_indices(START) {
                let rest = text.get(at + 1..).unwrap_or_default();
                let path = rest.split('"').next().unwrap_or_default();
                places.entry(path).or_default().push((file.path.clone(), number + 1));
            }
        }
    }
    let of_one_table = |at: &[(String, usize)]| at.iter().all(|(file, _)| file == &at[0].0);
    let twice = places
        .into_iter()
        .filter(|(_, at)| at.len() > 1 && !(of_one_table(at) && at[0].0.ends_with("table.rs")));
    twice
        .map(|(path, at)| {
            let (file, line) =
                at.iter().find(|(file, _)| !file.ends_with("table.rs")).unwrap_or(&at[0]).clone();
            Finding {
                file,
                line,
                rule: "path-once",
                what: format!("`{path}` is written in several places."),
                remedy: "Read it from the table of operations in crates/api.",
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::SourceFile;
    use super::*;

    #[test]
    fn a_path_is_the_tables_alone() {
        let check = |files: &[(&str, &str)], expect: &[&str]| {
            let files = files.iter().map(|(path, code)| SourceFile::new(path, code)).collect();
            let found = check(&Tree { files, ..Tree::default() });
            assert_eq!(found.iter().map(|one| one.file.as_str()).collect::<Vec<_>>(), expect);
        };
        let table = ("crates/api/src/table.rs", "A = get \"/v1/a\": x;\nB = post \"/v1/a\": x;\n");
        check(&[table], &[]);
        check(&[table, ("crates/client/src/x.rs", "let a = \"/v1/a\";\n")], &["crates/client/src/x.rs"]);
        check(
            &[table, ("crates/client/src/x.rs", "#[cfg(test)]\nmod tests { const A: &str = \"/v1/a\"; }\n")],
            &[],
        );
    }
}
