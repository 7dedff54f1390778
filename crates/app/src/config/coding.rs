//! `[coding]`: the memories in the prompts of coding agents, and the control group of tasks with
//! fewer memories, which measures the benefit of memory.

use anyhow::{Result, bail};
use loci_coding::settings::{
    CaptureSettings, ControlArms, DropPolicy, ForgeSettings, OnConflict, OnUnverifiable, Shares,
};
use loci_coding::{CodingSettings, RuleSettings};
use loci_engine::retrieval::render::Oversize;
use loci_model::limits;
use loci_model::tasks::task_session::Capture;
use loci_text::tokens::Estimator;
use loci_verified::verifier::Glob;
use serde::{Deserialize, Serialize};

/// `[coding]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CodingSection {
    /// The token budget of a block.
    pub budget_tokens: u32,
    /// The token estimator: `mixed`, `chars4` or `bytes3`.
    pub estimator: String,
    /// The time limit of a hydration in milliseconds.
    pub read_timeout_ms: u64,
    /// The token budget of a user prompt composed of sources.
    pub user_prompt_budget_tokens: u32,
    /// The number of knowledge records that are tried first.
    pub semantic_top_k: usize,
    /// The number of episodes that are tried first.
    pub episodic_top_k: usize,
    /// The number of candidates of each kind, 1 to 100.
    pub candidate_pool: u32,
    /// The minimum similarity to the question of candidates after the first ones, 0 to 1.
    pub min_similarity: f64,
    /// The minimum relevance of knowledge and episodes in a block, 0 to 1.
    pub noise_floor: f64,
    /// The minimum relevance if the question has no vector, 0 to 1.
    pub noise_floor_by_words: f64,
    /// The minimum trust of a memory in a block, 0 to 1.
    pub trust_threshold: f64,
    /// The order in which entries are dropped from a full budget: `scored` or `oldest`.
    pub drop_policy: String,
    /// The treatment of an entry larger than its kind's whole share: `skip` or `cut`.
    pub oversize: String,
    /// The treatment of stored facts whose code cannot be read: `label` or `withhold`.
    pub on_unverifiable: String,
    /// The treatment of contradicting records without a decision: `label` or `withhold`.
    pub on_conflict: String,
    /// The shares of the budget in percent.
    pub shares: SharesSection,
    /// The control group.
    pub control: ControlSection,
    /// The stored parts of conversations.
    pub capture: CaptureSection,
    /// Files that change together.
    pub graph: GraphSection,
    /// The import of reviews from GitHub.
    pub github: GitHubSection,
}

/// `[coding.github]`: the import of reviews. `[[forge]]` configures the forges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GitHubSection {
    /// Variables with webhook secrets, several during a rotation. Without any, no webhook is
    /// accepted.
    pub webhook_secrets_env: Vec<String>,
    /// The time in milliseconds without an update after which a review is read.
    pub debounce_ms: i64,
    /// The interval in milliseconds between polls of a repository.
    pub poll_interval_ms: i64,
    /// The source of reviews: `webhook`, `poll` or `both`.
    pub mode: String,
}

/// `[coding.shares]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SharesSection {
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

/// `[coding.capture]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CaptureSection {
    /// The stored part of a conversation: `full`, `decisions`, `metadata` or `off`.
    pub conversation: String,
    /// The retention in days.
    pub retention_days: u32,
}

/// `[coding.graph]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphSection {
    /// Patterns of ignored paths, in addition to generated and vendored files and lock files.
    pub exclude: Vec<String>,
}

/// `[coding.control]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ControlSection {
    /// The share of tasks without memories, 0 to 1.
    pub off: f64,
    /// The share with knowledge and episodes.
    pub tier1: f64,
    /// The share with rules as well.
    pub tier2: f64,
    /// The share with preferences and reflections as well.
    pub tier3: f64,
    /// True to log the memories that tasks without memories would have received.
    pub shadow: bool,
    /// A salt of the assignment. A change reassigns all tasks.
    pub salt: String,
}

impl Default for CodingSection {
    fn default() -> Self {
        let settings = CodingSettings::default();
        Self {
            budget_tokens: settings.budget_tokens,
            estimator: settings.estimator.name().to_owned(),
            read_timeout_ms: settings.read_timeout_ms,
            user_prompt_budget_tokens: settings.user_prompt_budget_tokens,
            semantic_top_k: settings.semantic_top_k,
            episodic_top_k: settings.episodic_top_k,
            candidate_pool: settings.candidate_pool,
            min_similarity: settings.min_similarity,
            noise_floor: settings.noise_floor,
            noise_floor_by_words: settings.noise_floor_by_words,
            trust_threshold: settings.trust_threshold,
            drop_policy: "scored".to_owned(),
            oversize: "skip".to_owned(),
            on_unverifiable: "label".to_owned(),
            on_conflict: "label".to_owned(),
            shares: SharesSection::default(),
            control: ControlSection::default(),
            capture: CaptureSection::default(),
            graph: GraphSection::default(),
            github: GitHubSection::default(),
        }
    }
}

