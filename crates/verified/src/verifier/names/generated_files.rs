//! Generated and vendored files, by a list and by the repository's own attributes. A citation of
//! such a file causes a warning, and it is not searched for moved blocks. The module reads no file.

use super::glob::Glob;

/// Directories of third-party code and of build output.
const DIRECTORIES: &[&str] = &[
    "vendor",
    "vendored",
    "node_modules",
    "bower_components",
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "dist",
    ".yarn",
    "Pods",
    "Carthage",
    "site-packages",
    "__pycache__",
    ".venv",
    "target",
    "__generated__",
];

/// Files by name.
const NAMES: &[&str] = &[
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "Pipfile.lock",
    "uv.lock",
    "composer.lock",
    "Gemfile.lock",
    "go.sum",
    "flake.lock",
    "bun.lock",
];

/// File name suffixes.
const ENDINGS: &[&str] = &[
    ".min.js",
    ".min.css",
    ".min.mjs",
    ".js.map",
    ".css.map",
    ".pb.go",
    ".pb.cc",
    ".pb.h",
    "_pb2.py",
    "_pb2.pyi",
    "_pb2_grpc.py",
    ".pb.rs",
    "_generated.go",
    ".generated.ts",
    ".generated.cs",
    ".g.dart",
    ".designer.cs",
];

/// The path attributes that the repository defines.
#[derive(Default)]
pub(in crate::verifier) struct Attributes {
    /// The directory, the pattern and the value. A later match takes precedence, and a deeper
    /// directory over an outer one.
    rules: Vec<(String, Glob, bool)>,
}

impl Attributes {
    /// Adds the lines of a `.gitattributes`; `directory` ends with `/`, or is empty.
    pub(in crate::verifier) fn add<'a>(&mut self, directory: &str, lines: impl Iterator<Item = &'a str>) {
        for line in lines.filter(|line| !line.starts_with('#')) {
            let mut parts = line.split(' ');
            let Some(pattern) = parts.next() else { continue };
            let Some(says) = parts.filter_map(generated).next_back() else { continue };
            let anchored = pattern.trim_start_matches('/');
            let pattern = if pattern.contains('/') { anchored.to_owned() } else { format!("**/{pattern}") };
            if let Ok(glob) = Glob::parse(&pattern) {
                self.rules.push((directory.to_owned(), glob, says));
            }
        }
        self.rules.sort_by_key(|(directory, ..)| directory.len()); // stable: the order within a file stays
    }

    /// Returns true for a generated or vendored file.
    pub(in crate::verifier) fn is_generated(&self, path: &str) -> bool {
        let said = self.rules.iter().rev().find_map(|(directory, glob, says)| {
            let inner = path.strip_prefix(directory.as_str())?;
            glob.matches(inner).then_some(*says)
        });
        said.unwrap_or_else(|| is_generated_path(path))
    }
}

/// Returns the value of an attribute that marks files as generated or vendored.
fn generated(attribute: &str) -> Option<bool> {
    let (name, value) = attribute.split_once('=').unwrap_or((attribute, "true"));
    let (name, value) = match name.strip_prefix(['-', '!']) {
        Some(name) => (name, "false"),
        None => (name, value),
    };
    matches!(name, "linguist-generated" | "linguist-vendored").then_some(value != "false")
}

/// Returns true for a path of the built-in list.
pub fn is_generated_path(path: &str) -> bool {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    directories.split('/').any(|part| DIRECTORIES.contains(&part))
        || NAMES.contains(&name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_and_the_repository_say_what_is_generated() {
        let mut attributes = Attributes::default();
        let inner = ["*.ts -linguist-generated"];
        attributes.add("api/own/", inner.into_iter());
        let outer = [
            "# a comment",
            "api/** linguist-generated=true",
            "*.snap text linguist-generated",
            "vendor/ours/** -linguist-vendored",
        ];
        attributes.add("", outer.into_iter());
        for (path, expect) in [
            ("src/main.rs", false),
            ("vendor/a.go", true),
            ("a/node_modules/b/c.js", true),
            ("vendor.rs", false),
            ("Cargo.lock", true),
            ("web/app.min.js", true),
            ("api/client.ts", true),
            ("api/own/client.ts", false),
            ("api/own/client.js", true),
            ("tests/x.snap", true),
            ("vendor/ours/a.go", false),
        ] {
            assert_eq!(attributes.is_generated(path), expect, "{path}");
        }
    }
}
