//! Operations memory: preferences of users, knowledge of services, and investigations.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The author of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SreBy {
    /// An agent. Contacts wait for confirmation by a person, and the server rejects values that
    /// allow actions without approval.
    #[default]
    Agent,
    /// A person who administers the whole memory.
    Human,
}

/// A request to save records in operations memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreSave {
    /// `preferences`, `infrastructure` or `investigations`, or the singular form.
    pub memory_type: String,
    /// Id of the user, or name of the agent that learned it. Default: the user of the request; for
    /// infrastructure, the caller if it is an agent of the memory, otherwise the supervisor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<String>,
    /// Id of the session. Required for infrastructure and investigations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Content: an object that follows the rules of its type. Infrastructure may also be a text, or
    /// a list of at most 100 items.
    #[schema(value_type = Object)]
    pub data: serde_json::Value,
    /// Author of the statement. Default: `agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<SreBy>,
    /// `team`, or `private` to restrict the records to the caller. Default: `team`. Preferences
    /// always belong to their user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// The result of a save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreSaved {
    /// True if something was stored.
    pub saved: bool,
    /// Id of the event that contains the data; absent if nothing was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// Id of the first record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// Action on the record; for several records, the action that needs most attention. In
    /// ascending order: `duplicate`, `added`, `superseded`, `conflict`, `pending_confirmation`,
    /// `rejected`.
    pub action: String,
    /// Reason, if the action needs an explanation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Results by record. Preferences have one record for each key, a list has one for each item.
    pub records: Vec<SreKept>,
    /// Kinds of secrets that were masked before anything was stored.
    pub masked: Vec<String>,
}

/// The result for one record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreKept {
    /// Id of the record; absent if it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// Key of the preference, or id of the incident.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Action on the record.
    pub action: String,
    /// Reason, if the action needs an explanation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Matching of namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SreMatch {
    /// Matching by whole segments: an actor includes all of its sessions, and `Al` does not match
    /// `Alice`.
    #[default]
    Subtree,
}

/// Records that a retrieval includes in addition to the current ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SreInclude {
    /// Current records. The retrieval always returns them.
    Current,
    /// Records that newer ones replaced.
    Superseded,
}

/// A retrieval from operations memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreRetrieve {
    /// `preferences`, `infrastructure` and `investigations`, or their singular forms; at least one.
    pub types: Vec<String>,
    /// Question. Time expressions in it, such as "yesterday", restrict the time. If absent or
    /// empty, the newest records with the highest confidence come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Id of the user; for infrastructure, name of the agent. Default, also for `*`: all that the
    /// caller may read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Id of the session. Default: all sessions. Preferences have no session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Start of the time range, inclusive: RFC 3339, or a local date. The server never relaxes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// End of the time range, exclusive: RFC 3339, or a local date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// IANA name of the time zone for dates and time expressions. Default: the caller's preference,
    /// otherwise UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tz: Option<String>,
    /// Services, at most 20. The retrieval returns only records of one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service: Vec<String>,
    /// Environments, at most 20. The retrieval returns only records of one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// Minimum effective confidence, 0 to 1. It does not apply to preferences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<f64>,
    /// Maximum number of results of each type: 1 to 50 preferences (default 10), 1 to 100
    /// infrastructure records (default 50), 1 to 20 investigations (default 5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<u32>,
    /// Matching of namespaces. Default: `subtree`.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<SreMatch>,
    /// `superseded` to include records that newer ones replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<SreInclude>,
    /// Point in time, RFC 3339. The retrieval returns the records that were active then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// True to explain the interpretation of the question in `warnings`. Default: false.
    #[serde(default)]
    pub explain: bool,
}

/// The parts of a score, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct SreScoreParts {
    /// Similarity to the question by words and meaning; 0.6 of the score.
    pub similarity: f64,
    /// Share of the question's words that the text contains; for explanation only.
    pub lexical: f64,
    /// Recency, with a half-life of 14 days for baselines and 90 days for everything else; 0.15 of
    /// the score.
    pub recency: f64,
    /// Effective confidence; 0.25 of the score.
    pub confidence: f64,
}