impl Default for GitHubSection {
    fn default() -> Self {
        let ForgeSettings { debounce_ms, poll_interval_ms, polls: _ } = ForgeSettings::default();
        Self { webhook_secrets_env: Vec::new(), debounce_ms, poll_interval_ms, mode: WEBHOOK.to_owned() }
    }
}

/// No polling: webhooks deliver reviews.
const WEBHOOK: &str = "webhook";
/// The sources of reviews.
const MODES: &[&str] = &[WEBHOOK, "poll", "both"];
/// The permitted range of the poll interval and the debounce time in milliseconds.
const PAUSES_MS: std::ops::RangeInclusive<i64> = 0..=86_400_000;
/// The minimum interval between polls of a forge in milliseconds.
const POLL_MS_MIN: i64 = 10_000;

impl Default for SharesSection {
    fn default() -> Self {
        let Shares { rules, knowledge, episodes, preferences, reflections } =
            CodingSettings::default().shares;
        Self { rules, knowledge, episodes, preferences, reflections }
    }
}

impl Default for CaptureSection {
    fn default() -> Self {
        let CaptureSettings { conversation, retention_days } = CaptureSettings::default();
        Self { conversation: conversation.as_str().to_owned(), retention_days }
    }
}

impl Default for ControlSection {
    fn default() -> Self {
        let ControlArms { off, tier1, tier2, tier3, shadow, salt } = ControlArms::default();
        Self { off, tier1, tier2, tier3, shadow, salt }
    }
}

impl CodingSection {
    /// Returns the settings of coding memory.
    pub fn settings(&self) -> CodingSettings {
        let SharesSection { rules, knowledge, episodes, preferences, reflections } = self.shares;
        let ControlSection { off, tier1, tier2, tier3, shadow, salt } = self.control.clone();
        CodingSettings {
            budget_tokens: self.budget_tokens,
            estimator: Estimator::named(&self.estimator).unwrap_or_default(),
            read_timeout_ms: self.read_timeout_ms,
            user_prompt_budget_tokens: self.user_prompt_budget_tokens,
            semantic_top_k: self.semantic_top_k,
            episodic_top_k: self.episodic_top_k,
            candidate_pool: self.candidate_pool,
            min_similarity: self.min_similarity,
            noise_floor: self.noise_floor,
            noise_floor_by_words: self.noise_floor_by_words,
            trust_threshold: self.trust_threshold,
            drop_policy: DropPolicy::parse(&self.drop_policy).unwrap_or_default(),
            oversize: oversize(&self.oversize).unwrap_or_default(),
            on_unverifiable: OnUnverifiable::parse(&self.on_unverifiable).unwrap_or_default(),
            rules: RuleSettings::default(),
            on_conflict: OnConflict::parse(&self.on_conflict).unwrap_or_default(),
            shares: Shares { rules, knowledge, episodes, preferences, reflections },
            control: ControlArms { off, tier1, tier2, tier3, shadow, salt },
            capture: CaptureSettings {
                conversation: Capture::parse(&self.capture.conversation).unwrap_or_default(),
                retention_days: self.capture.retention_days,
            },
            graph_excluded: self.graph.exclude.clone(),
            forge: ForgeSettings {
                debounce_ms: self.github.debounce_ms,
                poll_interval_ms: self.github.poll_interval_ms,
                polls: self.github.mode != WEBHOOK,
            },
        }
    }

