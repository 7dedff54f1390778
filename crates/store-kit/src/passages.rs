//! The passages of a record for indexing and embedding. A document is split into several
//! passages; any other record is one passage.

use std::borrow::Cow;

use loci_model::record::{Record, RecordKind};
use loci_text::sections;

/// Returns the passages of a record's indexed text in order. The index of a passage in the list
/// is the part number that its vector has.
pub fn passages(record: &Record) -> Vec<Cow<'_, str>> {
    match record.kind {
        RecordKind::Document => {
            let sections = sections::of_document(record.indexed(), record.path.as_deref());
            sections.into_iter().map(|section| Cow::Owned(section.text)).collect()
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
