//! Hydration: the content of memory that a task receives, and the exposures that record it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request for a hydration. Every member is optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskHydrate {
    /// Query. Default: the description of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Files, directories and patterns that are relevant for the task, at most 200.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// User whose preferences are read. Default: the requesting user of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Branch at which citations are verified.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Commit at which citations are verified, in place of a branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Token budget of the whole block, at most 200,000. Default: the configured budget (2,000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
    /// Token estimator: `mixed`, `chars4` or `bytes3`. Default: the configured one (`mixed`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimator: Option<String>,
    /// Time limit in milliseconds, 100 to 30,000. Default: the configured limit (5,000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Parts to return: `rules`, `knowledge`, `episodes`, `reflections`, `preferences`,
    /// `self_feedback` (information that several tasks lacked, as part of the knowledge), `graph`
    /// (files that often change with those in `paths`). Default: all parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
    /// Documents that the prompt already contains, by git blob id or SHA-256, at most 50. The
    /// response omits their content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude_repo_docs_sha: Vec<String>,
    /// `markdown` to return the block in `rendered`; `json` or `none` to omit it. Default:
    /// `markdown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub render: Option<String>,
    /// Sources of the user prompt, at most 50. Used only with `assemble`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<PromptSource>,
    /// True to return a user prompt that is assembled from `sources`. Default: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub assemble: bool,
}

/// A source of a user prompt, as read from a forge.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PromptSource {
    /// `issue`, `pull_request` or `task_description`. Any other kind is untrusted and causes a
    /// warning.
    pub kind: String,
    /// Number of the issue or pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Title of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Text of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Comments, in any order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<PromptComment>,
    /// Review threads on lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub review_threads: Vec<PromptThread>,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PromptComment {
    /// Author of the comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Text of the comment.
    pub body: Option<String>,
    /// Time of the comment, RFC 3339. A comment without a time counts as the oldest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

/// A review thread on lines. The user prompt contains the whole thread or nothing of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PromptThread {
    /// Path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Comments of the thread, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<PromptComment>,
}

/// The user prompt of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct AssembledPrompt {
    /// Text of the prompt: first the trusted content, then the untrusted content in a fence.
    pub user_prompt: String,
    /// Sources that contributed to the prompt, such as `issue#123`.
    pub sources_used: Vec<String>,
    /// Number of tokens of the prompt (estimate).
    pub token_estimate: u32,
    /// True if something was omitted: first the oldest comments of issues, then those of pull
    /// requests, then review threads.
    pub truncated: bool,
    /// Branch of the task.
    pub resolved_branch: Option<String>,
    /// Branch that the work starts from.
    pub resolved_base: Option<String>,
}

/// The response of a hydration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskHydrated {
    /// Version of this format.
    pub version: u32,
    /// Id of the task; absent if the request specified a repository in place of a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// True if something could not be read, or not in time. `status` and `warnings` name it.
    pub degraded: bool,
    /// Warnings about the response.
    pub warnings: Vec<String>,
    /// True if the repository has had hardly any task before.
    pub cold_start: bool,
    /// Memory arm of the task: `on`, `off`, `tier1`, `tier2` or `tier3`.
    pub arm: String,
    /// Id of the memory's state that the response was created from.
    pub snapshot_id: String,
    /// Id of the recorded exposure; absent if it could not be written, or if no task was specified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure_id: Option<String>,
    /// Commit at which citations were verified; absent if none were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Rules from reviews.
    pub rules: Vec<HydratedRule>,
    /// Knowledge about the repository.
    pub knowledge: Vec<HydratedKnowledge>,
    /// Episodes of earlier tasks.
    pub episodes: Vec<HydratedEpisode>,
    /// Reflections over several episodes.
    pub reflections: Vec<HydratedReflection>,
    /// Preferences of the requesting user.
    pub preferences: Vec<HydratedPreference>,
    /// Files that often change with those in `paths`, as far as the block contains them.
    #[serde(default)]
    pub related_files: Vec<RelatedFile>,
    /// Token budget, its usage, and the records that it omits.
    pub budget: HydrationBudget,
    /// Records that are withheld because of their cited code.
    pub withheld: Vec<Withheld>,
    /// Status by part: `ok`, `empty`, `timeout`, `error`, `disabled`, `skipped` or
    /// `screening_failed`.
    pub status: BTreeMap<String, String>,
    /// Block for the prompt; absent if the request did not ask for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<String>,
    /// SHA-256 of the ids and versions of the returned records, in order.
    pub memory_hash: String,
    /// Trust by part: `memory` for parts from memory, `trusted` or `untrusted-external` for sources
    /// of the user prompt.
    pub content_trust: BTreeMap<String, String>,
    /// Texts of the records, in two lists.
    pub memory_context: MemoryContext,
    /// User prompt; absent if the request did not ask for it.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub assembled: Option<AssembledPrompt>,
}

