//! The limits and defaults of the client, in one place.

/// Entries per store where neither call nor store says.
pub(crate) const RESULTS_DEFAULT: u32 = 3;
/// Entries per store that a tool may ask for.
pub(crate) const TOOL_RESULTS_MAX: u32 = 100;
/// Entries that are injected.
pub(crate) const INJECTED_ENTRIES_DEFAULT: u32 = 5;
/// Tokens of the injected text.
pub(crate) const INJECTED_TOKENS_DEFAULT: usize = 2000;
/// Injection waits so long for its entries.
pub(crate) const INJECTION_DEADLINE_MS: u64 = 1500;
/// Turns between two saves.
pub(crate) const INTERVAL_TURNS_DEFAULT: u32 = 5;
/// Messages that are sent at once.
pub(crate) const BATCH_MESSAGES_MAX: usize = 500;
/// Bytes that are sent at once; a message that is larger goes alone.
pub(crate) const BATCH_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Messages that wait in memory per store.
pub(crate) const BUFFERED_MESSAGES_MAX: usize = 10_000;
/// Bytes that wait in memory per store.
pub(crate) const BUFFERED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Failures in a row after which a store is in backoff.
pub(crate) const BACKOFF_FAILURES: u32 = 10;
/// In backoff one request of so many is tried.
pub(crate) const BACKOFF_EVERY: u32 = 3;
/// The wait after the first failure; it doubles with each.
pub(crate) const RETRY_MS_MIN: u64 = 1000;
/// The longest wait.
pub(crate) const RETRY_MS_MAX: u64 = 60_000;
/// How often an error without a class is taken for a transient one.
pub(crate) const UNCLASSIFIED_TRIES: u32 = 3;
/// How often a model is asked again after an answer that makes no sense.
pub(crate) const MALFORMED_RETRIES: u32 = 2;
/// Quarantined items that are kept where there is no directory for them.
pub(crate) const QUARANTINED_MAX: usize = 1000;
/// Texts of this similarity say the same.
pub(crate) const SAME_SIMILARITY_MIN: f64 = 0.95;
/// Entries of a search of a memory on a server, where neither call nor store says.
pub(crate) const REMOTE_RESULTS_DEFAULT: u32 = 5;
/// Messages of one event where the store gives no number.
pub(crate) const EVENT_TURNS_DEFAULT: usize = 50;
/// Messages of one event that a store may ask for.
pub(crate) const EVENT_TURNS_MAX: usize = 100;
/// Parts of one event: texts, and blocks that are no text.
pub(crate) const EVENT_PARTS_MAX: usize = 100;
/// Keys of an event's metadata.
pub(crate) const EVENT_METADATA_KEYS_MAX: usize = 15;
/// Characters of a key.
pub(crate) const EVENT_METADATA_KEY_CHARS_MAX: usize = 128;
/// Characters of a value.
pub(crate) const EVENT_METADATA_VALUE_CHARS_MAX: usize = 256;
/// A message that comes so much later than the first of its event opens another.
pub(crate) const EVENT_SPAN_MS_MAX: i64 = 60_000;
/// Characters of a file's name.
pub(crate) const FILE_SLUG_CHARS_MAX: usize = 50;
/// Names that are tried for a file.
pub(crate) const FILE_NAMES_MAX: u32 = 10_000;
/// Bytes of a file that are read.
pub(crate) const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// How long a writer of notes waits for the others.
pub(crate) const FILE_LOCK_WAIT_MS: u64 = 10_000;
/// How often it looks meanwhile, at first; the pause doubles up to the other.
pub(crate) const FILE_LOCK_PAUSE_MS_MIN: u64 = 1;
/// The longest pause.
pub(crate) const FILE_LOCK_PAUSE_MS_MAX: u64 = 20;
/// How long the memory behind notes is waited for: less than injection waits, so that the words still answer.
pub(crate) const FILE_MEANING_WAIT_MS: u64 = 1000;
