//! Records of operations memory as lines: out of one memory, and into another.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::operations::knowledge::SreSkipped;

/// A record as a line. Its `record_id` is the one of the memory it comes from; when it was stored and changed there is not told.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreRecordLine {
    /// `preferences`, `infrastructure` or `investigations`; the singular does, too.
    pub memory_type: String,
    /// The user, or for infrastructure the agent.
    pub actor_id: String,
    /// The session; preferences have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What it says, as `save` takes it; an investigation with its outcome. Either this or `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub data: Option<serde_json::Value>,
    /// What it says, where that is of no type: in words, or as another program wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `active`, or `pending_confirmation`; absent: `active`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Who said it: `human`, `declared`, `webhook`, `agent`, `extracted` or `imported`; absent: `imported`. It counts where the import keeps sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The user that it is kept to; absent: nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private_to: Option<String>,
    /// When it was observed, or seen last; absent: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
    /// For how many days it stays; what is imported stays as long as its type does at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry_days: Option<u32>,
    /// Keys of which something newer is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded_keys: Vec<String>,
    /// The record that it contradicts and that counts more, by its `record_id`; that one's line comes before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradicts: Option<String>,
    /// Investigations that confirmed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirmed_by: Vec<String>,
    /// Investigations that refuted it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refuted_by: Vec<String>,
    /// How often it was said, where it was more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
    /// The record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// `untrusted` where outsiders could write what it says and nobody else has said it since; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
}

/// Which records are wanted as lines.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreExportAsk {
    /// `preferences`, `infrastructure` or `investigations`, or their singulars.
    #[serde(rename = "type")]
    pub memory_type: String,
    /// Of this user or agent alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Where to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SreExported {
    /// The newest first.
    pub records: Vec<SreRecordLine>,
    /// Records that have no line, because they lie where their type does not look.
    pub skipped: Vec<SreSkipped>,
    /// Where to go on; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Lines to be imported, by an administrator of the memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SreImport {
    /// At most 100.
    pub records: Vec<SreRecordLine>,
    /// Each counts as who said it there, contacts and approvals too: the administrator's word for the file. Absent: each is `imported`, contacts wait
    /// for a person, and what lets things happen without asking is refused.
    #[serde(default)]
    pub keep_sources: bool,
    /// Nothing is written.
    #[serde(default)]
    pub dry_run: bool,
}

/// What became of the lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreImported {
    /// In their order.
    pub results: Vec<SreImportedLine>,
}

/// What became of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SreImportedLine {
    /// As with `save`; `valid` for one that a dry run found nothing wrong with, `invalid` for one that
    /// breaks a rule, `erased` for one whose record was erased here (the header `Loci-If-Erased: restore`
    /// writes it again).
    pub action: String,
    /// Its record, where one was written or known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// The member that breaks a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The rule, or why it waits or was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
