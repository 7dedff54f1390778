//! The result of reading a file of another program: items with their position, skipped parts with
//! reasons, and problems. It does not know which items are stored already.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use loci_api::event::EventCreate;
use loci_api::record::{MetadataValue, RecordCreate};
use serde::Serialize;

/// An item of another program's memory, converted for import.
#[derive(Debug, Clone)]
pub struct ImportItem {
    /// The id of the item in the source. It is empty if the item has none; then its content
    /// identifies the item.
    pub id: String,
    /// The position of the item in the source: a line, or a file.
    pub place: String,
    /// The object that the item becomes in Loci.
    pub becomes: ItemTarget,
}

/// Creates a record with a text, a time and metadata only.
pub(super) fn record(
    namespace: &str,
    text: String,
    timestamp: Option<String>,
    metadata: BTreeMap<String, MetadataValue>,
) -> RecordCreate {
    RecordCreate { namespace: namespace.to_owned(), text, timestamp, metadata, ..RecordCreate::default() }
}

/// The object that an item of a source becomes in Loci.
#[derive(Debug, Clone)]
pub enum ItemTarget {
    /// The item becomes a record.
    Record(RecordCreate),
    /// The item becomes a document, given as a file.
    Document {
        /// The path of the document in its tree.
        path: String,
        /// The text of the whole file.
        file: String,
        /// True to keep the file byte for byte.
        raw: bool,
    },
    /// The item becomes an event. If it begins a branch, the root is the id of an earlier event in
    /// the source.
    Event(EventCreate),
}

impl ItemTarget {
    /// Returns the noun for the object, such as `record`.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Record(_) => "record",
            Self::Document { .. } => "document",
            Self::Event(_) => "event",
        }
    }
}

/// A part of a source that is intentionally not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The kind of the part in the source.
    pub what: String,
    /// The number of skipped parts of this kind.
    pub count: usize,
    /// The reason why these parts are skipped.
    pub why: String,
}

/// A part of a source that cannot be imported because it breaks a rule. It contains no content of
/// the part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
pub struct FormatProblem {
    /// The position of the part in the source: a line, or a file.
    pub place: String,
    /// The member that breaks the rule. It is empty if the whole part does.
    pub field: String,
    /// The rule that the part breaks.
    pub rule: String,
    /// A sentence about how to correct the part.
    pub remedy: String,
}

impl fmt::Display for FormatProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        write!(f, "{}; {}", self.rule, self.remedy)
    }
}

impl FormatProblem {
    pub(super) fn new(place: &str, field: &str, rule: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { place: place.to_owned(), field: field.to_owned(), rule: rule.into(), remedy: remedy.into() }
    }
}

/// The result of reading a source: items, losses, skipped parts and problems.
#[derive(Debug, Clone, Default)]
pub struct Mapping {
    /// The items to import, in the order of the source.
    pub items: Vec<ImportItem>,
    /// The number of items, by their kind in the source and what they become.
    pub mapped: BTreeMap<(&'static str, &'static str), usize>,
    /// The kinds of data that an export would not restore exactly.
    pub lossy: BTreeSet<String>,
    /// The parts that are intentionally not imported.
    pub skipped: Vec<Skipped>,
    /// The parts that cannot be imported because they break a rule.
    pub problems: Vec<FormatProblem>,
}

impl Mapping {
    pub(super) fn take(&mut self, what: &'static str, item: ImportItem) {
        *self.mapped.entry((what, item.becomes.noun())).or_default() += 1;
        self.items.push(item);
    }

    pub(super) fn skip(&mut self, what: &str, why: &str) {
        match self.skipped.iter_mut().find(|skipped| skipped.what == what && skipped.why == why) {
            Some(skipped) => skipped.count += 1,
            None => self.skipped.push(Skipped { what: what.to_owned(), count: 1, why: why.to_owned() }),
        }
    }

    pub(super) fn loses(&mut self, what: impl Into<String>) {
        self.lossy.insert(what.into());
    }
}
