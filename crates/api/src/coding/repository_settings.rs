//! Settings of a repository, which override those of the server.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The value of a setting in a request. `None` if the request does not contain the setting, JSON
/// null to reset it.
pub type Given = Option<Value>;

fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Given, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Changes of a repository. `PUT` registers an unknown repository and resets every absent setting
/// except `default_branch` to the value of the server. `PATCH` changes only the given settings. The
/// value null resets a setting to the value of the server.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepositoryChange {
    /// `PUT` only: forge of the repository: `github`, `gitlab`, `bitbucket`, or a host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// `PUT` only: number of the repository at its forge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge_repo_id: Option<u64>,
    /// `PUT` only: host of the forge, if `forge` does not determine it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `PUT` only: URLs of remotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<String>,
    /// `PUT` only: path of a clone, a bare repository or a worktree on the server's machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clone_path: Option<String>,
    /// `PUT` only: name of the repository that this one was forked from. The server stores the name
    /// but does not read the facts of that repository yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Branch whose verifications change the state of facts. Null means the repository's own
    /// default branch.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub default_branch: Given,
    /// Default token budget of a hydration, at most 200000.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>)]
    pub memory_token_budget: Given,
    /// Kinds of records that tasks of the repository receive.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryTiers>)]
    pub tiers: Given,
    /// Shares of tasks that receive less than the full memory, for a comparison.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryControl>)]
    pub control: Given,
    /// Extent and retention of the conversations that the server stores after a session.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryCapture>)]
    pub capture: Given,
    /// Logins of agent accounts, at most 100. The server learns nothing from the reviews that they
    /// write.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub agent_logins: Given,
    /// Logins of bot accounts, at most 100, from whose reviews the server learns. It ignores the
    /// reviews of other bots.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub allow_bots: Given,
    /// True to learn nothing from reviews of draft pull requests.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<bool>)]
    pub ignore_drafts: Given,
    /// True to learn from reviews of pull requests that belong to no task.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<bool>)]
    pub accept_unmapped_prs: Given,
    /// Patterns of task branches, at most 100, each containing `{task_id}` once. `*` matches any
    /// text.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub branch_patterns: Given,
    /// Weights of individual reviewers.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryAuthority>)]
    pub authority: Given,
    /// Conditions under which rules from reviews become active and expire.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryRules>)]
    pub rules: Given,
    /// Conditions that trigger reflections over several tasks.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryReflection>)]
    pub reflection: Given,
    /// Settings for concluding preferences of people from reviews.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryPreferences>)]
    pub preferences: Given,
    /// Not supported yet. The value is ignored with a warning.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub guardian: Given,
    /// Isolation of the repository's data. `pool` is the only supported value; others are ignored
    /// with a warning.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub isolation: Given,
    /// Not supported yet. The value is ignored with a warning.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub share_with: Given,
}

/// The kinds of records that tasks receive. An absent member is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryTiers {
    /// Knowledge about the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<bool>,
    /// Episodes of earlier tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episodes: Option<bool>,
    /// Rules from reviews.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<bool>,
    /// Preferences of the requesting user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferences: Option<bool>,
    /// Reflections over several episodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reflections: Option<bool>,
    /// Files that change together. If false, the server does not read histories in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<bool>,
}

/// Shares of tasks that receive less than the full memory. Each is 0 to 1, and their sum is at most
/// 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryControl {
    /// Share of tasks that receive no memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<f64>,
    /// Share of tasks that receive only knowledge and episodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier1: Option<f64>,
    /// Share of tasks that receive knowledge, episodes and rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier2: Option<f64>,
    /// Share of tasks that receive knowledge, episodes, rules, preferences and reflections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier3: Option<f64>,
}

/// The part of a conversation that the server keeps after the end of its session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryCapture {
    /// Part of a conversation to keep: `full`, `decisions`, `metadata` or `off` (nothing).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Number of days for which the conversation is kept, 1 to 3650.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<u32>,
}

/// Weights of individual reviewers, which override the weights of their roles.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryAuthority {
    /// Weights from 0 to 1, by login or by number at the forge, for at most 100 reviewers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<String, f64>,
}

