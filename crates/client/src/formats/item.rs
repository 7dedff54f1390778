//! What a foreign file is read into: items with the place they come from, what was left out and why, and what could not be read. It does not say
//! whether an item is stored already.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use loci_api::event::EventCreate;
use loci_api::record::{MetadataValue, RecordCreate};
use serde::Serialize;

/// One thing of the source.
#[derive(Debug, Clone)]
pub struct ImportItem {
    /// Its id in the source; empty where it has none, and then what it says is its id.
    pub id: String,
    /// Where it stands: a line, or a file.
    pub place: String,
    /// What becomes of it.
    pub becomes: Becomes,
}

/// A record of a text, its time and its metadata; it has no more.
pub(super) fn record(
    namespace: &str,
    text: String,
    timestamp: Option<String>,
    metadata: BTreeMap<String, MetadataValue>,
) -> RecordCreate {
    RecordCreate { namespace: namespace.to_owned(), text, timestamp, metadata, ..RecordCreate::default() }
}

/// What becomes of an item.
#[derive(Debug, Clone)]
pub enum Becomes {
    /// A record.
    Record(RecordCreate),
    /// A document: its file.
    Document {
        /// Where it is put in the tree.
        path: String,
        /// The whole file.
        file: String,
        /// The file is kept byte for byte.
        raw: bool,
    },
    /// An event. Where its branch starts from is an id in the source, of an event before it.
    Event(EventCreate),
}

impl Becomes {
    /// The noun.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Record(_) => "record",
            Self::Document { .. } => "document",
            Self::Event(_) => "event",
        }
    }
}

/// A part that is not imported, by design.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// What it is in the source.
    pub what: String,
    /// How many.
    pub count: usize,
    /// Why.
    pub why: String,
}

/// A part that breaks a rule. It does not quote what the part says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
pub struct FormatProblem {
    /// A line, or a file.
    pub place: String,
    /// The member at fault; empty where it is the whole.
    pub field: String,
    /// The rule.
    pub rule: String,
    /// What to do.
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

/// What a source is read into.
#[derive(Debug, Clone, Default)]
pub struct Mapping {
    /// What is imported, in the order of the source.
    pub items: Vec<ImportItem>,
    /// What becomes of what, with counts.
    pub mapped: BTreeMap<(&'static str, &'static str), usize>,
    /// What does not come back as it was.
    pub lossy: BTreeSet<String>,
    /// What is left out.
    pub skipped: Vec<Skipped>,
    /// What cannot be read.
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
