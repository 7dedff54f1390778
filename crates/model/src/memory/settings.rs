//! Settings of a memory that the AgentCore wire lacks.

use serde::{Deserialize, Serialize};

use crate::{Error, Result, limits};

/// The treatment of event content over a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EventLimits {
    /// Content is stored unchanged, flagged, and truncated only for extraction. The default.
    #[default]
    Lenient,
    /// Content is rejected, as on AWS.
    Strict,
}

/// The interpretation of a namespace in a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = NamespaceMatch))]
#[serde(rename_all = "snake_case")]
pub enum NamespaceReading {
    /// A namespace in a request means only this namespace. The default.
    #[default]
    Exact,
    /// A namespace in a request means this namespace and everything beneath it, by whole segments.
    SegmentPrefix,
}

/// The display of a turn's date in the text of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TextDates {
    /// The text as stored. The default.
    #[default]
    None,
    /// The text followed by ` (YYYY-MM-DD)`.
    Suffix,
}

/// The reader of conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ModelMode {
    /// The deterministic halves of the strategies. The default.
    #[default]
    None,
    /// A language model that this server calls.
    Provider,
    /// A language model of the caller, which leases the requests (pull mode).
    Pull,
}

impl ModelMode {
    /// All modes.
    pub const ALL: &'static [Self] = &[Self::None, Self::Provider, Self::Pull];

    /// Returns the word in configurations and responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Provider => "provider",
            Self::Pull => "pull",
        }
    }

    /// Parses its word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|mode| mode.as_str() == word)
    }
}

/// The triggers of a model's request about a session, and the size of its window. Without a model
/// these settings have no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WindowSettings {
    /// Number of messages that trigger a request, 1 to 50; 6 by default.
    pub messages: u32,
    /// Number of tokens that trigger a request, 100 to 500,000; 5,000 by default.
    pub tokens: u32,
    /// Time without an event that triggers a request, in milliseconds, 0 to 3,000,000; 2,000 by
    /// default.
    pub idle_ms: u64,
    /// Number of messages before the window that are included as context, 0 to 50; 4 by default.
    pub context_messages: u32,
}

impl Default for WindowSettings {
    fn default() -> Self {
        Self { messages: 6, tokens: 5_000, idle_ms: 2_000, context_messages: 4 }
    }
}

impl WindowSettings {
    /// Checks the bounds; the error names the member under `field`, the rule and the remedy.
    ///
    /// # Errors
    /// `Invalid`.
    pub fn check(&self, field: &str) -> Result<()> {
        let within = |name: &str, value: u64, low: u64, high: u64| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            Err(Error::invalid(format!("{field}.{name}"), format!("{name} must be {low} to {high}")))
        };
        within("messages", self.messages.into(), 1, limits::WINDOW_MESSAGES_MAX.into())?;
        within(
            "tokens",
            self.tokens.into(),
            limits::TRIGGER_TOKENS_MIN.into(),
            limits::TRIGGER_TOKENS_MAX.into(),
        )?;
        within("idle_ms", self.idle_ms, 0, limits::IDLE_MS_MAX)?;
        within("context_messages", self.context_messages.into(), 0, limits::CONTEXT_MESSAGES_MAX.into())
    }
}

/// The treatment of secrets in stored texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SecretsMode {
    /// Texts are stored unchanged. The default.
    #[default]
    Off,
    /// Secrets in texts are masked.
    Mask,
}

/// The treatment of texts that look like instructions to their reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum InjectionMode {
    /// Texts are not checked for instructions.
    Off,
    /// Texts are marked and trusted less. The default.
    #[default]
    Flag,
    /// The most obvious texts are also quarantined.
    Quarantine,
}

/// Safety settings of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SafetySettings {
    /// The treatment of secrets; absent: the server's setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrets: Option<SecretsMode>,
    /// The treatment of instructions to the reader.
    pub injection: InjectionMode,
}

/// The consolidation of new records with existing ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationSettings {
    /// True if verbatim turns may also be superseded; false by default.
    pub verbatim: bool,
    /// Number of new episodes that trigger a reflection, 1 to 1,000; 5 by default.
    pub reflect_every: u32,
    /// Minimum number of episodes that support a reflection, 2 to 200; 3 by default.
    pub reflect_min_episodes: u32,
    /// Thresholds in the engine's own form, in place of the shipped ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<String>,
}

