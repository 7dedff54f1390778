//! Operations memory: preferences of users, knowledge of services, and investigations.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The author of a statement in a save request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SreBy {
    /// An agent. Contacts in its statements are not active until a person confirms them, and the
    /// server rejects values that allow actions without approval.
    #[default]
    Agent,
    /// A person. The caller must administer the whole memory.
    Human,
}

/// A request to save records in operations memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreSave {
    /// Type of the records: `preferences`, `infrastructure` or `investigations`, or the singular
    /// form.
    pub memory_type: String,
    /// Id of the user, or for infrastructure the name of the agent that learned the knowledge.
    /// Default: the user of the request; for infrastructure, the caller if it is an agent of the
    /// memory, otherwise the supervisor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<String>,
    /// Id of the session in which the content was learned. Required for infrastructure and
    /// investigations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Content to save: an object that follows the rules of its type. For infrastructure, a text or
    /// a list of at most 100 objects or texts is also allowed.
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

/// The result of saving records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreSaved {
    /// True if the request stored at least one record.
    pub saved: bool,
    /// Id of the event that contains the data; absent if nothing was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// Id of the first record in `records`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// Action on the record. For several records it is the action that needs most attention, in
    /// this ascending order: `duplicate`, `added`, `superseded`, `conflict`,
    /// `pending_confirmation`, `rejected`.
    pub action: String,
    /// Reason for the action; absent if the action needs no explanation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Results for the single records: one for each key of the preferences, or for each item of the
    /// list.
    pub records: Vec<SreKept>,
    /// Kinds of secrets that were masked before anything was stored.
    pub masked: Vec<String>,
}

/// The result of saving one record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreKept {
    /// Id of the record; absent if it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// Key of the preference, or id of the incident.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Action on the record: `added`, `duplicate`, `superseded`, `conflict`, `pending_confirmation`
    /// or `rejected`.
    pub action: String,
    /// Reason for the action; absent if the action needs no explanation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The rule by which a retrieval matches namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SreMatch {
    /// Matching by whole segments: an actor includes all of its sessions, and `Al` does not match
    /// `Alice`.
    #[default]
    Subtree,
}

/// The records that a retrieval returns in addition to the current ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SreInclude {
    /// Current records. The retrieval always returns them, so this value changes nothing.
    Current,
    /// Records that newer ones replaced.
    Superseded,
}

/// A request to retrieve records from operations memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreRetrieve {
    /// Types of the records: `preferences`, `infrastructure` and `investigations`, or their
    /// singular forms; at least one.
    pub types: Vec<String>,
    /// Question that the records should answer. Time expressions in the question, such as
    /// "yesterday", restrict the time of the records. If the question is absent or empty, the
    /// newest records with the highest confidence come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Id of the user; for infrastructure, name of the agent. Default, also for `*`: all users and
    /// agents that the caller may read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Id of the session. Default: all sessions. Preferences have no session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Start of the time range, inclusive: RFC 3339, or a local date. The server never searches
    /// before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// End of the time range, exclusive: RFC 3339, or a local date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// IANA name of the time zone for dates and time expressions. Default: the time zone in the
    /// caller's preferences, otherwise UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tz: Option<String>,
    /// Names of services, at most 20. The retrieval returns only records about one of them.
    /// Default: all services.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service: Vec<String>,
    /// Names of environments, at most 20. The retrieval returns only records about one of them.
    /// Default: all environments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// Minimum confidence of a record after reduction by age, 0 to 1. It does not apply to
    /// preferences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<f64>,
    /// Maximum number of results for each type: 1 to 50 preferences (default 10), 1 to 100
    /// infrastructure records (default 50), 1 to 20 investigations (default 5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<u32>,
    /// Rule by which the retrieval matches namespaces. Default: `subtree`.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<SreMatch>,
    /// `superseded` to return also records that newer ones replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<SreInclude>,
    /// Point in time, RFC 3339. The retrieval returns the records that were active at this time.
    /// Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// True to explain in `warnings` how the server interpreted the question. Default: false.
    #[serde(default)]
    pub explain: bool,
}

