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

/// A request to search the records of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// The memory to search.
    pub memory: MemoryId,
    /// The text of the query as the caller sent it.
    pub query: String,
    /// The namespaces to search, any of which may match; empty means all that the caller may see.
    pub namespaces: Vec<NamespaceAsk>,
    /// The strategy that the records must have; `None` for any.
    pub strategy: Option<StrategyChoice>,
    /// Conditions on the records' metadata, all of which must hold.
    pub metadata: Vec<MetadataFilter>,
    /// The kinds of records to search; empty means all.
    pub kinds: Vec<RecordKind>,
    /// The states of records to search; empty means only active records.
    pub states: Vec<RecordState>,
    /// Restricts the hits to stored facts with citations of this repository; `None` for no
    /// restriction.
    pub citing: Option<RepositoryId>,
    /// A past time: the search returns records that were true and known at that time. `None`
    /// means now.
    pub as_of: Option<Timestamp>,
    /// The maximum number of hits, 1 to 100.
    pub top_k: u32,
    /// True to return only the best of several hits with nearly the same text, and the ids of the
    /// others.
    pub fold: bool,
    /// The maximum number of tokens in the texts of all hits together, by an estimate. Hits that
    /// do not fit are omitted; `None` for no limit.
    pub budget_tokens: Option<u32>,
    /// The minimum relevance of a hit, 0 to 1; `None` for no minimum.
    pub relevance_min: Option<f32>,
    /// True to return the value of each ranking signal with each hit.
    pub explain: bool,
    /// The number of candidates in each list, for benchmarks and for comparisons by words alone;
    /// `None` means the default.
    pub lists: Option<ListLengths>,
    /// True to include documents below `knowledge/system/`.
    pub include_system: bool,
}

impl SearchRequest {
    /// Returns a request that searches all active records that the caller may see, without
    /// further conditions.
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

/// One term of a hit's score: the contribution of one ranking signal.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalValue {
    /// The name of the signal.
    pub name: &'static str,
    /// The value of the signal for this hit.
    pub value: f32,
    /// The weight of the signal.
    pub weight: f32,
    /// The product of weight and value, which is added to the score.
    pub contribution: f32,
}

/// A record that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The record.
    pub record: Record,
    /// The part number of the record's best passage, from 0.
    pub part: u32,
    /// The score: the weighted sum of the ranking signals.
    pub score: f32,
    /// The relevance, 0 to 1, which is calculated from the score.
    pub relevance: f32,
    /// The time to display: the newest time among the record and its folded near-duplicates.
    pub time: Timestamp,
    /// The ids of records with nearly the same text, which are not listed separately.
    pub folded: Vec<RecordId>,
    /// The contribution of every signal to the score, if the request asked for an explanation.
    pub explanation: Vec<SignalValue>,
    /// True for a message that is not extracted yet. Other operations do not accept its id, and
    /// it disappears once its record exists. The id is [`provisional_id`] of the record's
    /// sources.
    pub provisional: bool,
}

impl Hit {
    /// Returns the text of the best passage: a part of a document, or the whole text of any other
    /// record.
    pub fn passage(&self) -> Cow<'_, str> {
        let (record, part) = (&self.record, usize::try_from(self.part).unwrap_or(usize::MAX));
        if record.kind != RecordKind::Document {
            return Cow::Borrowed(&record.text);
        }
        let found = sections::of_document(record.indexed(), record.path.as_deref()).into_iter().nth(part);
        found.map_or(Cow::Borrowed(&record.text), |section| Cow::Owned(section.text))
    }
}

/// The response of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchAnswer {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Warnings, for example that a component was unavailable and the ranking worked without it.
    pub notices: Notices,
    /// Statistics of the searched records that the ranking used.
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
