//! All limits of the engine, each with its reason. Exceeding a limit is an error, never a silent
//! truncation.
//!
//! Wire limits are those of AgentCore. The other limits are Loci's own defaults.

/// Maximum length of a namespace, in characters.
pub const NAMESPACE_CHARS_MAX: usize = 1024;
/// Maximum length of a namespace template, in characters.
pub const TEMPLATE_CHARS_MAX: usize = 512;
/// Maximum length of one conversational message, in characters (strict mode).
pub const MESSAGE_CHARS_MAX: usize = 100_000;
/// Maximum number of items of an event's payload (strict mode).
pub const PAYLOAD_ITEMS_MAX: usize = 100;
/// Maximum size of one serialised `json` payload item, in bytes (strict mode).
pub const JSON_ITEM_BYTES_MAX: usize = 102_400;
/// Maximum size of an event's content, in bytes, in both modes. AWS states 10 MB, and clients send
/// up to 10,000,000 bytes.
pub const EVENT_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Maximum number of metadata keys of an event (strict mode).
pub const EVENT_METADATA_KEYS_MAX: usize = 15;
/// Maximum length of an event's metadata value, in characters (strict mode).
pub const EVENT_METADATA_VALUE_CHARS_MAX: usize = 256;
/// Maximum length of a record's text through the wire, in characters.
pub const RECORD_TEXT_CHARS_MAX: usize = 16_000;
/// Size of the texts of one request, in bytes, from which the safety steps read them before the
/// write on a separate thread.
pub const LONG_TEXT_BYTES_MIN: usize = 32 * 1024;
/// Size of texts known only within a write, in bytes, from which they are made safe outside of the
/// write. It exceeds the size of a document, because a document with many appends would have
/// changed before the write runs again.
pub const WRITE_TEXTS_BYTES_MIN: usize = 128 * 1024;
/// Maximum length of a document's text through other APIs, in characters.
pub const DOCUMENT_TEXT_CHARS_MAX: usize = 4_000_000;
/// Maximum size of a mirror's file that a sync reads, in bytes.
pub const MIRRORED_FILE_BYTES_MAX: u64 = 1 << 20;
/// Maximum length of a metadata key, in characters.
pub const METADATA_KEY_CHARS_MAX: usize = 128;
/// Maximum number of metadata keys of a record.
pub const RECORD_METADATA_KEYS_MAX: usize = 20;
/// Maximum number of records of one batch.
pub const BATCH_RECORDS_MAX: usize = 100;
/// Maximum number of strategies of a memory.
pub const STRATEGIES_MAX: usize = 6;
/// Maximum number of filterable metadata keys of a memory.
pub const INDEXED_KEYS_MAX: usize = 10;
/// Maximum number of namespace variables of a memory.
pub const NAMESPACE_KEYS_MAX: usize = 5;
/// Maximum number of tags of a memory.
pub const TAGS_MAX: usize = 50;
/// Maximum number of metadata filters of a request.
pub const METADATA_FILTERS_MAX: usize = 5;
/// Maximum number of metadata keys to which a grant is bound.
pub const GRANT_METADATA_KEYS_MAX: usize = 5;
/// Maximum number of values that a grant allows for one metadata key.
pub const GRANT_METADATA_VALUES_MAX: usize = 20;
/// Maximum age that a grant may specify, in days: 100 years.
pub const GRANT_AGE_DAYS_MAX: u32 = 36_500;
/// Maximum number of results of one retrieval.
pub const TOP_K_MAX: u32 = 100;
/// Maximum length of a search query in strict mode, in characters. The lenient mode shortens a
/// longer query with a warning.
pub const QUERY_CHARS_MAX: usize = 10_000;
/// Maximum number of distinct query terms that the lexical search uses.
pub const QUERY_TERMS_MAX: usize = 64;
/// Maximum number of items of a page.
pub const PAGE_ITEMS_MAX: u32 = 100;
/// Maximum size of an HTTP body, in bytes. Clients send events of up to 10,000,000 bytes.
pub const BODY_BYTES_MAX_DEFAULT: usize = 12 * 1024 * 1024;
/// Maximum size of all request bodies in memory, in bytes, over all APIs: ten of the largest.
pub const BODIES_BYTES_MAX_DEFAULT: usize = 128 * 1024 * 1024;
/// Part of that budget that only small bodies may use, in bytes, so that large bodies never block
/// small ones.
pub const BODIES_SMALL_BYTES_RESERVED: usize = 16 * 1024 * 1024;
/// Maximum size of a small body, in bytes.
pub const BODY_SMALL_BYTES_MAX: usize = 64 * 1024;
/// Maximum size of all bodies in memory, in bytes, that a signature of a known key covers. The
/// signature is verified after the body is read.
pub const BODIES_UNVERIFIED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Maximum size of all unverified hook bodies in memory, in bytes. Any sender may send them.
pub const BODIES_HOOK_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Maximum time from the first read of a body to its last byte, in milliseconds.
pub const BODY_MS_MAX: u64 = 300_000;
/// Maximum time for reading an unverified hook body, in milliseconds.
pub const HOOK_BODY_MS_MAX: u64 = 30_000;
/// Maximum number of bytes of a rejected body that are read and discarded before its response, if a
/// slot for slow connections is free. A client that sends more, or finds no slot, may see a reset.
pub const UNREAD_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Maximum time for discarding a rejected body, in milliseconds, while no other connection needs
/// its slot.
pub const UNREAD_MS_MAX: u64 = 30_000;
/// Maximum time for discarding a rejected body, in milliseconds, if the server is full or stops,
/// and in any case while none of its bytes arrives.
pub const UNREAD_SHORT_MS_MAX: u64 = 2_000;
/// Time in milliseconds that a client may keep the server waiting for a body, or for a response to
/// be read, in addition to the time that its transferred bytes earn.
pub const TRANSFER_PATIENCE_MS: u64 = 30_000;
/// Transfer rate in bytes per second that earns waiting time. A slower client uses up the patience.
pub const TRANSFER_BYTES_PER_S_MIN: u64 = 4 * 1024;
/// Unearned waiting time in milliseconds after which a connection is slow. At most half of all
/// connections may be slow.
pub const SLOW_AFTER_MS: u64 = 1_000;
/// Maximum size of a request's head, in bytes.
pub const REQUEST_HEAD_BYTES_MAX: usize = 64 * 1024;
/// Maximum number of TCP connections of a listener.
pub const CONNECTIONS_MAX_DEFAULT: usize = 1024;
/// Number of additional connections for health checks only.
pub const HEALTH_CONNECTIONS_MAX: usize = 16;
/// Maximum time for such a connection to send the head of its request, in milliseconds.
pub const HEALTH_HEAD_MS_MAX: u64 = 2_000;
/// Number of additional connections that lost their slot while the head of their request was on its
/// way.
pub const LATE_CONNECTIONS_MAX: usize = 64;
/// Maximum time for such a head, in milliseconds. It is answered in any case.
pub const LATE_HEAD_MS_MAX: u64 = 500;
/// Maximum number of connections on the unix socket.
pub const SOCKET_CONNECTIONS_MAX: usize = 256;
/// Number of file descriptors that connections leave to the store, to git and to outgoing calls.
pub const DESCRIPTORS_RESERVED: u64 = 256;
/// Time in milliseconds for which figures that need a read of every memory are cached.
pub const FIGURES_MS: u64 = 10_000;
/// Time in milliseconds for which the result of a readiness check is cached.
pub const READINESS_MS: u64 = 1_000;
/// Maximum time from the stop signal to the end of a server, in milliseconds, regardless of running
/// work.
pub const STOP_MS_MAX_DEFAULT: u64 = 25_000;
/// Bounds of that time for operators, in milliseconds.
pub const STOP_MS_MAX: std::ops::RangeInclusive<u64> = 1_000..=600_000;
/// Maximum length of an idempotency token, in characters. Clients send tokens longer than a UUID.
pub const CLIENT_TOKEN_CHARS_MAX: usize = 1024;
/// Minimum time for which an idempotency token is remembered, in milliseconds.
pub const IDEMPOTENCY_MS: i64 = 24 * 3600 * 1000;
/// Time in milliseconds for which the hidden content of deleted records stays before its erasure.
pub const ERASE_AFTER_MS_DEFAULT: u64 = 7 * 24 * 3600 * 1000;
/// Retention of non-active versions of records, in days.
pub const HISTORY_DAYS_DEFAULT: u32 = 365;
/// Retention of telemetry, in days.
pub const TELEMETRY_DAYS_DEFAULT: u32 = 90;
/// Maximum length of a cited file's path, in bytes, because stores look it up by an index.
pub const CODE_PATH_BYTES_MAX: usize = 2_000;
/// Time in milliseconds for which a session is listed after it became empty.
pub const EMPTY_SESSION_MS: i64 = 24 * 3600 * 1000;
/// Time in milliseconds for which a finished job is listed.
pub const FINISHED_JOB_MS: i64 = 24 * 3600 * 1000;
/// Time in milliseconds for which a failed job is listed and can be started again.
pub const FAILED_JOB_MS: i64 = 90 * 24 * 3600 * 1000;
/// Time in milliseconds without a heartbeat after which a partial import is removed.
pub const IMPORT_IDLE_MS: i64 = 3600 * 1000;
/// Maximum interval between the heartbeats of an import, in milliseconds, while lines arrive.
pub const IMPORT_BEAT_MS: i64 = 60_000;
/// Time in milliseconds after which another runner may take an unfinished job.
pub const JOB_LEASE_MS: i64 = 60_000;
/// Maximum number of attempts of a job before it is listed as failed.
pub const JOB_ATTEMPTS_MAX: u32 = 5;
/// Maximum number of turns that one extraction reads before it writes. The rest is the next round
/// of the same job.
pub const EXTRACTION_TURNS_MAX: usize = 200;
/// Number of turns at which a summary or an episode is due immediately.
pub const SUMMARY_TURNS_DUE: usize = 50;
/// Delay of an extraction after the first unprocessed event, in milliseconds.
pub const EXTRACTION_DELAY_MS: i64 = 200;
/// Delay of a summary or an episode after the last event, in milliseconds.
pub const SUMMARY_DELAY_MS: i64 = 2_000;
/// Maximum time for which `extraction:wait` waits, in milliseconds.
pub const WAIT_MS_MAX: u64 = 300_000;
/// Maximum number of passages that one comparison embeds before it compares.
pub const COMPARED_VECTORS_MAX: usize = 256;
/// Maximum number of unextracted events that a search includes, if a memory shows them: the newest.
pub const PROVISIONAL_EVENTS_MAX: usize = 100;
/// Maximum number of waiting events whose access such a search checks without reading their
/// content: the newest.
pub const PROVISIONAL_ROWS_MAX: usize = 1_000;
/// Maximum size of the payloads that such a search reads, in bytes. An event that exceeds the rest
/// is left out.
pub const PROVISIONAL_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Maximum number of waiting extractions that such a search examines, the last changed first.
pub const PROVISIONAL_JOBS_MAX: usize = 1_000;
/// Maximum number of waiting extractions in each state that the search of a bound caller examines
/// for its own events, the last changed first. If there are more, the response reports that
/// extraction is pending.
pub const PENDING_JOBS_MAX: usize = 10;
/// Maximum size of a memory's own ranking weights with their origin, in bytes.
pub const RETRIEVAL_WEIGHTS_BYTES_MAX: usize = 32 * 1024;
/// Maximum length of session names, words, paths and other short texts of a record, in characters.
pub const SHORT_TEXT_CHARS_MAX: usize = 4_096;
/// Maximum number of concurrent jobs. A job that waits for a model holds only its slot.
pub const JOBS_AT_ONCE_MAX: usize = 256;
/// Maximum size of a request to a model, in bytes: its instructions and its input.
pub const EXCHANGE_INPUT_BYTES_MAX: usize = 1024 * 1024;
/// Maximum size of a model's response, in bytes.
pub const MODEL_REPLY_BYTES_MAX: usize = 1024 * 1024;
/// Maximum number of tokens of a model's response, including continuations.
pub const MODEL_OUTPUT_TOKENS_MAX: u32 = 16_384;
/// Maximum time for a model's response, in milliseconds. The adapter should time out long before.
pub const MODEL_CALL_MS_MAX: u64 = 300_000;
/// Maximum time for the evaluation of a prompt by the configured model, in milliseconds. Then it
/// ends with an error.
pub const PROMPT_EVALUATION_MS_MAX: u64 = 900_000;
/// Maximum number of attempts at a request in pull mode before the deterministic half replaces it.
pub const EXCHANGE_ATTEMPTS_MAX: u32 = 3;
/// Time in milliseconds after which an exchange is erased whose job has ended. Usually the job's
/// result erases it.
pub const EXCHANGE_KEPT_MS: i64 = 24 * 3600 * 1000;
/// Maximum number of messages of one window.
pub const WINDOW_MESSAGES_MAX: u32 = 50;
/// Maximum number of tokens of one window, as far as whole events allow.
pub const WINDOW_TOKENS_MAX: u32 = 20_000;
/// Minimum of a token trigger.
pub const TRIGGER_TOKENS_MIN: u32 = 100;
/// Maximum of a token trigger.
pub const TRIGGER_TOKENS_MAX: u32 = 500_000;
/// Maximum of an idle trigger, in milliseconds.
pub const IDLE_MS_MAX: u64 = 3_000_000;
/// Maximum number of messages before a window that it includes as context.
pub const CONTEXT_MESSAGES_MAX: u32 = 50;
/// Number of messages before a window in which its first ones are searched, because clients re-send
/// them.
pub const RESEND_LOOK_BACK: usize = 100;
/// Maximum number of sources that a record collects. More would add no information.
pub const RECORD_SOURCES_MAX: usize = 1_000;
/// Maximum number of facts from one window.
pub const FACTS_PER_WINDOW_MAX: usize = 64;
/// Maximum length of a fact that a model made, in characters.
pub const FACT_CHARS_MAX: usize = 2_000;
/// Maximum number of names of a fact that are searched in the code that it cites. The limit also
/// applies to numbers and to quotations.
pub const SUPPORT_NAMES_MAX: usize = 60;
/// Maximum number of values of a fact of one kind (versions, words, values of names), and of names
/// whose values are looked up in the code that it cites.
pub const SUPPORT_VALUES_MAX: usize = 200;
/// Maximum number of different values of one name that are kept there.
pub const SUPPORT_VALUES_OF_NAME_MAX: usize = 32;
/// Maximum size of a quotation that is searched there, in bytes.
pub const SUPPORT_QUOTE_BYTES_MAX: usize = 200;
/// Maximum length of a preference that a model made, in characters.
pub const PREFERENCE_CHARS_MAX: usize = 500;
/// Maximum number of preferences of one person that are examined.
pub const PREFERENCES_PER_USER_MAX: usize = 200;
/// Maximum number of withdrawn inferences of one person that are remembered. Older ones may be
/// inferred again.
pub const PREFERENCES_DECLINED_MAX: usize = 200;
/// Maximum number of tasks, and of reviews, of one person in an export: the newest.
pub const USER_EXPORT_ITEMS_MAX: usize = 1_000;
/// Maximum number of words of a session's running summary that a model made.
pub const SUMMARY_WORDS_MAX: usize = 400;
/// Maximum length of that summary, in characters, because not every language has spaces.
pub const SUMMARY_CHARS_MAX: usize = 4_000;
/// Maximum number of topics of one window's summary.
pub const TOPICS_PER_WINDOW_MAX: usize = 16;
/// Maximum length of a topic's name, in characters.
pub const TOPIC_NAME_CHARS_MAX: usize = 100;
/// Maximum length of a topic, in characters.
pub const TOPIC_CHARS_MAX: usize = 4_000;
/// Maximum length of each text about a whole episode, in characters.
pub const EPISODE_TEXT_CHARS_MAX: usize = 1_000;
/// Maximum length of each text about one step of an episode, in characters.
pub const EPISODE_STEP_CHARS_MAX: usize = 400;
/// Maximum length of a reflection, in characters.
pub const REFLECTION_CHARS_MAX: usize = 1_000;
/// Maximum number of reflections of one run.
pub const REFLECTIONS_PER_RUN_MAX: usize = 10;
/// Maximum number of episodes that one run examines.
pub const REFLECT_WINDOW_MAX: usize = 200;
/// Bounds of the number of finished tasks between two reflections over a repository.
pub const REFLECT_TASKS: std::ops::RangeInclusive<u32> = 1..=1_000;
/// Bounds of the number of hours between two reflections.
pub const REFLECT_HOURS: std::ops::RangeInclusive<u32> = 1..=8_760;
/// Bounds of the number of episodes that a reflection may require as support.
pub const REFLECT_EPISODES: std::ops::RangeInclusive<u32> = 2..=200;
/// Default maximum number of actions of a plan.
pub const PLAN_ACTIONS_MAX: usize = 1_000;
/// Default maximum number of files of a plan.
pub const PLAN_FILES_MAX: usize = 100;
/// Default maximum size of a plan's input, in bytes.
pub const PLAN_INPUT_BYTES_MAX: usize = 131_072;
/// Upper bound of the configurable number of actions.
pub const PLAN_ACTIONS_MOST: u64 = 10_000;
/// Upper bound of the configurable number of files that a model reads at once.
pub const PLAN_FILES_MOST: u64 = 1_000;
/// Upper bound of the configurable size of these files, in bytes.
pub const PLAN_INPUT_BYTES_MOST: u64 = 1 << 20;
/// Upper bound of the configurable number of directories below `knowledge/`.
pub const PLAN_DIRECTORIES_MOST: u64 = 1_000;
/// Upper bound of the configurable number of model calls for one input.
pub const PLAN_TURNS_MOST: u64 = 10;
/// Maximum number of documents of a tree that is consolidated.
pub const UPKEEP_DOCUMENTS_MAX: usize = 50_000;
/// Maximum number of plans of a tree that are stored with their texts. A new plan cancels the
/// oldest.
pub const UPKEEP_PLANS_MAX: usize = 20;
/// Maximum number of related pairs of documents that one pass of a plan finds. Features that few
/// documents share come first.
pub const PLAN_PAIRS_MAX: usize = 8_000_000;
/// Maximum units of work for comparing documents in one pass of a plan. A shingle is one unit, a
/// byte of a text several.
pub const PLAN_WORK_MAX: usize = 1 << 30;
/// Time in milliseconds after which the lines of two files are compared no further.
pub const DIFF_MS_MAX: u64 = 500;
/// Time in microseconds that one call spends on comparing lines of documents.
pub const DIFFS_US_MAX: u64 = 3_000_000;
/// Time in milliseconds without a heartbeat after which a run that is planned within its call has
/// ended.
pub const UPKEEP_PLANNING_MS: i64 = 600_000;
/// Maximum length of a reason, in characters.
pub const REASON_CHARS_MAX: usize = 500;
/// Minimum lease of pull mode, in milliseconds.
pub const PULL_LEASE_MS_MIN: u64 = 1_000;
/// Maximum lease of pull mode, in milliseconds.
pub const PULL_LEASE_MS_MAX: u64 = 3_600_000;
/// Maximum time for which a caller waits for a request in pull mode, in milliseconds.
pub const PULL_WAIT_MS_MAX: u64 = 60_000;
/// Maximum size of a file of injection patterns, in bytes.
pub const PATTERNS_BYTES_MAX: usize = 256 * 1024;
/// Maximum size of a profile's file, in bytes.
pub const PROFILE_BYTES_MAX: usize = 64 * 1024;
/// Maximum number of records that move with a changed template in its one transaction. Other writes
/// wait meanwhile.
pub const MIGRATION_RECORDS_MAX: u64 = 200_000;
/// Maximum number of records that one call quarantines by id.
pub const QUARANTINE_IDS_MAX: usize = 1_000;
/// Maximum size of a compiled pattern of a caller, in bytes, with all letters of Unicode.
pub const PATTERN_SIZE_MAX: usize = 1024 * 1024;
/// Maximum number of states of a caller's pattern, where a class of letters counts as one. Each
/// byte of a text may visit all of them.
pub const PATTERN_STATES_MAX: usize = 2_048;
/// Maximum product of states and bytes for matching a caller's pattern with one text or line,
/// because nothing can interrupt the match.
pub const PATTERN_WORK_MAX: usize = 4_000_000;
/// Maximum product of states and bytes for matching a claim's pattern with one file or block.
/// Nothing can interrupt the match, and the deadline of a claim is checked between files.
pub const CLAIM_PATTERN_WORK_MAX: usize = 128 * 1024 * 1024;
/// Maximum time in microseconds for matching a caller's pattern with records in one call.
pub const PATTERN_TIME_US_MAX: u64 = 10_000_000;
/// Maximum number of namespaces that a request names, nodes and paths together.
pub const NAMESPACES_MAX: usize = 100;
/// Maximum length of a caller's pattern, in characters.
pub const PATTERN_CHARS_MAX: usize = 1_000;
/// Maximum size of one delivery, in bytes: fifty messages at their limit, and their history.
pub const DELIVERY_BODY_BYTES_MAX: usize = 11 * 1024 * 1024;
/// Maximum number of concurrent deliveries.
pub const DELIVERIES_AT_ONCE: usize = 16;
/// Time in milliseconds for which a successful delivery is listed.
pub const DELIVERED_KEPT_MS: i64 = 24 * 3600 * 1000;
/// Time in milliseconds for which a failed delivery is listed and can be retried.
pub const DEAD_DELIVERY_KEPT_MS: i64 = 30 * 24 * 3600 * 1000;
/// Time in milliseconds after which a delivery that no target accepts is given up.
pub const UNDELIVERED_KEPT_MS: i64 = 30 * 24 * 3600 * 1000;
/// Time in milliseconds for which the id of an incoming delivery is known. Signatures have no time,
/// so only the id identifies a repetition.
pub const RECEIVED_KEPT_MS: i64 = 30 * 24 * 3600 * 1000;
/// Maximum size of a forge's hook body, in bytes, which is GitHub's limit.
pub const HOOK_BODY_BYTES_MAX: usize = 25 * 1024 * 1024;
/// Maximum number of signatures of one body. Senders that change their secret send one for each.
pub const HOOK_SIGNATURES_MAX: usize = 8;
/// Maximum size of a hook body, or of a list of keys to delete, in bytes, that a thread of the
/// runtime verifies and reads. Larger ones get a separate thread.
pub const BODY_INLINE_BYTES_MAX: usize = 64 * 1024;
/// Maximum number of pages of one list of a forge.
pub const FORGE_PAGES_MAX: usize = 100;
/// Maximum number of reviews of one pull request that are stored together.
pub const REVIEWS_OF_PULL_REQUEST_MAX: usize = 2_000;
/// Maximum number of pull requests of one backfill.
pub const BACKFILL_PULL_REQUESTS_MAX: usize = 2_000;
/// Time in milliseconds for which a person's role in a repository is cached.
pub const ROLE_KNOWN_MS: i64 = 3_600_000;
/// Maximum number of logins, and of branch patterns, that a repository names.
pub const INTAKE_NAMES_MAX: usize = 100;
/// Maximum number of configured delivery targets.
pub const TARGETS_MAX: usize = 256;
/// Maximum number of attempts of a completion webhook.
pub const WEBHOOK_TRIES_MAX: u32 = 8;
/// Maximum length of replaced instructions, in characters.
pub const PROMPT_INSTRUCTIONS_CHARS_MAX: usize = 30_000;
/// Maximum number of dimensions of a vector.
pub const VECTOR_DIMENSIONS_MAX: usize = 8_192;
/// Default maximum size of objects that one push sends to a mirror of a repository, in bytes.
pub const MIRROR_BYTES_MAX_DEFAULT: u64 = 4 << 30;
/// Maximum length of a Markdown report, in characters. GitHub accepts 65,536 in a comment, and the
/// poster may add text.
pub const REPORT_CHARS_MAX: usize = 60_000;
/// Maximum number of resources that one MCP client subscribes to. Each is checked on every change.
pub const RESOURCES_MAX: usize = 100;
/// Maximum length of a repository's owner at github.com, in characters.
pub const GITHUB_OWNER_CHARS_MAX: usize = 39;
/// Maximum length of each segment of a repository's name, in characters.
pub const REPOSITORY_SEGMENT_CHARS_MAX: usize = 100;
/// Maximum length of a repository's scope key `owner/name`, in characters.
pub const REPOSITORY_KEY_CHARS_MAX: usize = 255;
/// Maximum length of a task's id, in characters.
pub const TASK_ID_CHARS_MAX: usize = 128;
/// Maximum length of a task's description, in characters.
pub const TASK_DESCRIPTION_CHARS_MAX: usize = 10_000;
/// Maximum length of a forge's text in a prompt, in characters: a title, a body, a comment.
pub const SOURCE_TEXT_CHARS_MAX: usize = 1_000_000;
/// Maximum length of a task's stored error, in characters. A longer error is truncated and marked.
pub const TASK_ERROR_CHARS_MAX: usize = 1_000;
/// Maximum length of each name of a task, in characters: branches, models, versions.
pub const TASK_NAME_CHARS_MAX: usize = 512;
/// Maximum size of a task's final report as JSON, in bytes.
pub const TASK_EPISODE_BYTES_MAX: usize = 64 * 1024;
/// Maximum length of a task's episode in prompts, in characters.
pub const TASK_SUMMARY_CHARS_MAX: usize = 600;
/// Maximum number each of rules, preferences and reflections that one hydration reads.
pub const HYDRATION_LISTED_MAX: usize = 500;
/// Maximum number of tokens of a block that a hydration may request.
pub const HYDRATION_TOKENS_MAX: u32 = 200_000;
/// Maximum number of tokens of a user prompt from sources (`[coding] user_prompt_budget_tokens`).
pub const USER_PROMPT_TOKENS_MAX: u32 = 1_000_000;
/// Bounds of the time limit of a hydration, in milliseconds.
pub const HYDRATION_TIMEOUT_MS: std::ops::RangeInclusive<u64> = 100..=30_000;
/// Maximum number of paths that a hydration may name.
pub const HYDRATION_PATHS_MAX: usize = 200;
/// Maximum number of files, and of commits, stored from a task's report. More than fifty files are
/// no evidence for any of them.
pub const TASK_FILES_MAX: usize = 2_000;
/// Maximum number of commits of a history that are read.
pub const HISTORY_COMMITS_MAX: u32 = 200_000;
/// Maximum number of commits that the steps of a revision name lead back (`HEAD~N`).
pub const REVISION_STEPS_MAX: u32 = 10_000;
/// Maximum age of a history that is read, in months.
pub const HISTORY_MONTHS_MAX: u32 = 1_200;
/// Maximum number of paths that a query for related files may name.
pub const RELATED_PATHS_MAX: usize = 1_000;
/// Maximum number of steps from file to file in an impact query.
pub const IMPACT_DEPTH_MAX: u32 = 5;
/// Maximum number of rows of a response about related files.
pub const RELATED_ROWS_MAX: u32 = 200;
/// Maximum number of documents whose repetitions a hydration may exclude.
pub const HYDRATION_DOCS_MAX: usize = 50;
/// Maximum number of verdicts of one principal on one version of a record.
pub const FEEDBACK_CHANGES_MAX: usize = 100;
/// Maximum number of memories of each kind in a task's feedback: used, helpful, harmful.
pub const FEEDBACK_RECORDS_MAX: usize = 500;
/// Maximum number of tasks that a repository's metrics include: the newest.
pub const METRICS_TASKS_MAX: usize = 2_000;
/// Maximum number of exposures of one task that its metrics include: the hydrations, and the newest
/// searches.
pub const METRICS_EXPOSURES_MAX: usize = 500;
/// Maximum number of reviews of one pull request whose comments are examined.
pub const METRICS_REVIEWS_MAX: usize = 500;
/// Maximum number of comments of reviewers that are compared with rules.
pub const METRICS_COMMENTS_MAX: usize = 500;
/// Maximum total length of these comments, in characters, because each call embeds them.
pub const METRICS_COMMENTS_CHARS_MAX: usize = 16_000;
/// Maximum number of rules that they are compared with.
pub const METRICS_RULES_MAX: usize = 200;
/// Maximum total length of these rules, in characters.
pub const METRICS_RULES_CHARS_MAX: usize = 16_000;
/// Number of characters of one comment or rule that are compared: its first.
pub const METRICS_TEXT_CHARS_MAX: usize = 1_000;
/// Maximum number of memories whose value the metrics include.
pub const METRICS_RECORDS_MAX: usize = 50;
/// Maximum length of a finding's evidence, and of a prompt suggestion, in characters.
pub const EVALUATION_TEXT_CHARS_MAX: usize = 10_000;
/// Maximum number of exposures that an explanation of a task examines: the newest.
pub const EXPLAINED_EXPOSURES_MAX: usize = 100;
/// Maximum length of a learning, in characters.
pub const LEARNING_CHARS_MAX: usize = 2_000;
/// Maximum number of word pairs of new and stored statements that one write compares. Beyond it,
/// both statements stay without a comparison.
pub const COMPARED_WORD_PAIRS_MAX: usize = 5_000_000;
/// Maximum number of words of a statement's subject that its other clauses share. A statement with
/// a longer subject is not compared.
pub const LENT_SUBJECT_WORDS_MAX: usize = 64;
/// Maximum number of tasks that count as agreeing with a record.
pub const AGREEING_TASKS_MAX: usize = 100;
/// Maximum number of open conflicts of a repository, and of records of its unmerged branches, that
/// one hydration examines: the newest.
pub const STANDING_LOOKED_AT_MAX: usize = 1_000;
/// Maximum number of learnings in one report, and of self-feedback items.
pub const LEARNINGS_PER_REPORT_MAX: usize = 50;
/// Maximum size of a prompt's template, in bytes.
pub const PROMPT_BYTES_MAX: usize = 256 * 1024;
/// Maximum number of a memory's own versions of an extraction prompt.
pub const EXTRACTION_PROMPTS_MAX: usize = 200;
/// Maximum length of the note on such a version, in characters.
pub const EXTRACTION_NOTE_CHARS_MAX: usize = 500;
/// Maximum number of tools of a prompt, and of its extraction prompts.
pub const PROMPT_NAMES_MAX: usize = 500;
/// Maximum number of commits, and of rewritten commits, in one report, and of commits that one
/// commit was rewritten from.
pub const COMMITS_PER_REPORT_MAX: usize = 1_000;
/// Maximum number of stored trailers of a commit, and of its parents.
pub const COMMIT_TRAILERS_MAX: usize = 64;
/// Maximum number of events that one call may add to a session.
pub const SESSION_EVENTS_PER_CALL_MAX: usize = 100;
/// The greatest number of an event in its session, which every JSON reader represents exactly.
pub const SESSION_SEQ_MAX: u64 = (1 << 53) - 1;
/// Maximum size of an agent's state for its next run, in bytes.
pub const SESSION_STATE_BYTES_MAX: usize = 1024 * 1024;
/// Maximum number of words of a query to the archive.
pub const SAID_WORDS_MAX: usize = 16;
/// Maximum number of excerpts that the archive shows of one task.
pub const SNIPPETS_MAX: usize = 5;
/// Maximum length of an excerpt, in characters.
pub const SNIPPET_CHARS_MAX: usize = 400;
/// Maximum number of tasks that one page of a query by path examines.
pub const ATTRIBUTION_SCANNED_MAX: usize = 1_000;
/// Maximum retention of the archive, in days.
pub const RETENTION_DAYS_MAX: u32 = 3_650;
/// Maximum number of days by which a rehearsal's clock may run ahead of the machine's.
pub const REHEARSAL_DAYS_MAX: u32 = 3_650;
/// Minimum length of a rule's text, in characters.
pub const RULE_TEXT_CHARS_MIN: usize = 10;
/// Maximum length of a rule's text, in characters.
pub const RULE_TEXT_CHARS_MAX: usize = 300;
/// Maximum number of rules from one review.
pub const RULES_OF_REVIEW_MAX: usize = 10;
/// Number of stored characters of a statement that was rejected as a rule.
pub const REFUSED_EXCERPT_CHARS_MAX: usize = 120;
/// Maximum length of the source of an outcome, in characters.
pub const OUTCOME_SOURCE_CHARS_MAX: usize = 64;
/// Maximum number of reverts of a repository that wait for their reverted change. Beyond it, the
/// oldest is removed.
pub const WAITING_REVERTS_MAX: usize = 200;
/// Maximum number of commits of a repository whose first checks wait for their pull request. Beyond
/// it, the oldest is removed.
pub const WAITING_CHECKS_MAX: usize = 500;
/// Time in milliseconds for which either waits: thirty days, like the retention of forge
/// deliveries.
pub const WAITING_KEPT_MS: i64 = RECEIVED_KEPT_MS;
/// Maximum number of commits of a default branch that one poll examines.
pub const LANDED_COMMITS_MAX: usize = 1_000;
/// Maximum size of the input that a model gets of one review, in bytes.
pub const REVIEW_INPUT_BYTES_MAX: usize = 32 * 1024;
/// Maximum number of people, pull requests and weight that a repository may require for a rule.
pub const QUORUM_MAX: u32 = 100;
/// Maximum number of tasks after which a rule becomes stale or expires.
pub const RULE_TASKS_MAX: u32 = 100_000;
/// Maximum number of supporting items of one rule. Beyond it, the oldest item of the least weight
/// is removed.
pub const RULE_ITEMS_MAX: usize = 200;
/// Maximum length of a quoted remark in the support of a rule, in characters.
pub const RULE_EXCERPT_CHARS_MAX: usize = 300;
/// Maximum number of rules of a repository whose relevance is counted.
pub const RULES_COUNTED_MAX: usize = 5_000;
/// Maximum size of a document as a file, in bytes; larger content must be an object.
pub const FILE_BYTES_MAX: usize = 102_400;
/// Maximum length of a document's path, in bytes.
pub const FILE_PATH_BYTES_MAX: usize = 1_024;
/// Maximum length of one segment of the path, in bytes. File systems allow 255, and names next to a
/// file (conflict copies, temporary files) are longer.
pub const FILE_SEGMENT_BYTES_MAX: usize = 200;
/// Maximum number of segments of a document's path.
pub const FILE_SEGMENTS_MAX: usize = 20;
/// Maximum size of a file's frontmatter between its fences, in bytes.
pub const FRONTMATTER_BYTES_MAX: usize = 8 * 1024;
/// Maximum nesting of lists and tables in a frontmatter.
pub const FRONTMATTER_DEPTH_MAX: usize = 4;
/// Maximum nesting if a frontmatter is only searched for the people that it names.
pub const FRONTMATTER_SEARCH_DEPTH_MAX: usize = 64;
/// Maximum length of a document's title, in characters.
pub const FILE_TITLE_CHARS_MAX: usize = 200;
/// Maximum length of a document's description, in characters.
pub const FILE_DESCRIPTION_CHARS_MAX: usize = 160;
/// Length of a text without its layout, in characters, from which it identifies one erased
/// document. Many people write equal shorter texts.
pub const FORGOTTEN_TEXT_CHARS_MIN: usize = 64;
/// Maximum number of lines of a document for tools that count lines.
pub const FILE_LINES_MAX: usize = 999_999;
/// Maximum number of attributes of XML from outside, in all elements together. A tree parser
/// compares those of one element with each other.
pub const XML_ATTRIBUTES_MAX: usize = 64;
/// Maximum size of an object that an agent parks, in bytes.
pub const OBJECT_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Maximum length of an object's key, in bytes.
pub const OBJECT_KEY_BYTES_MAX: usize = 1_024;
/// Maximum length of an id of a user, an agent or a session of the native API, in characters.
pub const SRE_ID_CHARS_MAX: usize = 120;
/// Maximum size of the values of one preferences request, in bytes.
pub const SRE_PREFERENCE_BYTES_MAX: usize = 16 * 1024;
/// Maximum number of keys of one preferences request; each is a record.
pub const SRE_PREFERENCE_KEYS_MAX: usize = 100;
/// Maximum number of preferences in one list.
pub const SRE_PREFERENCES_LISTED_MAX: usize = 1_000;
/// Maximum size of a file that declares preferences, in bytes.
pub const SRE_APPLY_BYTES_MAX: usize = 1024 * 1024;
/// Maximum number of preferences in one file that declares them.
pub const SRE_APPLY_ITEMS_MAX: usize = 1_000;
/// Maximum number of knowledge items about services in one request.
pub const SRE_BATCH_ITEMS_MAX: usize = 100;
/// Maximum length of a key, and of names of services, environments, incidents, in characters.
pub const SRE_NAME_CHARS_MAX: usize = 200;
/// Maximum length of the description of a source, in characters.
pub const SRE_CONTEXT_CHARS_MAX: usize = 2_000;
/// Maximum size of a knowledge item about a service, and of an alert, in bytes.
pub const SRE_KNOWLEDGE_BYTES_MAX: usize = 64 * 1024;
/// Maximum number of entries of each list of an investigation, and of pieces of evidence.
pub const SRE_ITEMS_MAX: usize = 200;
/// Maximum length of a question, a finding or an entry of a timeline, in characters.
pub const SRE_TEXT_CHARS_MAX: usize = 10_000;
/// Maximum number of labels of one alert.
pub const ALERT_LABELS_MAX: usize = 100;
/// Maximum size of names and values of the labels of one alert, in bytes.
pub const ALERT_LABELS_BYTES_MAX: usize = 32 * 1024;
/// Maximum number of alerts of one hook body that are stored in one write; a body may have more.
pub const ALERT_NEWS_MAX: usize = 500;
/// Maximum retention in days that a line of an import may specify for a record.
pub const SRE_LINE_DAYS_MAX: u32 = 36_500;
/// Minimum number of records that one request examines to delete all of a user's own records,
/// before it returns a position to continue from.
pub const SRE_OWN_LOOKED_AT_MAX: usize = 10_000;
/// Maximum number of problems of operations memory in one diagnosis.
pub const SRE_PROBLEMS_MAX: usize = 1_000;
/// Maximum nesting of objects and lists in a stored value that is parsed: the limit of the JSON
/// library.
pub const JSON_DEPTH_MAX: usize = 127;
/// Maximum nesting of JSON texts in which people are searched.
pub const JSON_TEXTS_MAX: usize = 8;
/// Maximum size of a text that a command reads from a file or standard input, in bytes.
pub const INPUT_TEXT_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Maximum number of services, and of environments, in one retrieval of operations memory.
pub const SRE_FILTERS_MAX: usize = 20;
/// Maximum number of records that one retrieval of operations memory excludes.
pub const SRE_LEFT_OUT_MAX: usize = 1_000;
/// Maximum number of records of a type that a retrieval with filters reads in addition to its
/// search results.
pub const SRE_LOOKED_AT_MAX: usize = 5_000;
