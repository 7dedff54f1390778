//! Builds a document from the texts of an action, and from the marks of several documents. Pure.

use loci_engine::consolidation::plan::Words;
use loci_engine::document_text::content::DocumentContent;
use loci_engine::document_text::frontmatter::Value;
use loci_model::Timestamp;

use super::plan_input::{FIRST_SEEN, TAGS};

/// The metadata key of a file's expiry time.
pub(super) const EXPIRES_AT: &str = "expires_at";

/// Returns a document with the texts of an action.
pub(super) fn worded(content: DocumentContent, words: &Words) -> DocumentContent {
    if let Some(file) = &words.content {
        let (new, _) = DocumentContent::of_file(file);
        // Members that a plan omits stay unchanged.
        return DocumentContent {
            title: new.title.or(content.title),
            description: new.description.or(content.description),
            body: new.body,
            ..content
        };
    }
    let content = match &words.body {
        Some(body) if *body != content.body => content.with_body(body.clone()),
        Some(_) | None => content,
    };
    if content.is_raw {
        return content;
    }
    DocumentContent {
        title: words.title.clone().or(content.title),
        description: words.description.clone().or(content.description),
        ..content
    }
}

/// The content of one of several documents.
pub(super) struct MergedDocumentPart {
    pub(super) content: DocumentContent,
    /// The time of the content.
    pub(super) at: Timestamp,
    /// The expiry time.
    pub(super) expires_at: Option<Timestamp>,
}

/// Returns the expiry of several documents with one meaning: the latest one, or none if any of them
/// never expires.
pub(super) fn last_expiry(all: impl Iterator<Item = Option<Timestamp>>) -> Option<Timestamp> {
    all.collect::<Option<Vec<_>>>()?.into_iter().max()
}

/// Adds the tags of all sources, the time of the first observation, and the latest expiry.
pub(super) fn united(mut content: DocumentContent, sources: &[MergedDocumentPart]) -> DocumentContent {
    if content.is_raw {
        return content;
    }
    let mut tags: Vec<&str> =
        sources.iter().filter_map(|one| one.content.head.get(TAGS)?.texts()).flatten().collect();
    tags.sort_unstable();
    tags.dedup();
    if !tags.is_empty() {
        content.head.set(TAGS, Value::of_texts(tags));
    }
    let told = sources.iter().filter_map(|one| Timestamp::parse(one.content.head.text(FIRST_SEEN)?).ok());
    let first = sources.iter().map(|one| one.at).chain(told).min();
    let newest = sources.iter().map(|one| one.at).max();
    if let Some(first) = first.filter(|first| Some(*first) != newest) {
        content.head.set(FIRST_SEEN, Value::of(first.to_rfc3339()));
    }
    if content.head.get(EXPIRES_AT).is_some() {
        match last_expiry(sources.iter().map(|one| one.expires_at)) {
            Some(at) => content.head.set(EXPIRES_AT, Value::of(at.to_rfc3339())),
            None => drop(content.head.remove(EXPIRES_AT)),
        }
    }
    content
}
