//! The limits and defaults of the service and of its calls; the limits of every store are in
//! `agent/limits.rs`.

/// Entries of a search of AgentCore if neither the call nor the store specifies a number.
pub(super) const AGENTCORE_RESULTS_DEFAULT: u32 = 5;
/// The maximum of records in one response of AgentCore.
pub(super) const AGENTCORE_TOP_K_MAX: u32 = 100;
/// The default factor by which more records are requested if a minimum score drops some.
pub(super) const OVER_FETCH_FACTOR_DEFAULT: f64 = 4.0;
/// The maximum of conditions of a search of AgentCore.
pub(super) const AGENTCORE_FILTERS_MAX: usize = 5;
/// The maximum of items of an AgentCore event.
pub(super) const EVENT_ITEMS_MAX: usize = 100;
/// The maximum of characters of an item.
pub(super) const EVENT_TEXT_CHARS_MAX: usize = 100_000;
/// The maximum of bytes of the texts of an event.
pub(super) const EVENT_BYTES_MAX: usize = 10_000_000;
/// The maximum of attempts of an AgentCore call, including the first.
pub(super) const AGENTCORE_ATTEMPTS_MAX: u32 = 3;
/// The timeout of an attempt, in milliseconds.
pub(super) const AGENTCORE_ATTEMPT_MS_MAX: u64 = 30_000;
/// The timeout of connecting, in milliseconds.
pub(super) const AGENTCORE_CONNECT_MS_MAX: u64 = 5000;
/// The maximum of bytes of a response: a hundred records of the largest size, and ample reserve.
pub(super) const AGENTCORE_ANSWER_BYTES_MAX: usize = 32 * 1024 * 1024;
