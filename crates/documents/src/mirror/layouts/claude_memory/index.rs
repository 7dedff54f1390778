//! `MEMORY.md`: one line for each topic, the most important first, within the part that the agent
//! loads. Files without a line stay. A line that a person added without a file becomes a document.

use std::collections::BTreeSet;

use loci_engine::document_text::slug::file_stem;
use loci_engine::document_text::{DocumentContent, DocumentPath};
use loci_engine::safety::{RedactionMode, redact};

use super::super::names::{free_path_beside, open_directory, taken_below};
use super::super::{FileMeaning, LaidDocument, LayoutContext, LayoutState};
use super::topic;

/// The maximum of lines that an agent loads.
const LINES_MAX: usize = 200;
/// The maximum of bytes that an agent loads.
const BYTES_MAX: usize = 25_000;
/// The bytes reserved for the line that counts the omitted files.
const REST_BYTES: usize = 64;
/// The maximum of characters of a title and of a description in a line.
const PART_CHARS_MAX: usize = 160;
/// The directory of documents that only a line contains.
const DIRECTORY: &str = "knowledge/facts";
/// The start of the line that counts the omitted files.
const REST: &str = "- … ";
const REST_END: &str = " more files in this directory";

/// Returns the index; `None` if it would be empty.
pub(super) fn render(documents: &[&LaidDocument], state: &LayoutState) -> Option<String> {
    let mut preface = state.preface.clone().unwrap_or_default();
    if !preface.is_empty() && !preface.ends_with('\n') {
        preface.push('\n');
    }
    if documents.is_empty() && preface.is_empty() {
        return None;
    }
    let mut ordered: Vec<(&LaidDocument, String)> = documents
        .iter()
        .filter_map(|document| Some((*document, line(document, state.names.get(&document.record)?))))
        .collect();
    ordered.sort_by_key(|(document, _)| {
        let content = &document.content;
        (!content.is_pinned(), std::cmp::Reverse(content.priority()), document.path.clone())
    });
    let kept = kept(&ordered, &preface);
    let mut text = preface;
    for (at, (_, line)) in ordered.iter().enumerate() {
        if kept.contains(&at) {
            text.push_str(line);
        }
    }
    let left_out = ordered.len() - kept.len();
    if left_out > 0 {
        text.push_str(&format!("{REST}{left_out}{REST_END}\n"));
    }
    Some(text)
}

/// Returns the lines that fit: all, or those of the most read files, earlier ones first.
fn kept(ordered: &[(&LaidDocument, String)], preface: &str) -> BTreeSet<usize> {
    let lines = LINES_MAX.saturating_sub(preface.lines().count());
    let bytes = BYTES_MAX.saturating_sub(preface.len());
    let all: usize = ordered.iter().map(|(_, line)| line.len()).sum();
    if ordered.len() <= lines && all <= bytes {
        return (0..ordered.len()).collect();
    }
    let (lines, bytes) = (lines.saturating_sub(1), bytes.saturating_sub(REST_BYTES));
    let mut by_use: Vec<usize> = (0..ordered.len()).collect();
    // Pinned files are never the least used.
    by_use.sort_by_key(|at| {
        let document = ordered.get(*at).map(|(document, _)| *document);
        let pinned = document.is_some_and(|document| document.content.is_pinned());
        // Only a doubled number of reads counts as more: an index that changed with every read
        // would invalidate cached prompts.
        let reads = document.and_then(|document| document.reads.checked_ilog2());
        (!pinned, std::cmp::Reverse(reads), *at)
    });
    let mut kept = BTreeSet::new();
    let mut used = 0;
    for at in by_use {
        let Some((_, line)) = ordered.get(at) else { continue };
        if kept.len() == lines || used + line.len() > bytes {
            break;
        }
        used += line.len();
        kept.insert(at);
    }
    kept
}

fn line(document: &LaidDocument, file: &str) -> String {
    let title = part(&topic::name(document)).replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]");
    let description = part(&document.content.shown_description());
    let dash = if description.is_empty() { "" } else { " — " };
    format!("- [{title}]({file}){dash}{description}\n")
}

