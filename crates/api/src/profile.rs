//! Profiles: named files with the settings and strategies of a memory for a kind of agent.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A summary of a profile: name, version, purpose and strategies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileSummary {
    /// Name of the profile.
    pub profile: String,
    /// Version of the profile.
    pub version: u32,
    /// Purpose of the profile, for the person who chooses one.
    pub description: String,
    /// Names of the profile's strategies.
    pub strategies: Vec<String>,
}

/// The available profiles: first those that the operator of the server added, then the profiles
/// shipped with Loci that none of them replaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileList {
    /// The profiles.
    pub profiles: Vec<ProfileSummary>,
}

/// A profile with the text of its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Profile {
    /// Name of the profile.
    pub profile: String,
    /// Version of the profile.
    pub version: u32,
    /// Text of the profile's file, in TOML.
    pub text: String,
}

/// A request to apply a profile to a memory: either a profile of the server by name, or the text of
/// a file. Exactly one of `profile` and `text` must be present.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileApply {
    /// Name of a profile of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Text of a profile's file: TOML, at most 64 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// True to return the changes without applying them. Default: false.
    pub dry_run: bool,
}

/// A member of a memory or a strategy that applying a profile changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProfileChange {
    /// Name of the strategy that the member belongs to; absent if it belongs to the memory itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Name of the member, such as `namespace` or `description`.
    pub member: String,
    /// Value before the change; absent if the member was not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Value after the change; absent if the member is no longer set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// The changes that applying a profile made, or would make in a dry run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ProfileApplied {
    /// Name of the applied profile.
    pub profile: String,
    /// Version of the applied profile.
    pub version: u32,
    /// Names of the strategies that were added.
    pub added: Vec<String>,
    /// The members that changed.
    pub changed: Vec<ProfileChange>,
    /// Names of the memory's strategies that the profile does not contain. They stay unchanged.
    pub kept: Vec<String>,
    /// Number of records that moved to another namespace because the template of their strategy
    /// changed.
    pub moved_records: u64,
    /// Number of records that stayed in their namespace, because the server cannot derive the new
    /// one from them.
    pub unmoved_records: u64,
    /// True if the request was a dry run, which writes nothing.
    pub dry_run: bool,
}
