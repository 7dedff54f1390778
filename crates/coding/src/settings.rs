//! The settings of hydration, of stored conversations, of rules and reviews, and of the control
//! group. The defaults are in code; the binary's configuration overrides them, and some can be
//! overridden for a repository.

use loci_engine::retrieval::render::Oversize;
use loci_model::Result;
use loci_model::facts::repository::{ReflectionOwn, Repository, RepositorySettings, RulesOwn};
use loci_model::memory::settings::MemorySettings;
use loci_model::ports::store::ReadTx;
use loci_model::tasks::rule::{ProtectedTopics, RuleApproval};
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::Capture;
use loci_text::tokens::Estimator;

/// Settings of the memory of coding agents.
#[derive(Debug, Clone, PartialEq)]
pub struct CodingSettings {
    /// The default budget of a block, in tokens.
    pub budget_tokens: u32,
    /// The default token estimator.
    pub estimator: Estimator,
    /// The default time limit of a hydration, in milliseconds.
    pub read_timeout_ms: u64,
    /// The budget of a user prompt assembled from sources, in tokens.
    pub user_prompt_budget_tokens: u32,
    /// The number of knowledge records that are selected without a similarity threshold.
    pub semantic_top_k: usize,
    /// The number of episodes that are selected without a similarity threshold.
    pub episodic_top_k: usize,
    /// The number of candidates of each kind.
    pub candidate_pool: u32,
    /// The minimum similarity of further records, 0 to 1.
    pub min_similarity: f64,
    /// The minimum relevance of shown knowledge and episodes, 0 to 1. Unrelated records score
    /// lower.
    pub noise_floor: f64,
    /// The minimum relevance if the query has no vector. By words alone, unrelated records score
    /// higher.
    pub noise_floor_by_words: f64,
    /// The minimum trust of shown records, 0 to 1.
    pub trust_threshold: f64,
    /// The order in which records are dropped from a full budget.
    pub drop_policy: DropPolicy,
    /// The handling of an entry larger than its kind's whole share.
    pub oversize: Oversize,
    /// The handling of stored facts whose citations cannot be verified now.
    pub on_unverifiable: OnUnverifiable,
    /// The handling of contradicting records without a decision.
    pub on_conflict: OnConflict,
    /// The shares of the budget.
    pub shares: Shares,
    /// The control group.
    pub control: ControlArms,
    /// The stored part of conversations.
    pub capture: CaptureSettings,
    /// Paths that the co-change graph does not count, in addition to generated files, vendored
    /// files and lock files.
    pub graph_excluded: Vec<String>,
    /// The intake of reviews.
    pub forge: ForgeSettings,
    /// The activation and expiry of rules from reviews.
    pub rules: RuleSettings,
}

impl CodingSettings {
    /// Returns the settings in force for a repository: its own, with these for the others.
    pub(super) fn of(&self, repository: Option<&Repository>) -> Self {
        repository.map_or_else(|| self.clone(), |repository| self.with(&repository.settings))
    }

    pub(super) fn with(&self, own: &RepositorySettings) -> Self {
        let mut counting = self.clone();
        let put = |share: &mut f64, own: Option<u32>| *share = own.map_or(*share, share_of);
        counting.budget_tokens = own.memory_token_budget.unwrap_or(self.budget_tokens);
        put(&mut counting.control.off, own.control.off);
        put(&mut counting.control.tier1, own.control.tier1);
        put(&mut counting.control.tier2, own.control.tier2);
        put(&mut counting.control.tier3, own.control.tier3);
        counting.capture = CaptureSettings {
            conversation: own.capture.conversation.unwrap_or(self.capture.conversation),
            retention_days: own.capture.retention_days.unwrap_or(self.capture.retention_days),
        };
        counting.rules = self.rules.with(&own.rules);
        counting
    }

