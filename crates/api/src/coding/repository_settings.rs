//! Settings of a repository: what it has of its own in the place of the server's.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Absent, or as it was given: null is given, too.
pub type Given = Option<Value>;

fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Given, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Changes of a repository. `PUT` registers it where it is not known, and leaves every setting that is absent to the server; `PATCH`
/// changes what is given. A setting that is null is as the server says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RepositoryChange {
    /// `PUT`: the forge it is at: `github`, `gitlab`, `bitbucket`, or a host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge: Option<String>,
    /// `PUT`: the forge's number for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forge_repo_id: Option<u64>,
    /// `PUT`: the forge's host, where `forge` does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `PUT`: URLs of remotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<String>,
    /// `PUT`: a clone, a bare repository or a worktree on the server's machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clone_path: Option<String>,
    /// `PUT`: the repository it was forked from; kept, its facts are not read along yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The branch that changes states; null: the repository's own default branch.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub default_branch: Given,
    /// Tokens of a block, where the request says nothing.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>)]
    pub memory_token_budget: Given,
    /// Which kinds are shown.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryTiers>)]
    pub tiers: Given,
    /// The control group.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryControl>)]
    pub control: Given,
    /// What is kept of conversations.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryCapture>)]
    pub capture: Given,
    /// Accounts of agents: nothing is learned from what they say in reviews.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub agent_logins: Given,
    /// Programs from whose reviews something is learned.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub allow_bots: Given,
    /// Nothing is learned from reviews of drafts.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<bool>)]
    pub ignore_drafts: Given,
    /// Something is learned from reviews of pull requests that are no task's.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<bool>)]
    pub accept_unmapped_prs: Given,
    /// How branches of tasks are called, with `{task_id}` in them.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub branch_patterns: Given,
    /// What people weigh.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryAuthority>)]
    pub authority: Given,
    /// How rules of reviews come into force, and how long they stay.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryRules>)]
    pub rules: Given,
    /// When several tasks are looked at together.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryReflection>)]
    pub reflection: Given,
    /// What is concluded of people.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RepositoryPreferences>)]
    pub preferences: Given,
    /// Not kept yet.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub guardian: Given,
    /// `pool`, which is how memories are; others are not kept yet.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub isolation: Given,
    /// Not kept yet.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub share_with: Given,
}

/// Which kinds of what is remembered are shown; what is absent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryTiers {
    /// What was learned about the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<bool>,
    /// What happened in earlier tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episodes: Option<bool>,
    /// Rules from reviews.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<bool>,
    /// What whoever asks prefers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferences: Option<bool>,
    /// What several episodes teach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reflections: Option<bool>,
    /// Files that change together; where it is off, histories are not read in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<bool>,
}

/// Shares of tasks that are given less than all memory, 0 to 1, and at most 1 together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryControl {
    /// None at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<f64>,
    /// Knowledge and episodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier1: Option<f64>,
    /// Rules too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier2: Option<f64>,
    /// Preferences and reflections too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier3: Option<f64>,
}

/// What is kept of conversations.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryCapture {
    /// `full`, `decisions`, `metadata` or `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// For so many days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<u32>,
}

/// What people weigh in reviews, in the place of what their roles do.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryAuthority {
    /// By login, or by the forge's number: 0 to 1.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<String, f64>,
}

/// How rules of reviews come into force, and how long they stay.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryRules {
    /// Which rules wait for a person: `none`, `high_impact` or `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// What must support a rule, so that it comes into force.
    pub quorum: RepositoryQuorum,
    /// A rule that mattered in none of so many tasks is stale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_after_tasks: Option<u32>,
    /// And expires after so many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expire_after_tasks: Option<u32>,
    /// Rules about what guards the repository: `reject`, or `approve`: they wait for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_topics: Option<String>,
    /// Administrators and maintainers may approve by `/loci approve <id>` in an answer on a pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_by_reply: Option<bool>,
}

/// What must support a rule, so that it comes into force.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryQuorum {
    /// What people say weighs so much together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// So many people say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewers: Option<u32>,
    /// On so many pull requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prs: Option<u32>,
    /// Who weighs less does not count, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_authority: Option<f64>,
}

/// Whether conclusions are drawn of the people whose work is reviewed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryPreferences {
    /// They are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implicit: Option<bool>,
}

/// When several tasks are looked at together, and what bears a reflection out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositoryReflection {
    /// After so many finished tasks, 1 to 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_tasks: Option<u32>,
    /// After so many hours too, 1 to 8760; absent: by tasks alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_hours: Option<u32>,
    /// Episodes that must bear a reflection out, 2 to 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_episodes: Option<u32>,
}

/// Settings of a repository.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct RepositorySettings {
    /// The branch that changes states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_branch: Option<String>,
    /// Tokens of a block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_token_budget: Option<u32>,
    /// Which kinds are shown.
    pub tiers: RepositoryTiers,
    /// The control group.
    pub control: RepositoryControl,
    /// What is kept of conversations.
    pub capture: RepositoryCapture,
    /// Accounts of agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_logins: Option<Vec<String>>,
    /// Programs from whose reviews something is learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_bots: Option<Vec<String>>,
    /// Nothing is learned from reviews of drafts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_drafts: Option<bool>,
    /// Something is learned from reviews of pull requests that are no task's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept_unmapped_prs: Option<bool>,
    /// How branches of tasks are called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_patterns: Option<Vec<String>>,
    /// What people weigh.
    pub authority: RepositoryAuthority,
    /// How rules of reviews come into force, and how long they stay.
    pub rules: RepositoryRules,
    /// What is concluded of people.
    pub preferences: RepositoryPreferences,
    /// When several tasks are looked at together.
    pub reflection: RepositoryReflection,
}

/// How many records of a kind are in a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordCount {
    /// `fact`, `episode`, `reflection`, `rule`, …
    pub kind: String,
    /// `active`, `candidate`, `superseded`, …
    pub state: String,
    /// How many.
    pub count: u64,
}

/// A repository with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RepositoryShown {
    /// Its identity.
    pub repo_id: String,
    /// Its scope key, `owner/name`.
    pub scope_key: String,
    /// All names it goes by.
    pub aliases: Vec<String>,
    /// Where its code is read.
    pub places: Vec<String>,
    /// It was not known before.
    pub created: bool,
    /// What it has of its own.
    pub config: RepositorySettings,
    /// What counts for it: its own, and the server's where it has none.
    pub in_force: RepositorySettings,
    /// Hardly any task of it came yet.
    pub cold_start: bool,
    /// Records by kind and state that the caller may see; of `GET` alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<RecordCount>,
    /// What to know: names that others have, members that are not built yet.
    pub warnings: Vec<String>,
}
