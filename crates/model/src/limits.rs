//! Every limit of the engine, once, with its reason. Over a limit is an error, never truncation in silence.
//!
//! Wire limits are those of AgentCore; the rest are defaults of ours.

/// Characters of a namespace.
pub const NAMESPACE_CHARS_MAX: usize = 1024;
/// Characters of a namespace template.
pub const TEMPLATE_CHARS_MAX: usize = 512;
/// Characters of one conversational message (strict mode).
pub const MESSAGE_CHARS_MAX: usize = 100_000;
/// Items of an event's payload (strict mode).
pub const PAYLOAD_ITEMS_MAX: usize = 100;
/// Serialized bytes of one `json` payload item (strict mode).
pub const JSON_ITEM_BYTES_MAX: usize = 102_400;
/// Bytes of an event's content, in both modes: AWS says 10 MB, clients fill up to 10,000,000.
pub const EVENT_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Metadata keys of an event (strict mode).
pub const EVENT_METADATA_KEYS_MAX: usize = 15;
/// Characters of an event's metadata value (strict mode).
pub const EVENT_METADATA_VALUE_CHARS_MAX: usize = 256;
/// Characters of a record's text through the wire.
pub const RECORD_TEXT_CHARS_MAX: usize = 16_000;
/// Bytes of the texts of one request from which on safety reads them before the write, on a thread of its
/// own.
pub const LONG_TEXT_BYTES_MIN: usize = 32 * 1024;
/// Bytes of texts, known within a write alone, from which on they are made safe outside of it: more
/// than a document has. A document that many append to would have changed before the write runs
/// again.
pub const WRITE_TEXTS_BYTES_MIN: usize = 128 * 1024;
/// Characters of a document's text through other doors.
pub const DOCUMENT_TEXT_CHARS_MAX: usize = 4_000_000;
/// Bytes of a file of a mirror that is read.
pub const MIRRORED_FILE_BYTES_MAX: u64 = 1 << 20;
/// Characters of a metadata key.
pub const METADATA_KEY_CHARS_MAX: usize = 128;
/// Metadata keys of a record.
pub const RECORD_METADATA_KEYS_MAX: usize = 20;
/// Records of one batch.
pub const BATCH_RECORDS_MAX: usize = 100;
/// Strategies of a memory.
pub const STRATEGIES_MAX: usize = 6;
/// Filterable metadata keys of a memory.
pub const INDEXED_KEYS_MAX: usize = 10;
/// Namespace variables of a memory.
pub const NAMESPACE_KEYS_MAX: usize = 5;
/// Tags of a memory.
pub const TAGS_MAX: usize = 50;
/// Metadata filters of a request.
pub const METADATA_FILTERS_MAX: usize = 5;
/// Keys of metadata to which a grant is bound.
pub const GRANT_METADATA_KEYS_MAX: usize = 5;
/// Values that a grant allows for one key of metadata.
pub const GRANT_METADATA_VALUES_MAX: usize = 20;
/// Age that a grant allows, in days: a hundred years.
pub const GRANT_AGE_DAYS_MAX: u32 = 36_500;
/// Results of one retrieval.
pub const TOP_K_MAX: u32 = 100;
/// Characters of a search query that the strict mode takes; longer is shortened with a warning in the lenient one.
pub const QUERY_CHARS_MAX: usize = 10_000;
/// Distinct terms of a question that the lexical side uses.
pub const QUERY_TERMS_MAX: usize = 64;
/// Items of a page.
pub const PAGE_ITEMS_MAX: u32 = 100;
/// Bytes of an HTTP body: clients fill events to 10,000,000 bytes.
pub const BODY_BYTES_MAX_DEFAULT: usize = 12 * 1024 * 1024;
/// Bytes of request bodies in memory at once, over all doors: ten of the largest.
pub const BODIES_BYTES_MAX_DEFAULT: usize = 128 * 1024 * 1024;
/// Bytes of that budget that only small bodies may take: large ones never keep small ones out.
pub const BODIES_SMALL_BYTES_RESERVED: usize = 16 * 1024 * 1024;
/// Bytes up to which a body is small.
pub const BODY_SMALL_BYTES_MAX: usize = 64 * 1024;
/// Bytes at once of bodies that a signature of a known key covers: the signature is checked when they are read.
pub const BODIES_UNVERIFIED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes at once of bodies of hooks that are not checked yet: anybody may send them.
pub const BODIES_HOOK_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Milliseconds from the first look at a body to its last byte.
pub const BODY_MS_MAX: u64 = 300_000;
/// The largest body of a hook that is not checked yet.
pub const HOOK_BODY_MS_MAX: u64 = 30_000;
/// Bytes of a refused body that are read away before its answer, where a place among the slow connections is
/// free; a client that sends more, or finds none, may see a reset.
pub const UNREAD_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Milliseconds that reading a refused body away may take, as long as no other connection needs its
/// place.
pub const UNREAD_MS_MAX: u64 = 30_000;
/// The same where the server is full, or stops.
pub const UNREAD_SHORT_MS_MAX: u64 = 2_000;
/// Milliseconds that a client may keep the server waiting for a body, or for an answer to be read, beyond what the
/// bytes it transfers meanwhile pay for.
pub const TRANSFER_PATIENCE_MS: u64 = 30_000;
/// Bytes a second that pay for the waiting: a client that transfers less uses the patience up.
pub const TRANSFER_BYTES_PER_S_MIN: u64 = 4 * 1024;
/// Milliseconds of waiting, not paid for, after which a connection is slow: at most half of all may be.
pub const SLOW_AFTER_MS: u64 = 1_000;
/// Bytes of a request's head.
pub const REQUEST_HEAD_BYTES_MAX: usize = 64 * 1024;
/// TCP connections of a listener at once.
pub const CONNECTIONS_MAX_DEFAULT: usize = 1024;
/// Connections beyond those, for health checks alone.
pub const HEALTH_CONNECTIONS_MAX: usize = 16;
/// Milliseconds in which such a connection must have sent the head of its request.
pub const HEALTH_HEAD_MS_MAX: u64 = 2_000;
/// Connections beyond those that lost their place while the head of their request was on its way.
pub const LATE_CONNECTIONS_MAX: usize = 64;
/// Milliseconds that such a head may take: it is answered all the same.
pub const LATE_HEAD_MS_MAX: u64 = 500;
/// Connections on the unix socket at once.
pub const SOCKET_CONNECTIONS_MAX: usize = 256;
/// File descriptors that connections leave to the store, to git and to calls of others.
pub const DESCRIPTORS_RESERVED: u64 = 256;
/// Milliseconds for which figures that cost a read of every memory are shown again.
pub const FIGURES_MS: u64 = 10_000;
/// Milliseconds for which the answer of a readiness check is given again.
pub const READINESS_MS: u64 = 1_000;
/// Milliseconds from the signal to stop to the end of a server, whatever is running.
pub const STOP_MS_MAX_DEFAULT: u64 = 25_000;
/// The largest value that an operator may set.
pub const STOP_MS_MAX: std::ops::RangeInclusive<u64> = 1_000..=600_000;
/// Characters of an idempotency token: clients send longer ones than a UUID.
pub const CLIENT_TOKEN_CHARS_MAX: usize = 1024;
/// An idempotency token is remembered at least this long.
pub const IDEMPOTENCY_MS: i64 = 24 * 3600 * 1000;
/// Content of deleted records stays this long, hidden, before it is erased.
pub const ERASE_AFTER_MS_DEFAULT: u64 = 7 * 24 * 3600 * 1000;
/// Non-active versions of records stay this long.
pub const HISTORY_DAYS_DEFAULT: u32 = 365;
/// Telemetry stays this long.
pub const TELEMETRY_DAYS_DEFAULT: u32 = 90;
/// A path of a cited file has at most so many bytes: stores look for it by an index.
pub const CODE_PATH_BYTES_MAX: usize = 2_000;
/// An empty session is listed this long after it became empty.
pub const EMPTY_SESSION_MS: i64 = 24 * 3600 * 1000;
/// A finished job is listed this long.
pub const FINISHED_JOB_MS: i64 = 24 * 3600 * 1000;
/// A failed job is listed, and can be started again, this long.
pub const FAILED_JOB_MS: i64 = 90 * 24 * 3600 * 1000;
/// The part of an import that gave no sign for this long is removed.
pub const IMPORT_IDLE_MS: i64 = 3600 * 1000;
/// An import gives a sign at least this often, as long as lines come.
pub const IMPORT_BEAT_MS: i64 = 60_000;
/// A job that is not finished within this long may be taken by another runner.
pub const JOB_LEASE_MS: i64 = 60_000;
/// A job is tried this often before it is listed as failed.
pub const JOB_ATTEMPTS_MAX: u32 = 5;
/// Turns that one extraction reads at most before it writes; the rest is the next round of the same job.
pub const EXTRACTION_TURNS_MAX: usize = 200;
/// Turns at which a summary or an episode is due at once.
pub const SUMMARY_TURNS_DUE: usize = 50;
/// Extraction is due this long after the first unprocessed event.
pub const EXTRACTION_DELAY_MS: i64 = 200;
/// A summary or an episode is due this long after the last event.
pub const SUMMARY_DELAY_MS: i64 = 2_000;
/// `extraction:wait` waits at most this long.
pub const WAIT_MS_MAX: u64 = 300_000;
/// Passages that one comparison gives vectors to before it compares.
pub const COMPARED_VECTORS_MAX: usize = 256;
/// Events that a search reads along at most where a memory shows what is not extracted yet: the newest.
pub const PROVISIONAL_EVENTS_MAX: usize = 100;
/// Events that wait which such a search looks at, without reading what they say, to find those that the caller may see: the newest.
pub const PROVISIONAL_ROWS_MAX: usize = 1_000;
/// Bytes of the payloads that such a search reads. An event that does not fit into what is left of them is left out.
pub const PROVISIONAL_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Waiting extractions that such a search looks at, those that changed last first.
pub const PROVISIONAL_JOBS_MAX: usize = 1_000;
/// Waiting extractions in each state that a search of a bound caller looks at for events of its own, those that changed last
/// first. Where there are more, its answer says that extraction is pending.
pub const PENDING_JOBS_MAX: usize = 10;
/// A memory's own ranking weights, with where they come from.
pub const RETRIEVAL_WEIGHTS_BYTES_MAX: usize = 32 * 1024;
/// Scope of a session name, words, paths and other short texts of a record.
pub const SHORT_TEXT_CHARS_MAX: usize = 4_096;
/// Jobs that run side by side: those that wait for a model hold nothing but their slot.
pub const JOBS_AT_ONCE_MAX: usize = 256;
/// Bytes of a question to a model: its instructions and its input.
pub const EXCHANGE_INPUT_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of a model's answer.
pub const MODEL_REPLY_BYTES_MAX: usize = 1024 * 1024;
/// Tokens of a model's answer, at most, however often it broke off.
pub const MODEL_OUTPUT_TOKENS_MAX: u32 = 16_384;
/// A model that has not answered by then will not: its adapter should have given up long before.
pub const MODEL_CALL_MS_MAX: u64 = 300_000;
/// An evaluation of a prompt by the configured model that has not ended by then ends with an error.
pub const PROMPT_EVALUATION_MS_MAX: u64 = 900_000;
/// Attempts at a question in pull mode before the deterministic half takes its place.
pub const EXCHANGE_ATTEMPTS_MAX: u32 = 3;
/// An exchange whose job has ended is erased after this long; usually with its job's result.
pub const EXCHANGE_KEPT_MS: i64 = 24 * 3600 * 1000;
/// Messages of one window.
pub const WINDOW_MESSAGES_MAX: u32 = 50;
/// Tokens of one window, as far as whole events allow.
pub const WINDOW_TOKENS_MAX: u32 = 20_000;
/// Fewest tokens that may be a trigger.
pub const TRIGGER_TOKENS_MIN: u32 = 100;
/// Most tokens that may be a trigger.
pub const TRIGGER_TOKENS_MAX: u32 = 500_000;
/// The longest pause that may be a trigger.
pub const IDLE_MS_MAX: u64 = 3_000_000;
/// Messages before a window that are told along.
pub const CONTEXT_MESSAGES_MAX: u32 = 50;
/// Messages before a window among which its first ones are looked for: clients send them again.
pub const RESEND_LOOK_BACK: usize = 100;
/// Sources that a record collects; more would say nothing more.
pub const RECORD_SOURCES_MAX: usize = 1_000;
/// Facts that one window gives.
pub const FACTS_PER_WINDOW_MAX: usize = 64;
/// Characters of a fact that a model made.
pub const FACT_CHARS_MAX: usize = 2_000;
/// Names of a fact that are looked for in the code that it cites; likewise numbers, and quotations.
pub const SUPPORT_NAMES_MAX: usize = 60;
/// Values of a fact of one kind (versions, words, values of names), and names whose values are
/// looked up in the code that it cites.
pub const SUPPORT_VALUES_MAX: usize = 200;
/// Different values of one name that are kept there.
pub const SUPPORT_VALUES_OF_NAME_MAX: usize = 32;
/// Bytes of a quotation that is looked for there.
pub const SUPPORT_QUOTE_BYTES_MAX: usize = 200;
/// Characters of a preference that a model made.
pub const PREFERENCE_CHARS_MAX: usize = 500;
/// Preferences of one person that are looked at.
pub const PREFERENCES_PER_USER_MAX: usize = 200;
/// Conclusions that one person took back and that are remembered; the oldest are drawn again.
pub const PREFERENCES_DECLINED_MAX: usize = 200;
/// Tasks, and reviews, of one person that an export holds: the newest.
pub const USER_EXPORT_ITEMS_MAX: usize = 1_000;
/// Words of a session's running summary that a model made.
pub const SUMMARY_WORDS_MAX: usize = 400;
/// Its characters: not every language has spaces.
pub const SUMMARY_CHARS_MAX: usize = 4_000;
/// Topics that one window's summary has.
pub const TOPICS_PER_WINDOW_MAX: usize = 16;
/// Characters of a topic's name.
pub const TOPIC_NAME_CHARS_MAX: usize = 100;
/// Characters of a topic.
pub const TOPIC_CHARS_MAX: usize = 4_000;
/// Characters of each text that tells of a whole episode.
pub const EPISODE_TEXT_CHARS_MAX: usize = 1_000;
/// Characters of each text that tells of one step of an episode.
pub const EPISODE_STEP_CHARS_MAX: usize = 400;
/// Characters of a reflection.
pub const REFLECTION_CHARS_MAX: usize = 1_000;
/// Reflections of one run.
pub const REFLECTIONS_PER_RUN_MAX: usize = 10;
/// Episodes that one run looks at.
pub const REFLECT_WINDOW_MAX: usize = 200;
/// Finished tasks between two reflections over a repository.
pub const REFLECT_TASKS: std::ops::RangeInclusive<u32> = 1..=1_000;
/// Hours between two.
pub const REFLECT_HOURS: std::ops::RangeInclusive<u32> = 1..=8_760;
/// Episodes that may be asked to bear one out.
pub const REFLECT_EPISODES: std::ops::RangeInclusive<u32> = 2..=200;
/// Actions of a plan.
pub const PLAN_ACTIONS_MAX: usize = 1_000;
/// Files of a plan.
pub const PLAN_FILES_MAX: usize = 100;
/// Bytes of what a plan is made from.
pub const PLAN_INPUT_BYTES_MAX: usize = 131_072;
/// The most actions that a plan may be allowed.
pub const PLAN_ACTIONS_MOST: u64 = 10_000;
/// The most files that a model may be shown at once.
pub const PLAN_FILES_MOST: u64 = 1_000;
/// The most bytes of them.
pub const PLAN_INPUT_BYTES_MOST: u64 = 1 << 20;
/// The most directories below `knowledge/`.
pub const PLAN_DIRECTORIES_MOST: u64 = 1_000;
/// The most calls of a model for what it is shown at once.
pub const PLAN_TURNS_MOST: u64 = 10;
/// Documents of a tree that is put in order.
pub const UPKEEP_DOCUMENTS_MAX: usize = 50_000;
/// Plans of a tree that are kept with their words: the oldest is called off for a new one.
pub const UPKEEP_PLANS_MAX: usize = 20;
/// Pairs of documents with something in common that one pass of a plan finds; what few have in common comes
/// first.
pub const PLAN_PAIRS_MAX: usize = 8_000_000;
/// Units of work by which one pass of a plan compares documents: a shingle is one, a byte of a text several.
pub const PLAN_WORK_MAX: usize = 1 << 30;
/// Milliseconds after which the lines of two files are compared no finer.
pub const DIFF_MS_MAX: u64 = 500;
/// Microseconds that one call compares lines of documents.
pub const DIFFS_US_MAX: u64 = 3_000_000;
/// A run that is planned within its call and gave no sign for so long is over.
pub const UPKEEP_PLANNING_MS: i64 = 600_000;
/// Characters of a reason.
pub const REASON_CHARS_MAX: usize = 500;
/// The shortest lease of pull mode.
pub const PULL_LEASE_MS_MIN: u64 = 1_000;
/// The longest lease of pull mode.
pub const PULL_LEASE_MS_MAX: u64 = 3_600_000;
/// A caller without a question waits for one at most this long.
pub const PULL_WAIT_MS_MAX: u64 = 60_000;
/// Bytes of a file of patterns of instructions to the reader.
pub const PATTERNS_BYTES_MAX: usize = 256 * 1024;
/// Bytes of a profile's file.
pub const PROFILE_BYTES_MAX: usize = 64 * 1024;
/// Records that move with a changed template in its one transaction; others wait meanwhile.
pub const MIGRATION_RECORDS_MAX: u64 = 200_000;
/// Records that one call quarantines by id.
pub const QUARANTINE_IDS_MAX: usize = 1_000;
/// Bytes that a caller's pattern may take when it is compiled, with all the letters of Unicode.
pub const PATTERN_SIZE_MAX: usize = 1024 * 1024;
/// States of a caller's pattern, a class of letters counted as one: each byte of a text may visit all of
/// them.
pub const PATTERN_STATES_MAX: usize = 2_048;
/// States times bytes of one text or line that a caller's pattern is matched with: nothing can interrupt
/// that.
pub const PATTERN_WORK_MAX: usize = 4_000_000;
/// States times bytes of one file or block that a claim's pattern is matched with: nothing can
/// interrupt that, and the time of a claim is looked at between files.
pub const CLAIM_PATTERN_WORK_MAX: usize = 128 * 1024 * 1024;
/// Microseconds that one call matches a caller's pattern with records.
pub const PATTERN_TIME_US_MAX: u64 = 10_000_000;
/// Namespaces that a request names, nodes and paths together.
pub const NAMESPACES_MAX: usize = 100;
/// Characters of a pattern that a caller gives.
pub const PATTERN_CHARS_MAX: usize = 1_000;
/// Bytes of one delivery: fifty messages at their limit, and their history.
pub const DELIVERY_BODY_BYTES_MAX: usize = 11 * 1024 * 1024;
/// Deliveries under way side by side.
pub const DELIVERIES_AT_ONCE: usize = 16;
/// A delivery that was made is listed this long.
pub const DELIVERED_KEPT_MS: i64 = 24 * 3600 * 1000;
/// A delivery that was given up is listed, and can be tried again, this long.
pub const DEAD_DELIVERY_KEPT_MS: i64 = 30 * 24 * 3600 * 1000;
/// A delivery that nobody accepts is given up after so long.
pub const UNDELIVERED_KEPT_MS: i64 = 30 * 24 * 3600 * 1000;
/// The number of a delivery that came in is known this long: signatures have no time, and it alone tells a repetition.
pub const RECEIVED_KEPT_MS: i64 = 30 * 24 * 3600 * 1000;
/// Bytes of what a forge sends: GitHub sends no more.
pub const HOOK_BODY_BYTES_MAX: usize = 25 * 1024 * 1024;
/// Signatures of one body: senders that change their secret send one for each.
pub const HOOK_SIGNATURES_MAX: usize = 8;
/// Bytes of the body of a hook, or of a list of keys to delete, that are checked and read on a
/// thread of the runtime; longer ones go to one of their own.
pub const BODY_INLINE_BYTES_MAX: usize = 64 * 1024;
/// Pages of one list of a forge.
pub const FORGE_PAGES_MAX: usize = 100;
/// Reviews of one pull request that are kept together.
pub const REVIEWS_OF_PULL_REQUEST_MAX: usize = 2_000;
/// Pull requests of one backfill.
pub const BACKFILL_PULL_REQUESTS_MAX: usize = 2_000;
/// What a person may do in a repository is known this long.
pub const ROLE_KNOWN_MS: i64 = 3_600_000;
/// Logins, and patterns of branches, that a repository names.
pub const INTAKE_NAMES_MAX: usize = 100;
/// Configured delivery targets.
pub const TARGETS_MAX: usize = 256;
/// A completion webhook is tried this often.
pub const WEBHOOK_TRIES_MAX: u32 = 8;
/// Characters of replaced instructions.
pub const PROMPT_INSTRUCTIONS_CHARS_MAX: usize = 30_000;
/// Numbers of a vector.
pub const VECTOR_DIMENSIONS_MAX: usize = 8_192;
/// Bytes of objects that are sent to a mirror of a repository at once, where nothing else is said.
pub const MIRROR_BYTES_MAX_DEFAULT: u64 = 4 << 30;
/// Characters of a report in Markdown: GitHub takes 65,536 of a comment, and whoever posts it may say something of their own.
pub const REPORT_CHARS_MAX: usize = 60_000;
/// Resources that one client listens to at once over MCP: each is looked at when something changes.
pub const RESOURCES_MAX: usize = 100;
/// Characters of a repository's owner at github.com.
pub const GITHUB_OWNER_CHARS_MAX: usize = 39;
/// Characters of each segment of a repository's name.
pub const REPOSITORY_SEGMENT_CHARS_MAX: usize = 100;
/// Characters of a repository's scope key `owner/name`.
pub const REPOSITORY_KEY_CHARS_MAX: usize = 255;
/// Characters of a task's id.
pub const TASK_ID_CHARS_MAX: usize = 128;
/// Characters of what a task is to do.
pub const TASK_DESCRIPTION_CHARS_MAX: usize = 10_000;
/// Characters of a text of a forge that a prompt is made of: a title, a body, a comment.
pub const SOURCE_TEXT_CHARS_MAX: usize = 1_000_000;
/// Characters that are kept of what went wrong with a task; what is longer is cut, and marked.
pub const TASK_ERROR_CHARS_MAX: usize = 1_000;
/// Characters of each name that a task carries: branches, models, versions.
pub const TASK_NAME_CHARS_MAX: usize = 512;
/// Bytes of what a task reports at its end, as JSON.
pub const TASK_EPISODE_BYTES_MAX: usize = 64 * 1024;
/// Characters of a task's episode as prompts show it.
pub const TASK_SUMMARY_CHARS_MAX: usize = 600;
/// Rules, preferences and reflections, of each, that one hydration reads.
pub const HYDRATION_LISTED_MAX: usize = 500;
/// Tokens of a block that a hydration may be asked for.
pub const HYDRATION_TOKENS_MAX: u32 = 200_000;
/// Tokens of a user prompt that is made of sources, at most (`[coding] user_prompt_budget_tokens`).
pub const USER_PROMPT_TOKENS_MAX: u32 = 1_000_000;
/// Milliseconds that a hydration may take, at least and at most.
pub const HYDRATION_TIMEOUT_MS: std::ops::RangeInclusive<u64> = 100..=30_000;
/// Paths that a hydration may name.
pub const HYDRATION_PATHS_MAX: usize = 200;
/// Files and commits that are kept of what a task says that it changed; more than fifty say nothing of each.
pub const TASK_FILES_MAX: usize = 2_000;
/// Commits of a history that are read at most.
pub const HISTORY_COMMITS_MAX: u32 = 200_000;
/// Commits that the steps behind the name of a revision lead back at most (`HEAD~N`).
pub const REVISION_STEPS_MAX: u32 = 10_000;
/// Months of a history that are read at most.
pub const HISTORY_MONTHS_MAX: u32 = 1_200;
/// Paths that a question about related files may name.
pub const RELATED_PATHS_MAX: usize = 1_000;
/// Steps from file to file that an impact may be followed.
pub const IMPACT_DEPTH_MAX: u32 = 5;
/// Rows of an answer about related files.
pub const RELATED_ROWS_MAX: u32 = 200;
/// Documents that a hydration may leave out what they say of.
pub const HYDRATION_DOCS_MAX: usize = 50;
/// Verdicts of one principal on one version of a record.
pub const FEEDBACK_CHANGES_MAX: usize = 100;
/// Memories of each kind that a task may say something of: used, helpful, harmful.
pub const FEEDBACK_RECORDS_MAX: usize = 500;
/// Tasks that measures of a repository are made of: the newest.
pub const METRICS_TASKS_MAX: usize = 2_000;
/// Exposures of one task that its measures are made of: the hydrations, and the newest of its searches.
pub const METRICS_EXPOSURES_MAX: usize = 500;
/// Reviews of one pull request whose comments are looked at.
pub const METRICS_REVIEWS_MAX: usize = 500;
/// Comments of reviewers that are compared with rules for them.
pub const METRICS_COMMENTS_MAX: usize = 500;
/// Characters of these comments together: each call embeds them.
pub const METRICS_COMMENTS_CHARS_MAX: usize = 16_000;
/// Rules that they are compared with.
pub const METRICS_RULES_MAX: usize = 200;
/// Characters of these rules together.
pub const METRICS_RULES_CHARS_MAX: usize = 16_000;
/// Characters of one comment, or of one rule, that are compared: its first.
pub const METRICS_TEXT_CHARS_MAX: usize = 1_000;
/// Memories whose worth is told with them.
pub const METRICS_RECORDS_MAX: usize = 50;
/// Characters of what a finding rests on, and of a suggestion for a prompt.
pub const EVALUATION_TEXT_CHARS_MAX: usize = 10_000;
/// Exposures that an explanation of a task goes through: the newest.
pub const EXPLAINED_EXPOSURES_MAX: usize = 100;
/// Characters of a learning.
pub const LEARNING_CHARS_MAX: usize = 2_000;
/// Pairs of words that are compared in one write, of new statements and stored ones. The rest is
/// not compared: both stay.
pub const COMPARED_WORD_PAIRS_MAX: usize = 5_000_000;
/// Words of a statement's subject that its other clauses share. With a longer one it is not
/// compared.
pub const LENT_SUBJECT_WORDS_MAX: usize = 64;
/// Tasks that are counted as saying the same as a record.
pub const AGREEING_TASKS_MAX: usize = 100;
/// Open conflicts of a repository, and records of its unmerged branches, that one hydration looks at: the newest.
pub const STANDING_LOOKED_AT_MAX: usize = 1_000;
/// Learnings that one report may bring; as many of self-feedback.
pub const LEARNINGS_PER_REPORT_MAX: usize = 50;
/// Bytes of a prompt's template.
pub const PROMPT_BYTES_MAX: usize = 256 * 1024;
/// Versions of an extraction prompt that are a memory's own.
pub const EXTRACTION_PROMPTS_MAX: usize = 200;
/// Characters of what is said of one.
pub const EXTRACTION_NOTE_CHARS_MAX: usize = 500;
/// Tools of a prompt, and prompts by which what comes of it is read.
pub const PROMPT_NAMES_MAX: usize = 500;
/// Commits, and rewritten commits, of one report; and of commits whose place one took.
pub const COMMITS_PER_REPORT_MAX: usize = 1_000;
/// Trailers of a commit that are kept, and its parents.
pub const COMMIT_TRAILERS_MAX: usize = 64;
/// Events that one call may add to a session.
pub const SESSION_EVENTS_PER_CALL_MAX: usize = 100;
/// The greatest number of an event in its session: what every reader of JSON keeps exactly.
pub const SESSION_SEQ_MAX: u64 = (1 << 53) - 1;
/// Bytes of what an agent keeps for its next run.
pub const SESSION_STATE_BYTES_MAX: usize = 1024 * 1024;
/// Words that one question to the archive may have.
pub const SAID_WORDS_MAX: usize = 16;
/// Excerpts that the archive shows of one task.
pub const SNIPPETS_MAX: usize = 5;
/// Characters of one.
pub const SNIPPET_CHARS_MAX: usize = 400;
/// Tasks that one page of a question by path goes through.
pub const ATTRIBUTION_SCANNED_MAX: usize = 1_000;
/// Days that the archive may keep what was said.
pub const RETENTION_DAYS_MAX: u32 = 3_650;
/// Days by which a rehearsal's clock may go ahead of the machine's.
pub const REHEARSAL_DAYS_MAX: u32 = 3_650;
/// Characters of a rule's text, at least and at most.
pub const RULE_TEXT_CHARS_MIN: usize = 10;
/// See [`RULE_TEXT_CHARS_MIN`].
pub const RULE_TEXT_CHARS_MAX: usize = 300;
/// Rules that are taken out of one review.
pub const RULES_OF_REVIEW_MAX: usize = 10;
/// Characters that are kept of a statement that became no rule.
pub const REFUSED_EXCERPT_CHARS_MAX: usize = 120;
/// Characters of what says where an outcome comes from.
pub const OUTCOME_SOURCE_CHARS_MAX: usize = 64;
/// Reverts of a repository that wait for what they take back; of more the oldest go.
pub const WAITING_REVERTS_MAX: usize = 200;
/// Commits of a repository whose first checks wait for their pull request; of more the oldest go.
pub const WAITING_CHECKS_MAX: usize = 500;
/// Milliseconds that either waits: thirty days, as what forges sent is kept.
pub const WAITING_KEPT_MS: i64 = RECEIVED_KEPT_MS;
/// Commits of a default branch that one round of asking looks through.
pub const LANDED_COMMITS_MAX: usize = 1_000;
/// Bytes of what a model is shown of one review.
pub const REVIEW_INPUT_BYTES_MAX: usize = 32 * 1024;
/// People, pull requests and weight that a repository may ask for before a rule is in force.
pub const QUORUM_MAX: u32 = 100;
/// Tasks after which a rule is stale, or expires, at most.
pub const RULE_TASKS_MAX: u32 = 100_000;
/// What one rule keeps of what is said for it; of more the oldest that weighs least goes.
pub const RULE_ITEMS_MAX: usize = 200;
/// Characters of a quoted remark in what supports a rule.
pub const RULE_EXCERPT_CHARS_MAX: usize = 300;
/// Rules of a repository whose relevance is counted.
pub const RULES_COUNTED_MAX: usize = 5_000;
/// Bytes of a document seen as a file; larger ones come as objects.
pub const FILE_BYTES_MAX: usize = 102_400;
/// Bytes of a document's path.
pub const FILE_PATH_BYTES_MAX: usize = 1_024;
/// Bytes of one segment of it: file systems take 255, and names beside a file (conflict copies, temporary ones) are longer.
pub const FILE_SEGMENT_BYTES_MAX: usize = 200;
/// Segments of a document's path.
pub const FILE_SEGMENTS_MAX: usize = 20;
/// Bytes of a file's frontmatter between its fences.
pub const FRONTMATTER_BYTES_MAX: usize = 8 * 1024;
/// Lists and tables within one another in a frontmatter.
pub const FRONTMATTER_DEPTH_MAX: usize = 4;
/// The same, where a frontmatter is only searched for the people that it names.
pub const FRONTMATTER_SEARCH_DEPTH_MAX: usize = 64;
/// Characters of a document's title.
pub const FILE_TITLE_CHARS_MAX: usize = 200;
/// Characters of a document's description.
pub const FILE_DESCRIPTION_CHARS_MAX: usize = 160;
/// Characters of a text, without its layout, from which on it is known as that of one erased
/// document: shorter ones are said by many.
pub const FORGOTTEN_TEXT_CHARS_MIN: usize = 64;
/// Lines of a document that tools which count lines read.
pub const FILE_LINES_MAX: usize = 999_999;
/// Attributes of XML that comes from outside, all elements together: a tree parser compares those of one
/// element with each other.
pub const XML_ATTRIBUTES_MAX: usize = 64;
/// Bytes of an object that an agent parks.
pub const OBJECT_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Bytes of its key.
pub const OBJECT_KEY_BYTES_MAX: usize = 1_024;
/// Characters of an id of a user, an agent or a session of the native API.
pub const SRE_ID_CHARS_MAX: usize = 120;
/// Bytes of the values of one statement of preferences.
pub const SRE_PREFERENCE_BYTES_MAX: usize = 16 * 1024;
/// Keys of one statement of preferences: each is a record.
pub const SRE_PREFERENCE_KEYS_MAX: usize = 100;
/// Preferences that one list shows.
pub const SRE_PREFERENCES_LISTED_MAX: usize = 1_000;
/// Bytes of a file that declares preferences.
pub const SRE_APPLY_BYTES_MAX: usize = 1024 * 1024;
/// Preferences of one file that declares them.
pub const SRE_APPLY_ITEMS_MAX: usize = 1_000;
/// Things known of services in one request.
pub const SRE_BATCH_ITEMS_MAX: usize = 100;
/// Characters of a key, and of names of services, environments, incidents.
pub const SRE_NAME_CHARS_MAX: usize = 200;
/// Characters of where something came from.
pub const SRE_CONTEXT_CHARS_MAX: usize = 2_000;
/// Bytes of what is known of a service, and of an alert.
pub const SRE_KNOWLEDGE_BYTES_MAX: usize = 64 * 1024;
/// Entries of each list of an investigation, and pieces of evidence.
pub const SRE_ITEMS_MAX: usize = 200;
/// Characters of a question, a finding or an entry of a timeline.
pub const SRE_TEXT_CHARS_MAX: usize = 10_000;
/// Labels of one alert.
pub const ALERT_LABELS_MAX: usize = 100;
/// Bytes of names and values of the labels of one alert.
pub const ALERT_LABELS_BYTES_MAX: usize = 32 * 1024;
/// Alerts of one body of a hook that are stored in one write; a body may have more.
pub const ALERT_NEWS_MAX: usize = 500;
/// Days for which a line of an import may make a record stay.
pub const SRE_LINE_DAYS_MAX: u32 = 36_500;
/// Records that one request looks through, at least, to delete all that is a user's own, before it says where to go on.
pub const SRE_OWN_LOOKED_AT_MAX: usize = 10_000;
/// Problems of operations memory that one look at it tells.
pub const SRE_PROBLEMS_MAX: usize = 1_000;
/// Objects and lists of a stored value that lie in one another, where it is read as a value: what the JSON
/// library takes.
pub const JSON_DEPTH_MAX: usize = 127;
/// Texts of JSON within one another in which people are looked for.
pub const JSON_TEXTS_MAX: usize = 8;
/// Bytes of a text that a command is given as a file or on standard input.
pub const INPUT_TEXT_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Services, and environments, of one retrieval of operations memory.
pub const SRE_FILTERS_MAX: usize = 20;
/// Records that one retrieval of operations memory leaves out.
pub const SRE_LEFT_OUT_MAX: usize = 1_000;
/// Records of a type that a retrieval with filters reads beside what its search finds.
pub const SRE_LOOKED_AT_MAX: usize = 5_000;
