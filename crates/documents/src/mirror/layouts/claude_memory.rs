//! The layout of a coding agent's own memory: topic files with a short head, and the index
//! `MEMORY.md`, whose first lines the agent loads. The files are authoritative. The index is
//! generated from them, except for text that a person wrote above its list.

mod index;
mod topic;

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::document_text::slug::file_stem;
use loci_model::RecordId;
use topic::TopicKind;

use super::names::{free_name, free_tree_path};
use super::{FileMeaning, LaidDocument, LaidFile, LayoutContext, LayoutState};

/// The file name of the index.
pub(super) const INDEX: &str = "MEMORY.md";
const ENDING: &str = ".md";

pub(super) fn render(documents: &[LaidDocument], state: &LayoutState) -> (Vec<LaidFile>, LayoutState) {
    let mut ordered: Vec<&LaidDocument> = documents.iter().collect();
    ordered.sort_by(|a, b| (&a.path, &a.record).cmp(&(&b.path, &b.record)));
    let mut state = LayoutState { preface: state.preface.clone(), names: kept_names(&ordered, state) };
    let mut taken: BTreeSet<String> = state.names.values().map(|name| name.to_lowercase()).collect();
    for document in &ordered {
        if state.names.contains_key(&document.record) {
            continue;
        }
        let stem = file_stem(Some(&topic::name(document)), document.content.prose());
        let name = free_name(&stem, ENDING, &taken);
        taken.insert(name.to_lowercase());
        state.names.insert(document.record.clone(), name);
    }
    let mut files = Vec::with_capacity(ordered.len() + 1);
    for document in &ordered {
        let Some(path) = state.names.get(&document.record).cloned() else { continue };
        let bytes = topic::file(document).into_bytes();
        files.push(LaidFile { path, bytes, record: Some(document.record.clone()) });
    }
    if let Some(text) = index::render(&ordered, &state) {
        files.push(LaidFile { path: INDEX.to_owned(), bytes: text.into_bytes(), record: None });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    (files, state)
}

/// Returns the file of a document.
pub(super) fn file_of(document: &LaidDocument) -> String {
    topic::file(document)
}

/// Returns the names that documents already have, because links and people use them.
fn kept_names(documents: &[&LaidDocument], state: &LayoutState) -> BTreeMap<RecordId, String> {
    let mut taken = BTreeSet::from([INDEX.to_lowercase()]);
    let mut names = BTreeMap::new();
    for document in documents {
        let Some(name) = state.names.get(&document.record) else { continue };
        if is_topic(name) && taken.insert(name.to_lowercase()) {
            names.insert(document.record.clone(), name.clone());
        }
    }
    names
}

fn is_topic(name: &str) -> bool {
    name.strip_suffix(ENDING).is_some_and(|stem| !stem.is_empty() && !name.contains('/'))
        && !name.eq_ignore_ascii_case(INDEX)
}

pub(super) fn read(
    path: &str,
    file: &str,
    known: Option<&LaidDocument>,
    around: &LayoutContext<'_>,
) -> FileMeaning {
    if path == INDEX {
        return index::read(file, around);
    }
    if !is_topic(path) {
        let why = format!(
            "{path}: this layout has files *.md beside MEMORY.md and no directories; move it to its root"
        );
        return FileMeaning::Refused { why };
    }
    let (content, warnings) = topic::read(file, known);
    if let Some(document) = known {
        return FileMeaning::Document { path: document.path.clone(), content: Box::new(content), warnings };
    }
    let stem = path.strip_suffix(ENDING).unwrap_or(path);
    let directory = TopicKind::of_head(&content.head).unwrap_or(TopicKind::Project).directory();
    match free_tree_path(directory, stem, around.documents) {
        Ok(path) => FileMeaning::Document { path, content: Box::new(content), warnings },
        Err(error) => FileMeaning::Refused { why: error.to_string() },
    }
}

#[cfg(test)]
#[path = "claude_memory_tests.rs"]
mod tests;
