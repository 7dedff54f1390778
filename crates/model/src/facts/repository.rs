//! Repositories: one identity with many names. This module holds the data types. The engine
//! normalises and matches names.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::facts::code::ObjectId;
use crate::ports::code::CodePlace;
use crate::tasks::rule::{ProtectedTopics, RuleApproval};
use crate::tasks::task_session::Capture;
use crate::{MemoryId, RepositoryId, Timestamp};

/// A repository with facts in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// The memory that the repository belongs to.
    pub memory: MemoryId,
    /// The immutable identity of the repository.
    pub id: RepositoryId,
    /// The scope key `owner/name`: unique in the memory, and the first segments of the repository's
    /// namespaces.
    pub key: String,
    /// All other names, normalised: `host/owner/name`, `owner/name`, `id:<host>:<number>`. Another
    /// repository may share a name.
    pub aliases: BTreeSet<String>,
    /// Root commits of the repository's history, sorted.
    #[serde(default)]
    pub roots: Vec<ObjectId>,
    /// The places to read the repository's code from, the best first.
    #[serde(default)]
    pub places: Vec<CodePlace>,
    /// The ref whose code changes states; without one, the source's own default branch.
    #[serde(default)]
    pub default_ref: Option<String>,
    /// Minimum number of valid citations; `None`: all.
    #[serde(default)]
    pub quorum: Option<u32>,
    /// The parent repository of a fork, whose facts reads include.
    #[serde(default)]
    pub parent: Option<RepositoryId>,
    /// Tip of the default branch at which the background job last verified facts.
    #[serde(default)]
    pub verified_tip: Option<ObjectId>,
    /// Time of the last check of the tip.
    #[serde(default)]
    pub checked_at: Option<Timestamp>,
    /// The settings of the repository, which override those of the server.
    #[serde(default, skip_serializing_if = "RepositorySettings::is_empty")]
    pub settings: RepositorySettings,
    /// The time of the repository's registration.
    pub created_at: Timestamp,
    /// Time of the last change of this entry.
    pub updated_at: Timestamp,
}

/// Values of a repository that override the server's settings. An absent value is the server's.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RepositorySettings {
    /// Default size of a memory block in tokens, if the request specifies none.
    pub memory_token_budget: Option<u32>,
    /// The kinds of memory that are shown.
    pub tiers: Tiers,
    /// The shares of tasks that receive less than all memory, for a comparison.
    pub control: ControlParts,
    /// The part of conversations that is kept after their sessions end.
    pub capture: CaptureOwn,
    /// The reviews that Loci learns from.
    pub reviews: ReviewIntake,
    /// The conditions under which rules from reviews take effect, and their lifetime.
    pub rules: RulesOwn,
    /// The preferences that Loci infers about people.
    pub preferences: PreferencesOwn,
    /// The conditions for a reflection over several tasks.
    pub reflection: ReflectionOwn,
}

impl RepositorySettings {
    /// True if no value overrides the server's settings.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The reviews that Loci learns from, and the mapping of pull requests to tasks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReviewIntake {
    /// Accounts of agents: Loci learns nothing from their comments.
    pub agent_logins: Option<Vec<String>>,
    /// Bot accounts that Loci learns from.
    pub allow_bots: Option<Vec<String>>,
    /// True if reviews of drafts are ignored.
    pub ignore_drafts: Option<bool>,
    /// True if reviews of pull requests without a task are accepted.
    pub accept_unmapped_prs: Option<bool>,
    /// Patterns of the names of task branches, with `{task_id}` in them.
    pub branch_patterns: Option<Vec<String>>,
    /// Weights of people in millionths, by login or number, that override the weights of their
    /// roles.
    pub authority: Option<BTreeMap<String, u32>>,
}

/// The kinds of memory that are shown; an absent kind is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tiers {
    /// True if tasks receive knowledge about the repository.
    pub knowledge: Option<bool>,
    /// True if tasks receive episodes of earlier tasks.
    pub episodes: Option<bool>,
    /// True if tasks receive rules from reviews.
    pub rules: Option<bool>,
    /// True if tasks receive preferences of the requesting user.
    pub preferences: Option<bool>,
    /// True if tasks receive reflections.
    pub reflections: Option<bool>,
    /// True if tasks receive files that change together. If false, background jobs do not read the
    /// history of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<bool>,
}

/// Shares of the tasks that get less than all memory, in millionths. Whole numbers compare exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ControlParts {
    /// Share of tasks without memory.
    pub off: Option<u32>,
    /// Share of tasks with knowledge and episodes.
    pub tier1: Option<u32>,
    /// Share of tasks that get knowledge, episodes and rules.
    pub tier2: Option<u32>,
    /// Share of tasks that get knowledge, episodes, rules, preferences and reflections.
    pub tier3: Option<u32>,
}

/// The conditions under which rules from reviews take effect, and their lifetime. Weights are in
/// millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RulesOwn {
    /// The rules that need a person's approval.
    pub approval: Option<RuleApproval>,
    /// Minimum total weight of the support of a rule.
    pub quorum_weight: Option<u32>,
    /// Minimum number of people who support a rule.
    pub quorum_reviewers: Option<u32>,
    /// Minimum number of pull requests that support a rule.
    pub quorum_prs: Option<u32>,
    /// Minimum authority of a person whose support counts.
    pub quorum_min_authority: Option<u32>,
    /// Number of tasks without relevance after which a rule becomes stale.
    pub stale_after_tasks: Option<u32>,
    /// Number of tasks without relevance after which a rule expires.
    pub expire_after_tasks: Option<u32>,
    /// The treatment of rules about topics that protect the repository.
    pub protected_topics: Option<ProtectedTopics>,
    /// True if administrators may approve a rule in a reply on the pull request.
    pub approval_by_reply: Option<bool>,
}

/// The part of conversations that is stored after their sessions end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureOwn {
    /// The extent of the capture.
    pub conversation: Option<Capture>,
    /// Number of days for which conversations are kept.
    pub retention_days: Option<u32>,
}

/// Settings for preferences that Loci infers about people whose work is reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PreferencesOwn {
    /// True if Loci infers preferences.
    pub implicit: Option<bool>,
}

/// The conditions for a reflection over several tasks, and its required evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReflectionOwn {
    /// Number of finished tasks between reflections.
    pub every_tasks: Option<u32>,
    /// Number of hours between reflections, regardless of the finished tasks.
    pub every_hours: Option<u32>,
    /// Minimum number of episodes that support a reflection.
    pub min_episodes: Option<u32>,
}
