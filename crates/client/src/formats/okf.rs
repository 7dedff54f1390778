//! Open Knowledge Format 0.2, in both directions: a folder of Markdown files, one concept each. A
//! file is kept byte for byte as a document, so that an export restores the import; title and
//! description are read from its head. Links, sources, trust and computations belong to the text
//! and the head: they come back unchanged, and Loci does not interpret them. No concept is rejected
//! for its content.

use loci_json::without_mark;
use unicase::UniCase;

use super::SourceFile;
use super::item::{FormatProblem, ImportItem, ItemTarget, Mapping};

/// The directory of concepts in a tree.
const DIRECTORY: &str = "knowledge/";
/// The folder below it that models always load.
const ALWAYS_LOADED: &str = "system";
/// The file names that are no concepts, in every folder.
const RESERVED: [&str; 2] = ["index.md", "log.md"];
/// The supported versions of the format.
const VERSIONS: [&str; 2] = ["0.1", "0.2"];

/// Reads the files of a bundle.
///
/// # Errors
/// None: a problem with a file is reported for that file.
pub fn read(files: &[SourceFile], _namespace: &str, _: i64) -> Result<Mapping, FormatProblem> {
    let mut mapping = Mapping::default();
    for file in files {
        if is_always_loaded(&file.path) {
            let rule = "what lies in knowledge/system/ is always loaded for models: no import writes there";
            let remedy = "move the concept to another folder, or put it by `loci files put`";
            mapping.problems.push(FormatProblem::new(&file.path, "path", rule, remedy));
            continue;
        }
        if let Some(version) = version_of(file).filter(|version| !VERSIONS.contains(version)) {
            mapping.loses(format!("the bundle says okf_version {version}: it is read as 0.2"));
        }
        let what = if is_reserved(&file.path) { "index or log" } else { "concept" };
        if what == "concept" && type_of(&file.text).is_none() {
            mapping.loses("concepts without a `type` get the one of their record when they are exported");
        }
        let becomes = ItemTarget::Document {
            path: format!("{DIRECTORY}{}", file.path),
            file: file.text.clone(),
            raw: true,
        };
        mapping.take(what, ImportItem { id: file.path.clone(), place: file.path.clone(), becomes });
    }
    Ok(mapping)
}

/// Returns the bundle file of a document; `None` for a document that is no concept. `body` is the
/// text below a head that Loci wrote: an index and a log have none.
#[must_use]
pub fn written(path: &str, file: &str, body: Option<&str>, kind: &str) -> Option<SourceFile> {
    let path = path.strip_prefix(DIRECTORY).filter(|path| path.ends_with(".md"))?;
    let text = match (is_reserved(path), type_of(file)) {
        (true, _) => body.unwrap_or(file).to_owned(),
        (false, Some(_)) => file.to_owned(),
        (false, None) => typed(file, kind),
    };
    Some(SourceFile { path: path.to_owned(), text })
}

/// Returns the first deviation of an unchanged file from the format.
#[must_use]
pub fn departs(file: &SourceFile) -> Option<String> {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    let rule = match (name, head(&file.text)) {
        ("index.md", Some(head)) if file.path == "index.md" => {
            let is_version = |line: &str| line.trim().is_empty() || line.starts_with("okf_version:");
            (!head.lines().all(is_version)).then_some("the head of the first index may say okf_version alone")
        }
        ("index.md", Some(_)) => Some("an index below the first has no head"),
        ("log.md", Some(_)) => Some("a log has no head"),
        ("log.md", None) => {
            let dated = |line: &str| line.strip_prefix("## ").is_none_or(is_date);
            (!file.text.lines().all(dated)).then_some("headings of a log are dates as YYYY-MM-DD")
        }
        _ => None,
    };
    rule.map(|rule| format!("{}: {rule}", file.path))
}

fn is_date(text: &str) -> bool {
    text.trim().len() == 10 && text.trim().parse::<jiff::civil::Date>().is_ok()
}

/// Returns the version of a bundle, from the head of its root index.
fn version_of(file: &SourceFile) -> Option<&str> {
    let head = head(&file.text).filter(|_| file.path == "index.md")?;
    head.lines().find_map(|line| line.strip_prefix("okf_version:")).map(bare)
}

/// Returns a short value without quotes and comment.
fn bare(value: &str) -> &str {
    let value = value.trim();
    match value.chars().next().filter(|first| *first == '"' || *first == '\'') {
        Some(quote) => value.get(1..).and_then(|rest| rest.split(quote).next()).unwrap_or_default().trim(),
        None if value.starts_with('#') => "",
        None => value.split(" #").next().unwrap_or_default().trim(),
    }
}

/// True for a path that models always load. Compared as a tree compares paths, by full case
/// folding: `ſystem` and `syﬆem` are one place. Composition is irrelevant, because no letter of the
/// word composes.
fn is_always_loaded(path: &str) -> bool {
    let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.next().is_some_and(|first| UniCase::unicode(first).to_folded_case() == ALWAYS_LOADED)
}

fn is_reserved(path: &str) -> bool {
    RESERVED.contains(&path.rsplit('/').next().unwrap_or_default())
}

/// Returns the type in a file's head.
fn type_of(file: &str) -> Option<&str> {
    let head = head(file)?;
    head.lines().find_map(|line| line.strip_prefix("type:")).map(bare).filter(|name| !name.is_empty())
}

/// Returns the text between the fences.
fn head(file: &str) -> Option<&str> {
    let rest = without_mark(file);
    let rest = rest.strip_prefix("---\n").or_else(|| rest.strip_prefix("---\r\n"))?;
    if rest.starts_with("---") {
        return Some("");
    }
    rest.find("\n---").and_then(|end| rest.get(..=end))
}

/// Returns the file with a type in its head: it replaces an empty one, or is added with a new head.
fn typed(file: &str, kind: &str) -> String {
    let (Some(head), Some((fence, rest))) = (head(file), file.split_once('\n')) else {
        return format!("---\ntype: {kind}\n---\n\n{file}");
    };
    let said: String = head.split_inclusive('\n').filter(|line| !line.starts_with("type:")).collect();
    let behind = rest.get(head.len()..).unwrap_or_default();
    format!("{fence}\ntype: {kind}\n{said}{behind}")
}
