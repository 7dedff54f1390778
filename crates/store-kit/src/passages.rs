//! A record as the passages that are indexed and embedded: one for everything but a document, which is cut.

use std::borrow::Cow;

use loci_model::record::{Record, RecordKind};
use loci_text::sections;

/// Words of one passage of a document (retrieval.md §10.4).
const WORDS_MAX: usize = 120;

/// The passages of a record's indexed text, in order; the place in the list is the part's number.
pub fn passages(record: &Record) -> Vec<Cow<'_, str>> {
    match record.kind {
        RecordKind::Document => {
            let cut =
                if is_markdown(record.path.as_deref()) { sections::sections } else { sections::passages };
            cut(record.indexed(), WORDS_MAX).into_iter().map(|section| Cow::Owned(section.text)).collect()
        }
        RecordKind::Fact
        | RecordKind::Preference
        | RecordKind::Summary
        | RecordKind::Episode
        | RecordKind::Reflection
        | RecordKind::Rule
        | RecordKind::Investigation => vec![Cow::Borrowed(record.indexed())],
    }
}

/// A text without a path is read as Markdown: that is how people write.
fn is_markdown(path: Option<&str>) -> bool {
    path.is_none_or(|path| {
        let end = path.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
        matches!(end.as_str(), "md" | "markdown" | "mdx" | "txt")
    })
}
