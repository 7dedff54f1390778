//! `sre_retrieve`: what an operations agent knows, by type (sre-memory.md §5). Preferences are read by user and key, the whole set;
//! what is known of services and what was looked into is searched by the engine's one search, and ordered by how sure and how fresh it is.
//! It decides nothing of what counts: that is [`super::keeping`]'s matter, when something is saved.

use loci_model::principal::Principal;
use loci_model::record::Record;
use loci_model::sre::SreType;
use loci_model::{MemoryId, Namespace, RecordId, Result, Timestamp};
use serde_json::Value;

use crate::Engine;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct SreRetrieve {
    /// The memory.
    pub memory: MemoryId,
    /// Of which types; at least one.
    pub kinds: Vec<SreType>,
    /// The question; may be empty: then what is newest and surest comes first.
    pub query: String,
    /// Whose: the user, or for infrastructure the agent. `None` and `*`: every one that the caller may read.
    pub actor: Option<String>,
    /// One session; `None`, or an empty one: all of them. Preferences have none.
    pub session: Option<String>,
    /// From then on: RFC 3339, or a local date.
    pub since: Option<String>,
    /// Until just before then: RFC 3339, or a local date, whose end it is not: that day is out.
    pub until: Option<String>,
    /// The IANA name of the time zone of dates and of phrases; `None`: the user's preference, else UTC.
    pub tz: Option<String>,
    /// Services that it is about; none: any.
    pub services: Vec<String>,
    /// Environments in which it holds; none: any.
    pub environments: Vec<String>,
    /// False: services and environments leave out what is of others. True: they only bring what is theirs forward (H-1).
    pub filters_boost: bool,
    /// The least effective confidence, 0 to 1; of what is known of services alone.
    pub min_confidence: Option<f64>,
    /// At most so many of each type; `None`: the type's own number (10, 50, 5).
    pub top_k: Option<usize>,
    /// What gave way to something newer comes, too.
    pub include_superseded: bool,
    /// What was in force then.
    pub as_of: Option<Timestamp>,
    /// Warnings say how the question was read.
    pub explain: bool,
    /// Records that were shown already: they are counted, and not returned (C-6).
    pub leave_out: Vec<RecordId>,
}

/// What a score is made of; each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SreScoreParts {
    /// How much the text is about the question, words and meaning together.
    pub similarity: f64,
    /// The share of the question's words that it has; a part of `similarity`, and told for explanation.
    pub lexical: f64,
    /// How fresh it is: halved by every half-life.
    pub recency: f64,
    /// How sure it is.
    pub confidence: f64,
}

/// Something found.
#[derive(Debug, Clone, PartialEq)]
pub struct SreFound {
    /// Its record.
    pub record: Record,
    /// Its type.
    pub kind: SreType,
    /// What is remembered, as an object. Members that something newer is known of are left out.
    pub content: Value,
    /// From 0 to 1; never rises along the list of a type.
    pub score: f64,
    /// What the score is made of.
    pub parts: SreScoreParts,
    /// The effective confidence (§10.2).
    pub confidence: f64,
    /// Whole days since it was observed or confirmed.
    pub age_days: i64,
    /// It may not hold any more: past its window, or older than half its time without being confirmed (C-4).
    pub stale: bool,
    /// It contradicts another one, which comes with it.
    pub conflict: bool,
    /// Where it lies.
    pub namespaces: Vec<Namespace>,
}

/// Where a time filter comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SreTimeSource {
    /// `since` or `until`.
    Argument,
    /// A phrase in the question.
    Query,
}

impl SreTimeSource {
    /// The word of answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Argument => "argument",
            Self::Query => "query",
        }
    }
}

/// The time that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SreTimeFilter {
    /// From then on.
    pub from: Option<Timestamp>,
    /// Until just before then.
    pub to: Option<Timestamp>,
    /// The words of the question that say so.
    pub phrase: Option<String>,
    /// Who says so.
    pub source: SreTimeSource,
    /// Nothing was found in that time, and the results are of any time.
    pub relaxed: bool,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SreRetrieved {
    /// In the order of the types asked for; of each the best first.
    pub results: Vec<SreFound>,
    /// The time asked for, where one was.
    pub time_filter: Option<SreTimeFilter>,
    /// Records that nobody could read, and why.
    pub skipped: Vec<(RecordId, String)>,
    /// How many were left out because they were shown already.
    pub left_out: usize,
    /// Something that should have taken part did not.
    pub degraded: bool,
    /// What else to know.
    pub warnings: Vec<String>,
}

impl Engine {
    /// What an operations agent knows.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `Denied` for whoever may not read there; `Conflict` where the memory has no strategy for a type.
    pub async fn sre_retrieve(&self, caller: &Principal, asked: SreRetrieve) -> Result<SreRetrieved> {
        // The shape, for what is built on it; the next change fills it.
        let _ = self.memory_get(caller, &asked.memory).await?;
        Ok(SreRetrieved::default())
    }
}
