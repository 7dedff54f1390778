//! The paths of the native API are written once: in the tables of `api`, from which all other code
//! reads them.

use std::collections::BTreeMap;

use super::{Finding, Tree};

/// The beginning of a literal with a path of the API.
const START: &str = "\"/v1/";
/// The crates whose code is checked.
const CRATES: [&str; 4] = ["crates/api/src/", "crates/server/src/", "crates/client/src/", "crates/app/src/"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut places: BTreeMap<&str, Vec<(String, usize)>> = BTreeMap::new();
    for file in tree.rust().filter(|file| CRATES.iter().any(|folder| file.path.starts_with(folder))) {
        for (line, text) in file.lines_outside_tests() {
            for (at, _) in text.match_indices(START) {
                let rest = text.get(at + 1..).unwrap_or_default();
                let path = rest.split('"').next().unwrap_or_default();
                places.entry(path).or_default().push((file.path.clone(), line));
            }
        }
    }
    let is_table = |file: &str| file.ends_with("table.rs");
    // A table contains a path once for each of its methods.
    let is_of_one_table =
        |at: &[(String, usize)]| is_table(&at[0].0) && at.iter().all(|(file, _)| *file == at[0].0);
    let twice = places.into_iter().filter(|(_, at)| at.len() > 1 && !is_of_one_table(at));
    twice
        .map(|(path, at)| {
            let (file, line) = at.iter().find(|(file, _)| !is_table(file)).unwrap_or(&at[0]).clone();
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
