//! Open Knowledge Format 0.2, both ways: a folder of Markdown files, one concept each. A file is kept byte for byte as a document, so that what is
//! written is what was read; title and description are read in its head. Links, sources, trust and computations are the text's and the head's own: they
//! come back as they were, and mean nothing here. No concept is refused for what it says or lacks.

use loci_json::without_mark;
use unicase::UniCase;

use super::SourceFile;
use super::item::{Becomes, FormatProblem, ImportItem, Mapping};

/// Where concepts lie in a tree.
const DIRECTORY: &str = "knowledge/";
/// The folder below it that models always see.
const ALWAYS_LOADED: &str = "system";
/// Files that are no concepts, in every folder.
const RESERVED: [&str; 2] = ["index.md", "log.md"];
/// Versions of the format that are read as they are meant.
const VERSIONS: [&str; 2] = ["0.1", "0.2"];

/// Reads the files of a bundle.
///
/// # Errors
/// None: what is wrong with a file is said of that file.
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
        let becomes = Becomes::Document {
            path: format!("{DIRECTORY}{}", file.path),
            file: file.text.clone(),
            raw: true,
        };
        mapping.take(what, ImportItem { id: file.path.clone(), place: file.path.clone(), becomes });
    }
    Ok(mapping)
}

/// The file of a bundle that a document is; `None` for a document that is no concept. `body` is the text below a head that Loci made: an index and a log
/// have none.
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

/// Where a file that is kept as it came is not as the format wants it.
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

/// The version that a bundle says it is of: in the head of its first index.
fn version_of(file: &SourceFile) -> Option<&str> {
    let head = head(&file.text).filter(|_| file.path == "index.md")?;
    head.lines().find_map(|line| line.strip_prefix("okf_version:")).map(bare)
}

/// A short value without quotes and comment.
fn bare(value: &str) -> &str {
    let value = value.trim();
    match value.chars().next().filter(|first| *first == '"' || *first == '\'') {
        Some(quote) => value.get(1..).and_then(|rest| rest.split(quote).next()).unwrap_or_default().trim(),
        None if value.starts_with('#') => "",
        None => value.split(" #").next().unwrap_or_default().trim(),
    }
}

/// Compared as a tree compares paths, by full case folding: `ſystem` and `syﬆem` are the same place. Composition adds nothing: what composes is no letter
/// of the word.
fn is_always_loaded(path: &str) -> bool {
    let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.next().is_some_and(|first| UniCase::unicode(first).to_folded_case() == ALWAYS_LOADED)
}

fn is_reserved(path: &str) -> bool {
    RESERVED.contains(&path.rsplit('/').next().unwrap_or_default())
}

/// The type that a file's head names.
fn type_of(file: &str) -> Option<&str> {
    let head = head(file)?;
    head.lines().find_map(|line| line.strip_prefix("type:")).map(bare).filter(|name| !name.is_empty())
}

/// What stands between the fences.
fn head(file: &str) -> Option<&str> {
    let rest = without_mark(file);
    let rest = rest.strip_prefix("---\n").or_else(|| rest.strip_prefix("---\r\n"))?;
    if rest.starts_with("---") {
        return Some("");
    }
    rest.find("\n---").and_then(|end| rest.get(..=end))
}

/// The file with a type: in its head, in the place of one that says nothing, or with a head before it.
fn typed(file: &str, kind: &str) -> String {
    let (Some(head), Some((fence, rest))) = (head(file), file.split_once('\n')) else {
        return format!("---\ntype: {kind}\n---\n\n{file}");
    };
    let said: String = head.split_inclusive('\n').filter(|line| !line.starts_with("type:")).collect();
    let behind = rest.get(head.len()..).unwrap_or_default();
    format!("{fence}\ntype: {kind}\n{said}{behind}")
}
