//! Hydration: the content of memory that a task receives, and the exposures that record it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request for a hydration. Every member is optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TaskHydrate {
    /// Text that the returned records should be relevant to. Default: the description of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Files, directories and patterns that are relevant for the task, at most 200.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Name of the user whose preferences are read. Default: the user who requested the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Name of the branch at which citations are verified. Default: the caller's working tree, if
    /// the server knows it, otherwise the current revision of the repository.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Id of the commit at which citations are verified, in place of a branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Maximum number of tokens of the whole text in `rendered`, at most 200,000. Default: the
    /// configured budget (2,000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
    /// Name of the token estimator: `mixed`, `chars4` (4 characters a token) or `bytes3` (3 bytes a
    /// token). Default: the configured one (`mixed`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimator: Option<String>,
    /// Maximum time for reading memory, in milliseconds, 100 to 30,000. Default: the configured
    /// limit (5,000). Parts that need longer are missing from the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Parts to return: `rules`, `knowledge`, `episodes`, `reflections`, `preferences`,
    /// `self_feedback` (information that several tasks lacked, as part of the knowledge), `graph`
    /// (files that often change with those in `paths`). Default: all parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
    /// Git blob ids or SHA-256 digests of the documents that the prompt already contains, at
    /// most 50. The response omits records that repeat these documents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude_repo_docs_sha: Vec<String>,
    /// `markdown` to return a text for the prompt in `rendered`; `json` or `none` to omit the text.
    /// Default: `markdown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub render: Option<String>,
    /// Issues, pull requests and descriptions from which the server assembles a user prompt, at
    /// most 50. Used only if `assemble` is true.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<PromptSource>,
    /// True to return a user prompt that is assembled from `sources`. Default: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub assemble: bool,
}

/// A source of a user prompt: an issue, a pull request or a description, as read from a forge.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PromptSource {
    /// Kind of the source: `issue`, `pull_request` or `task_description`. The server treats any
    /// other kind as untrusted and adds a warning.
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
    /// Comments on the issue or pull request, in any order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<PromptComment>,
    /// Review threads on lines of the pull request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub review_threads: Vec<PromptThread>,
}

/// A comment on an issue or a pull request.
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

/// A review thread on lines of a file. The user prompt contains either the whole thread or nothing
/// of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct PromptThread {
    /// Path of the file that the thread is about.
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
    /// Names of the sources that the prompt contains, such as `issue#123`.
    pub sources_used: Vec<String>,
    /// Estimated number of tokens of the prompt.
    pub token_estimate: u32,
    /// True if the prompt does not contain everything. The server omits first the oldest comments
    /// of issues, then the oldest comments of pull requests, then review threads.
    pub truncated: bool,
    /// Branch of the task.
    pub resolved_branch: Option<String>,
    /// Branch that the work starts from.
    pub resolved_base: Option<String>,
}

/// The response of a hydration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskHydrated {
    /// Version of this response format.
    pub version: u32,
    /// Id of the task; absent if the request specified a repository in place of a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// True if a part of memory could not be read, or not in time. `status` and `warnings` name the
    /// part.
    pub degraded: bool,
    /// Warnings about parts of memory that are missing or incomplete.
    pub warnings: Vec<String>,
    /// True if the repository has had too few tasks for useful memory.
    pub cold_start: bool,
    /// Memory arm of the task: `on`, `off`, `tier1`, `tier2` or `tier3`.
    pub arm: String,
    /// Id of the state of the repository's memory from which the server created the response. A
    /// rollback can return to it.
    pub snapshot_id: String,
    /// Id of the exposure, the stored list of the returned records; absent if it could not be
    /// written, or if no task was specified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure_id: Option<String>,
    /// Id of the commit at which citations were verified; absent if none were verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Rules of the repository that were learned from reviews.
    pub rules: Vec<HydratedRule>,
    /// Learnings about the repository.
    pub knowledge: Vec<HydratedKnowledge>,
    /// Episodes of earlier tasks.
    pub episodes: Vec<HydratedEpisode>,
    /// Reflections: conclusions from several tasks.
    pub reflections: Vec<HydratedReflection>,
    /// Preferences of the user who requested the task.
    pub preferences: Vec<HydratedPreference>,
    /// Files that often change together with the files in `paths`, as far as the budget allows.
    #[serde(default)]
    pub related_files: Vec<RelatedFile>,
    /// Token budget, its usage, and the records that the response omits.
    pub budget: HydrationBudget,
    /// Records that the response withholds, because the code that they cite is gone or contradicts
    /// them.
    pub withheld: Vec<Withheld>,
    /// Status of each part of the response, by name of the part: `ok`, `empty`, `timeout`, `error`,
    /// `disabled`, `skipped` or `screening_failed`.
    pub status: BTreeMap<String, String>,
    /// Text for the prompt of the agent, in Markdown; absent if the request did not ask for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<String>,
    /// SHA-256 digest of the ids and versions of the returned records, in order. Equal digests mean
    /// equal content.
    pub memory_hash: String,
    /// Trust in each part of the prompt, by name of the part: `memory` for parts from memory,
    /// `trusted` or `untrusted-external` for sources of the user prompt.
    pub content_trust: BTreeMap<String, String>,
    /// Texts of the returned records, in two lists for platforms that expect this form.
    pub memory_context: MemoryContext,
    /// User prompt assembled from `sources`; absent if the request did not ask for it.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub assembled: Option<AssembledPrompt>,
}