/// The parts from which the score of a result is computed, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct SreScoreParts {
    /// Similarity to the question by words and meaning; its weight in the score is 0.6.
    pub similarity: f64,
    /// Share of the question's words that the record contains; for explanation only, without weight
    /// in the score.
    pub lexical: f64,
    /// Recency of the record, with a half-life of 14 days for baselines and 90 days for everything
    /// else; its weight in the score is 0.15.
    pub recency: f64,
    /// Confidence of the record after reduction by age; its weight in the score is 0.25.
    pub confidence: f64,
}

/// The provenance of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreProvenance {
    /// Id of the user whom the record belongs to; absent if it belongs to no user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Name of the agent that learned the content of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Id of the session in which the content was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Id of the incident in which the content was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incident_id: Option<String>,
    /// Ids of the events that the record was derived from.
    pub event_ids: Vec<String>,
    /// Tool calls that are evidence for the record.
    #[schema(value_type = Vec<Object>)]
    pub evidence: Vec<serde_json::Value>,
}

/// A result of a retrieval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreResult {
    /// Id of the record. For preferences, which are combined by type, the id of the newest record.
    pub record_id: String,
    /// `preferences`, `infrastructure` or `investigations`.
    pub memory_type: String,
    /// Content of the record.
    #[schema(value_type = Object)]
    pub content: serde_json::Value,
    /// Score of the result, 0 to 1. Within a type, results are sorted by descending score.
    pub score: f64,
    /// Parts of the score.
    pub score_parts: SreScoreParts,
    /// State of the record: `active`, `conflict` (it contradicts another record) or `superseded`.
    pub state: String,
    /// Source of the content: `human`, `declared` (by a file), `webhook`, `agent`, `extracted` or
    /// `imported`.
    pub source: String,
    /// Namespaces of the record.
    pub namespaces: Vec<String>,
    /// Time at which the record was stored.
    pub created_at: String,
    /// Time of the last change of the record.
    pub updated_at: String,
    /// Time at which the content was last observed or confirmed.
    pub observed_at: String,
    /// Whole days since `observed_at`.
    pub age_days: i64,
    /// True for a baseline that may be outdated, because its time window or more than half of its
    /// lifetime has passed.
    pub stale: bool,
    /// Provenance of the record.
    pub provenance: SreProvenance,
}

/// The time range that a retrieval used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreTimeFilter {
    /// Start of the range, inclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// End of the range, exclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Time expression in the question from which the server derived the range; absent if the
    /// request specified the range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phrase: Option<String>,
    /// Source of the range: `argument` (`since` and `until`) or `query` (a time expression in the
    /// question).
    pub source: String,
    /// True if no record matched the time expression, so that the results are from any time.
    pub relaxed: bool,
}

/// A record that the server could not read or process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreSkipped {
    /// Id of the record.
    pub record_id: String,
    /// Reason for which the record was skipped.
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
    /// True if a part of memory could not be searched. `warnings` names the part.
    pub degraded: bool,
    /// Warnings about the retrieval.
    pub warnings: Vec<String>,
}

/// A request for the history of a service.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreHistoryAsk {
    /// Name of the service, as in the saved knowledge.
    pub service: String,
    /// Kind of the knowledge: `dependency`, `pattern`, `config` or `baseline`. Default: all kinds.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub knowledge_type: Option<String>,
    /// Name of the metric, the setting or the dependency target. Default: all names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Name of the environment, such as `prod` or `prod/cluster`. Default: all environments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

/// One version of the knowledge of a service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreVersion {
    /// Id of the record.
    pub record_id: String,
    /// State of the version: `active`, `superseded` or `expired`.
    pub state: String,
    /// Content of the version.
    #[schema(value_type = Object)]
    pub content: serde_json::Value,
    /// Time from which the version was valid.
    pub valid_from: String,
    /// Time until which the version was valid, exclusive; absent if it is still valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// Id of the record that replaced this version; absent if it was not replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Keys of the knowledge, such as settings, for which this version is the newest.
    pub keys: Vec<String>,
    /// Keys of the knowledge for which a newer version exists.
    pub superseded_keys: Vec<String>,
    /// Source of the version: `human`, `declared` (by a file), `webhook`, `agent`, `extracted` or
    /// `imported`.
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
    /// True if the response does not contain all versions.
    pub degraded: bool,
    /// Warnings about the history.
    pub warnings: Vec<String>,
}
