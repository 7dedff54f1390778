//! A file name states the idea of the file: never `utils`, `helpers`, `common`, `manager`,
//! `service` and similar words. The check reads only the names of source files and their folders.

use super::{Finding, Tree};

const FORBIDDEN: [&str; 10] =
    ["utils", "util", "helpers", "helper", "common", "manager", "service", "misc", "shared", "stuff"];
const SOURCES: [&str; 8] = ["rs", "py", "js", "mjs", "ts", "sh", "sql", "md"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files
        .iter()
        .filter_map(|file| forbidden_part(&file.path).map(|part| (file, part)))
        .map(|(file, part)| Finding {
            file: file.path.clone(),
            line: 0,
            rule: "file-name",
            what: format!("`{part}` names no idea."),
            remedy: "Name the file by what it is about; if it is about several things, split it.",
        })
        .collect()
}

fn forbidden_part(path: &str) -> Option<&str> {
    let (_, extension) = path.rsplit_once('.')?;
    if !SOURCES.contains(&extension) {
        return None;
    }
    path.split('/').map(|part| part.split('.').next().unwrap_or(part)).find(|part| {
        let last = part.rsplit(['_', '-']).next().unwrap_or(part);
        FORBIDDEN.contains(part) || matches!(last, "utils" | "util" | "helpers" | "helper")
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn names_without_an_idea_are_found() {
        let bad = ["a/utils.rs", "common/b.rs", "x/manager.rs", "y/text_helpers.py", "service.mjs"];
        let good =
            ["a/memory_manager.rs", "b/commons.rs", "c/services.rs", "d/utils.json", "e/use_common_sense.rs"];
        let tree: Vec<_> = bad.iter().chain(&good).map(|p| (*p, "")).collect();
        let found = check(&files(&tree));
        assert_eq!(found.iter().map(|f| f.file.as_str()).collect::<Vec<_>>(), bad);
    }
}
