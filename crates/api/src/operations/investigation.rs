//! Investigations of operations agents: their start, answers of their agents, their end, and what came of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// An investigation that begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvestigationStart {
    /// Id or name of the memory; absent: the only one of the caller's grants, else `sre_agent_memory`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The user; absent: the one of the header X-Loci-User, else the caller. A key with
    /// `impersonate` has to name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Its incident; absent: one is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incident_id: Option<String>,
    /// What is asked.
    pub query: String,
    /// Its session; absent, or empty: one is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What a session that is made begins with: `interactive` or `prompt`; absent: `interactive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Services that it is about: what is known of them comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<String>,
    /// The environment that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// `team`, or `private`: it, and what it learns, is kept to the user. Absent: `team`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The IANA name of the time zone of phrases in the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tz: Option<String>,
    /// The alert, with its `fingerprint` and `starts_at` where it has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub alert: Option<Map<String, Value>>,
    /// Tokens of the block; absent: as is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
    /// `mixed`, `chars4` or `bytes3`; absent: `mixed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimator: Option<String>,
    /// What reading may take, 1 to 30000; absent: 3000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// `text`, or `none`: no block. Absent: `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub render: Option<String>,
}

/// An investigation that began, or was joined, and what is known for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationStarted {
    /// Its incident.
    pub incident_id: String,
    /// Its session.
    pub session_id: String,
    /// An investigation of the same alert was open, and this is that one.
    pub joined: bool,
    /// The scope of this investigation, and of the past ones of its context; absent where the server
    /// was not reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<InvestigationVisibility>,
    /// What is known; all parts are there, even where they are empty.
    pub context: InvestigationContext,
    /// How often the alert came; absent where it has no fingerprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<Recurrence>,
    /// The block for the prompt: between the question and the instructions for planning. Empty where nothing is known.
    pub rendered: String,
    /// What it costs.
    pub budget: ContextBudget,
    /// How each part was read: `ok`, `timeout` or `error`.
    pub status: BTreeMap<String, String>,
    /// What was shown, as a row; absent where it could not be written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure_id: Option<String>,
    /// Something is less than it could be.
    pub degraded: bool,
    /// What to know.
    pub warnings: Vec<String>,
}

/// The scope of an investigation, and that of the past investigations of its context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationVisibility {
    /// `team`: everyone who may read the memory reads it; `private`: its user and administrators. The
    /// start's `scope` sets it.
    pub investigation: String,
    /// `team`: past investigations of everyone, as far as the caller may read them; `user`: the user's
    /// own. The setting `past_investigations_scope` of the memory sets it.
    pub past_investigations: String,
}

/// What is known for an investigation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationContext {
    /// What the user wants, by type.
    pub user_preferences: Vec<ContextPreference>,
    /// What each agent knows of services, the best first; every configured agent is there.
    pub infrastructure_by_agent: BTreeMap<String, Vec<ContextItem>>,
    /// What was looked into before.
    pub past_investigations: Vec<ContextItem>,
}

/// What a user wants of one type: the values in force, and those that wait for a person, by key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContextPreference {
    /// The type.
    pub preference_type: String,
    /// The values.
    #[schema(value_type = Object)]
    pub preference_value: Map<String, Value>,
    /// Values that a person has not confirmed yet, by key: contacts. They are not in force.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub waiting: Map<String, Value>,
}

/// Something that is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ContextItem {
    /// Its record.
    pub record_id: String,
    /// What is remembered.
    #[schema(value_type = Object)]
    pub content: Value,
    /// From 0 to 1.
    pub score: f64,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
    /// Whole days since it was observed or confirmed.
    pub age_days: i64,
    /// It may not hold any more.
    pub stale: bool,
    /// It contradicts another one.
    pub conflict: bool,
}

/// How often an alert came, this time among them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Recurrence {
    /// In thirty days.
    pub count_30d: u64,
    /// In a year, as far back as investigations are kept.
    pub count_365d: u64,
    /// The last ones before this, the newest first.
    pub last: Vec<SeenBefore>,
}

/// An earlier investigation of the same alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SeenBefore {
    /// Its incident.
    pub incident_id: String,
    /// When it began.
    pub at: String,
    /// How far it came.
    pub status: String,
    /// Why it happened; absent where nobody knows, or it was refuted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
}

