//! The input of the checks: the text of every file that git would commit, and the graph of
//! packages. It is read once, so that checks are pure functions of it and tests can pass a
//! generated tree. It judges nothing.

use super::rust_text::{code_only, test_items, without};
use anyhow::{Context, Result, ensure};
use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// One file, by its path from the root.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
    /// Rust only: the text with comments and literals blanked.
    pub(crate) code: String,
    /// Rust only: `code` with test modules blanked too. It is empty for files that consist of tests
    /// only.
    pub(crate) code_outside_tests: String,
}

/// A dependency in one of the tables of a manifest.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    /// The package's name on the registry.
    pub(crate) name: String,
    /// The name in sources: the rename, or the name of its library.
    pub(crate) ident: String,
    pub(crate) kind: Kind,
}

/// The table that contains a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Dev,
    Build,
}

/// A package of the workspace or from a registry.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
    /// The folder from the root, for members only.
    pub(crate) member_dir: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

/// The files and packages that checks may read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<SourceFile>,
    pub(crate) packages: Vec<Package>,
}

impl Tree {
    /// Reads the checkout at `root`.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let mut files = Vec::new();
        for path in committable_paths(root)? {
            // Binary files have no text to check. Git lists a deleted file until the deletion is
            // committed.
            if let Ok(text) = std::fs::read_to_string(root.join(&path)) {
                files.push(SourceFile::new(&path, &text));
            }
        }
        Ok(Self { files, packages: packages(root)? })
    }

    /// Returns the Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|f| f.path.ends_with(".rs"))
    }

    /// Returns the workspace's own packages, with their folders.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&Package, &str)> {
        self.packages.iter().filter_map(|p| p.member_dir.as_deref().map(|dir| (p, dir)))
    }

    /// Returns the text of one file, if it exists.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|f| f.path == path).map(|f| f.text.as_str())
    }
}

impl SourceFile {
    /// Reads a file and, if it is Rust, blanks its comments and literals.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let (mut code, mut code_outside_tests) = (String::new(), String::new());
        if path.ends_with(".rs") {
            code = code_only(text);
            if !is_test_path(path) {
                code_outside_tests = without(&code, &test_items(&code));
            }
        }
        Self { path: path.to_owned(), text: text.to_owned(), code, code_outside_tests }
    }

    /// Returns the lines of the text that have code outside of tests, with their numbers. The lines
    /// include literals, which are blank in the code.
    pub(crate) fn lines_outside_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().zip(self.code_outside_tests.lines()).enumerate();
        lines.filter(|(_, (_, code))| !code.trim().is_empty()).map(|(at, (text, _))| (at + 1, text))
    }
}

/// Returns true for files that consist of tests only: `tests/…`, `…/tests.rs`, `…_tests.rs`,
/// `benches/…`.
fn is_test_path(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "tests" | "benches"))
        || path.ends_with("/tests.rs")
        || path.ends_with("_tests.rs")
}

/// Returns tracked files, and new files that are not ignored.
fn committable_paths(root: &Path) -> Result<BTreeSet<String>> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("git is needed to list the files of the checkout")?;
    ensure!(listed.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    Ok(text.split('\0').filter(|p| !p.is_empty()).map(str::to_owned).collect())
}

fn packages(root: &Path) -> Result<Vec<Package>> {
    let metadata = MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .other_options(vec!["--locked".to_owned()])
        .exec()
        .context("cargo metadata")?;
    let members: BTreeSet<_> = metadata.workspace_members.iter().collect();
    let libraries: BTreeMap<String, String> = metadata.packages.iter().filter_map(library).collect();
    let mut found = BTreeMap::new();
    for package in &metadata.packages {
        let dir = package.manifest_path.parent().and_then(|d| d.strip_prefix(&metadata.workspace_root).ok());
        let member_dir = dir.filter(|_| members.contains(&package.id)).map(|d| d.to_string());
        let dependencies = package.dependencies.iter().map(|d| dependency(d, &libraries)).collect();
        let key = (package.name.to_string(), package.version.to_string());
        found.insert(
            key.clone(),
            Package {
                name: key.0,
                version: key.1,
                licence: package.license.clone(),
                member_dir,
                dependencies,
            },
        );
    }
    Ok(found.into_values().collect())
}

/// Returns a package's name and the name of its library, which may differ.
fn library(package: &cargo_metadata::Package) -> Option<(String, String)> {
    let target = package.targets.iter().find(|t| t.is_lib() || t.is_proc_macro())?;
    Some((package.name.to_string(), target.name.replace('-', "_")))
}

fn dependency(d: &cargo_metadata::Dependency, libraries: &BTreeMap<String, String>) -> Dependency {
    let kind = match d.kind {
        DependencyKind::Development => Kind::Dev,
        DependencyKind::Build => Kind::Build,
        _ => Kind::Normal,
    };
    let spelled = d.rename.as_ref().or_else(|| libraries.get(&d.name)).unwrap_or(&d.name);
    Dependency { name: d.name.clone(), ident: spelled.replace('-', "_"), kind }
}

#[cfg(test)]
pub(super) mod sample {
    //! Generated trees for the tests of the checks.
    use super::*;

    /// Returns a tree of the given files and no package.
    pub(crate) fn files(files: &[(&str, &str)]) -> Tree {
        Tree { files: files.iter().map(|(p, t)| SourceFile::new(p, t)).collect(), packages: Vec::new() }
    }

    /// Returns a member package under `crates/` with `(name, kind)` dependencies.
    pub(crate) fn member(name: &str, dependencies: &[(&str, Kind)]) -> Package {
        let folder = name.strip_prefix("loci-").unwrap_or(if name == "loci" { "app" } else { name });
        Package {
            name: name.to_owned(),
            version: "0.1.0".to_owned(),
            licence: Some("Apache-2.0".to_owned()),
            member_dir: Some(format!("crates/{folder}")),
            dependencies: dependencies
                .iter()
                .map(|(n, kind)| Dependency {
                    name: (*n).to_owned(),
                    ident: n.replace('-', "_"),
                    kind: *kind,
                })
                .collect(),
        }
    }

    /// Returns a package from a registry.
    pub(crate) fn foreign(name: &str, version: &str, licence: Option<&str>) -> Package {
        Package {
            name: name.to_owned(),
            version: version.to_owned(),
            licence: licence.map(str::to_owned),
            member_dir: None,
            dependencies: Vec::new(),
        }
    }
}
