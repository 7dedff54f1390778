//! Settings of a memory that the AgentCore wire lacks (architecture §7).

use serde::{Deserialize, Serialize};

use crate::limits;

/// Whether event content over the service's limits is stored or refused (memory-manager.md W-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventLimits {
    /// Stored as it came, flagged, cut only for extraction.
    #[default]
    Lenient,
    /// Refused, as on AWS.
    Strict,
}

/// How the wire's `namespace` is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamespaceReading {
    /// That node only.
    #[default]
    Exact,
    /// That node and everything beneath it, by whole segments.
    SegmentPrefix,
}

/// Whether retrieval shows dates in the text (memory-manager.md W-22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextDates {
    /// The text as stored.
    #[default]
    None,
    /// ` (YYYY-MM-DD)` behind it.
    Suffix,
}

/// Settings of one memory; every member has a default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemorySettings {
    /// The profile, where one was found.
    pub profile: Option<String>,
    /// How the wire's `namespace` is read.
    pub namespace_match: NamespaceReading,
    /// What happens to event content over the limits.
    pub event_limits: EventLimits,
    /// Dates in retrieved text.
    pub text_dates: TextDates,
    /// Main-line events carry `branch: {name: main}`.
    pub main_branch_marker: bool,
    /// Deleted content is erased after this long.
    pub erase_after_ms: u64,
    /// Non-active versions are kept this long.
    pub history_days: u32,
    /// Weights of the ranking in the form of the engine's `weights.json`, in place of the shipped ones.
    pub retrieval_weights: Option<String>,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            profile: None,
            namespace_match: NamespaceReading::default(),
            event_limits: EventLimits::default(),
            text_dates: TextDates::default(),
            main_branch_marker: true,
            erase_after_ms: limits::ERASE_AFTER_MS_DEFAULT,
            history_days: limits::HISTORY_DAYS_DEFAULT,
            retrieval_weights: None,
        }
    }
}
