//! Investigations of operations agents: start, responses of their agents, completion and outcome.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A request to start an investigation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvestigationStart {
    /// Id or name of the memory. Default: the only memory in the caller's grants, otherwise
    /// `sre_agent_memory`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Id of the user. Default: the user of the header `X-Loci-User`, otherwise the caller. A key
    /// with the capability `impersonate` must specify a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Id of the incident. Default: a generated id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incident_id: Option<String>,
    /// Question of the investigation.
    pub query: String,
    /// Id of the session. Default, also for an empty text: a generated id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Prefix of a generated session id: `interactive` or `prompt`. Default: `interactive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Services that the investigation is about. Knowledge of these services comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<String>,
    /// Environment that the investigation is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// `team`, or `private` to restrict the investigation and its findings to the user. Default:
    /// `team`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// IANA name of the time zone for time expressions in the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tz: Option<String>,
    /// Alert, with its `fingerprint` and `starts_at` if it has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub alert: Option<Map<String, Value>>,
    /// Token budget of the block. Default: the configured budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
    /// Token estimator: `mixed`, `chars4` or `bytes3`. Default: `mixed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimator: Option<String>,
    /// Maximum reading time in milliseconds, 1 to 30000. Default: 3000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// `text`, or `none` for a response without the block. Default: `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub render: Option<String>,
}

/// An investigation that was started or joined, with its context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationStarted {
    /// Id of the incident.
    pub incident_id: String,
    /// Id of the session.
    pub session_id: String,
    /// True if the request joined an open investigation of the same alert.
    pub joined: bool,
    /// Scope of this investigation, and of the past investigations in its context; absent if the
    /// server was not reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<InvestigationVisibility>,
    /// Context of the investigation. All parts are present, even if they are empty.
    pub context: InvestigationContext,
    /// Recurrence of the alert; absent if the alert has no fingerprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<Recurrence>,
    /// Block for the prompt, to be placed between the question and the planning instructions. Empty
    /// if nothing is known.
    pub rendered: String,
    /// Token budget of the block.
    pub budget: ContextBudget,
    /// Status of reading each part: `ok`, `timeout` or `error`.
    pub status: BTreeMap<String, String>,
    /// Id of the recorded exposure; absent if it could not be written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure_id: Option<String>,
    /// True if the response is degraded.
    pub degraded: bool,
    /// Warnings about the response.
    pub warnings: Vec<String>,
}

/// The scope of an investigation and of the past investigations in its context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationVisibility {
    /// `team`: readable for everyone who may read the memory. `private`: readable for its user and
    /// administrators. The member `scope` of the start request sets it.
    pub investigation: String,
    /// `team`: past investigations of everyone, as far as the caller may read them. `user`: only
    /// the user's own. The memory setting `past_investigations_scope` sets it.
    pub past_investigations: String,
}

/// The context of an investigation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationContext {
    /// Preferences of the user, by type.
    pub user_preferences: Vec<ContextPreference>,
    /// Knowledge of services by agent, best first. Every configured agent is present.
    pub infrastructure_by_agent: BTreeMap<String, Vec<ContextItem>>,
    /// Past investigations.
    pub past_investigations: Vec<ContextItem>,
}

/// Preferences of a user of one type: the active values and the values that wait for a person, by
/// key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContextPreference {
    /// Type of the preferences.
    pub preference_type: String,
    /// Active values, by key.
    #[schema(value_type = Object)]
    pub preference_value: Map<String, Value>,
    /// Contacts that wait for confirmation by a person, by key. They are not active.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub waiting: Map<String, Value>,
}

/// A record of the context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContextItem {
    /// Id of the record.
    pub record_id: String,
    /// Content of the record.
    #[schema(value_type = Object)]
    pub content: Value,
    /// Score, 0 to 1.
    pub score: f64,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// Age in whole days since the last observation or confirmation.
    pub age_days: i64,
    /// True if the content may be outdated.
    pub stale: bool,
    /// True if the record contradicts another one.
    pub conflict: bool,
}

/// The recurrence of an alert, including this occurrence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Recurrence {
    /// Number of occurrences in the last 30 days.
    pub count_30d: u64,
    /// Number of occurrences in the last 365 days. It is a lower bound, limited by the retention of
    /// investigations.
    pub count_365d: u64,
    /// Previous occurrences, newest first.
    pub last: Vec<SeenBefore>,
}

/// A previous investigation of the same alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeenBefore {
    /// Id of the incident.
    pub incident_id: String,
    /// Start time of the investigation.
    pub at: String,
    /// Status of the investigation.
    pub status: String,
    /// Root cause; absent if it is unknown or was refuted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
}

/// Token budget and token usage of a block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextBudget {
    /// Maximum number of tokens.
    pub limit: u32,
    /// Number of tokens used.
    pub used: u32,
    /// Token estimator.
    pub estimator: String,
    /// Number of tokens by section.
    pub by_section: BTreeMap<String, u32>,
    /// Records that the block omits.
    pub dropped: Vec<ContextDropped>,
}

