//! `POST /v1/search`: a question, where to look, and the ranked answer with its reasons.

pub use loci_model::ports::search::ListLengths as Lists;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Notices;
use crate::record::{MetadataFilter, Record};

/// A question and where to look.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Id or name of the memory.
    pub memory: String,
    /// The question.
    pub query: String,
    /// Nodes, each read as the memory's setting `namespace_match` says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// Nodes with everything beneath them. Where both are absent: all that the caller may see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespace_paths: Vec<String>,
    /// Only of this strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Conditions, all of which must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metadata: Vec<MetadataFilter>,
    /// Kinds; none means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// States; none means active.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<String>,
    /// What was true and known then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// 1 to 100; 10 where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<u32>,
    /// Near-duplicates fold under the best of them; true where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold: Option<bool>,
    /// Texts of all hits together hold at most so many tokens (estimate).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
    /// Only hits of at least this relevance, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance_min: Option<f32>,
    /// Turns that wait for extraction are found as provisional records; true where it is absent. With false only stored
    /// records are searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_your_writes: Option<bool>,
    /// Documents below `knowledge/system/` are found, too; clients that load them with every prompt
    /// need them not twice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub include_system: bool,
    /// The terms of each hit's sum, and statistics.
    #[serde(default)]
    pub explain: bool,
    /// Candidates per list, for benchmarks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lists: Option<Lists>,
}

/// One term of the sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// Its value for this hit.
    pub value: f32,
    /// Its weight.
    pub weight: f32,
    /// Weight times value.
    pub contribution: f32,
}

/// One record found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
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
    pub time: String,
    /// Near-duplicates folded under it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<String>,
    /// Every term of the sum, where asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explanation: Vec<Signal>,
    /// A turn that waits for extraction (`read_your_writes`): no other call knows its id, and the extracted record
    /// takes its place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
}

/// What the ranking used.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Statistics {
    /// Terms of the question that were used.
    pub terms: Vec<String>,
    /// Known names in the question.
    pub names: Vec<String>,
    /// Turns counted.
    pub turns: u32,
    /// Turns per term.
    pub df: Vec<u32>,
    /// Candidates scored.
    pub candidates: usize,
    /// Passages in scope.
    pub passages_in_scope: u64,
    /// Microseconds for the vector of the question.
    pub embed_us: u64,
    /// Microseconds for the candidates.
    pub candidates_us: u64,
    /// Microseconds for ranking and reading the records.
    pub rank_us: u64,
}

/// The ranked list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchAnswer {
    /// Best first.
    pub hits: Vec<Hit>,
    /// What the ranking used, where asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Statistics>,
    /// What to know about it.
    #[serde(flatten)]
    pub notices: Notices,
}
