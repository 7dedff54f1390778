//! The limits and defaults of memory for agents.

/// The default number of entries of one store in a search, if neither the call nor the store
/// specifies a number.
pub(crate) const RESULTS_DEFAULT: u32 = 3;
/// The maximum number of entries per store that a model may request with the search tool.
pub(crate) const TOOL_RESULTS_MAX: u32 = 100;
/// The default maximum number of entries that injection adds to a model call.
pub(crate) const INJECTED_ENTRIES_DEFAULT: u32 = 5;
/// The default token budget of the injected text.
pub(crate) const INJECTED_TOKENS_DEFAULT: usize = 2000;
/// The default time that injection waits for searches, in milliseconds.
pub(crate) const INJECTION_DEADLINE_MS: u64 = 1500;
/// The default number of invocations between two saves of messages.
pub(crate) const INTERVAL_TURNS_DEFAULT: u32 = 5;
/// The maximum number of messages in one batch.
pub(crate) const BATCH_MESSAGES_MAX: usize = 500;
/// The maximum size of one batch, in bytes. A larger message is sent alone.
pub(crate) const BATCH_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The maximum number of unsaved messages in memory, per store.
pub(crate) const BUFFERED_MESSAGES_MAX: usize = 10_000;
/// The maximum size of the unsaved messages in memory, in bytes per store.
pub(crate) const BUFFERED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The number of consecutive failures after which a store is in backoff: most save requests are
/// skipped.
pub(crate) const BACKOFF_FAILURES: u32 = 10;
/// During backoff, one of this many save requests is tried.
pub(crate) const BACKOFF_EVERY: u32 = 3;
/// The wait before a retry after the first failure, in milliseconds. It doubles with each further
/// failure.
pub(crate) const RETRY_MS_MIN: u64 = 1000;
/// The maximum wait before a retry, in milliseconds.
pub(crate) const RETRY_MS_MAX: u64 = 60_000;
/// The number of times that an unclassified error is treated like a transient one, before it counts
/// as permanent.
pub(crate) const UNCLASSIFIED_TRIES: u32 = 3;
/// The number of retries after a malformed answer of an extractor's model.
pub(crate) const MALFORMED_RETRIES: u32 = 2;
/// The maximum number of quarantined items kept in memory if there is no spool directory.
pub(crate) const QUARANTINED_MAX: usize = 1000;
/// The minimum similarity, 0 to 1, of two texts that count as the same.
pub(crate) const SAME_SIMILARITY_MIN: f64 = 0.95;
/// The default number of entries in a search of a
/// [`RemoteStore`](crate::agent::stores::RemoteStore), if neither the call nor the store specifies
/// a number.
pub(crate) const REMOTE_RESULTS_DEFAULT: u32 = 5;
/// The default maximum number of messages in one event, if the store specifies none.
pub(crate) const EVENT_TURNS_DEFAULT: usize = 50;
/// The maximum number of messages in one event that a store may specify.
pub(crate) const EVENT_TURNS_MAX: usize = 100;
/// The maximum number of parts of one event: texts, and blocks other than text.
pub(crate) const EVENT_PARTS_MAX: usize = 100;
/// The maximum number of keys in the metadata of an event.
pub(crate) const EVENT_METADATA_KEYS_MAX: usize = 15;
/// The maximum length of a metadata key of an event, in characters.
pub(crate) const EVENT_METADATA_KEY_CHARS_MAX: usize = 128;
/// The maximum length of a metadata value of an event, in characters.
pub(crate) const EVENT_METADATA_VALUE_CHARS_MAX: usize = 256;
/// The maximum time between the first and the last message of an event, in milliseconds. A later
/// message opens another event.
pub(crate) const EVENT_SPAN_MS_MAX: i64 = 60_000;
/// The maximum length of the part of a note's file name that comes from its text, in characters.
pub(crate) const FILE_SLUG_CHARS_MAX: usize = 50;
/// The maximum number of file names to try for a new note.
pub(crate) const FILE_NAMES_MAX: u32 = 10_000;
/// The maximum number of bytes to read of one note file.
pub(crate) const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// The time that a writer of notes waits for the lock of the notes, in milliseconds.
pub(crate) const FILE_LOCK_WAIT_MS: u64 = 10_000;
/// The first pause between two attempts to lock the notes, in milliseconds. It doubles up to
/// `FILE_LOCK_PAUSE_MS_MAX`.
pub(crate) const FILE_LOCK_PAUSE_MS_MIN: u64 = 1;
/// The maximum pause between two attempts to lock the notes, in milliseconds.
pub(crate) const FILE_LOCK_PAUSE_MS_MAX: u64 = 20;
/// The time that a search of notes waits for the server's memory behind them, in milliseconds. It
/// is shorter than the deadline of injection, so that the search by words still answers in time.
pub(crate) const FILE_MEANING_WAIT_MS: u64 = 1000;