/// What a block costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextBudget {
    /// At most so many tokens.
    pub limit: u32,
    /// So many were used.
    pub used: u32,
    /// How they were estimated.
    pub estimator: String,
    /// Tokens of what is shown, by section.
    pub by_section: BTreeMap<String, u32>,
    /// What is not shown.
    pub dropped: Vec<ContextDropped>,
}

/// Something that is not shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextDropped {
    /// Its record.
    pub record_id: String,
    /// Why: `budget` or `suspicious`.
    pub reason: String,
}

/// What a worker agent answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentResponse {
    /// Id or name of the memory; absent: as at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The session; absent: the caller's own investigation of the incident, else the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// What it answered, 1 to 100000 characters.
    pub text: String,
    /// The tools that it called, as objects `{id, name, args_hash, output_ref, output}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub tool_calls: Vec<Value>,
    /// When; absent: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// The answer is stored; a job reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentResponseTaken {
    /// The job.
    pub job_id: String,
}

/// Which answer's result is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentResponseWait {
    /// Id or name of the memory; absent: as at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Waits so long for it, 0 to 30000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// What came of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentResponseRead {
    /// Where the job stands: `pending`, `running`, `waiting` for the caller's own model, `failed` or `done`.
    pub state: String,
    /// Knowledge, as it was saved so far; what the prose says comes last.
    pub saved: Vec<CapturedRecord>,
    /// What was not.
    pub rejected: Vec<CapturedRefusal>,
    /// What a person must confirm.
    pub pending: Vec<CapturedRecord>,
    /// Why the job failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// A record that came of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapturedRecord {
    /// The record.
    pub record_id: String,
    /// What became of it, as with `save`.
    pub action: String,
}

/// Something of an answer that was not saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapturedRefusal {
    /// Its place among the items of all blocks, from 0; absent where it is no item of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Why.
    pub reason: String,
}

/// What an agent answered in all.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentResult {
    /// Its text.
    pub text: String,
    /// The tools that it called; evidence names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub tool_calls: Vec<Value>,
}

/// The end of an investigation, or where it stands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InvestigationComplete {
    /// Id or name of the memory; absent: as at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The session; absent: the caller's own investigation of the incident, else the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What was asked; absent: as it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The final answer: read for findings and actions where none are given, and for preferences of its
    /// user that it repeats; not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_response: Option<String>,
    /// What each agent answered.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agent_results: BTreeMap<String, AgentResult>,
    /// `completed`, `ongoing` or `escalated`: the caller's word. Absent: `ongoing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Why it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// What was done: texts, or objects `{at, what, by, result}`. Absent: what the results state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub actions: Vec<Value>,
    /// What was found: texts, or objects `{text, category, evidence}`. Absent: what the final answer says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub findings: Option<Vec<Value>>,
    /// What happened when: objects `{time, event, by}`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub timeline: Vec<Value>,
    /// Services that it was about; absent: as it began.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<String>,
    /// `executed`, or `awaiting_approval`: nothing is saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_state: Option<String>,
    /// Records that helped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_record_ids: Vec<String>,
    /// Records that misled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub harmful_record_ids: Vec<String>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationCompleted {
    /// Something of it is stored.
    pub saved: bool,
    /// Why the investigation is not: `awaiting_approval`, or what is switched off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The record of the investigation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_id: Option<String>,
    /// What became of that record, as with `save`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// How far it came.
    pub status: String,
    /// Who says so: `caller` or `default`.
    pub status_source: String,
    /// What its agents taught.
    pub infrastructure: Vec<CapturedRecord>,
    /// Preferences of the user that the final answer repeats, and contacts that a person must confirm.
    pub preferences: Vec<CapturedRecord>,
    /// What was not saved.
    pub rejected: Vec<CapturedRefusal>,
    /// A status that a model suggests; none does yet.
    pub suggested_status: Option<String>,
    /// What to know.
    pub warnings: Vec<String>,
}

