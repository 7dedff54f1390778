//! Quarantine: withholding records, and decisions about withheld records.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::record::Record;

/// A request to quarantine records, so that no read returns them until a person decides. A record
/// must meet all conditions that are present; at least one condition in addition to the reason is
/// required.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Quarantine {
    /// Ids of the records, at most 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Regular expression that the text or title of a record must match; letter case is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Id of the actor whose events the records are derived from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Id of the session whose events the records are derived from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Start of the creation time of the records, inclusive, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// End of the creation time of the records, exclusive, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Reason for the quarantine, 1 to 500 characters.
    pub reason: String,
    /// True to return the matching records without changing them. Default: true.
    #[serde(default = "dry")]
    pub dry_run: bool,
}

fn dry() -> bool {
    true
}

/// A decision about quarantined records. It applies to all of them, or to none if one cannot be
/// decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuarantineDecision {
    /// Ids of the records, 1 to 1,000.
    pub ids: Vec<String>,
    /// Reason for the decision, 1 to 500 characters.
    pub reason: String,
}

/// The records that matched a request, and the information if their state changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Quarantined {
    /// Number of records that matched.
    pub matched: u64,
    /// Ids of the first 1,000 matching records.
    pub ids: Vec<String>,
    /// True if the state of the records changed; false for a dry run.
    pub applied: bool,
}

/// A request to list quarantined records.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QuarantineListing {
    /// Maximum number of records per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of quarantined records with their safety findings, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QuarantineList {
    /// The records on this page.
    pub records: Vec<Record>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