/// The provenance of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreProvenance {
    /// Id of the user, if the record belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Name of the agent that learned it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Id of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Id of the incident.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incident_id: Option<String>,
    /// Ids of the source events.
    pub event_ids: Vec<String>,
    /// Tool calls that are evidence for the record.
    #[schema(value_type = Vec<Object>)]
    pub evidence: Vec<serde_json::Value>,
}

/// A result of a retrieval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreResult {
    /// Id of the record. For a type of preferences, it is the newest record.
    pub record_id: String,
    /// `preferences`, `infrastructure` or `investigations`.
    pub memory_type: String,
    /// Content of the record.
    #[schema(value_type = Object)]
    pub content: serde_json::Value,
    /// Score, 0 to 1. Scores never increase within the list of a type.
    pub score: f64,
    /// Parts of the score.
    pub score_parts: SreScoreParts,
    /// State: `active`, `conflict` or `superseded`.
    pub state: String,
    /// Source: `human`, `declared`, `webhook`, `agent`, `extracted` or `imported`.
    pub source: String,
    /// Namespaces of the record.
    pub namespaces: Vec<String>,
    /// Time at which the record was stored.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Time of the last observation or confirmation.
    pub observed_at: String,
    /// Age in whole days since `observed_at`.
    pub age_days: i64,
    /// True for a baseline that may be outdated: its window has passed, or more than half of its
    /// lifetime.
    pub stale: bool,
    /// Provenance of the record.
    pub provenance: SreProvenance,
}

/// The time range of a retrieval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreTimeFilter {
    /// Start of the range, inclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// End of the range, exclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Time expression in the question that the range comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phrase: Option<String>,
    /// Source of the range: `argument` or `query`.
    pub source: String,
    /// True if nothing matched the time expression, so that the results are from any time.
    pub relaxed: bool,
}

/// A record that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreSkipped {
    /// Id of the record.
    pub record_id: String,
    /// Reason that it could not be read.
    pub reason: String,
}

/// The response of a retrieval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreRetrieved {
    /// Results in the order of the types, and best first within a type. Contradicting results are
    /// adjacent.
    pub results: Vec<SreResult>,
    /// Time range of the retrieval; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_filter: Option<SreTimeFilter>,
    /// Records that could not be read.
    pub skipped: Vec<SreSkipped>,
    /// True if a part of the retrieval did not contribute. `warnings` names the part.
    pub degraded: bool,
    /// Warnings about the retrieval.
    pub warnings: Vec<String>,
}

/// A request for the history of a service.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreHistoryAsk {
    /// Name of the service, as saved.
    pub service: String,
    /// `dependency`, `pattern`, `config` or `baseline`. Default: all.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub knowledge_type: Option<String>,
    /// Name of a metric, a setting or a target. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Environment, such as `prod` or `prod/cluster`. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

/// One version of the knowledge of a service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreVersion {
    /// Id of the record.
    pub record_id: String,
    /// State: `active`, `superseded` or `expired`.
    pub state: String,
    /// Content of the version.
    #[schema(value_type = Object)]
    pub content: serde_json::Value,
    /// Start of the time at which the version was valid.
    pub valid_from: String,
    /// End of the time at which the version was valid, exclusive; absent if it is still valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// Id of the record that replaced this version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Current keys of the version.
    pub keys: Vec<String>,
    /// Keys for which newer knowledge exists.
    pub superseded_keys: Vec<String>,
    /// Source: `human`, `declared`, `webhook`, `agent`, `extracted` or `imported`.
    pub source: String,
    /// Provenance of the version.
    pub provenance: SreProvenance,
}

/// All versions of the knowledge of a service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreHistory {
    /// Versions, ordered by the start of their validity, oldest first.
    pub versions: Vec<SreVersion>,
    /// Records that could not be read.
    pub skipped: Vec<SreSkipped>,
    /// True if there are more versions than the response contains.
    pub degraded: bool,
    /// Warnings about the history.
    pub warnings: Vec<String>,
}
