//! Diagnostics of operations memory: records that no read will match or understand.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A problem in operations memory that the diagnostics found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreProblem {
    /// `unreachable` (no strategy reads the record's namespace), `unreadable` (no reader
    /// understands the text), `agent_alias` (stored under an alias of an agent), `agent_unknown`
    /// (the agent is neither in `agents` nor in `agent_aliases`), or `ids_collide` (ids share one
    /// namespace, or differ only by case or spelling).
    pub problem: String,
    /// Id of the affected record; absent if the problem is not about a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// Location of the problem: a namespace, or the ids in question as they occur in namespaces.
    pub place: String,
    /// Explanation of the problem, with a remedy.
    pub detail: String,
}

/// The result of the diagnostics of operations memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreDoctorReport {
    /// True if the diagnostics found no problem.
    pub ok: bool,
    /// Number of examined records that are active or wait for a person.
    pub records: u64,
    /// Problems, by kind.
    pub problems: Vec<SreProblem>,
    /// Number of further problems that `problems` does not contain.
    pub more: u64,
}
