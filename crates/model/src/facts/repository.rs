//! Repositories: one identity with many names. Shapes; how names are normalised and matched is the
//! engine's matter.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::facts::code::ObjectId;
use crate::ports::code::CodePlace;
use crate::tasks::rule::{ProtectedTopics, RuleApproval};
use crate::tasks::task_session::Capture;
use crate::{MemoryId, RepositoryId, Timestamp};

/// A repository whose facts are remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// The memory.
    pub memory: MemoryId,
    /// Its identity, which nothing changes.
    pub id: RepositoryId,
    /// The scope key `owner/name`: unique in the memory, first segments of its namespaces.
    pub key: String,
    /// All other names, normalised: `host/owner/name`, `owner/name`, `id:<host>:<number>`. A name may be another's too.
    pub aliases: BTreeSet<String>,
    /// Root commits of its history, sorted.
    #[serde(default)]
    pub roots: Vec<ObjectId>,
    /// Where its code can be read, the best first.
    #[serde(default)]
    pub places: Vec<CodePlace>,
    /// The ref that changes states; without one, the source's own default branch.
    #[serde(default)]
    pub default_ref: Option<String>,
    /// How many citations must be valid; `None`: all.
    #[serde(default)]
    pub quorum: Option<u32>,
    /// Whose facts are read along: the parent of a fork.
    #[serde(default)]
    pub parent: Option<RepositoryId>,
    /// Tip of the default branch at which facts were last verified in the background.
    #[serde(default)]
    pub verified_tip: Option<ObjectId>,
    /// When the tip was last looked at.
    #[serde(default)]
    pub checked_at: Option<Timestamp>,
    /// What it has of its own in the place of the server's settings.
    #[serde(default, skip_serializing_if = "RepositorySettings::is_empty")]
    pub settings: RepositorySettings,
    /// When it was registered.
    pub created_at: Timestamp,
    /// When this was last changed.
    pub updated_at: Timestamp,
}

/// What a repository has of its own in the place of the server's settings; what is absent is as the
/// server says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RepositorySettings {
    /// Tokens of a block, where the request says nothing.
    pub memory_token_budget: Option<u32>,
    /// Which kinds are shown.
    pub tiers: Tiers,
    /// The control group.
    pub control: ControlParts,
    /// What is kept of conversations.
    pub capture: CaptureOwn,
    /// From which reviews something is learned.
    pub reviews: ReviewIntake,
    /// How rules of reviews come into force, and how long they stay.
    pub rules: RulesOwn,
    /// What is concluded of people.
    pub preferences: PreferencesOwn,
    /// When several tasks are looked at together.
    pub reflection: ReflectionOwn,
}

impl RepositorySettings {
    /// True where everything is as the server says.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// From which reviews something is learned, and whose tasks they are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReviewIntake {
    /// Accounts of agents: nothing is learned from what they say.
    pub agent_logins: Option<Vec<String>>,
    /// Programs from which something is learned.
    pub allow_bots: Option<Vec<String>>,
    /// Reviews of drafts are left out.
    pub ignore_drafts: Option<bool>,
    /// Reviews of pull requests that are no task's are not.
    pub accept_unmapped_prs: Option<bool>,
    /// How branches of tasks are called, with `{task_id}` in them.
    pub branch_patterns: Option<Vec<String>>,
    /// What people weigh, in millionths, by their logins or numbers, in the place of what their role does.
    pub authority: Option<BTreeMap<String, u32>>,
}

/// Whether kinds of what is remembered are shown; what is absent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tiers {
    /// Knowledge.
    pub knowledge: Option<bool>,
    /// Episodes.
    pub episodes: Option<bool>,
    /// Rules from reviews.
    pub rules: Option<bool>,
    /// Preferences.
    pub preferences: Option<bool>,
    /// Reflections.
    pub reflections: Option<bool>,
    /// Files that change together; where it is off, histories are not read in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<bool>,
}

/// Shares of the tasks that are given less than all memory, in millionths: whole numbers are equal or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ControlParts {
    /// None at all.
    pub off: Option<u32>,
    /// Knowledge and episodes.
    pub tier1: Option<u32>,
    /// Rules too.
    pub tier2: Option<u32>,
    /// Preferences and reflections too.
    pub tier3: Option<u32>,
}

/// How rules of reviews come into force, and how long they stay. Weights are in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RulesOwn {
    /// Which rules wait for a person.
    pub approval: Option<RuleApproval>,
    /// What supports a rule must weigh so much together.
    pub quorum_weight: Option<u32>,
    /// It must come from so many people.
    pub quorum_reviewers: Option<u32>,
    /// And from so many pull requests.
    pub quorum_prs: Option<u32>,
    /// Who may do less here does not count.
    pub quorum_min_authority: Option<u32>,
    /// A rule that mattered in none of so many tasks is stale.
    pub stale_after_tasks: Option<u32>,
    /// And expires after so many.
    pub expire_after_tasks: Option<u32>,
    /// What becomes of rules about what guards the repository.
    pub protected_topics: Option<ProtectedTopics>,
    /// Administrators may approve in an answer on the pull request.
    pub approval_by_reply: Option<bool>,
}

/// What is kept of conversations when their sessions have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureOwn {
    /// How much of them.
    pub conversation: Option<Capture>,
    /// For so many days.
    pub retention_days: Option<u32>,
}

/// Whether conclusions are drawn of the people whose work is reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PreferencesOwn {
    /// They are.
    pub implicit: Option<bool>,
}

/// When several tasks are looked at together, and what bears a reflection out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReflectionOwn {
    /// After so many finished tasks.
    pub every_tasks: Option<u32>,
    /// After so many hours, whatever was finished.
    pub every_hours: Option<u32>,
    /// Episodes that must bear a reflection out.
    pub min_episodes: Option<u32>,
}
