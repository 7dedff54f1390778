//! Retrieval: a question becomes a ranked list without a language model.
//!
//! Candidates and counts come from the search port; every signal, the one sum, calibration and folding are here.
//!
//! | file | step |
//! |---|---|
//! | `search` | the verb: access, scope, and the steps in order |
//! | `asked`, `question_once` | the question: known names, terms, vector, which one call has made once |
//! | `question_view`, `turn_view` | what signals read |
//! | [`signals`] | every number that counts, one file per idea |
//! | [`ranking`] | the one sum and the order |
//! | [`calibration`] | from a sum to a relevance |
//! | `listing`, `folding`, `budget` | reading, near-duplicates, what fits |
//! | `provisional` | turns that are not extracted yet, where the memory shows them |
//! | [`weights`] | the numbers, from `weights.json` |
//! | `own_weights` | those of a memory that has its own |
//! | `within` | what other verbs add: which records take a place, and words that mean the same |
//!
//! To add a signal: one file with a pure function, a row in the table of [`signals`]. It weighs 0
//! until `weights.json` has it.

mod asked;
mod budget;
pub mod calibration;
mod folding;
mod listing;
mod own_weights;
mod provisional;
mod question_once;
mod question_view;
pub mod ranking;
pub mod render;
mod search;
pub mod signals;
mod turn_view;
pub mod weights;
mod within;

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

pub(crate) use own_weights::OwnWeights;
pub use provisional::{is_provisional, provisional_id};
pub(crate) use question_once::QuestionOnce;
pub use search::OwnWrites;
pub use within::Within;

/// A question and where to look.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// The memory.
    pub memory: MemoryId,
    /// The question as sent.
    pub query: String,
    /// Where; several are joined; none: all that the caller may see.
    pub namespaces: Vec<NamespaceAsk>,
    /// Whose.
    pub strategy: Option<StrategyChoice>,
    /// Conditions on metadata.
    pub metadata: Vec<MetadataFilter>,
    /// Kinds; none means all.
    pub kinds: Vec<RecordKind>,
    /// States; none means active.
    pub states: Vec<RecordState>,
    /// Only what somebody stored as a fact of this repository; what is left out takes no place.
    pub citing: Option<RepositoryId>,
    /// What was true and known then.
    pub as_of: Option<Timestamp>,
    /// 1 to 100.
    pub top_k: u32,
    /// Near-duplicates fold under the best of them.
    pub fold: bool,
    /// Texts of all hits together hold at most so many tokens (estimate); those that do not fit are left out.
    pub budget_tokens: Option<u32>,
    /// Only hits of at least this relevance.
    pub relevance_min: Option<f32>,
    /// The terms of the sum are wanted.
    pub explain: bool,
    /// Candidates per list, for benchmarks and for what is compared by words alone.
    pub lists: Option<ListLengths>,
    /// Documents below `knowledge/system/` are found, too.
    pub include_system: bool,
}

impl SearchRequest {
    /// Returns a question about active records of all kinds that the caller may see, without
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

/// One record found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The record.
    pub record: Record,
    /// Which passage of it was best.
    pub part: u32,
    /// The sum.
    pub score: f32,
    /// The sum, calibrated to 0…1.
    pub relevance: f32,
    /// The time shown: the newest of the fold.
    pub time: Timestamp,
    /// Near-duplicates folded under it.
    pub folded: Vec<RecordId>,
    /// Every term of the sum, where asked for.
    pub explanation: Vec<SignalValue>,
    /// It is a turn that waits to be extracted: its id means nothing to other calls, and it is gone
    /// when the record is there: [`provisional_id`] of its sources says which record that is.
    pub provisional: bool,
}

impl Hit {
    /// The words of the passage that was best: of a document a part of it, of anything else the whole text.
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
    /// What the ranking used.
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
        // Numbers of another cut: the whole, never nothing.
        check(RecordKind::Document, Some("guide.md"), guide, 9, guide);
        check(RecordKind::Document, Some("run.sh"), guide, 0, guide);
        check(RecordKind::Fact, None, guide, 0, guide);
    }
}
