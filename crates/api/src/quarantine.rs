//! Quarantine: which records are held back, and what is decided about them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::record::Record;

/// Records to hold back. Every member that is given must hold; at least one beside the reason must be given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Quarantine {
    /// These; at most 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Whose text or title this regular expression matches, whatever the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// That rest on what this actor said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// That come from this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Made at or after this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Made before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Why; 1 to 500 characters.
    pub reason: String,
    /// Only say what would be held back; so it is where the member is absent.
    #[serde(default = "dry")]
    pub dry_run: bool,
}

fn dry() -> bool {
    true
}

/// A decision about records that are held: about all of them, or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuarantineDecision {
    /// 1 to 1,000.
    pub ids: Vec<String>,
    /// Why; 1 to 500 characters.
    pub reason: String,
}

/// What was found, and whether it was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Quarantined {
    /// How many records.
    pub matched: u64,
    /// The first 1,000 of them.
    pub ids: Vec<String>,
    /// Their state was changed.
    pub applied: bool,
}

/// Which part of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QuarantineListing {
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Records that are held, newest first, with what was found in them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QuarantineList {
    /// The records.
    pub records: Vec<Record>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
