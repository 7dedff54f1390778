//! Export and import of operations memory, as one line for each record.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::operations::knowledge::SreSkipped;

/// A record of operations memory as one line of an export. The line does not contain the times at
/// which the source memory stored and changed the record.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreRecordLine {
    /// Type of the record: `preferences`, `infrastructure` or `investigations`, or the singular
    /// form.
    pub memory_type: String,
    /// Id of the user to whom the record belongs; for infrastructure, name of the agent.
    pub actor_id: String,
    /// Id of the session in which the content was learned; absent for preferences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Content of the record, as in a `save` request; an investigation contains its outcome. Either
    /// `data` or `text` is present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub data: Option<serde_json::Value>,
    /// Content of the record as prose, or in the form of another program. Either `data` or `text`
    /// is present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// State of the record: `active` or `pending_confirmation`. Default: `active`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Source of the content: `human`, `declared`, `webhook`, `agent`, `extracted` or `imported`.
    /// An import ignores it unless `keep_sources` is true. Default: `imported`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Id of the only user who may read the record. Default: everyone who may read the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private_to: Option<String>,
    /// Time at which the content was last observed, RFC 3339. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
    /// Days until the record expires, at most 36,500. An imported record stays at least as long as
    /// other records of its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry_days: Option<u32>,
    /// Keys of the content for which newer knowledge exists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded_keys: Vec<String>,
    /// `record_id` of a record that contradicts this one and has precedence over it. The line of
    /// that record must come before this line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradicts: Option<String>,
    /// Ids of the investigations that confirmed the record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirmed_by: Vec<String>,
    /// Ids of the investigations that refuted the record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refuted_by: Vec<String>,
    /// Number of times that the content was stated; absent if it was stated once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
    /// Id of the record in the source memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// `untrusted` if outsiders could write the content and no trusted source has repeated it
    /// since; otherwise absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
}

/// A request to export records of operations memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreExportAsk {
    /// Type of the records: `preferences`, `infrastructure` or `investigations`, or the singular
    /// form.
    #[serde(rename = "type")]
    pub memory_type: String,
    /// Id of the user, or name of the agent, whose records are exported. Default: all users and
    /// agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of exported lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreExported {
    /// Lines, newest first.
    pub records: Vec<SreRecordLine>,
    /// Records that cannot be exported, because they are outside the namespaces of their type.
    pub skipped: Vec<SreSkipped>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Lines of an export to be imported. The caller must administer the memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreImport {
    /// Lines to import, at most 100.
    pub records: Vec<SreRecordLine>,
    /// True to accept the source in each line, including contacts and approvals, on the
    /// administrator's authority. If false, each line has the source `imported`, contacts wait for
    /// confirmation by a person, and the server rejects values that allow actions without approval.
    /// Default: false.
    #[serde(default)]
    pub keep_sources: bool,
    /// True to check the lines without writing anything. Default: false.
    #[serde(default)]
    pub dry_run: bool,
}

/// The results of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreImported {
    /// Results, in the order of the lines.
    pub results: Vec<SreImportedLine>,
}

/// The result of importing one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreImportedLine {
    /// Action, as in the response of `save`. In addition: `valid` for a line without errors in a
    /// dry run, `invalid` for a line that violates a rule, and `erased` for a line whose record was
    /// erased on this server. The header `Loci-If-Erased: restore` writes such a record again.
    pub action: String,
    /// Id of the record that the line became or repeats; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// Name of the member of the line that violates a rule; absent if no rule is violated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The violated rule, or the reason for which the record waits or was rejected; absent
    /// otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
