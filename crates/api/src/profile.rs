//! Profiles: named sets of settings and strategies in readable files.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A summary of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileSummary {
    /// Name of the profile.
    pub profile: String,
    /// Version of the profile.
    pub version: u32,
    /// Purpose of the profile.
    pub description: String,
    /// Names of the profile's strategies.
    pub strategies: Vec<String>,
}

/// The available profiles: the server's own first, then the shipped profiles that none of them
/// replaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileList {
    /// The profiles.
    pub profiles: Vec<ProfileSummary>,
}

/// A complete profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Profile {
    /// Name of the profile.
    pub profile: String,
    /// Version of the profile.
    pub version: u32,
    /// Text of the profile's file, in TOML.
    pub text: String,
}

/// A request to apply a profile: either one of the server's profiles by name, or the text of a
/// file. Exactly one of the two must be present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileApply {
    /// Name of a profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Text of a profile's file: TOML, at most 64 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// True to return the changes without applying them. Default: false.
    pub dry_run: bool,
}

/// A member that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileChange {
    /// Name of the strategy that changed; absent if the memory itself changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Name of the member.
    pub member: String,
    /// Value before; absent if the member was not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Value after; absent if the member is no longer set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// The effect of applying a profile, or of a dry run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ProfileApplied {
    /// Name of the profile.
    pub profile: String,
    /// Version of the profile.
    pub version: u32,
    /// Names of the strategies that were added.
    pub added: Vec<String>,
    /// The members that changed.
    pub changed: Vec<ProfileChange>,
    /// Names of the strategies that the profile does not contain. They remain unchanged.
    pub kept: Vec<String>,
    /// Number of records that moved to another namespace because the template of their strategy
    /// changed.
    pub moved_records: u64,
    /// Number of records that stayed, because the server cannot derive their new namespace.
    pub unmoved_records: u64,
    /// True if nothing was written.
    pub dry_run: bool,
}