/// A file that often changes together with a file of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RelatedFile {
    /// Path of the related file.
    pub path: String,
    /// Path of the task's file, whose changes suggest the related file.
    pub because: String,
    /// Share, 0 to 1, of the changes of the task's file that also change the related file.
    pub confidence: f64,
    /// Number of changes that both files have in common.
    pub support: u32,
    /// Lift: how many times more often the files change together than independent files would.
    pub lift: f64,
}

/// A rule of the repository in the response of a hydration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedRule {
    /// Id of the record that contains the rule.
    pub id: String,
    /// Text of the rule.
    pub text: String,
    /// Part of the repository that the rule applies to; absent if it applies to the whole
    /// repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Weight by which the response sorts the rules; greater is first.
    pub weight: f64,
    /// State of the rule, such as `active`.
    pub state: String,
    /// Reviews in which the rule was stated, if they are known.
    #[serde(default)]
    pub sources: Vec<RuleSource>,
    /// Age of the rule in days.
    pub age_days: i64,
}

/// A review that a rule comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleSource {
    /// Number of the reviewed pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// Login of the reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// URL of the review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A learning about the repository in the response of a hydration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedKnowledge {
    /// Id of the record that contains the learning.
    pub id: String,
    /// Topic of the learning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Part of the repository that the learning applies to; absent if it applies to the whole
    /// repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Category: `architecture`, `convention`, `tooling` or `gotcha`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Text of the learning.
    pub text: String,
    /// Similarity of the learning to the query, 0 to 1.
    pub similarity: f64,
    /// Trust in the learning, 0 to 1.
    pub trust: f64,
    /// Score by which the response sorts the learnings, computed from similarity and trust.
    pub score: f64,
    /// Verdict on the code that the record cites: `valid`, `drifted` or `unverifiable`; absent if
    /// the record cites no code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Answer to the question if the cited code supports the text: `supported`, `not_checked` or
    /// `contradicted`; absent if it was not examined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<String>,
    /// Number of tasks that lacked this information; present only if the entry is a theme of
    /// self-feedback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacked_by: Option<u32>,
    /// Age of the learning in days.
    pub age_days: i64,
}

/// An episode of an earlier task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedEpisode {
    /// Id of the record that contains the episode.
    pub id: String,
    /// Id of the task that the episode is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Outcome of the task's pull request, such as `merged_as_is`; if it is unknown, the status of
    /// the task.
    pub outcome: String,
    /// Polarity: `positive`, `negative` or `neutral`. It states if an agent may follow the example.
    pub polarity: String,
    /// Summary of the task, at most 600 characters.
    pub summary: String,
    /// Paths of the files that the task changed, as its agent reported them.
    #[serde(default)]
    pub files: Vec<String>,
    /// Number of the task's pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<u64>,
    /// URL of the task's pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_url: Option<String>,
    /// Similarity of the episode to the query, 0 to 1.
    pub similarity: f64,
    /// Age of the episode in days.
    pub age_days: i64,
}

/// A reflection over several episodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedReflection {
    /// Id of the record that contains the reflection.
    pub id: String,
    /// Text of the reflection.
    pub text: String,
    /// Ids of the episodes that the reflection is based on.
    pub episodes: Vec<String>,
    /// Numbers of episodes that support the reflection; absent if they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<ReflectionEvidence>,
    /// Age of the reflection in days.
    pub age_days: i64,
}

/// The episodes that support a reflection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReflectionEvidence {
    /// Number of episodes that support the reflection.
    pub hits: u32,
    /// Number of episodes that the reflection was tested with.
    pub of: u32,
    /// Ids of the supporting episodes.
    pub episodes: Vec<String>,
}

/// A preference of a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydratedPreference {
    /// Id of the record that contains the preference.
    pub id: String,
    /// Subject of the preference: `pr_size`, `commit_style`, `test_coverage`, `documentation`,
    /// `libraries`, `patterns`, `communication` or `other`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<String>,
    /// Text of the preference.
    pub text: String,
    /// Origin of the preference: `explicit` if the person stated it, `implicit` if the server
    /// concluded it from reviews.
    pub origin: String,
}

