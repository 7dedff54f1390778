//! What of operations memory nobody will read as it is meant.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreProblem {
    /// `unreachable` (no strategy looks where the record lies), `unreadable` (no reader understands the text), `agent_alias` (kept under another
    /// name of an agent), `agent_unknown` (neither in `agents` nor in `agent_aliases`), or `ids_collide` (in one place, or different by case
    /// or spelling alone).
    pub problem: String,
    /// The record, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// Where: a namespace, or ids as segments of namespaces.
    pub place: String,
    /// What that means, and what helps.
    pub detail: String,
}

/// What a look at everything found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreDoctorReport {
    /// Nothing is wrong.
    pub ok: bool,
    /// Records in force or waiting that were looked at.
    pub records: u64,
    /// What is wrong, by kind.
    pub problems: Vec<SreProblem>,
    /// How many more there are than are told.
    pub more: u64,
}
