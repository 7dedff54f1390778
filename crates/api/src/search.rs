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
    /// Id or name of the memory.
    pub memory: String,
    /// Text of the query.
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
    /// Point in time, RFC 3339. The search returns the records that were valid and known then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// Maximum number of hits, 1 to 100. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<u32>,
    /// True to fold near-duplicates under the best of them. Default: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold: Option<bool>,
    /// Maximum number of tokens (estimate) in the texts of all hits together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
    /// Minimum relevance of a hit, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance_min: Option<f32>,
    /// True to include turns that wait for extraction, as provisional records. False to search
    /// stored records only. Default: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_your_writes: Option<bool>,
    /// True to include documents below `knowledge/system/`. Default: false, because clients that
    /// load these documents with every prompt do not need them twice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub include_system: bool,
    /// True to return statistics and the terms of each hit's score. Default: false.
    #[serde(default)]
    pub explain: bool,
    /// Number of candidates per list, for benchmarks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lists: Option<Lists>,
}

/// One term of a hit's score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Signal {
    /// Name of the term.
    pub name: String,
    /// Value of the term for this hit.
    pub value: f32,
    /// Weight of the term.
    pub weight: f32,
    /// Product of weight and value.
    pub contribution: f32,
}

/// A record that the search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Hit {
    /// The record.
    pub record: Record,
    /// Index of the record's best-matching passage.
    pub part: u32,
    /// Score of the hit: the sum of all terms.
    pub score: f32,
    /// Relevance: the score, calibrated to 0…1.
    pub relevance: f32,
    /// Time of the hit: the newest time among the record and its folded near-duplicates.
    pub time: String,
    /// Ids of the near-duplicates that are folded under the record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<String>,
    /// All terms of the score, if `explain` is true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explanation: Vec<Signal>,
    /// True for a turn that waits for extraction (see `read_your_writes`). No other call accepts
    /// its id, and the extracted record replaces it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
}

/// Statistics of the ranking.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Statistics {
    /// Terms of the query that were used.
    pub terms: Vec<String>,
    /// Known names in the query.
    pub names: Vec<String>,
    /// Number of turns that the document frequencies refer to.
    pub turns: u32,
    /// Number of turns that contain each term.
    pub df: Vec<u32>,
    /// Number of candidates that were scored.
    pub candidates: usize,
    /// Number of passages in scope.
    pub passages_in_scope: u64,
    /// Time to compute the vector of the query, in microseconds.
    pub embed_us: u64,
    /// Time to find the candidates, in microseconds.
    pub candidates_us: u64,
    /// Time to rank and read the records, in microseconds.
    pub rank_us: u64,
}

/// The ranked list of hits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchAnswer {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Statistics of the ranking, if `explain` is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Statistics>,
    /// Degradations and warnings.
    #[serde(flatten)]
    pub notices: Notices,
}
