//! The result of reading a foreign file: items with their position, skipped parts with reasons, and
//! problems. It does not know if an item is stored already.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use loci_api::event::EventCreate;
use loci_api::record::{MetadataValue, RecordCreate};
use serde::Serialize;

/// An item of the source.
#[derive(Debug, Clone)]
pub struct ImportItem {
    /// The id in the source; empty if it has none, in which case its content identifies it.
    pub id: String,
    /// The position: a line, or a file.
    pub place: String,
    /// The target of the item.
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

/// The target of an item.
#[derive(Debug, Clone)]
pub enum ItemTarget {
    /// A record.
    Record(RecordCreate),
    /// A document: its file.
    Document {
        /// The path in the tree.
        path: String,
        /// The whole file.
        file: String,
        /// True to keep the file byte for byte.
        raw: bool,
    },
    /// An event. The start of its branch is an id in the source, of an earlier event.
    Event(EventCreate),
}

impl ItemTarget {
    /// Returns the noun.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Record(_) => "record",
            Self::Document { .. } => "document",
            Self::Event(_) => "event",
        }
    }
}

/// A part that is intentionally not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The kind of the part in the source.
    pub what: String,
    /// The number of parts.
    pub count: usize,
    /// The reason.
    pub why: String,
}

/// A part that breaks a rule. It does not quote the part's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
pub struct FormatProblem {
    /// The position: a line, or a file.
    pub place: String,
    /// The faulty member; empty if the whole part is faulty.
    pub field: String,
    /// The rule.
    pub rule: String,
    /// The remedy.
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

/// The result of reading a source.
#[derive(Debug, Clone, Default)]
pub struct Mapping {
    /// The items to import, in the order of the source.
    pub items: Vec<ImportItem>,
    /// The counts by source kind and target.
    pub mapped: BTreeMap<(&'static str, &'static str), usize>,
    /// The parts that an export does not restore exactly.
    pub lossy: BTreeSet<String>,
    /// The skipped parts.
    pub skipped: Vec<Skipped>,
    /// The parts that cannot be read.
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
