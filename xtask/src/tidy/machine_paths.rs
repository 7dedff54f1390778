//! No path of a developer's machine and no host of a registry is committed. The path exists on no
//! other machine, and the host belongs to the client's configuration. Addresses of documentation
//! are free.

use super::rust_text::{is_word, line_of};
use super::{Finding, Tree};

/// Machine paths, split in halves so that this file contains none.
const PATHS: [&str; 5] = [
    concat!("/wo", "rk/main"),
    concat!("/wo", "rk/shared"),
    concat!("/wo", "rk/wt"),
    concat!("/ro", "ot/"),
    concat!("/opt", "/wheels"),
];
const HOSTS: [&str; 8] = [
    concat!("registry", ".npmjs.org"),
    concat!("registry", ".yarnpkg.com"),
    concat!("index", ".crates.io"),
    concat!("static", ".crates.io"),
    concat!("py", "pi.org"),
    concat!("files", ".pythonhosted.org"),
    concat!("deb", ".debian.org"),
    concat!("archive", ".ubuntu.com"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in &tree.files {
        for (wanted, kind) in PATHS.iter().map(|p| (*p, "path")).chain(HOSTS.iter().map(|h| (*h, "host"))) {
            for (at, _) in file.text.match_indices(wanted) {
                let before = at.checked_sub(1).and_then(|i| file.text.as_bytes().get(i)).copied();
                if kind == "path" && before.is_some_and(is_word) {
                    continue; // A longer path of which this is the middle.
                }
                found.push(Finding {
                    file: file.path.clone(),
                    line: line_of(&file.text, at),
                    rule: "machine-path",
                    what: format!("the {kind} `{wanted}` belongs to one machine or network."),
                    remedy: "Use a relative path, a temporary folder or the client's own configuration.",
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn machine_paths_and_registry_hosts_are_found() {
        let path = concat!("/ro", "ot/x");
        let host = concat!("https://registry", ".npmjs.org/x");
        let text = format!("a\n{path}\nsrc{path}\n{host}\n");
        let found = check(&files(&[("a.json", &text)]));
        assert_eq!(found.iter().map(|f| f.line).collect::<Vec<_>>(), [2, 4]);
    }
}
