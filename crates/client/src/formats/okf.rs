//! Open Knowledge Format 0.2, both ways: a folder of Markdown files, one concept each. A file is kept byte for byte as a document, so that what is
//! written is what was read; title and description are read in its head. Links are the text's own.

use super::SourceFile;
use super::item::{Becomes, FormatProblem, ImportItem, Mapping};

/// Where concepts lie in a tree.
const DIRECTORY: &str = "knowledge/";
/// Files that are no concepts, in every folder.
const RESERVED: [&str; 2] = ["index.md", "log.md"];

/// Reads the files of a bundle.
///
/// # Errors
/// None: what is wrong with a file is said of that file.
pub fn read(files: &[SourceFile], _namespace: &str) -> Result<Mapping, FormatProblem> {
    let mut mapping = Mapping::default();
    for file in files {
        if is_always_loaded(&file.path) {
            let rule = "what lies in knowledge/system/ is always loaded for models: no import writes there";
            let remedy = "move the concept to another folder, or put it by `loci files put`";
            mapping.problems.push(FormatProblem::new(&file.path, "path", rule, remedy));
            continue;
        }
        let what = if is_reserved(&file.path) { "index or log" } else { "concept" };
        if what == "concept" && type_of(&file.text).is_none() {
            mapping.loses("concepts without a `type` get the one of their record when they are exported");
        }
        let becomes = Becomes::Document {
            path: format!("{DIRECTORY}{}", file.path),
            file: file.text.clone(),
            raw: true,
        };
        mapping.take(what, ImportItem { id: file.path.clone(), place: file.path.clone(), becomes });
    }
    Ok(mapping)
}

/// The file of a bundle that a document is; `None` for a document that is no concept.
#[must_use]
pub fn written(path: &str, file: &str, kind: &str) -> Option<SourceFile> {
    let path = path.strip_prefix(DIRECTORY).filter(|path| path.ends_with(".md"))?;
    let text = if is_reserved(path) || type_of(file).is_some() { file.to_owned() } else { typed(file, kind) };
    Some(SourceFile { path: path.to_owned(), text })
}

fn is_always_loaded(path: &str) -> bool {
    let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.next().is_some_and(|first| first.to_lowercase() == "system") && parts.next().is_some()
}

fn is_reserved(path: &str) -> bool {
    RESERVED.contains(&path.rsplit('/').next().unwrap_or_default())
}

/// The type that a file's head names.
fn type_of(file: &str) -> Option<&str> {
    let head = head(file)?;
    head.lines().find_map(|line| line.strip_prefix("type:")).map(str::trim).filter(|name| !name.is_empty())
}

/// What stands between the fences.
fn head(file: &str) -> Option<&str> {
    let rest = file.strip_prefix('\u{feff}').unwrap_or(file);
    let rest = rest.strip_prefix("---\n").or_else(|| rest.strip_prefix("---\r\n"))?;
    if rest.starts_with("---") {
        return Some("");
    }
    rest.find("\n---").and_then(|end| rest.get(..=end))
}

/// The file with a type: in its head, or with a head before it.
fn typed(file: &str, kind: &str) -> String {
    match (head(file), file.split_once('\n')) {
        (Some(_), Some((fence, rest))) => format!("{fence}\ntype: {kind}\n{rest}"),
        _ => format!("---\ntype: {kind}\n---\n\n{file}"),
    }
}