    /// Returns the settings in force for the repository of a task.
    pub(super) fn of_task(&self, tx: &dyn ReadTx, task: &Task) -> Result<Self> {
        let own = task.repository.as_ref().map(|id| tx.repositories().get(&task.memory, id)).transpose()?;
        Ok(self.of(own.flatten().as_ref()))
    }
}

/// The schedule of reflections and their minimum evidence: as the repository specifies, else as its
/// memory specifies for all episodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReflectionSettings {
    /// The number of finished tasks between reflections.
    pub every_tasks: u32,
    /// The number of hours between reflections; `None`: only by tasks.
    pub every_hours: Option<u32>,
    /// The minimum number of episodes as evidence of a reflection.
    pub min_episodes: u32,
}

impl ReflectionSettings {
    pub(super) fn of(memory: &MemorySettings, own: &ReflectionOwn) -> Self {
        Self {
            every_tasks: own.every_tasks.unwrap_or(memory.consolidation.reflect_every),
            every_hours: own.every_hours,
            min_episodes: own.min_episodes.unwrap_or(memory.consolidation.reflect_min_episodes),
        }
    }
}

/// Converts a share in millionths to a fraction of one.
pub fn share_of(millionths: u32) -> f64 {
    f64::from(millionths) / MILLION
}

/// The unit of a repository's stored shares: millionths.
pub(super) const MILLION: f64 = 1_000_000.0;

/// The part of conversations that is stored after the end of their sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureSettings {
    /// The extent of the stored conversations.
    pub conversation: Capture,
    /// The retention in days.
    pub retention_days: u32,
}

/// The intake of reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForgeSettings {
    /// The time without further events after which a review is read, in milliseconds. A review
    /// arrives in many parts.
    pub debounce_ms: i64,
    /// The interval between polls of a repository, in milliseconds.
    pub poll_interval_ms: i64,
    /// True to poll, with or without hooks.
    pub polls: bool,
}

/// The activation and expiry of rules from reviews.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuleSettings {
    /// The rules that wait for a person.
    pub approval: RuleApproval,
    /// The minimum total weight of a rule's support.
    pub quorum_weight: f64,
    /// The minimum number of people who support it.
    pub quorum_reviewers: u32,
    /// The minimum number of pull requests that support it.
    pub quorum_prs: u32,
    /// The minimum authority of people who count, 0 to 1.
    pub quorum_min_authority: f64,
    /// The number of tasks without relevance after which a rule is stale.
    pub stale_after_tasks: u32,
    /// The number of tasks without relevance after which a rule expires.
    pub expire_after_tasks: u32,
    /// The handling of rules about protected topics.
    pub protected_topics: ProtectedTopics,
    /// True if administrators may approve a rule in an answer on the pull request.
    pub approval_by_reply: bool,
}

impl RuleSettings {
    fn with(&self, own: &RulesOwn) -> Self {
        Self {
            approval: own.approval.unwrap_or(self.approval),
            quorum_weight: own.quorum_weight.map_or(self.quorum_weight, share_of),
            quorum_reviewers: own.quorum_reviewers.unwrap_or(self.quorum_reviewers),
            quorum_prs: own.quorum_prs.unwrap_or(self.quorum_prs),
            quorum_min_authority: own.quorum_min_authority.map_or(self.quorum_min_authority, share_of),
            stale_after_tasks: own.stale_after_tasks.unwrap_or(self.stale_after_tasks),
            expire_after_tasks: own.expire_after_tasks.unwrap_or(self.expire_after_tasks),
            protected_topics: own.protected_topics.unwrap_or(self.protected_topics),
            approval_by_reply: own.approval_by_reply.unwrap_or(self.approval_by_reply),
        }
    }
}

impl Default for RuleSettings {
    fn default() -> Self {
        Self {
            approval: RuleApproval::default(),
            quorum_weight: 1.5,
            quorum_reviewers: 2,
            quorum_prs: 2,
            quorum_min_authority: 0.5,
            stale_after_tasks: 50,
            expire_after_tasks: 100,
            protected_topics: ProtectedTopics::default(),
            approval_by_reply: false,
        }
    }
}

