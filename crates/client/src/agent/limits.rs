//! The limits and defaults of the client, in one place.

/// Entries per store if neither the call nor the store specifies a number.
pub(crate) const RESULTS_DEFAULT: u32 = 3;
/// The maximum of entries per store that a tool may request.
pub(crate) const TOOL_RESULTS_MAX: u32 = 100;
/// Entries that are injected.
pub(crate) const INJECTED_ENTRIES_DEFAULT: u32 = 5;
/// Tokens of the injected text.
pub(crate) const INJECTED_TOKENS_DEFAULT: usize = 2000;
/// The time that injection waits for its entries.
pub(crate) const INJECTION_DEADLINE_MS: u64 = 1500;
/// Turns between two saves.
pub(crate) const INTERVAL_TURNS_DEFAULT: u32 = 5;
/// The maximum of messages in one batch.
pub(crate) const BATCH_MESSAGES_MAX: usize = 500;
/// The maximum of bytes in one batch; a larger message is sent alone.
pub(crate) const BATCH_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Messages that wait in memory per store.
pub(crate) const BUFFERED_MESSAGES_MAX: usize = 10_000;
/// Bytes that wait in memory per store.
pub(crate) const BUFFERED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Consecutive failures after which a store is in backoff.
pub(crate) const BACKOFF_FAILURES: u32 = 10;
/// The interval of tried requests during backoff: one of so many.
pub(crate) const BACKOFF_EVERY: u32 = 3;
/// The wait after the first failure; it doubles with each further one.
pub(crate) const RETRY_MS_MIN: u64 = 1000;
/// The longest wait.
pub(crate) const RETRY_MS_MAX: u64 = 60_000;
/// The number of times that an unclassified error is treated as a transient one.
pub(crate) const UNCLASSIFIED_TRIES: u32 = 3;
/// The number of retries after a malformed answer of a model.
pub(crate) const MALFORMED_RETRIES: u32 = 2;
/// Quarantined items that are kept in memory if there is no directory for them.
pub(crate) const QUARANTINED_MAX: usize = 1000;
/// The similarity from which two texts count as the same.
pub(crate) const SAME_SIMILARITY_MIN: f64 = 0.95;
/// Entries of a search of a memory on a server, if neither the call nor the store specifies a
/// number.
pub(crate) const REMOTE_RESULTS_DEFAULT: u32 = 5;
/// Messages of one event if the store specifies no number.
pub(crate) const EVENT_TURNS_DEFAULT: usize = 50;
/// The maximum of messages of one event that a store may specify.
pub(crate) const EVENT_TURNS_MAX: usize = 100;
/// Parts of one event: texts, and blocks other than text.
pub(crate) const EVENT_PARTS_MAX: usize = 100;
/// Keys of an event's metadata.
pub(crate) const EVENT_METADATA_KEYS_MAX: usize = 15;
/// Characters of a metadata key.
pub(crate) const EVENT_METADATA_KEY_CHARS_MAX: usize = 128;
/// Characters of a metadata value.
pub(crate) const EVENT_METADATA_VALUE_CHARS_MAX: usize = 256;
/// The maximum time between the first and the last message of an event. A later message opens
/// another event.
pub(crate) const EVENT_SPAN_MS_MAX: i64 = 60_000;
/// Characters of a file name.
pub(crate) const FILE_SLUG_CHARS_MAX: usize = 50;
/// The maximum of file names that are tried for a note.
pub(crate) const FILE_NAMES_MAX: u32 = 10_000;
/// The maximum of bytes that are read of a file.
pub(crate) const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// The time that a writer of notes waits for the lock.
pub(crate) const FILE_LOCK_WAIT_MS: u64 = 10_000;
/// The first pause between two tries of the lock. It doubles up to `FILE_LOCK_PAUSE_MS_MAX`.
pub(crate) const FILE_LOCK_PAUSE_MS_MIN: u64 = 1;
/// The longest pause between two tries of the lock.
pub(crate) const FILE_LOCK_PAUSE_MS_MAX: u64 = 20;
/// The time that a search waits for the memory behind the notes. It is shorter than the deadline of
/// injection, so that the word search still answers.
pub(crate) const FILE_MEANING_WAIT_MS: u64 = 1000;
