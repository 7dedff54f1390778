//! A folder below `crates/*/src` has at most [`ENTRIES_MAX`] entries, so that a reader can survey
//! it.

use super::{Finding, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of files and folders in one folder.
const ENTRIES_MAX: usize = 25;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut entries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in &tree.files {
        let parts: Vec<&str> = file.path.split('/').collect();
        if !matches!(parts.as_slice(), ["crates", _, "src", ..]) {
            continue;
        }
        let mut end = 0;
        for part in &parts {
            if let Some(folder) =
                file.path.get(..end.max(1) - 1).filter(|folder| folder.matches('/').count() >= 2)
            {
                entries.entry(folder).or_default().insert(part);
            }
            end += part.len() + 1;
        }
    }
    let wide = entries.into_iter().filter(|(_, names)| names.len() > ENTRIES_MAX);
    wide.map(|(folder, names)| Finding {
        file: folder.to_owned(),
        line: 0,
        rule: "folder-width",
        what: format!("{} entries lie here, and at most {ENTRIES_MAX} are allowed.", names.len()),
        remedy: "Group them by noun in folders of their own.",
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::SourceFile;
    use super::*;

    #[test]
    fn a_wide_folder_is_found_and_its_subfolders_count_once() {
        let file = |path: String| SourceFile::new(&path, "");
        let narrow = (0..25).map(|at| file(format!("crates/a/src/f{at}.rs")));
        let wide = (0..26).map(|at| file(format!("crates/a/src/b/f{at}.rs")));
        let outside = (0..30).map(|at| file(format!("crates/a/tests/f{at}.rs")));
        let inner = (0..24).map(|at| file(format!("crates/c/src/d/f{at}.rs")));
        let deeper = (0..3).map(|at| file(format!("crates/c/src/d/e/f{at}.rs")));
        let files = narrow.chain(wide).chain(outside).chain(inner).chain(deeper).collect();
        let found = check(&Tree { files, ..Tree::default() });
        // `src` of `a` has 25 files and the folder `b`.
        let folders: Vec<(&str, &str)> =
            found.iter().map(|one| (one.file.as_str(), one.what.split(' ').next().unwrap())).collect();
        assert_eq!(folders, [("crates/a/src", "26"), ("crates/a/src/b", "26")]);
    }
}