/// A record that the block omits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextDropped {
    /// Id of the record.
    pub record_id: String,
    /// Reason: `budget` or `suspicious`.
    pub reason: String,
}

/// A response of a worker agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentResponse {
    /// Id or name of the memory. Default: as for the start of the investigation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Id of the session. Default: the caller's own investigation of the incident, otherwise the
    /// latest one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Name of the agent.
    pub agent: String,
    /// Text of the response, 1 to 100000 characters.
    pub text: String,
    /// Tool calls of the agent, as objects `{id, name, args_hash, output_ref, output}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub tool_calls: Vec<Value>,
    /// Time of the response, RFC 3339. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// A stored response. A job reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentResponseTaken {
    /// Id of the job.
    pub job_id: String,
}

/// A request for the result of reading an agent's response.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentResponseWait {
    /// Id or name of the memory. Default: as for the start of the investigation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Maximum waiting time for the result in milliseconds, 0 to 30000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// The result of reading an agent's response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentResponseRead {
    /// State of the job: `pending`, `running`, `waiting` (for the caller's own model), `failed` or
    /// `done`.
    pub state: String,
    /// Knowledge that was saved so far. Knowledge from the prose comes last.
    pub saved: Vec<CapturedRecord>,
    /// Items that were not saved.
    pub rejected: Vec<CapturedRefusal>,
    /// Records that a person must confirm.
    pub pending: Vec<CapturedRecord>,
    /// Reason for the failure of the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// A record that was derived from a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapturedRecord {
    /// Id of the record.
    pub record_id: String,
    /// Action on the record, as in the response of `save`.
    pub action: String,
}

/// An item of a response that was not saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapturedRefusal {
    /// Index of the item among the items of all blocks, starting at 0; absent if the text is not an
    /// item of a block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Reason for the rejection.
    pub reason: String,
}

/// The complete result of an agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentResult {
    /// Text of the result.
    pub text: String,
    /// Tool calls of the agent. Evidence refers to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub tool_calls: Vec<Value>,
}

/// A request to complete an investigation, or to report its current status.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InvestigationComplete {
    /// Id or name of the memory. Default: as for the start of the investigation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Id of the session. Default: the caller's own investigation of the incident, otherwise the
    /// latest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Question of the investigation. Default: the question of the start request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Final answer. The server extracts findings and actions from it if the request has none, and
    /// preferences of the user that it repeats. The server does not store it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_response: Option<String>,
    /// Results by agent.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agent_results: BTreeMap<String, AgentResult>,
    /// Status as reported by the caller: `completed`, `ongoing` or `escalated`. Default: `ongoing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Root cause of the incident.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// Actions: texts, or objects `{at, what, by, result}`. Default: the actions that the results
    /// state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub actions: Vec<Value>,
    /// Findings: texts, or objects `{text, category, evidence}`. Default: the findings that the
    /// final answer states.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub findings: Option<Vec<Value>>,
    /// Timeline of the incident: objects `{time, event, by}`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub timeline: Vec<Value>,
    /// Services that the investigation is about. Default: the services of the start request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<String>,
    /// `executed`, or `awaiting_approval` to save nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_state: Option<String>,
    /// Ids of the records that helped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_record_ids: Vec<String>,
    /// Ids of the records that misled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub harmful_record_ids: Vec<String>,
}

/// The result of completing an investigation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationCompleted {
    /// True if something was stored.
    pub saved: bool,
    /// Reason that the investigation was not stored: `awaiting_approval`, or the feature that is
    /// switched off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Id of the investigation's record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_id: Option<String>,
    /// Action on that record, as in the response of `save`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Status of the investigation.
    pub status: String,
    /// Source of the status: `caller`, `webhook` or `default`.
    pub status_source: String,
    /// Knowledge of services that the agents reported.
    pub infrastructure: Vec<CapturedRecord>,
    /// Preferences of the user that the final answer repeats, and contacts that a person must
    /// confirm.
    pub preferences: Vec<CapturedRecord>,
    /// Items that were not saved.
    pub rejected: Vec<CapturedRefusal>,
    /// Status that a model suggests. Always null, because no model suggests one yet.
    pub suggested_status: Option<String>,
    /// Warnings about the request.
    pub warnings: Vec<String>,
}

