//! Retrieval: ranks records for a query without a language model.
//!
//! Candidates and counts come from the search port. The signals, their sum, calibration and folding
//! are implemented here.
//!
//! | file | step |
//! |---|---|
//! | `search` | the operation: access, scope, and the steps in order |
//! | `query`, `question_vector` | the query: known names, terms, vector, computed once per call |
//! | `question_view`, `turn_view` | the input of signals |
//! | [`signals`] | the signals, one file per idea |
//! | [`ranking`] | the sum and the order |
//! | [`calibration`] | the relevance of a sum |
//! | `listing`, `near_duplicates`, `budget` | reading, near-duplicates, token budget |
//! | `provisional_records` | turns that are not extracted yet, if the memory enables them |
//! | [`weights`] | the numbers, from `weights.json` |
//! | `memory_weights` | the weights of a memory that has its own |
//! | `search_additions` | additions by other operations: records that take a place, and synonyms |
//!
//! To add a signal, add one file with a pure function and a row in the table of [`signals`]. Its
//! weight is 0 until `weights.json` contains it.

mod budget;
pub mod calibration;
mod listing;
mod memory_weights;
mod near_duplicates;
mod provisional;
mod query;
mod question_vector;
mod question_view;
pub mod ranking;
pub mod render;
mod search;
mod search_additions;
pub mod signals;
mod turn_view;
pub mod weights;

use std::borrow::Cow;

use loci_api::search::Statistics;
use loci_model::ports::search::ListLengths;
use loci_model::record::metadata_filter::MetadataFilter;
use loci_model::record::scope::StrategyChoice;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::warning::Notices;
use loci_model::{MemoryId, RecordId, RepositoryId, Timestamp};
use loci_text::sections;

use crate::records::NamespaceAsk;

pub(crate) use memory_weights::OwnWeights;
pub use provisional::{is_provisional, provisional_id};
pub(crate) use question_vector::QuestionVectors;
pub use search::PendingEventUse;
pub use search_additions::SearchAdditions;

/// A query and its scope.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// The memory.
    pub memory: MemoryId,
    /// The query as sent.
    pub query: String,
    /// Namespaces; several form a union, none means all that the caller may see.
    pub namespaces: Vec<NamespaceAsk>,
    /// The strategy of the records.
    pub strategy: Option<StrategyChoice>,
    /// Conditions on metadata.
    pub metadata: Vec<MetadataFilter>,
    /// Kinds; empty means all.
    pub kinds: Vec<RecordKind>,
    /// States; empty means active.
    pub states: Vec<RecordState>,
    /// Only stored facts of this repository; other records take no place in the list.
    pub citing: Option<RepositoryId>,
    /// Time of the returned state: records that were true and known then.
    pub as_of: Option<Timestamp>,
    /// Maximum number of hits, 1 to 100.
    pub top_k: u32,
    /// True to fold near-duplicates under the best of them.
    pub fold: bool,
    /// Maximum number of tokens (estimate) in the texts of all hits; hits that do not fit are
    /// omitted.
    pub budget_tokens: Option<u32>,
    /// Minimum relevance of a hit.
    pub relevance_min: Option<f32>,
    /// True to return the terms of the sum.
    pub explain: bool,
    /// Candidates per list, for benchmarks and for comparisons by words alone.
    pub lists: Option<ListLengths>,
    /// True to include documents below `knowledge/system/`.
    pub include_system: bool,
}

impl SearchRequest {
    /// Returns a request for active records of all kinds that the caller may see, without
    /// conditions.
    pub fn new(memory: MemoryId, query: String, top_k: u32) -> Self {
        Self {
            memory,
            query,
            namespaces: Vec::new(),
            strategy: None,
            metadata: Vec::new(),
            kinds: Vec::new(),
            states: Vec::new(),
            citing: None,
            as_of: None,
            top_k,
            fold: false,
            budget_tokens: None,
            relevance_min: None,
            explain: false,
            lists: None,
            include_system: false,
        }
    }
}

/// One term of the sum.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalValue {
    /// The signal's name.
    pub name: &'static str,
    /// Its value for this hit.
    pub value: f32,
    /// Its weight.
    pub weight: f32,
    /// Weight times value.
    pub contribution: f32,
}

/// A record that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The record.
    pub record: Record,
    /// Index of its best passage.
    pub part: u32,
    /// The sum.
    pub score: f32,
    /// The relevance: the sum, calibrated to 0…1.
    pub relevance: f32,
    /// The displayed time: the newest of the fold.
    pub time: Timestamp,
    /// Near-duplicates folded under it.
    pub folded: Vec<RecordId>,
    /// Every term of the sum, if requested.
    pub explanation: Vec<SignalValue>,
    /// True for a turn that waits for extraction. Other calls do not accept its id, and it
    /// disappears once its record exists: [`provisional_id`] of the record's sources identifies it.
    pub provisional: bool,
}

impl Hit {
    /// Returns the text of the best passage: a part of a document, the whole text of other records.
    pub fn passage(&self) -> Cow<'_, str> {
        let (record, part) = (&self.record, usize::try_from(self.part).unwrap_or(usize::MAX));
        if record.kind != RecordKind::Document {
            return Cow::Borrowed(&record.text);
        }
        let found = sections::of_document(record.indexed(), record.path.as_deref()).into_iter().nth(part);
        found.map_or(Cow::Borrowed(&record.text), |section| Cow::Owned(section.text))
    }
}

/// The ranked list.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchAnswer {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Degradations and warnings.
    pub notices: Notices,
    /// Statistics that the ranking used.
    pub statistics: Statistics,
}

#[cfg(test)]
mod tests {
    use loci_testkit_ports::samples::record;

    use super::*;

    #[test]
    fn a_hit_shows_the_passage_that_was_best() {
        let check = |kind: RecordKind, path: Option<&str>, text: &str, part: u32, expect: &str| {
            let record = record(&MemoryId::parse("shop-abcdefghij").unwrap(), 1, text).unwrap();
            let record = Record { kind, path: path.map(str::to_owned), ..record };
            let time = record.timestamp;
            let hit = Hit {
                record,
                part,
                score: 0.0,
                relevance: 0.0,
                time,
                folded: Vec::new(),
                explanation: Vec::new(),
                provisional: false,
            };
            assert_eq!(hit.passage(), expect, "{kind:?} {path:?} {part}");
        };
        let guide = "# Start\n\nOne.\n\n# End\n\nTwo.\n";
        check(RecordKind::Document, Some("guide.md"), guide, 0, "# Start\n\nOne.\n\n");
        check(RecordKind::Document, Some("guide.md"), guide, 1, "# End\n\nTwo.\n");
        // The index belongs to another split: the whole text is returned, never nothing.
        check(RecordKind::Document, Some("guide.md"), guide, 9, guide);
        check(RecordKind::Document, Some("run.sh"), guide, 0, guide);
        check(RecordKind::Fact, None, guide, 0, guide);
    }
}
