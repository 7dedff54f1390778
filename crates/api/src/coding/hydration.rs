//! What a task is shown of what is remembered, and what it was shown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is asked for. Every member may be absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskHydrate {
    /// What is looked by; absent: the task's description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Files, directories and patterns that the task has to do with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Whose preferences; absent: those of whoever asked for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The branch at which citations are verified.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The commit at which they are, rather than at a branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// At most so many tokens for the whole block; absent: as configured (2,000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
    /// `mixed`, `chars4` or `bytes3`; absent: as configured (`mixed`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimator: Option<String>,
    /// 100 to 30,000; absent: as configured (5,000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Only these: `rules`, `knowledge`, `episodes`, `reflections`, `preferences`, `self_feedback` (what several tasks lacked, among the
    /// knowledge); absent: all. `graph` is taken and answered with a warning: nothing makes it yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
    /// Documents that the prompt holds anyway, by the id of their git blob or their SHA-256 (at most 50): what they say already is left
    /// out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude_repo_docs_sha: Vec<String>,
    /// `markdown` (absent: this): with the block `rendered`; `json` or `none`: without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub render: Option<String>,
    /// What the user prompt is made of (at most 50); used with `assemble` alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<PromptSource>,
    /// The user prompt is wanted, too, out of `sources`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub assemble: bool,
}

/// Something that a task is about, as it was read at its forge.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PromptSource {
    /// `issue`, `pull_request`, `task_description`; anything else is not trusted either, and a warning says so.
    pub kind: String,
    /// Its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// What was said to it, in any order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<PromptComment>,
    /// What was said to its lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub review_threads: Vec<PromptThread>,
}

/// What somebody said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PromptComment {
    /// Who.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// What.
    pub body: Option<String>,
    /// When, RFC 3339; what has no time counts as the oldest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

/// What was said to some lines: it stays or goes as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PromptThread {
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The comments, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<PromptComment>,
}

/// The user prompt of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AssembledPrompt {
    /// The prompt: what is trusted, and behind it in a fence what is not.
    pub user_prompt: String,
    /// Sources of which something is in it: `issue#123`.
    pub sources_used: Vec<String>,
    /// What it is estimated at.
    pub token_estimate: u32,
    /// Something was left out: the oldest comments of issues first, then those of pull requests, then review threads.
    pub truncated: bool,
    /// The branch of the task.
    pub resolved_branch: Option<String>,
    /// The branch it is for.
    pub resolved_base: Option<String>,
}

/// What a task is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskHydrated {
    /// The version of this shape.
    pub version: u32,
    /// The task; absent where a repository was named and no task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Something could not be read, or not in time: `status` and `warnings` say what.
    pub degraded: bool,
    /// What to know.
    pub warnings: Vec<String>,
    /// Hardly any task of the repository came before.
    pub cold_start: bool,
    /// Which memory the task is given: `on`, `off`, `tier1`, `tier2`, `tier3`.
    pub arm: String,
    /// The state of the memory it was made from.
    pub snapshot_id: String,
    /// The row of what was shown; absent where it could not be written, or no task was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure_id: Option<String>,
    /// The commit at which citations were verified; absent where none were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Rules from reviews.
    pub rules: Vec<HydratedRule>,
    /// What was learned about the repository.
    pub knowledge: Vec<HydratedKnowledge>,
    /// What happened in earlier tasks.
    pub episodes: Vec<HydratedEpisode>,
    /// What several of them teach.
    pub reflections: Vec<HydratedReflection>,
    /// What whoever asked prefers.
    pub preferences: Vec<HydratedPreference>,
    /// Files that often change together with those of `paths`, as far as they are shown.
    #[serde(default)]
    pub related_files: Vec<RelatedFile>,
    /// What was used of the budget, and what did not get in.
    pub budget: HydrationBudget,
    /// What is kept back because of its code.
    pub withheld: Vec<Withheld>,
    /// By kind: `ok`, `empty`, `timeout`, `error`, `disabled`, `skipped` or `screening_failed`.
    pub status: BTreeMap<String, String>,
    /// The block for the prompt; absent where none was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<String>,
    /// SHA-256 over what is shown: ids and versions, in order.
    pub memory_hash: String,
    /// How far each kind may be believed: `memory`.
    pub content_trust: BTreeMap<String, String>,
    /// The same texts in two lists.
    pub memory_context: MemoryContext,
    /// The user prompt; absent: it was not asked for.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub assembled: Option<AssembledPrompt>,
}

/// A file that changes together with one of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RelatedFile {
    /// The file.
    pub path: String,
    /// The one it changes with.
    pub because: String,
    /// Of the commits that change that one, the share that changes this one too.
    pub confidence: f64,
    /// Commits that change both.
    pub support: u32,
    /// How much more often than by chance.
    pub lift: f64,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedRule {
    /// The record.
    pub id: String,
    /// What is asked for.
    pub text: String,
    /// To what it applies; absent: everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// By which it is ordered.
    pub weight: f64,
    /// Where it stands.
    pub state: String,
    /// The reviews it comes from, as far as they are known.
    #[serde(default)]
    pub sources: Vec<RuleSource>,
    /// How old it is.
    pub age_days: i64,
}

