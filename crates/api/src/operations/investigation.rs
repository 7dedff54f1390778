//! Investigations of operations agents: start, responses of their agents, completion and outcome.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A request to start an investigation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvestigationStart {
    /// Id or name of the memory. Default: the only memory in the caller's grants; if there are
    /// several, `sre_agent_memory`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Id of the user for whom the agents work. Default: the user in the header `X-Loci-User`,
    /// otherwise the caller. A key with the capability `impersonate` must specify a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Id of the incident. Default: a generated id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incident_id: Option<String>,
    /// Question that the agents investigate.
    pub query: String,
    /// Id of the session. Default, also for an empty text: a generated id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Prefix of a generated session id: `interactive` or `prompt`. Default: `interactive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Names of the services that the investigation is about. Knowledge of these services comes
    /// first in the context.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<String>,
    /// Name of the environment that the investigation is about, such as `prod`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// `team`, or `private` to restrict the investigation and its findings to the user. Default:
    /// `team`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// IANA name of the time zone for time expressions in `query`, such as `Europe/Vienna`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tz: Option<String>,
    /// Alert that caused the investigation, with its `fingerprint` and `starts_at` if it has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub alert: Option<Map<String, Value>>,
    /// Maximum number of tokens of the text in `rendered`. Default: the configured budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
    /// Token estimator: `mixed`, `chars4` or `bytes3`. Default: `mixed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimator: Option<String>,
    /// Maximum time for reading memory, in milliseconds, 1 to 30000. Default: 3000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// `text` to return a text for the prompt in `rendered`, or `none` to omit it. Default: `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub render: Option<String>,
}

/// An investigation that the request started or joined, with its context from memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationStarted {
    /// Id of the incident, which names the investigation.
    pub incident_id: String,
    /// Id of the session.
    pub session_id: String,
    /// True if the request joined an open investigation of the same alert.
    pub joined: bool,
    /// Readers of the investigation, and readers of the past investigations in its context; absent
    /// if the client could not reach the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<InvestigationVisibility>,
    /// Content of memory for the investigation. All parts are present, even if they are empty.
    pub context: InvestigationContext,
    /// Earlier occurrences of the alert; absent if the alert has no fingerprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<Recurrence>,
    /// Text for the prompt, to be placed between the question and the planning instructions. Empty
    /// if memory contains nothing about the question.
    pub rendered: String,
    /// Token budget and token usage of the text in `rendered`.
    pub budget: ContextBudget,
    /// Status of reading each part of the context, by name of the part: `ok`, `timeout` or `error`.
    pub status: BTreeMap<String, String>,
    /// Id of the exposure, the stored list of the returned records; absent if it could not be
    /// written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure_id: Option<String>,
    /// True if a part of the context could not be read, or not in time.
    pub degraded: bool,
    /// Warnings about missing parts of the context.
    pub warnings: Vec<String>,
}

/// The readers of an investigation, and of the past investigations in its context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationVisibility {
    /// `team`: readable for everyone who may read the memory. `private`: readable for its user and
    /// administrators. The member `scope` of the start request sets it.
    pub investigation: String,
    /// `team`: past investigations of everyone, as far as the caller may read them. `user`: only
    /// the user's own. The memory setting `past_investigations_scope` sets it.
    pub past_investigations: String,
}

/// The content of memory that an investigation receives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationContext {
    /// Preferences of the user, one entry for each type.
    pub user_preferences: Vec<ContextPreference>,
    /// Knowledge of services by the agent that learned it, best first. Every configured agent has
    /// an entry.
    pub infrastructure_by_agent: BTreeMap<String, Vec<ContextItem>>,
    /// Investigations of earlier incidents that resemble this one, best first.
    pub past_investigations: Vec<ContextItem>,
}

/// The preferences of a user that have one type: the active values, and the values that wait for a
/// person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContextPreference {
    /// Type of the preferences.
    pub preference_type: String,
    /// Active values, by key of the preference.
    #[schema(value_type = Object)]
    pub preference_value: Map<String, Value>,
    /// Contacts that are not active until a person confirms them, by key of the preference.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub waiting: Map<String, Value>,
}

