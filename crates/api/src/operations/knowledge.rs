//! What operations agents remember: preferences of users, what is known of services, investigations.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SreBy {
    /// An agent: contacts wait for a person, and what lets things happen without asking is refused.
    #[default]
    Agent,
    /// A person who administers the whole memory.
    Human,
}

/// Something to be remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreSave {
    /// `preferences`, `infrastructure` or `investigations`; the singular does, too.
    pub memory_type: String,
    /// The user, or the agent that learned it; absent: the request's user, or the supervisor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<String>,
    /// The session; infrastructure and investigations need one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What is said: an object by its type's rules. Infrastructure may also be a text, or a list of up to 100.
    #[schema(value_type = Object)]
    pub data: serde_json::Value,
    /// Who says it; absent: an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<SreBy>,
    /// `team`, or `private`: it is kept to the caller. Absent: `team`; preferences are their user's either way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreSaved {
    /// Something of it is stored.
    pub saved: bool,
    /// The event that holds what was said; absent where nothing is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// The first of its records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// What became of it; of several, what needs most attention: `duplicate`, `added`, `superseded`, `conflict`, `pending_confirmation`,
    /// `rejected`, in that order.
    pub action: String,
    /// Why, where that is not plain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Each record: a preference has one for each key, a list one for each item.
    pub records: Vec<SreKept>,
    /// Kinds of secrets that were masked before anything was stored.
    pub masked: Vec<String>,
}

/// What became of one record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreKept {
    /// The record; absent where it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// The key of a preference, or the incident.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What became of it.
    pub action: String,
    /// Why, where that is not plain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How names of places are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SreMatch {
    /// By whole segments: an actor's sessions are all beneath it, and `Al` is not `Alice`.
    #[default]
    Subtree,
}

/// What is shown beside what is current.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SreInclude {
    /// What is current; always shown.
    Current,
    /// What gave way to something newer.
    Superseded,
}

/// What is asked of an operations agent's memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreRetrieve {
    /// `preferences`, `infrastructure`, `investigations`, or their singulars; at least one.
    pub types: Vec<String>,
    /// The question; absent or empty: what is newest and surest. Words like "yesterday" in it are read as a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The user, or for infrastructure the agent; absent or `*`: every one that the caller may read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// One session; absent: all of them. Preferences have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// From then on: RFC 3339, or a local date. It is never relaxed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Until just before then: RFC 3339, or a local date, which is out itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The time zone of dates and of words like "yesterday", by its IANA name; absent: the caller's preference, else UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tz: Option<String>,
    /// Only of one of these services; at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service: Vec<String>,
    /// Only of one of these environments; at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// Least effective confidence, 0 to 1; preferences are not asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<f64>,
    /// At most so many results of each type: 1 to 50 preferences (absent: 10), 100 infrastructure (50), 20 investigations (5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<u32>,
    /// How names of places are matched; absent: `subtree`.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<SreMatch>,
    /// `superseded` adds what gave way to something newer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<SreInclude>,
    /// What was in force then, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// `warnings` says how the question was read.
    #[serde(default)]
    pub explain: bool,
}

/// What a score is made of; each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct SreScoreParts {
    /// Likeness to the question, by words and meaning; 0.6 of the score.
    pub similarity: f64,
    /// The share of the question's words that the text has; for explanation.
    pub lexical: f64,
    /// Freshness: half after 14 days for baselines, after 90 for all else; 0.15 of the score.
    pub recency: f64,
    /// Effective confidence; 0.25 of the score.
    pub confidence: f64,
}

/// Who said something, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreProvenance {
    /// The user, where it is a user's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The agent that learned it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The incident.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incident_id: Option<String>,
    /// The events that say so.
    pub event_ids: Vec<String>,
    /// Calls of tools that show it.
    #[schema(value_type = Vec<Object>)]
    pub evidence: Vec<serde_json::Value>,
}

/// Something found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreResult {
    /// Its record; of a type of preferences the newest one.
    pub record_id: String,
    /// `preferences`, `infrastructure` or `investigations`.
    pub memory_type: String,
    /// What is remembered.
    #[schema(value_type = Object)]
    pub content: serde_json::Value,
    /// 0 to 1; never rises along the list of a type.
    pub score: f64,
    /// What the score is made of.
    pub score_parts: SreScoreParts,
    /// `active`, `conflict` or `superseded`.
    pub state: String,
    /// `human`, `declared`, `webhook`, `agent`, `extracted` or `imported`.
    pub source: String,
    /// Where it lies.
    pub namespaces: Vec<String>,
    /// When it was stored.
    pub created_at: String,
    /// When it was changed last.
    pub updated_at: String,
    /// When it was observed, or confirmed last.
    pub observed_at: String,
    /// Whole days since then.
    pub age_days: i64,
    /// A baseline that may not hold any more: past its window, or older than half its time.
    pub stale: bool,
    /// Who said it, and where.
    pub provenance: SreProvenance,
}

/// The time that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreTimeFilter {
    /// From then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Until just before then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The words of the question that say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phrase: Option<String>,
    /// `argument` or `query`.
    pub source: String,
    /// Nothing was found of the phrase, and the results are of any time.
    pub relaxed: bool,
}

/// A record that nobody could read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreSkipped {
    /// The record.
    pub record_id: String,
    /// Why.
    pub reason: String,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreRetrieved {
    /// In the order of the types; of each the best first. What contradicts each other comes together.
    pub results: Vec<SreResult>,
    /// The time that was asked for; absent where none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_filter: Option<SreTimeFilter>,
    /// Records that nobody could read.
    pub skipped: Vec<SreSkipped>,
    /// Something that should have taken part did not: `warnings` says what.
    pub degraded: bool,
    /// What else to know.
    pub warnings: Vec<String>,
}

/// Which history is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreHistoryAsk {
    /// The service, as it was saved.
    pub service: String,
    /// `dependency`, `pattern`, `config` or `baseline`; absent: all.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub knowledge_type: Option<String>,
    /// One metric, setting or target; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// One environment, as `prod` or `prod/cluster`; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

/// One version of what is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreVersion {
    /// Its record.
    pub record_id: String,
    /// `active`, `superseded` or `expired`.
    pub state: String,
    /// What it says.
    #[schema(value_type = Object)]
    pub content: serde_json::Value,
    /// It held from then on.
    pub valid_from: String,
    /// It held until just before then; absent: it still does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// What took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Keys that it is about and that are current.
    pub keys: Vec<String>,
    /// Keys of which something newer is known.
    pub superseded_keys: Vec<String>,
    /// Who said it: `human`, `declared`, `webhook`, `agent`, `extracted` or `imported`.
    pub source: String,
    /// Who said it, and where.
    pub provenance: SreProvenance,
}

/// Every version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreHistory {
    /// By when they began to hold, oldest first.
    pub versions: Vec<SreVersion>,
    /// Records that nobody could read.
    pub skipped: Vec<SreSkipped>,
    /// There are more than are shown.
    pub degraded: bool,
    /// What else to know.
    pub warnings: Vec<String>,
}