/// A review that a rule comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleSource {
    /// The number of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// Who asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Where that is to be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Something that was learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedKnowledge {
    /// The record.
    pub id: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// To what it applies; absent: everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// `architecture`, `convention`, `tooling` or `gotcha`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What was learned.
    pub text: String,
    /// How well it fits the question.
    pub similarity: f64,
    /// How far it is trusted.
    pub trust: f64,
    /// Both.
    pub score: f64,
    /// What became of the code it cites: `valid`, `drifted`, `unverifiable`; absent where it cites none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// The verdict of that code on the text: `supported`, `not_checked` or `contradicted`; absent: not
    /// looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<String>,
    /// So many tasks lacked what it says: a theme of self-feedback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacked_by: Option<u32>,
    /// How old it is.
    pub age_days: i64,
}

/// What happened in an earlier task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedEpisode {
    /// The record.
    pub id: String,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// How it ended.
    pub outcome: String,
    /// `positive`, `negative` or `neutral`: whether it may be followed.
    pub polarity: String,
    /// What happened, in at most 600 characters.
    pub summary: String,
    /// The files that it changed, as it was reported.
    #[serde(default)]
    pub files: Vec<String>,
    /// The number of its pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// Where that is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_url: Option<String>,
    /// How well it fits the question.
    pub similarity: f64,
    /// How old it is.
    pub age_days: i64,
}

/// What several tasks teach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedReflection {
    /// The record.
    pub id: String,
    /// What they teach.
    pub text: String,
    /// The episodes it rests on.
    pub episodes: Vec<String>,
    /// How many of how many bear it out; absent where nobody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<ReflectionEvidence>,
    /// How old it is.
    pub age_days: i64,
}

/// What bears a reflection out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReflectionEvidence {
    /// So many episodes do.
    pub hits: u32,
    /// Of so many that were looked at.
    pub of: u32,
    /// Which.
    pub episodes: Vec<String>,
}

/// What somebody prefers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedPreference {
    /// The record.
    pub id: String,
    /// In what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<String>,
    /// What.
    pub text: String,
    /// `explicit` or `implicit`.
    pub origin: String,
}

/// A budget in tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydrationBudget {
    /// At most so many.
    pub limit: u32,
    /// So many are used.
    pub used: u32,
    /// How they are estimated.
    pub estimator: String,
    /// By kind, headings left out.
    pub by_kind: BTreeMap<String, u32>,
    /// What was found and is not shown.
    pub dropped: Vec<DroppedRecord>,
}

/// A record that was found and is not shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DroppedRecord {
    /// The record.
    pub id: String,
    /// As what it was found.
    pub kind: String,
    /// `budget`, `suspicious`, `scope`, `trust`, `noise`, `similarity`, `own_task`, `self_feedback`,
    /// `in_repo_docs`, or `deadline`: there was no time to look at it.
    pub reason: String,
}

/// A record that is kept back because of its code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Withheld {
    /// The record.
    pub id: String,
    /// `citation_gone`, `citation_contradicted`, `citation_unproven` or `citation_unverifiable`.
    pub reason: String,
}

/// Two lists of texts; a list that could not be read is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct MemoryContext {
    /// Rules, reflections, knowledge; null: it could not be read.
    pub repo_knowledge: Option<Vec<String>>,
    /// Earlier tasks; one that did not work, or of which that is not known, begins by saying so; null: they could not be read.
    pub past_episodes: Option<Vec<String>>,
}

/// What one call showed a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Exposure {
    /// Its id.
    pub exposure_id: String,
    /// The task.
    pub task_id: String,
    /// When.
    pub at: String,
    /// `hydrate` or `search`.
    pub call: String,
    /// The state of the memory it was made from.
    pub snapshot_id: String,
    /// Which memory the task is given.
    pub arm: String,
    /// SHA-256 of the question; absent: there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_sha256: Option<String>,
    /// How tokens were estimated.
    pub estimator: String,
    /// At most so many tokens.
    pub limit: u32,
    /// So many were used.
    pub used: u32,
    /// SHA-256 over what was shown: ids and versions, in order.
    pub memory_hash: String,
    /// Something could not be read, or not in time.
    pub degraded: bool,
    /// Everything that was looked at, by kind and rank.
    pub records: Vec<ExposedRecord>,
}

/// A record that was looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExposedRecord {
    /// The record.
    pub id: String,
    /// Its version.
    pub version: u32,
    /// As what.
    pub kind: String,
    /// Its place in its kind, from 1.
    pub rank: u32,
    /// How well it fits the question.
    pub similarity: f64,
    /// How far it was trusted.
    pub trust: f64,
    /// What decided its place.
    pub score: f64,
    /// What its lines cost; 0 where it never came to that.
    pub tokens: u32,
    /// `shown`, `shadow`, or `dropped:` and the reason.
    pub decision: String,
}

/// What a task was shown, what it says it used, and where that comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskExplained {
    /// The task.
    pub task_id: String,
    /// Which memory it is given.
    pub arm: String,
    /// What each call showed, oldest first: the newest 100.
    pub exposures: Vec<Exposure>,
    /// There are older ones.
    pub more_exposures: bool,
    /// What was shown, or is said to have been used, by id.
    pub records: Vec<ExplainedRecord>,
    /// What is said to have been used.
    pub used: Vec<String>,
    /// What is said to have helped.
    pub helpful: Vec<String>,
    /// What is said to have misled.
    pub harmful: Vec<String>,
}

/// A record that was shown or used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExplainedRecord {
    /// The record.
    pub id: String,
    /// As what it was shown; absent: it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The versions that were shown.
    pub versions: Vec<u32>,
    /// By how many calls.
    pub shown: u32,
    /// Its state now; absent: it is gone, or not for the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Its version now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Its text now; of an episode its summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What wrote it: `agent_learning`, `agent_episode`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_type: Option<String>,
    /// The task that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_task: Option<String>,
    /// When it was first written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}
