//! The limits and defaults of the service, and of how it is called; those of every store are in `agent/limits.rs`.

/// Entries of a search of AgentCore, where neither call nor store says.
pub(super) const AGENTCORE_RESULTS_DEFAULT: u32 = 5;
/// Records that AgentCore gives at once.
pub(super) const AGENTCORE_TOP_K_MAX: u32 = 100;
/// How many times what is wanted is asked for where a least score drops some.
pub(super) const OVER_FETCH_FACTOR_DEFAULT: f64 = 4.0;
/// Conditions of a search of AgentCore.
pub(super) const AGENTCORE_FILTERS_MAX: usize = 5;
/// Items of an event of AgentCore.
pub(super) const EVENT_ITEMS_MAX: usize = 100;
/// Characters of an item.
pub(super) const EVENT_TEXT_CHARS_MAX: usize = 100_000;
/// Bytes of the texts of an event.
pub(super) const EVENT_BYTES_MAX: usize = 10_000_000;
/// Attempts of a call of AgentCore, the first included.
pub(super) const AGENTCORE_ATTEMPTS_MAX: u32 = 3;
/// An attempt has so long.
pub(super) const AGENTCORE_ATTEMPT_MS_MAX: u64 = 30_000;
/// Connecting has so long.
pub(super) const AGENTCORE_CONNECT_MS_MAX: u64 = 5000;
/// Bytes of an answer: a hundred records of the largest size, and much room.
pub(super) const AGENTCORE_ANSWER_BYTES_MAX: usize = 32 * 1024 * 1024;