/// A turn of the conversation in an investigation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvestigationMessages {
    /// Id or name of the memory. Default: as for the start of the investigation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Id of the session. Default: the caller's own investigation of the incident, otherwise the
    /// latest one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Messages in order, at most 100. An empty list is valid.
    pub messages: Vec<InvestigationMessage>,
    /// Maximum number of displayed characters per message, 1000 to 10000. Default: 9000. For tools
    /// it is always 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chars_max: Option<u64>,
}

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvestigationMessage {
    /// Role: `USER`, `ASSISTANT` or `TOOL`.
    pub role: String,
    /// Name of the agent that sent the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Name of the tool that produced the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Text of the message.
    pub text: String,
    /// Time of the message, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// A stored turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationMessagesKept {
    /// True if the turn is stored, or if there was nothing to store.
    pub saved: bool,
    /// Ids of the events that contain the complete messages.
    pub events: Vec<String>,
    /// Messages in their displayed form.
    pub messages: Vec<InvestigationMessageShown>,
    /// Preferences that the user states in the messages, each with its action as in the response of
    /// `save`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preferences: Vec<CapturedRecord>,
    /// Preferences that were not saved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<CapturedRefusal>,
}

/// A message in its displayed form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationMessageShown {
    /// Role of the speaker.
    pub role: String,
    /// Text with its prefix, truncated if it is too long.
    pub text: String,
    /// True if the text is truncated.
    pub truncated: bool,
    /// Reference to the complete message: the event id, `#`, and the index in the event. Reading
    /// the event requires its actor and session.
    pub original_ref: String,
}

/// The outcome of an investigation, as reported by a person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InvestigationOutcome {
    /// Id or name of the memory. Default: as for the start of the investigation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Id of the session. Default: the caller's own investigation of the incident, otherwise the
    /// latest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Time of the resolution, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
    /// True if the root cause was right, false if it was wrong; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause_confirmed: Option<bool>,
    /// Root cause as known now, at most 10,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// URL of the postmortem, at most 2,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postmortem_url: Option<String>,
    /// Fix that resolved the incident, at most 10,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Ids of the records that helped, at most 200.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub useful_record_ids: Vec<String>,
    /// Ids of the records that were wrong, at most 200.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wrong_record_ids: Vec<String>,
}

/// The effects of reporting an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationOutcomeTold {
    /// Effects on records: the investigation first, then the records that it refers to.
    pub updated: Vec<OutcomeEffect>,
}

/// The effect of an outcome on a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OutcomeEffect {
    /// Id of the record.
    pub record_id: String,
    /// `confirmed`, `refuted`, `recorded`, `quarantined` or `not_found`.
    pub effect: String,
}

/// A request for statistics of investigations.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SreStatsAsk {
    /// Id or name of the memory. Default: as for the start of an investigation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Name of a service. The statistics cover only its investigations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Earliest start time of an investigation, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// Statistics of investigations. Resolution times are in seconds, from the start of an
/// investigation to its resolution.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct SreStats {
    /// Number of investigations.
    pub investigations: u64,
    /// Number of investigations by status.
    pub by_status: BTreeMap<String, u64>,
    /// Number of investigations with a known time of resolution.
    pub resolved: u64,
    /// Median resolution time in seconds. For an even count, it is the mean of the two middle
    /// values.
    pub mttr_median_s: Option<f64>,
    /// 90th percentile of the resolution time in seconds, by nearest rank.
    pub mttr_p90_s: Option<f64>,
    /// Number of investigations whose outcome states if the root cause was right.
    pub judged: u64,
    /// Share of confirmed root causes among the judged investigations, 0 to 1.
    pub confirmed_share: Option<f64>,
    /// Alerts that occurred more than once, most frequent first; at most 50.
    pub recurrence: Vec<AlertRecurrence>,
    /// Median resolution time in seconds of the investigations that received context from memory.
    pub mttr_with_memory_s: Option<f64>,
    /// Median resolution time in seconds of the other investigations.
    pub mttr_without_memory_s: Option<f64>,
    /// True if not all investigations are counted.
    pub degraded: bool,
    /// Warnings about the statistics.
    pub warnings: Vec<String>,
}

/// The recurrence of an alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AlertRecurrence {
    /// Fingerprint of the alert.
    pub fingerprint: String,
    /// Number of incidents of the alert.
    pub count: u64,
}

/// A request for investigations without an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PendingOutcomesAsk {
    /// Id or name of the memory. Default: as for the start of an investigation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
}

/// Investigations that are not ongoing and have had no outcome for at least 14 days, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PendingOutcomes {
    /// The investigations.
    pub investigations: Vec<PendingOutcome>,
    /// True if not all investigations were examined.
    pub degraded: bool,
    /// Warnings about the list.
    pub warnings: Vec<String>,
}

/// An investigation without an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PendingOutcome {
    /// Id of the incident.
    pub incident_id: String,
    /// Id of the session.
    pub session_id: String,
    /// Id of the user.
    pub user_id: String,
    /// Question of the investigation.
    pub query: String,
    /// Status of the investigation.
    pub status: String,
    /// Start time of the investigation.
    pub started_at: String,
}

/// A part of the prompt for the worker agents of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentPrompt {
    /// Name of the profile.
    pub profile: String,
    /// Text to add to the prompt.
    pub prompt: String,
}