    /// Checks the section.
    pub(super) fn check(&self) -> Result<()> {
        if self.budget_tokens > limits::HYDRATION_TOKENS_MAX {
            bail!("coding.budget_tokens must be at most {}", limits::HYDRATION_TOKENS_MAX);
        }
        if !limits::HYDRATION_TIMEOUT_MS.contains(&self.read_timeout_ms) {
            bail!("coding.read_timeout_ms must be 100 to 30000");
        }
        if self.user_prompt_budget_tokens > limits::USER_PROMPT_TOKENS_MAX {
            bail!("coding.user_prompt_budget_tokens must be at most {}", limits::USER_PROMPT_TOKENS_MAX);
        }
        if Estimator::named(&self.estimator).is_none() {
            bail!("coding.estimator must be mixed, chars4 or bytes3");
        }
        if !(1..=limits::TOP_K_MAX).contains(&self.candidate_pool) {
            bail!("coding.candidate_pool must be 1 to {}", limits::TOP_K_MAX);
        }
        let parts = |values: &[f64]| values.iter().all(|value| (0.0..=1.0).contains(value));
        if !parts(&[self.min_similarity, self.trust_threshold]) {
            bail!("coding.min_similarity and coding.trust_threshold must be 0 to 1");
        }
        if !parts(&[self.noise_floor, self.noise_floor_by_words]) {
            bail!("coding.noise_floor and coding.noise_floor_by_words must be 0 to 1");
        }
        if DropPolicy::parse(&self.drop_policy).is_none() {
            bail!("coding.drop_policy must be scored or oldest");
        }
        if oversize(&self.oversize).is_none() {
            bail!("coding.oversize must be skip or cut");
        }
        if OnUnverifiable::parse(&self.on_unverifiable).is_none() {
            bail!("coding.on_unverifiable must be label or withhold");
        }
        if OnConflict::parse(&self.on_conflict).is_none() {
            bail!("coding.on_conflict must be label or withhold");
        }
        let SharesSection { rules, knowledge, episodes, preferences, reflections } = self.shares;
        let sum = [rules, knowledge, episodes, preferences, reflections].map(u64::from).iter().sum::<u64>();
        if sum > 100 {
            bail!("coding.shares must be at most 100 together");
        }
        let ControlSection { off, tier1, tier2, tier3, .. } = self.control;
        if !parts(&[off, tier1, tier2, tier3, off + tier1 + tier2 + tier3]) {
            bail!("coding.control.off, tier1, tier2 and tier3 must be 0 to 1, each and together");
        }
        if Capture::parse(&self.capture.conversation).is_none() {
            bail!("coding.capture.conversation must be full, decisions, metadata or off");
        }
        if !(1..=limits::RETENTION_DAYS_MAX).contains(&self.capture.retention_days) {
            bail!("coding.capture.retention_days must be 1 to {}", limits::RETENTION_DAYS_MAX);
        }
        for pattern in &self.graph.exclude {
            if let Err(bad) = Glob::parse(pattern) {
                bail!("coding.graph.exclude must be patterns of paths, and {pattern} is none: {}", bad.0);
            }
        }
        self.github.check()
    }
}

impl GitHubSection {
    fn check(&self) -> Result<()> {
        if !MODES.contains(&self.mode.as_str()) {
            bail!("coding.github.mode must be webhook, poll or both");
        }
        if !PAUSES_MS.contains(&self.debounce_ms) {
            bail!("coding.github.debounce_ms must be 0 to {}", PAUSES_MS.end());
        }
        if !(POLL_MS_MIN..=*PAUSES_MS.end()).contains(&self.poll_interval_ms) {
            bail!("coding.github.poll_interval_ms must be {POLL_MS_MIN} to {}", PAUSES_MS.end());
        }
        Ok(())
    }
}

fn oversize(word: &str) -> Option<Oversize> {
    match word {
        "skip" => Some(Oversize::Skip),
        "cut" => Some(Oversize::Cut),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_the_engine_s() {
        let section = CodingSection::default();
        assert!(section.check().is_ok());
        assert_eq!(section.settings(), CodingSettings::default());
    }

    #[test]
    fn what_it_must_be() {
        let check = |change: fn(&mut CodingSection), key: &str| {
            let mut section = CodingSection::default();
            change(&mut section);
            let error = section.check().err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(key), "{key}: {error}");
        };
        check(|section| section.estimator = "words".into(), "coding.estimator");
        check(|section| section.candidate_pool = 101, "coding.candidate_pool");
        check(|section| section.read_timeout_ms = 99, "coding.read_timeout_ms");
        check(|section| section.min_similarity = f64::NAN, "coding.min_similarity");
        check(|section| section.noise_floor = -0.1, "coding.noise_floor");
        check(|section| section.noise_floor_by_words = 1.1, "coding.noise_floor_by_words");
        check(|section| section.drop_policy = "newest".into(), "coding.drop_policy");
        check(|section| section.shares.rules = 90, "coding.shares");
        check(|section| section.capture.conversation = "some".into(), "coding.capture.conversation");
        check(|section| section.capture.retention_days = 0, "coding.capture.retention_days");
        check(|section| section.graph.exclude = vec!["a[".to_owned()], "coding.graph.exclude");
        check(|section| section.github.mode = "push".into(), "coding.github.mode");
        check(|section| section.github.debounce_ms = -1, "coding.github.debounce_ms");
        check(|section| section.github.poll_interval_ms = 9_999, "coding.github.poll_interval_ms");
        check(|section| (section.control.off, section.control.tier1) = (0.6, 0.6), "coding.control");
    }
}