/// A record in the context of an investigation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContextItem {
    /// Id of the record.
    pub record_id: String,
    /// Content of the record, as it was saved.
    #[schema(value_type = Object)]
    pub content: Value,
    /// Score of the record for the question, 0 to 1.
    pub score: f64,
    /// Confidence that the content is right, 0 to 1, reduced by age.
    pub confidence: f64,
    /// Whole days since the content was last observed or confirmed.
    pub age_days: i64,
    /// True if the content may be outdated.
    pub stale: bool,
    /// True if the record contradicts another active record.
    pub conflict: bool,
}

/// The earlier occurrences of an alert, including the current one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Recurrence {
    /// Number of occurrences of the alert in the last 30 days.
    pub count_30d: u64,
    /// Number of occurrences of the alert in the last 365 days. It is a lower bound, because
    /// investigations are deleted after their retention.
    pub count_365d: u64,
    /// Previous occurrences of the alert, newest first.
    pub last: Vec<SeenBefore>,
}

/// An earlier investigation of the same alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeenBefore {
    /// Id of the incident of the earlier investigation.
    pub incident_id: String,
    /// Start time of the investigation.
    pub at: String,
    /// Status of the investigation.
    pub status: String,
    /// Root cause of the earlier incident; absent if it is unknown or was refuted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
}

/// The token budget and the token usage of a context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextBudget {
    /// Maximum number of tokens of the text.
    pub limit: u32,
    /// Estimated number of tokens of the text.
    pub used: u32,
    /// Name of the token estimator.
    pub estimator: String,
    /// Estimated number of tokens by section of the text.
    pub by_section: BTreeMap<String, u32>,
    /// Records that the text omits.
    pub dropped: Vec<ContextDropped>,
}

/// A record that the text of a context omits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextDropped {
    /// Id of the record.
    pub record_id: String,
    /// Reason for the omission: `budget`, or `suspicious` (the text looks like instructions).
    pub reason: String,
}

/// A response of a worker agent in an investigation.
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
    /// Name of the worker agent.
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

/// The job that extracts knowledge from a stored response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentResponseTaken {
    /// Id of the job that reads the response.
    pub job_id: String,
}

/// A request for the knowledge that the server extracted from an agent's response.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentResponseWait {
    /// Id or name of the memory. Default: as for the start of the investigation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Maximum time in milliseconds to wait until the job is done, 0 to 30000. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// The knowledge that the server extracted from an agent's response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentResponseRead {
    /// State of the job: `pending`, `running`, `waiting` (for the caller's own model), `failed` or
    /// `done`.
    pub state: String,
    /// Records that the job has saved so far. Records from prose come after those from structured
    /// blocks.
    pub saved: Vec<CapturedRecord>,
    /// Items of the response that the job did not save.
    pub rejected: Vec<CapturedRefusal>,
    /// Records that become active only after a person confirms them.
    pub pending: Vec<CapturedRecord>,
    /// Reason for the failure of the job; absent if it did not fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// A record that the server derived from a response or a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapturedRecord {
    /// Id of the record.
    pub record_id: String,
    /// Action on the record: `added`, `duplicate`, `superseded`, `conflict` or
    /// `pending_confirmation`, as in the response of `save`.
    pub action: String,
}

/// An item of a response that was not saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapturedRefusal {
    /// Position of the item among the items of all structured blocks of the response, starting at
    /// 0; absent if the item comes from prose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Reason for which the item was not saved.
    pub reason: String,
}

/// The complete result of a worker agent in an investigation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentResult {
    /// Text of the result.
    pub text: String,
    /// Tool calls of the agent, as objects `{id, name, args_hash, output_ref, output}`. Evidence in
    /// the text refers to their ids.
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
    /// Final answer of the investigation. The server extracts findings and actions from it if the
    /// request contains none, and repeated preferences of the user. The answer itself is not
    /// stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_response: Option<String>,
    /// Results of the worker agents, by name of the agent.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agent_results: BTreeMap<String, AgentResult>,
    /// Status as reported by the caller: `completed`, `ongoing` or `escalated`. Default: `ongoing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Root cause of the incident.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// Actions that were taken: texts, or objects `{at, what, by, result}`. Default: the actions
    /// that the results of the agents state.
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
    /// `executed` if the plan of the investigation was carried out, or `awaiting_approval` to save
    /// nothing. Default: `executed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_state: Option<String>,
    /// Ids of the records from memory that helped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_record_ids: Vec<String>,
    /// Ids of the records from memory that misled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub harmful_record_ids: Vec<String>,
}