impl Default for ConsolidationSettings {
    fn default() -> Self {
        Self { verbatim: false, reflect_every: 5, reflect_min_episodes: 3, thresholds: None }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Settings of one memory; every member has a default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemorySettings {
    /// The profile, if one was found.
    pub profile: Option<String>,
    /// The interpretation of the wire's `namespace`.
    pub namespace_match: NamespaceReading,
    /// The treatment of event content over the limits.
    pub event_limits: EventLimits,
    /// Dates in retrieved text.
    pub text_dates: TextDates,
    /// True if searches also show unextracted events as provisional records.
    #[serde(skip_serializing_if = "is_default")]
    pub read_your_writes: bool,
    /// True if events on the main branch carry `branch: {name: main}`.
    pub main_branch_marker: bool,
    /// Time in milliseconds after which deleted content is erased.
    pub erase_after_ms: u64,
    /// Retention of non-active versions, in days.
    pub history_days: u32,
    /// Ranking weights in the form of the engine's `weights.json`, in place of the shipped ones.
    pub retrieval_weights: Option<String>,
    /// The reader of its conversations; `None`: the server's setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_mode: Option<ModelMode>,
    /// The triggers and the window of requests to a model.
    #[serde(skip_serializing_if = "is_default")]
    pub window: WindowSettings,
    /// The safety settings.
    #[serde(skip_serializing_if = "is_default")]
    pub safety: SafetySettings,
    /// The consolidation settings.
    #[serde(skip_serializing_if = "is_default")]
    pub consolidation: ConsolidationSettings,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            profile: None,
            namespace_match: NamespaceReading::default(),
            event_limits: EventLimits::default(),
            text_dates: TextDates::default(),
            read_your_writes: false,
            main_branch_marker: true,
            erase_after_ms: limits::ERASE_AFTER_MS_DEFAULT,
            history_days: limits::HISTORY_DAYS_DEFAULT,
            retrieval_weights: None,
            model_mode: None,
            window: WindowSettings::default(),
            safety: SafetySettings::default(),
            consolidation: ConsolidationSettings::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_windows() {
        let usual = WindowSettings::default();
        let check = |window: WindowSettings, field: Option<&str>| {
            let found = window.check("settings.window").err().and_then(|error| error.field);
            assert_eq!(found.as_deref(), field, "{window:?}");
        };
        check(usual, None);
        check(WindowSettings { messages: 0, ..usual }, Some("settings.window.messages"));
        check(WindowSettings { messages: 50, ..usual }, None);
        check(WindowSettings { messages: 51, ..usual }, Some("settings.window.messages"));
        check(WindowSettings { tokens: 99, ..usual }, Some("settings.window.tokens"));
        check(WindowSettings { tokens: 100, ..usual }, None);
        check(WindowSettings { tokens: 500_000, ..usual }, None);
        check(WindowSettings { tokens: 500_001, ..usual }, Some("settings.window.tokens"));
        check(WindowSettings { idle_ms: 3_000_000, ..usual }, None);
        check(WindowSettings { idle_ms: 3_000_001, ..usual }, Some("settings.window.idle_ms"));
        check(WindowSettings { context_messages: 50, ..usual }, None);
        check(WindowSettings { context_messages: 51, ..usual }, Some("settings.window.context_messages"));
    }

    /// A memory without new settings is stored as before, so that an older server reads its export.
    #[test]
    fn defaults_are_not_stored() {
        let text = serde_json::to_string(&MemorySettings::default()).unwrap();
        for member in ["read_your_writes", "model_mode", "window", "safety", "consolidation"] {
            assert!(!text.contains(member), "{text}");
        }
        let changed = MemorySettings { model_mode: Some(ModelMode::Pull), ..MemorySettings::default() };
        let text = serde_json::to_string(&changed).unwrap();
        assert_eq!(serde_json::from_str::<MemorySettings>(&text).unwrap(), changed);
    }
}