/// The token budget of a hydration, and its usage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HydrationBudget {
    /// Maximum number of tokens of the response.
    pub limit: u32,
    /// Estimated number of tokens that the response uses.
    pub used: u32,
    /// Name of the token estimator.
    pub estimator: String,
    /// Number of tokens by kind of records, without headings.
    pub by_kind: BTreeMap<String, u32>,
    /// Records that the server found and did not return.
    pub dropped: Vec<DroppedRecord>,
}

/// A record that the server found and did not return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DroppedRecord {
    /// Id of the record.
    pub id: String,
    /// Kind of records in which it was found, such as `knowledge` or `rule`.
    pub kind: String,
    /// Reason for the omission: `budget`, `suspicious` (looks like instructions), `scope`, `trust`,
    /// `noise`, `similarity`, `own_task`, `self_feedback`, `in_repo_docs`, or `deadline` (no time
    /// was left to examine the record).
    pub reason: String,
}

/// A record that the response withholds, because the code that it cites does not prove it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Withheld {
    /// Id of the record.
    pub id: String,
    /// Reason for withholding the record: `citation_gone`, `citation_contradicted`,
    /// `citation_unproven` or `citation_unverifiable`.
    pub reason: String,
}

/// The texts of the returned records in two lists. A list that could not be read is null.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct MemoryContext {
    /// Rules, reflections and knowledge; null if they could not be read.
    pub repo_knowledge: Option<Vec<String>>,
    /// Summaries of earlier tasks; null if they could not be read. The text begins with a note if
    /// the task failed or its success is unknown.
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
    /// Call that returned the records: `hydrate` or `search`.
    pub call: String,
    /// Id of the state of the repository's memory from which the server created the response.
    pub snapshot_id: String,
    /// Memory arm of the task.
    pub arm: String,
    /// SHA-256 digest of the query; absent if the call had no query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_sha256: Option<String>,
    /// Name of the token estimator.
    pub estimator: String,
    /// Maximum number of tokens of the response.
    pub limit: u32,
    /// Estimated number of tokens of the response.
    pub used: u32,
    /// SHA-256 digest of the ids and versions of the returned records, in order.
    pub memory_hash: String,
    /// True if a part of memory could not be read, or not in time.
    pub degraded: bool,
    /// All records that the call examined, by kind and rank, whether they were returned or not.
    pub records: Vec<ExposedRecord>,
}

/// A record that a call examined for a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExposedRecord {
    /// Id of the record.
    pub id: String,
    /// Version of the record at the time of the call.
    pub version: u32,
    /// Kind of records in which it was found, such as `knowledge` or `rule`.
    pub kind: String,
    /// Rank of the record among those of its kind, starting at 1.
    pub rank: u32,
    /// Similarity of the record to the query, 0 to 1.
    pub similarity: f64,
    /// Trust in the record, 0 to 1.
    pub trust: f64,
    /// Score that determined the rank.
    pub score: f64,
    /// Estimated number of tokens of the record's lines in the response; 0 if the response contains
    /// no text of it.
    pub tokens: u32,
    /// Decision about the record: `shown`; `shadow` (it would have been shown, but the memory arm
    /// of the task excludes it); or `dropped:` with the reason.
    pub decision: String,
}

/// An explanation of a task: the records that it was shown, those that it used, and their
/// provenance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TaskExplained {
    /// Id of the task.
    pub task_id: String,
    /// Memory arm of the task.
    pub arm: String,
    /// Exposures of the task: the newest 100, oldest first.
    pub exposures: Vec<Exposure>,
    /// True if the task has older exposures than the newest 100.
    pub more_exposures: bool,
    /// Records that the task was shown or that its agent reported as used, by id.
    pub records: Vec<ExplainedRecord>,
    /// Ids of the records that the agent or a person reported as used.
    pub used: Vec<String>,
    /// Ids of the records that the agent or a person reported as helpful.
    pub helpful: Vec<String>,
    /// Ids of the records that the agent or a person reported as misleading.
    pub harmful: Vec<String>,
}

/// A record that a task was shown or that its agent reported as used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExplainedRecord {
    /// Id of the record.
    pub id: String,
    /// Kind of records in which it was found; absent if no call returned the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Versions of the record that calls returned to the task.
    pub versions: Vec<u32>,
    /// Number of calls that returned the record to the task.
    pub shown: u32,
    /// Current state of the record; absent if the record was deleted, or if the caller may not read
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Current version of the record; absent under the same conditions as `state`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Current text of the record; for an episode, its summary. Absent under the same conditions as
    /// `state`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Type of the record's source: `agent_learning`, `agent_episode`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_type: Option<String>,
    /// Id of the task that wrote the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_task: Option<String>,
    /// Time at which the record was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}