/// The result of completing an investigation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationCompleted {
    /// True if the request stored the investigation or a part of it.
    pub saved: bool,
    /// Reason that nothing was stored: `awaiting_approval`, or the name of a feature that is
    /// switched off. Absent if the investigation was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Id of the record that contains the investigation; absent if nothing was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_id: Option<String>,
    /// Action on the record in `summary_id`, as in the response of `save`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Status of the investigation.
    pub status: String,
    /// Source of the status: `caller` (the request), `webhook` (the alerting system) or `default`.
    pub status_source: String,
    /// Knowledge of services that the agents reported.
    pub infrastructure: Vec<CapturedRecord>,
    /// Preferences of the user that the final answer repeats, and contacts that a person must
    /// confirm.
    pub preferences: Vec<CapturedRecord>,
    /// Items of the results that were not saved, with the reasons.
    pub rejected: Vec<CapturedRefusal>,
    /// Status that a model suggests. Always null in this version.
    pub suggested_status: Option<String>,
    /// Warnings about the request.
    pub warnings: Vec<String>,
}

/// Messages of one turn of the conversation in an investigation, to be stored.
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
    /// Maximum number of characters of a message in its displayed form, 1000 to 10000.
    /// Default: 9000. For messages of tools the maximum is always 500.
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

/// The result of storing a turn of the conversation.
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
    /// Preferences in the messages that were not saved, with the reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<CapturedRefusal>,
}

/// A message in the form in which people read it, with a prefix for its speaker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationMessageShown {
    /// Role of the speaker: `USER`, `ASSISTANT` or `TOOL`.
    pub role: String,
    /// Text with its prefix, truncated if it is too long.
    pub text: String,
    /// True if the text is truncated.
    pub truncated: bool,
    /// Reference to the complete message: the event id, `#`, and the index of the message in the
    /// event. A request that reads the event also needs its actor and session.
    pub original_ref: String,
}

/// The outcome of an investigation, as a person reports it after the incident.
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
    /// Time at which the incident was resolved, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
    /// True if the stored root cause was right, false if it was wrong; absent if this is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause_confirmed: Option<bool>,
    /// Root cause as it is known now, at most 10,000 characters.
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

/// The effects of reporting an outcome on records.
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
    /// Effect: `confirmed`, `refuted`, `recorded` (stored without an effect on the confidence),
    /// `quarantined` or `not_found`.
    pub effect: String,
}

/// A request for statistics of investigations.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SreStatsAsk {
    /// Id or name of the memory. Default: as for the start of an investigation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Name of a service. The statistics cover only investigations of this service. Default: all
    /// services.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Earliest start time of the counted investigations, RFC 3339.
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
    /// Number of investigations with a known resolution time.
    pub resolved: u64,
    /// Median resolution time in seconds; for an even number, the mean of the two middle values.
    /// Absent if no investigation has a resolution time.
    pub mttr_median_s: Option<f64>,
    /// 90th percentile of the resolution time in seconds, by nearest rank.
    pub mttr_p90_s: Option<f64>,
    /// Number of investigations with an outcome that states if the root cause was right.
    pub judged: u64,
    /// Share of investigations with a confirmed root cause among those in `judged`, 0 to 1.
    pub confirmed_share: Option<f64>,
    /// Alerts that occurred more than once, most frequent first; at most 50.
    pub recurrence: Vec<AlertRecurrence>,
    /// Median resolution time in seconds of the investigations that received context from memory.
    pub mttr_with_memory_s: Option<f64>,
    /// Median resolution time in seconds of the investigations that received no context from
    /// memory.
    pub mttr_without_memory_s: Option<f64>,
    /// True if the statistics do not count all investigations.
    pub degraded: bool,
    /// Warnings about investigations that the statistics do not count.
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

/// A request for investigations whose outcome nobody has reported.
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
    /// The investigations without an outcome.
    pub investigations: Vec<PendingOutcome>,
    /// True if the server could not examine all investigations.
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
    /// Id of the user for whom the investigation was started.
    pub user_id: String,
    /// Question of the investigation.
    pub query: String,
    /// Status of the investigation.
    pub status: String,
    /// Start time of the investigation.
    pub started_at: String,
}

/// The part of the prompt that tells worker agents of a profile how to report knowledge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentPrompt {
    /// Name of the profile.
    pub profile: String,
    /// Text to add to the system prompt of the worker agents.
    pub prompt: String,
}