/// A turn of an investigation's conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvestigationMessages {
    /// Id or name of the memory; absent: as at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The session; absent: the caller's own investigation of the incident, else the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The messages, in order, at most 100; none is a success.
    pub messages: Vec<InvestigationMessage>,
    /// Characters of a message that are shown, 1000 to 10000; absent: 9000. Of tools 500 are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chars_max: Option<u64>,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvestigationMessage {
    /// `USER`, `ASSISTANT` or `TOOL`.
    pub role: String,
    /// The agent that says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The tool whose output it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What was said.
    pub text: String,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// A turn that is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationMessagesKept {
    /// It is stored, or there was nothing to store.
    pub saved: bool,
    /// The events that hold the messages whole.
    pub events: Vec<String>,
    /// The messages as they are shown.
    pub messages: Vec<InvestigationMessageShown>,
    /// Preferences that the user states in them, and what became of each, as with `save`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preferences: Vec<CapturedRecord>,
    /// Preferences that were not saved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<CapturedRefusal>,
}

/// A message as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationMessageShown {
    /// Who.
    pub role: String,
    /// With its prefix, and cut where it is too long.
    pub text: String,
    /// It is cut.
    pub truncated: bool,
    /// Where the whole of it is: the event, `#`, and its place there. The event is read with its actor and session.
    pub original_ref: String,
}

/// What came of an investigation, as a person tells it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InvestigationOutcome {
    /// Id or name of the memory; absent: as at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The session; absent: the caller's own investigation of the incident, else the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// When it was resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
    /// Whether its root cause was right; absent: nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause_confirmed: Option<bool>,
    /// Why it happened, as is known now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// Where it is written up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postmortem_url: Option<String>,
    /// What helped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Records that helped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub useful_record_ids: Vec<String>,
    /// Records that were wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wrong_record_ids: Vec<String>,
}

/// What an outcome did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvestigationOutcomeTold {
    /// The investigation first, then the records it is about.
    pub updated: Vec<OutcomeEffect>,
}

/// What an outcome did to a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OutcomeEffect {
    /// The record.
    pub record_id: String,
    /// `confirmed`, `refuted`, `recorded`, `quarantined`, or `not_found`.
    pub effect: String,
}

/// Which investigations are counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SreStatsAsk {
    /// Id or name of the memory; absent: as at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// That began then or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// Numbers over investigations. Times are in seconds, from the beginning to when it was resolved.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct SreStats {
    /// How many.
    pub investigations: u64,
    /// Of these, by status.
    pub by_status: BTreeMap<String, u64>,
    /// Of these, resolved at a time that is known.
    pub resolved: u64,
    /// The middle one, or the mean of the two in the middle.
    pub mttr_median_s: Option<f64>,
    /// Below which nine of ten lie, by nearest rank.
    pub mttr_p90_s: Option<f64>,
    /// With an outcome that says whether the cause was right.
    pub judged: u64,
    /// The share of those whose cause was confirmed.
    pub confirmed_share: Option<f64>,
    /// Alerts that came more than once, the most first.
    pub recurrence: Vec<AlertRecurrence>,
    /// The median of those that were shown what is remembered.
    pub mttr_with_memory_s: Option<f64>,
    /// And of the others.
    pub mttr_without_memory_s: Option<f64>,
    /// There are more investigations than are counted.
    pub degraded: bool,
    /// What to know.
    pub warnings: Vec<String>,
}

/// How often an alert came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AlertRecurrence {
    /// The alert.
    pub fingerprint: String,
    /// Incidents of it.
    pub count: u64,
}

/// Which outcomes are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PendingOutcomesAsk {
    /// Id or name of the memory; absent: as at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
}

/// Investigations whose outcome nobody told for two weeks, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PendingOutcomes {
    /// The investigations.
    pub investigations: Vec<PendingOutcome>,
    /// There are more investigations than are looked at.
    pub degraded: bool,
    /// What to know.
    pub warnings: Vec<String>,
}

/// An investigation whose outcome nobody told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PendingOutcome {
    /// Its incident.
    pub incident_id: String,
    /// Its session.
    pub session_id: String,
    /// Whose it is.
    pub user_id: String,
    /// What was asked.
    pub query: String,
    /// How far it came.
    pub status: String,
    /// When it began.
    pub started_at: String,
}

/// A part of the prompt of a profile's worker agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentPrompt {
    /// The profile.
    pub profile: String,
    /// To be put into the prompt.
    pub prompt: String,
}
