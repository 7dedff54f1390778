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
    /// The user, or for infrastructure the agent that learned it; absent: the caller, by name.
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