/// Returns a text on one line within the limit.
fn part(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let flat = words.join(" ");
    if flat.chars().count() <= PART_CHARS_MAX {
        return flat;
    }
    let cut: String = flat.chars().take(PART_CHARS_MAX - 1).collect();
    format!("{}…", cut.trim_end())
}

/// Interprets a changed index: text above its list is kept, lines for files are generated again,
/// and others become documents.
pub(super) fn read(file: &str, around: &LayoutContext<'_>) -> FileMeaning {
    let file = loci_json::without_mark(file);
    let is_item = |line: &str| line.starts_with("- ") || line.starts_with("* ");
    let above = file.split_inclusive('\n').take_while(|line| !is_item(line)).map(str::len).sum();
    let (preface, list) = file.split_at_checked(above).unwrap_or((file, ""));
    let named: BTreeSet<&String> = around.state.names.values().chain(around.files).collect();
    let mut new: Vec<(DocumentPath, DocumentContent)> = Vec::new();
    let directory = open_directory(DIRECTORY, around.documents);
    let mut taken = taken_below(&directory, around.documents);
    for line in list.lines() {
        let Some((stem, content)) = document_of(line, &named) else { continue };
        // The document came with an interrupted sync, or the line contains a secret, which stays in
        // the file.
        let (title, body) = (content.title.clone().map(masked), masked(content.body.clone()));
        let is_there = |one: &LaidDocument| {
            let said = (&one.content.title, &one.content.body);
            said == (&content.title, &content.body) || said == (&title, &body)
        };
        if around.documents.iter().any(is_there) {
            continue;
        }
        let free = |stem: &str| free_path_beside(&directory, stem, &taken);
        // A link may name a file whose name no document can have.
        let named = free(&stem).or_else(|_| free(&file_stem(content.title.as_deref(), content.prose())));
        match named {
            Ok(path) => {
                taken.insert(path.key().to_string());
                new.push((path, content));
            }
            Err(error) => return FileMeaning::Refused { why: format!("{}: {error}", line.trim()) },
        }
    }
    FileMeaning::Index { new, preface: Some(preface.to_owned()).filter(|preface| !preface.is_empty()) }
}

fn masked(text: String) -> String {
    redact(text, RedactionMode::Mask).0
}

/// Returns the document of a line without a file.
fn document_of(line: &str, named: &BTreeSet<&String>) -> Option<(String, DocumentContent)> {
    let text = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line).trim();
    let is_rest = line.starts_with(REST) && line.trim_end().ends_with(REST_END);
    if text.is_empty() || is_rest || text.starts_with('#') {
        return None;
    }
    let Some((title, file, description)) = linked(text) else {
        let content = DocumentContent { body: format!("{text}\n"), ..DocumentContent::default() };
        // A path is not masked later, unlike a text.
        return Some((file_stem(None, &masked(text.to_owned())), content));
    };
    if named.contains(&file) {
        return None;
    }
    let body = format!("{}\n", if description.is_empty() { &title } else { &description });
    let content = DocumentContent { body, title: Some(title), ..DocumentContent::default() };
    Some((file.trim_end_matches(".md").to_owned(), content))
}

/// Parses title, file and description of a line `[title](file.md) — description`.
fn linked(text: &str) -> Option<(String, String, String)> {
    let rest = text.strip_prefix('[')?;
    let mut title = String::new();
    let mut characters = rest.char_indices();
    let close = loop {
        let (at, c) = characters.next()?;
        match c {
            '\\' => title.push(characters.next()?.1),
            ']' => break at,
            c => title.push(c),
        }
    };
    let (file, behind) = rest.get(close + 1..)?.strip_prefix('(')?.split_once(')')?;
    let description = behind.trim_start().trim_start_matches(['—', '–', '-', ':']).trim();
    (!file.contains('/') && file.ends_with(".md")).then(|| (title, file.to_owned(), description.to_owned()))
}
