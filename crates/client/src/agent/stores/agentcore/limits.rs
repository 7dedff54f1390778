//! The limits and defaults of AgentCore and of the calls to it. Those of every store are in
//! `agent/limits.rs`.

/// The default maximum number of entries in a search of AgentCore, if neither the call nor the
/// store specifies a number.
pub(super) const AGENTCORE_RESULTS_DEFAULT: u32 = 5;
/// The maximum number of records in one response of AgentCore.
pub(super) const AGENTCORE_TOP_K_MAX: u32 = 100;
/// The default factor by which more records are requested if a minimum score drops some.
pub(super) const OVER_FETCH_FACTOR_DEFAULT: f64 = 4.0;
/// The maximum number of metadata conditions in a search of AgentCore.
pub(super) const AGENTCORE_FILTERS_MAX: usize = 5;
/// The maximum number of messages or blobs in an event of AgentCore.
pub(super) const EVENT_ITEMS_MAX: usize = 100;
/// The maximum number of characters of a message in an event of AgentCore.
pub(super) const EVENT_TEXT_CHARS_MAX: usize = 100_000;
/// The maximum size of all texts in an event of AgentCore, in bytes.
pub(super) const EVENT_BYTES_MAX: usize = 10_000_000;
/// The maximum number of attempts of an AgentCore call, including the first.
pub(super) const AGENTCORE_ATTEMPTS_MAX: u32 = 3;
/// The timeout of one attempt of an AgentCore call, in milliseconds.
pub(super) const AGENTCORE_ATTEMPT_MS_MAX: u64 = 30_000;
/// The timeout of connecting to AgentCore, in milliseconds.
pub(super) const AGENTCORE_CONNECT_MS_MAX: u64 = 5000;
/// The maximum size of a response of AgentCore, in bytes: a hundred records of the largest size,
/// with ample reserve.
pub(super) const AGENTCORE_ANSWER_BYTES_MAX: usize = 32 * 1024 * 1024;
