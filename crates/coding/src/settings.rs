//! How hydration chooses, how much it shows, what is kept of conversations, and which tasks belong to the control group: defaults in code, overridden by the
//! binary's configuration, and some of them by a repository's own.

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
    /// Tokens of a block, where the request says nothing.
    pub budget_tokens: u32,
    /// How tokens are estimated, where the request says nothing.
    pub estimator: Estimator,
    /// What a hydration may take, where the request says nothing.
    pub read_timeout_ms: u64,
    /// Tokens of a user prompt that is made of sources.
    pub user_prompt_budget_tokens: u32,
    /// So much knowledge is tried first.
    pub semantic_top_k: usize,
    /// So many episodes are tried first.
    pub episodic_top_k: usize,
    /// So many of each are looked at.
    pub candidate_pool: u32,
    /// What stands behind the first must fit the question so well, 0 to 1.
    pub min_similarity: f64,
    /// Least relevance of knowledge and episodes that a task is shown, 0 to 1: noise scores less.
    pub noise_floor: f64,
    /// That bound where the question has no vector: words alone score noise higher.
    pub noise_floor_by_words: f64,
    /// What is trusted less is left out, 0 to 1.
    pub trust_threshold: f64,
    /// What falls out of a budget first.
    pub drop_policy: DropPolicy,
    /// What happens to an entry larger than its kind's whole share.
    pub oversize: Oversize,
    /// What happens to stored facts whose citations cannot be verified now.
    pub on_unverifiable: OnUnverifiable,
    /// What happens to records that contradict each other, while nobody decided.
    pub on_conflict: OnConflict,
    /// How the budget is shared out.
    pub shares: Shares,
    /// The control group.
    pub control: ControlArms,
    /// What is kept of conversations.
    pub capture: CaptureSettings,
    /// Paths that no graph of files that change together counts, beside generated and vendored files and lock files.
    pub graph_excluded: Vec<String>,
    /// How reviews come in.
    pub forge: ForgeSettings,
    /// How rules of reviews come into force, and how long they stay.
    pub rules: RuleSettings,
}

impl CodingSettings {
    /// What counts for a repository: its own settings, and these where it has none.
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

    /// The same for the repository of a task.
    pub(super) fn of_task(&self, tx: &dyn ReadTx, task: &Task) -> Result<Self> {
        let own = task.repository.as_ref().map(|id| tx.repositories().get(&task.memory, id)).transpose()?;
        Ok(self.of(own.flatten().as_ref()))
    }
}

/// When several tasks are looked at together, and what bears a reflection out: as a repository says, and else as its memory does for all
/// episodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReflectionSettings {
    /// After so many finished tasks.
    pub every_tasks: u32,
    /// After so many hours; `None`: only by tasks.
    pub every_hours: Option<u32>,
    /// Episodes that must bear a reflection out.
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

/// A share of one, of millionths.
pub fn share_of(millionths: u32) -> f64 {
    f64::from(millionths) / MILLION
}

/// Parts of one in which a repository's shares are kept.
pub(super) const MILLION: f64 = 1_000_000.0;

/// What is kept of conversations when their sessions have ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureSettings {
    /// How much of them.
    pub conversation: Capture,
    /// For so many days.
    pub retention_days: u32,
}

/// How reviews come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForgeSettings {
    /// A review is read when nothing has come of it for so long: it comes in many pieces.
    pub debounce_ms: i64,
    /// Repositories are asked for what has changed this often.
    pub poll_interval_ms: i64,
    /// They are asked at all, whether or not hooks tell it too.
    pub polls: bool,
}

/// How rules of reviews come into force, and how long they stay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RuleSettings {
    /// Which rules wait for a person.
    pub approval: RuleApproval,
    /// What supports a rule must weigh so much together.
    pub quorum_weight: f64,
    /// It must come from so many people.
    pub quorum_reviewers: u32,
    /// And from so many pull requests.
    pub quorum_prs: u32,
    /// Who may do less here does not count, 0 to 1.
    pub quorum_min_authority: f64,
    /// A rule that mattered in none of so many tasks is stale.
    pub stale_after_tasks: u32,
    /// And expires after so many.
    pub expire_after_tasks: u32,
    /// What becomes of rules about what guards the repository.
    pub protected_topics: ProtectedTopics,
    /// Administrators may approve in an answer on the pull request.
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

/// Hundredths of the budget, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// Rules from reviews.
    pub rules: u32,
    /// Knowledge.
    pub knowledge: u32,
    /// Episodes.
    pub episodes: u32,
    /// Preferences.
    pub preferences: u32,
    /// Reflections.
    pub reflections: u32,
}

/// Shares of the tasks that are given less than all memory, 0 to 1 each and together.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlArms {
    /// None at all.
    pub off: f64,
    /// Knowledge and episodes.
    pub tier1: f64,
    /// Rules too.
    pub tier2: f64,
    /// Preferences and reflections too.
    pub tier3: f64,
    /// What tasks of `off` would have been shown is logged.
    pub shadow: bool,
    /// Tells the group of a task apart from that of another server's; changing it deals anew.
    pub salt: String,
}

/// What falls out of a budget first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DropPolicy {
    /// What scores least; of about the same score the oldest.
    #[default]
    Scored,
    /// The oldest.
    Oldest,
}

impl DropPolicy {
    /// From its word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "scored" => Some(Self::Scored),
            "oldest" => Some(Self::Oldest),
            _ => None,
        }
    }
}

/// What happens to stored facts whose citations cannot be verified now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnUnverifiable {
    /// They are shown, and it is said.
    #[default]
    Label,
    /// They are withheld.
    Withhold,
}

impl OnUnverifiable {
    /// From its word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "label" => Some(Self::Label),
            "withhold" => Some(Self::Withhold),
            _ => None,
        }
    }
}

/// What happens to records that contradict each other, while nobody decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// They are shown, each trusted half, and it is said.
    #[default]
    Label,
    /// They are withheld.
    Withhold,
}

impl OnConflict {
    /// From its word.
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