/// The shares of the budget in percent, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// The share of the token budget for rules from reviews, in percent.
    pub rules: u32,
    /// The share of the token budget for knowledge, in percent.
    pub knowledge: u32,
    /// The share of the token budget for episodes, in percent.
    pub episodes: u32,
    /// The share of the token budget for preferences, in percent.
    pub preferences: u32,
    /// The share of the token budget for reflections, in percent.
    pub reflections: u32,
}

/// The shares of tasks with less than the whole memory, 0 to 1 each and in total.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlArms {
    /// The share of tasks that get no memory, 0 to 1.
    pub off: f64,
    /// The share of tasks that get knowledge and episodes only, 0 to 1.
    pub tier1: f64,
    /// The share of tasks that get knowledge, episodes and rules only, 0 to 1.
    pub tier2: f64,
    /// The share of tasks that get tier 2, preferences and reflections, 0 to 1.
    pub tier3: f64,
    /// True to log the memory that tasks of `off` would have been shown.
    pub shadow: bool,
    /// Distinguishes the assignment of tasks from that of other servers. A change reassigns the
    /// arms of later tasks.
    pub salt: String,
}

/// The order in which records are dropped from a full budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DropPolicy {
    /// The lowest score first; within a band the oldest.
    #[default]
    Scored,
    /// The oldest first.
    Oldest,
}

impl DropPolicy {
    /// Parses a policy from its word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "scored" => Some(Self::Scored),
            "oldest" => Some(Self::Oldest),
            _ => None,
        }
    }
}

/// The handling of stored facts whose citations cannot be verified now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnUnverifiable {
    /// They are shown with a label.
    #[default]
    Label,
    /// They are withheld.
    Withhold,
}

impl OnUnverifiable {
    /// Parses a policy from its word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "label" => Some(Self::Label),
            "withhold" => Some(Self::Withhold),
            _ => None,
        }
    }
}

/// The handling of contradicting records without a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// They are shown with half the trust and a label.
    #[default]
    Label,
    /// They are withheld.
    Withhold,
}

impl OnConflict {
    /// Parses a policy from its word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "label" => Some(Self::Label),
            "withhold" => Some(Self::Withhold),
            _ => None,
        }
    }
}

impl Default for CodingSettings {
    fn default() -> Self {
        Self {
            budget_tokens: 2_000,
            estimator: Estimator::Mixed,
            read_timeout_ms: 5_000,
            user_prompt_budget_tokens: 100_000,
            semantic_top_k: 8,
            episodic_top_k: 3,
            candidate_pool: 50,
            min_similarity: 0.25,
            noise_floor: 0.025,
            noise_floor_by_words: 0.2,
            trust_threshold: 0.15,
            drop_policy: DropPolicy::default(),
            oversize: Oversize::default(),
            on_unverifiable: OnUnverifiable::default(),
            on_conflict: OnConflict::default(),
            shares: Shares { rules: 30, knowledge: 35, episodes: 20, preferences: 10, reflections: 5 },
            control: ControlArms::default(),
            capture: CaptureSettings::default(),
            graph_excluded: Vec::new(),
            forge: ForgeSettings::default(),
            rules: RuleSettings::default(),
        }
    }
}

impl Default for ForgeSettings {
    fn default() -> Self {
        Self { debounce_ms: 60_000, poll_interval_ms: 300_000, polls: false }
    }
}

impl Default for CaptureSettings {
    fn default() -> Self {
        Self { conversation: Capture::default(), retention_days: 90 }
    }
}

impl Default for ControlArms {
    fn default() -> Self {
        Self { off: 0.0, tier1: 0.0, tier2: 0.0, tier3: 0.0, shadow: true, salt: "loci".to_owned() }
    }
}
