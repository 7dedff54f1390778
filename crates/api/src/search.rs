//! `POST /v1/search`: a query with its scope, and the ranked hits with the reasons for their rank.

pub use loci_model::ports::search::ListLengths as Lists;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Notices;
use crate::record::{MetadataFilter, Record};

/// A search query and its scope.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Id or name of the memory to search.
    pub memory: String,
    /// Question or words to search for.
    pub query: String,
    /// Namespaces, each interpreted by the memory's setting `namespace_match`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// Namespaces with everything beneath them. If both `namespaces` and `namespace_paths` are
    /// absent, the search covers everything that the caller may read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespace_paths: Vec<String>,
    /// Id of the only strategy whose records the search returns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Conditions on metadata, at most 5. A record must meet all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metadata: Vec<MetadataFilter>,
    /// Kinds of records. Default: all kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// States of records. Default: `active`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<String>,
    /// Point in time, RFC 3339. The search returns the records that were valid and known at this
    /// time. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// Maximum number of hits, 1 to 100. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<u32>,
    /// True to return only the best of several nearly equal records, with the ids of the others in
    /// `folded`. Default: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold: Option<bool>,
    /// Maximum number of tokens (estimate) in the texts of all hits together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
    /// Minimum relevance of a hit, 0 to 1. Default: no minimum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance_min: Option<f32>,
    /// True to return also messages that wait for extraction, as provisional records. False to
    /// search only stored records. Default: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_your_writes: Option<bool>,
    /// True to include documents below `knowledge/system/`. Default: false, because clients that
    /// load these documents with every prompt do not need them twice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub include_system: bool,
    /// True to return statistics and the terms of each hit's score. Default: false.
    #[serde(default)]
    pub explain: bool,
    /// Maximum numbers of candidates that each index list contributes, for benchmarks. Default: the
    /// numbers of this version of Loci.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lists: Option<Lists>,
}

/// One signal of the ranking, as a term in the sum that is a hit's score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Signal {
    /// Name of the signal.
    pub name: String,
    /// Value of the signal for this hit.
    pub value: f32,
    /// Weight of the signal in the ranking.
    pub weight: f32,
    /// Product of weight and value.
    pub contribution: f32,
}

/// A record that the search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Hit {
    /// The record.
    pub record: Record,
    /// Index of the record's passage that matches the query best, starting at 0.
    pub part: u32,
    /// Score of the hit: the sum of the contributions of all signals.
    pub score: f32,
    /// Relevance: the probability, 0 to 1, that the hit answers the query. Comparable between
    /// requests.
    pub relevance: f32,
    /// Newest time among the record and the nearly equal records that are folded under it.
    pub time: String,
    /// Ids of the nearly equal records that the hit stands for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<String>,
    /// Signals of the score; present only if `explain` is true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explanation: Vec<Signal>,
    /// True for a message that waits for extraction (see `read_your_writes`). No other request
    /// accepts the id of such a hit, and a record with another id replaces it after the extraction.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
}

/// Statistics of a search and its ranking.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Statistics {
    /// Words of the query that the ranking used.
    pub terms: Vec<String>,
    /// Names of people or things in the query that the memory knows.
    pub names: Vec<String>,
    /// Number of messages over which the frequencies in `df` were counted.
    pub turns: u32,
    /// Number of messages that contain each word of `terms`, in the same order.
    pub df: Vec<u32>,
    /// Number of candidates for which the search computed a score.
    pub candidates: usize,
    /// Number of passages that the search may return.
    pub passages_in_scope: u64,
    /// Time to compute the vector of the query, in microseconds.
    pub embed_us: u64,
    /// Time to find the candidates, in microseconds.
    pub candidates_us: u64,
    /// Time to rank and read the records, in microseconds.
    pub rank_us: u64,
}

/// The response of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchAnswer {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Statistics of the search; present only if `explain` is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Statistics>,
    /// Codes for missing parts of the response and for special handling of the request.
    #[serde(flatten)]
    pub notices: Notices,
}
