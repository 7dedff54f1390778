//! Profiles: settings and strategies under a name, in readable files.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A profile in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileSummary {
    /// Its name.
    pub profile: String,
    /// Its version.
    pub version: u32,
    /// What it is for.
    pub description: String,
    /// The names of its strategies.
    pub strategies: Vec<String>,
}

/// The profiles there are: the server's own first, then the shipped ones that it does not replace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileList {
    /// The profiles.
    pub profiles: Vec<ProfileSummary>,
}

/// A profile whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Profile {
    /// Its name.
    pub profile: String,
    /// Its version.
    pub version: u32,
    /// Its file: TOML.
    pub text: String,
}

/// Which profile to apply: one of the server's by name, or a file. Exactly one of both.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileApply {
    /// The name of a profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The text of a profile's file: TOML, at most 64 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Only say what would change.
    pub dry_run: bool,
}

/// One member that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileChange {
    /// Of which strategy, by name; absent: of the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Which one.
    pub member: String,
    /// What it was; absent: it was not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What it is; absent: it is not set any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// What applying a profile did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ProfileApplied {
    /// The profile's name.
    pub profile: String,
    /// Its version.
    pub version: u32,
    /// Names of strategies that were added.
    pub added: Vec<String>,
    /// What was changed.
    pub changed: Vec<ProfileChange>,
    /// Names of strategies that the profile does not know; they are as they were.
    pub kept: Vec<String>,
    /// Records that went to another namespace with their strategy's template.
    pub moved_records: u64,
    /// Records that stayed, because their new place cannot be told.
    pub unmoved_records: u64,
    /// Nothing was changed.
    pub dry_run: bool,
}
