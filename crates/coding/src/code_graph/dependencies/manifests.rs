//! Names of packages in `Cargo.toml`, `package.json` and `go.mod`. The rest of a manifest is not
//! read. Pure.

use serde_json::Value;

use super::layout::{Layout, Packages, split};

/// The name of a manifest, the function that reads it, and the list that its packages belong to.
type Manifest = (&'static str, fn(&str) -> Vec<String>, fn(&mut Layout) -> &mut Packages);

const MANIFESTS: &[Manifest] = &[
    ("Cargo.toml", cargo, |layout| &mut layout.cargo),
    ("package.json", npm, |layout| &mut layout.npm),
    ("go.mod", go, |layout| &mut layout.go),
];

/// True for the path of a supported manifest.
pub(super) fn is_manifest(path: &str) -> bool {
    MANIFESTS.iter().any(|(name, ..)| split(path).1 == *name)
}

/// Adds the packages of a manifest to a layout.
pub(super) fn add(layout: &mut Layout, path: &str, text: &str) {
    let (directory, own) = split(path);
    for (_, read, list) in MANIFESTS.iter().filter(|(name, ..)| *name == own) {
        for name in read(text) {
            list(layout).add(name, directory.to_owned());
        }
    }
}

/// Returns the names of the package and the library, as code writes them.
fn cargo(text: &str) -> Vec<String> {
    let (mut section, mut names) = ("", Vec::new());
    for line in text.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            section = head.trim_end_matches(']').trim();
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        if key.trim() == "name" && matches!(section, "package" | "lib") {
            let value = value.split('#').next().unwrap_or_default();
            names.push(value.trim().trim_matches(['"', '\'']).replace('-', "_"));
        }
    }
    names
}

fn npm(text: &str) -> Vec<String> {
    // A manifest that cannot be read names no package: imports by its name stay unresolved.
    let read: Option<Value> = serde_json::from_str(text).ok();
    let name = read.as_ref().and_then(|read| read.get("name")).and_then(Value::as_str);
    name.filter(|name| !name.is_empty()).map(str::to_owned).into_iter().collect()
}

fn go(text: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("module "));
    let name = line.and_then(|line| line.split_whitespace().next());
    name.map(|name| name.trim_matches('"').to_owned()).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_packages() {
        let toml = "[workspace]\nname = \"no\"\n[package]\nname = \"loci-engine\" # it\n[lib]\nname='core_of'\n[[bin]]\nname = \"x\"\n";
        assert_eq!(cargo(toml), ["loci_engine", "core_of"]);
        assert_eq!(npm("{\"name\": \"@acme/ui\", \"dependencies\": {\"name\": \"x\"}}"), ["@acme/ui"]);
        assert!(npm("{").is_empty());
        assert_eq!(go("// it\nmodule example.org/shop // v2\n\ngo 1.22\n"), ["example.org/shop"]);
        assert!(is_manifest("a/go.mod") && !is_manifest("a/go.model"));
    }
}
