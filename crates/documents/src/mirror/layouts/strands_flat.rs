//! The layout of Strands' `FileMemoryStore`: `*.md` files without directories. The name of a file
//! is a slug of its first line, and each line below is a fact. A Strands store may use the
//! directory at the same time: lines that it appends are added to the document of the file.
//!
//! The slug of a Strands store keeps only ASCII and is cut without a mark, so two headings may have
//! the same slug. The second file then gets a number. If a Strands store appends to the first file
//! instead, no line is lost.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::document_text::DocumentContent;
use loci_engine::document_text::frontmatter::text_below;
use loci_engine::document_text::slug::{file_stem, is_same_topic};
use loci_model::RecordId;
use sha2::{Digest, Sha256};

use super::headings::{first_line, headed, heading_and_rest, under_heading};
use super::names::{free_name, free_tree_path};
use super::{FileMeaning, LaidDocument, LaidFile, LayoutState};

/// The maximum number of characters in a slug of a Strands store.
const SLUG_CHARS_MAX: usize = 50;
/// The name prefix that a Strands store gives a file whose heading has no ASCII letter or digit.
/// The Strands store adds the time in milliseconds.
const NAMELESS: &str = "entry-";
/// The hex digits of such a name as Loci writes it.
const NAMELESS_DIGITS: usize = 8;
const ENDING: &str = ".md";
/// The directory in the tree for documents from files that a Strands store created.
const DIRECTORY: &str = "knowledge/facts";

pub(super) fn render(documents: &[LaidDocument], state: &LayoutState) -> (Vec<LaidFile>, LayoutState) {
    let mut ordered: Vec<&LaidDocument> = documents.iter().collect();
    ordered.sort_by(|a, b| (&a.path, &a.record).cmp(&(&b.path, &b.record)));
    let files: Vec<(&LaidDocument, String)> =
        ordered.into_iter().map(|document| (document, headed(&document.content))).collect();
    let names = names(&files, state);
    let mut laid: Vec<LaidFile> = files
        .into_iter()
        .filter_map(|(document, file)| {
            let path = names.get(&document.record)?.clone();
            Some(LaidFile { path, bytes: file.into_bytes(), record: Some(document.record.clone()) })
        })
        .collect();
    laid.sort_by(|a, b| a.path.cmp(&b.path));
    (laid, LayoutState { names, preface: None })
}

/// Returns the names of all files. Files with a name that their heading could have given keep it;
/// the others follow by path.
fn names(files: &[(&LaidDocument, String)], state: &LayoutState) -> BTreeMap<RecordId, String> {
    let mut taken = BTreeSet::new();
    let mut names = BTreeMap::new();
    let mut nameless = Vec::new();
    for (document, file) in files {
        let stem = stem(file);
        match state.names.get(&document.record) {
            Some(name) if is_name_of(name, &stem) && taken.insert(name.clone()) => {
                names.insert(document.record.clone(), name.clone());
            }
            Some(_) | None => nameless.push((&document.record, stem)),
        }
    }
    for (record, stem) in nameless {
        let name = free_name(&stem, ENDING, &taken);
        taken.insert(name.clone());
        names.insert(record.clone(), name);
    }
    names
}

/// Returns the name, without its extension, that a file's first line gives it.
fn stem(file: &str) -> String {
    let slug = stock_slug(first_line(file));
    if !slug.is_empty() {
        return slug;
    }
    let digits: String = Sha256::digest(first_line(file)).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{NAMELESS}{}", digits.get(..NAMELESS_DIGITS).unwrap_or_default())
}

/// True for the name itself and for one with a number appended. A stock store's `entry-` file keeps
/// its name if its heading has no slug.
fn is_name_of(name: &str, stem: &str) -> bool {
    let Some(own) = name.strip_suffix(ENDING) else { return false };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_nameless = |text: &str| text.strip_prefix(NAMELESS).is_some_and(|rest| !rest.is_empty());
    own == stem
        || own.strip_prefix(stem).and_then(|rest| rest.strip_prefix('-')).is_some_and(is_digits)
        || (is_nameless(stem) && own.strip_prefix(NAMELESS).is_some_and(is_digits))
}

/// Returns the slug that a Strands store makes: ASCII letters, digits and dashes of the lower-cased
/// line, at most fifty.
fn stock_slug(first_line: &str) -> String {
    let heading = match first_line.trim_start_matches('#') {
        same if same.len() == first_line.len() => first_line,
        heading => heading.trim_start(),
    };
    let kept: String = heading
        .chars()
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c.is_whitespace() || *c == '-')
        .collect();
    let words: Vec<&str> = kept.split_whitespace().collect();
    let cut: String = words.join("-").chars().take(SLUG_CHARS_MAX).collect();
    cut.trim_end_matches('-').to_owned()
}

pub(super) fn read(
    path: &str,
    file: &str,
    known: Option<&LaidDocument>,
    documents: &[LaidDocument],
) -> FileMeaning {
    let Some(stem) = path.strip_suffix(ENDING).filter(|stem| !stem.is_empty() && !stem.contains('/')) else {
        let why = format!("{path}: this layout has files *.md and no directories; move it to its root");
        return FileMeaning::Refused { why };
    };
    if file.trim().is_empty() {
        return FileMeaning::Refused {
            why: format!("{path} is empty: delete the file to put its document away"),
        };
    }
    if let Some(document) = known {
        let content = Box::new(under_heading(&document.content, file));
        return FileMeaning::Document { path: document.path.clone(), content, warnings: Vec::new() };
    }
    let (heading, rest) = heading_and_rest(file);
    if is_made_by_the_clock(stem)
        && let Some(same) = documents.iter().find(|document| is_of_heading(document, heading))
    {
        let lines = rest.lines().filter(|line| !line.trim().is_empty()).map(ToOwned::to_owned).collect();
        return FileMeaning::Lines { into: same.path.clone(), lines };
    }
    // A name is made of the text, never of a head above it.
    let (named, _) = heading_and_rest(text_below(file));
    let stem = file_stem(Some(named), file);
    match free_tree_path(DIRECTORY, &stem, documents) {
        Ok(path) => {
            let content = Box::new(DocumentContent::raw(file.to_owned()));
            FileMeaning::Document { path, content, warnings: Vec::new() }
        }
        Err(error) => FileMeaning::Refused { why: error.to_string() },
    }
}

/// True for a name with milliseconds, which a stock store gives a file whose heading has no slug.
fn is_made_by_the_clock(stem: &str) -> bool {
    stem.strip_prefix(NAMELESS)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_of_heading(document: &LaidDocument, heading: &str) -> bool {
    !heading.is_empty() && is_same_topic(heading_and_rest(&headed(&document.content)).0, heading)
}

#[cfg(test)]
#[path = "strands_flat_tests.rs"]
mod tests;