/// A file that changes together with a file of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RelatedFile {
    /// Path of the file.
    pub path: String,
    /// Path of the file of the task.
    pub because: String,
    /// Share of the task file's changes that also change this file, 0 to 1.
    pub confidence: f64,
    /// Number of changes of both files.
    pub support: u32,
    /// Lift: frequency of common changes relative to chance.
    pub lift: f64,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedRule {
    /// Id of the record.
    pub id: String,
    /// Text of the rule.
    pub text: String,
    /// Scope that the rule applies to; absent if it applies to everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Weight that determines the order.
    pub weight: f64,
    /// State of the rule.
    pub state: String,
    /// Reviews that the rule comes from, if known.
    #[serde(default)]
    pub sources: Vec<RuleSource>,
    /// Age in days.
    pub age_days: i64,
}

/// A review that a rule comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleSource {
    /// Number of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// Name of the reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// URL of the review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A learning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedKnowledge {
    /// Id of the record.
    pub id: String,
    /// Topic of the learning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Scope that the learning applies to; absent if it applies to everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Category: `architecture`, `convention`, `tooling` or `gotcha`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Text of the learning.
    pub text: String,
    /// Similarity to the query, 0 to 1.
    pub similarity: f64,
    /// Trust in the record, 0 to 1.
    pub trust: f64,
    /// Score that determines the rank, from similarity and trust.
    pub score: f64,
    /// Verdict on the cited code: `valid`, `drifted` or `unverifiable`; absent if the record cites
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Verdict of that code on the text: `supported`, `not_checked` or `contradicted`; absent if it
    /// was not examined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<String>,
    /// Number of tasks that lacked this information, for a theme of self-feedback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacked_by: Option<u32>,
    /// Age in days.
    pub age_days: i64,
}

/// An episode of an earlier task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedEpisode {
    /// Id of the record.
    pub id: String,
    /// Id of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Outcome of the task.
    pub outcome: String,
    /// Polarity: `positive`, `negative` or `neutral`. It states if an agent may follow the example.
    pub polarity: String,
    /// Summary, at most 600 characters.
    pub summary: String,
    /// Paths of the files that the task changed, as reported.
    #[serde(default)]
    pub files: Vec<String>,
    /// Number of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// URL of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_url: Option<String>,
    /// Similarity to the query, 0 to 1.
    pub similarity: f64,
    /// Age in days.
    pub age_days: i64,
}

/// A reflection over several episodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedReflection {
    /// Id of the record.
    pub id: String,
    /// Text of the reflection.
    pub text: String,
    /// Ids of the episodes that the reflection is based on.
    pub episodes: Vec<String>,
    /// Numbers of supporting episodes; absent if they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<ReflectionEvidence>,
    /// Age in days.
    pub age_days: i64,
}

/// The evidence for a reflection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReflectionEvidence {
    /// Number of episodes that support the reflection.
    pub hits: u32,
    /// Number of episodes that were examined.
    pub of: u32,
    /// Ids of the supporting episodes.
    pub episodes: Vec<String>,
}

/// A preference of a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedPreference {
    /// Id of the record.
    pub id: String,
    /// Dimension of the preference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<String>,
    /// Text of the preference.
    pub text: String,
    /// `explicit` or `implicit`.
    pub origin: String,
}

