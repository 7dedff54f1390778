//! Settings of a memory that the AgentCore wire lacks.

use serde::{Deserialize, Serialize};

use crate::{Error, Result, limits};

/// What happens to event content over a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EventLimits {
    /// Stored as it came, flagged, cut only for extraction.
    #[default]
    Lenient,
    /// Refused, as on AWS.
    Strict,
}

/// How a namespace in a filter is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = NamespaceMatch))]
#[serde(rename_all = "snake_case")]
pub enum NamespaceReading {
    /// That node only.
    #[default]
    Exact,
    /// That node and everything beneath it, by whole segments.
    SegmentPrefix,
}

/// Whether records show the date of their turn in their text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TextDates {
    /// The text as stored.
    #[default]
    None,
    /// ` (YYYY-MM-DD)` behind it.
    Suffix,
}

/// Who reads conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ModelMode {
    /// The deterministic halves of the strategies.
    #[default]
    None,
    /// A language model that this server asks.
    Provider,
    /// A language model of the caller's, which comes for the questions.
    Pull,
}

impl ModelMode {
    /// Every mode.
    pub const ALL: &'static [Self] = &[Self::None, Self::Provider, Self::Pull];

    /// The word of configurations and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Provider => "provider",
            Self::Pull => "pull",
        }
    }

    /// From its word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|mode| mode.as_str() == word)
    }
}

/// When a model is asked about a session, and how much of it at once. Without a model it has no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WindowSettings {
    /// After so many messages, 1 to 50.
    pub messages: u32,
    /// After so many tokens, 100 to 500,000.
    pub tokens: u32,
    /// After so long without an event, 0 to 3,000,000.
    pub idle_ms: u64,
    /// Messages before the window that are told along, 0 to 50.
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

/// What happens to secrets in texts that are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SecretsMode {
    /// Texts are stored as they came.
    #[default]
    Off,
    /// Secrets are masked.
    Mask,
}

/// What happens to texts that look like instructions to their reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum InjectionMode {
    /// They are not looked for.
    Off,
    /// They are marked and trusted less.
    #[default]
    Flag,
    /// The plainest of them are held back as well.
    Quarantine,
}

/// How careful a memory is with what it stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SafetySettings {
    /// Secrets; absent: as the server is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrets: Option<SecretsMode>,
    /// Instructions to the reader.
    pub injection: InjectionMode,
}

/// How new records meet those that are there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationSettings {
    /// Turns kept word for word may be superseded too.
    pub verbatim: bool,
    /// A reflection is made after so many new episodes, 1 to 1,000.
    pub reflect_every: u32,
    /// Episodes that must bear a reflection out, 2 to 200.
    pub reflect_min_episodes: u32,
    /// Thresholds in the form of the engine's own, in place of the shipped ones.
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
    /// The profile, where one was found.
    pub profile: Option<String>,
    /// How the wire's `namespace` is read.
    pub namespace_match: NamespaceReading,
    /// What happens to event content over the limits.
    pub event_limits: EventLimits,
    /// Dates in retrieved text.
    pub text_dates: TextDates,
    /// Searches also show what was said and is not extracted yet, as provisional records.
    #[serde(skip_serializing_if = "is_default")]
    pub read_your_writes: bool,
    /// Main-line events carry `branch: {name: main}`.
    pub main_branch_marker: bool,
    /// Deleted content is erased after this long.
    pub erase_after_ms: u64,
    /// Non-active versions are kept this long.
    pub history_days: u32,
    /// Weights of the ranking in the form of the engine's `weights.json`, in place of the shipped ones.
    pub retrieval_weights: Option<String>,
    /// Who reads its conversations; `None`: as the server is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_mode: Option<ModelMode>,
    /// When a model is asked, and how much at once.
    #[serde(skip_serializing_if = "is_default")]
    pub window: WindowSettings,
    /// How careful it is with what it stores.
    #[serde(skip_serializing_if = "is_default")]
    pub safety: SafetySettings,
    /// How new records meet those that are there.
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

    /// A memory that uses nothing new is stored as before: an older server reads its export.
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