/// Conditions under which rules from reviews become active and expire.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryRules {
    /// Rules that become active only after the approval of a person: `none`, `high_impact` or
    /// `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// Support that a rule needs to become active.
    pub quorum: RepositoryQuorum,
    /// Number of tasks after which a rule becomes stale if it was relevant in none of them, 1
    /// to 100000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_after_tasks: Option<u32>,
    /// Number of tasks after which a rule expires if it was relevant in none of them, 1 to 100000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expire_after_tasks: Option<u32>,
    /// Handling of rules about the protection of the repository, such as its checks or permissions:
    /// `reject` to store none, or `approve` to require the approval of a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_topics: Option<String>,
    /// True to let administrators and maintainers approve a rule by the reply `/loci approve <id>`
    /// on a pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_by_reply: Option<bool>,
}

/// The support that a rule needs to become active.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryQuorum {
    /// Minimum sum of the weights of the review statements that support the rule, 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Minimum number of reviewers who state the rule, 1 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewers: Option<u32>,
    /// Minimum number of pull requests on which the rule is stated, 1 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prs: Option<u32>,
    /// Minimum authority of a reviewer whose statements count, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_authority: Option<f64>,
}

/// Settings for concluding preferences of the people whose work is reviewed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryPreferences {
    /// True if the server infers preferences from reviews.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implicit: Option<bool>,
}

/// Triggers of reflections over several tasks, and the support that a reflection needs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryReflection {
    /// Number of finished tasks that triggers a reflection, 1 to 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_tasks: Option<u32>,
    /// Number of hours after which a reflection is created too, 1 to 8760. If absent, only the
    /// number of tasks triggers a reflection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_hours: Option<u32>,
    /// Minimum number of episodes that a reflection needs as support, 2 to 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_episodes: Option<u32>,
}

/// Settings of a repository. An absent setting has the value of the server.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositorySettings {
    /// Branch whose verifications change the state of facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_branch: Option<String>,
    /// Default token budget of a hydration of the repository's tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_token_budget: Option<u32>,
    /// Kinds of records that tasks of the repository receive.
    pub tiers: RepositoryTiers,
    /// Shares of tasks that receive less than the full memory.
    pub control: RepositoryControl,
    /// Extent and retention of the conversations that the server stores.
    pub capture: RepositoryCapture,
    /// Logins of agent accounts, from whose reviews the server learns nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_logins: Option<Vec<String>>,
    /// Logins of bot accounts from whose reviews the server learns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_bots: Option<Vec<String>>,
    /// True if the server learns nothing from reviews of draft pull requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_drafts: Option<bool>,
    /// True if the server learns from reviews of pull requests that belong to no task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept_unmapped_prs: Option<bool>,
    /// Patterns of the names of task branches, each containing `{task_id}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_patterns: Option<Vec<String>>,
    /// Weights of individual reviewers.
    pub authority: RepositoryAuthority,
    /// Conditions under which rules from reviews become active and expire.
    pub rules: RepositoryRules,
    /// Settings for concluding preferences of people from reviews.
    pub preferences: RepositoryPreferences,
    /// Conditions that trigger reflections over several tasks.
    pub reflection: RepositoryReflection,
}

/// The number of records of one kind in one state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordCount {
    /// Kind of the records: `fact`, `episode`, `reflection`, `rule`, …
    pub kind: String,
    /// State of the records: `active`, `candidate`, `superseded`, …
    pub state: String,
    /// Number of records of this kind in this state.
    pub count: u64,
}

/// A repository with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RepositoryShown {
    /// Id of the repository.
    pub repo_id: String,
    /// Name of the repository under which its records are stored, `owner/name`.
    pub scope_key: String,
    /// All names of the repository, including former ones.
    pub aliases: Vec<String>,
    /// Locations of the code: paths on the server's machine and addresses at forges.
    pub places: Vec<String>,
    /// True if the request registered the repository, false if it was known before.
    pub created: bool,
    /// Settings that the repository itself has.
    pub config: RepositorySettings,
    /// Settings that apply: those of the repository and, for each absent one, that of the server.
    pub in_force: RepositorySettings,
    /// True if the repository has had too few tasks for useful memory.
    pub cold_start: bool,
    /// Numbers of records that the caller may read, by kind and state. Only in the response of
    /// `GET`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<RecordCount>,
    /// Warnings, such as names that belong to other repositories or settings that are not supported
    /// yet.
    pub warnings: Vec<String>,
}