/// A token budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydrationBudget {
    /// Maximum number of tokens.
    pub limit: u32,
    /// Number of tokens used.
    pub used: u32,
    /// Token estimator.
    pub estimator: String,
    /// Number of tokens by kind, without headings.
    pub by_kind: BTreeMap<String, u32>,
    /// Records that were found and are not in the response.
    pub dropped: Vec<DroppedRecord>,
}

/// A record that was found and is not in the response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DroppedRecord {
    /// Id of the record.
    pub id: String,
    /// Kind under which the record was found.
    pub kind: String,
    /// Reason: `budget`, `suspicious`, `scope`, `trust`, `noise`, `similarity`, `own_task`,
    /// `self_feedback`, `in_repo_docs`, or `deadline` (there was no time to examine it).
    pub reason: String,
}

/// A record that is withheld because of its cited code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Withheld {
    /// Id of the record.
    pub id: String,
    /// Reason: `citation_gone`, `citation_contradicted`, `citation_unproven` or
    /// `citation_unverifiable`.
    pub reason: String,
}

/// Two lists of texts. A list that could not be read is null.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct MemoryContext {
    /// Rules, reflections and knowledge; null if they could not be read.
    pub repo_knowledge: Option<Vec<String>>,
    /// Earlier tasks; null if they could not be read. The text of a task that failed, or whose
    /// success is unknown, begins with a note about it.
    pub past_episodes: Option<Vec<String>>,
}

/// An exposure: the content of memory that one call returned to a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Exposure {
    /// Id of the exposure.
    pub exposure_id: String,
    /// Id of the task.
    pub task_id: String,
    /// Time of the call.
    pub at: String,
    /// `hydrate` or `search`.
    pub call: String,
    /// Id of the memory's state that the response was created from.
    pub snapshot_id: String,
    /// Memory arm of the task.
    pub arm: String,
    /// SHA-256 of the query; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_sha256: Option<String>,
    /// Token estimator.
    pub estimator: String,
    /// Maximum number of tokens.
    pub limit: u32,
    /// Number of tokens used.
    pub used: u32,
    /// SHA-256 of the ids and versions of the returned records, in order.
    pub memory_hash: String,
    /// True if something could not be read, or not in time.
    pub degraded: bool,
    /// All records that were examined, by kind and rank.
    pub records: Vec<ExposedRecord>,
}

/// A record that was examined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExposedRecord {
    /// Id of the record.
    pub id: String,
    /// Version of the record.
    pub version: u32,
    /// Kind under which the record was examined.
    pub kind: String,
    /// Rank within its kind, starting at 1.
    pub rank: u32,
    /// Similarity to the query.
    pub similarity: f64,
    /// Trust in the record.
    pub trust: f64,
    /// Score that determined the rank.
    pub score: f64,
    /// Number of tokens of the record's lines; 0 if they were not rendered.
    pub tokens: u32,
    /// Decision: `shown`, `shadow`, or `dropped:` and the reason.
    pub decision: String,
}

/// An explanation of a task: its exposures, the records it reported as used, and their provenance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskExplained {
    /// Id of the task.
    pub task_id: String,
    /// Memory arm of the task.
    pub arm: String,
    /// Exposures of the task: the newest 100, oldest first.
    pub exposures: Vec<Exposure>,
    /// True if there are older exposures.
    pub more_exposures: bool,
    /// Records that were returned to the task, or reported as used, by id.
    pub records: Vec<ExplainedRecord>,
    /// Ids of the records that were reported as used.
    pub used: Vec<String>,
    /// Ids of the records that were reported as helpful.
    pub helpful: Vec<String>,
    /// Ids of the records that were reported as misleading.
    pub harmful: Vec<String>,
}

/// A record that was returned to a task, or reported as used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExplainedRecord {
    /// Id of the record.
    pub id: String,
    /// Kind under which the record was returned; absent if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Versions that were returned.
    pub versions: Vec<u32>,
    /// Number of calls that returned the record.
    pub shown: u32,
    /// Current state; absent if the record was deleted, or if the caller may not read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Current version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Current text; for an episode, its summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Type of the source: `agent_learning`, `agent_episode`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_type: Option<String>,
    /// Id of the task that the record comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_task: Option<String>,
    /// Time of creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}
