//! The wire types, limited to the members that are read or written here. Documents are passed
//! through as text.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::pages::Page;

/// The response of `ListActors`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActorsPage {
    pub(super) actor_summaries: Vec<ActorSummary>,
    next_token: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActorSummary {
    pub(super) actor_id: String,
}

/// The response of `ListSessions`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionsPage {
    pub(super) session_summaries: Vec<SessionSummary>,
    next_token: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionSummary {
    pub(super) session_id: String,
}

/// The response of `ListEvents`. Events are parsed one by one, so that an unreadable one affects
/// only itself.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventsPage {
    pub(super) events: Vec<Box<RawValue>>,
    next_token: Option<String>,
}

/// The response of `ListMemoryRecords`. Records are parsed one by one, so that an unreadable one
/// affects only itself.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordsPage {
    pub(super) memory_record_summaries: Vec<Box<RawValue>>,
    next_token: Option<String>,
}

macro_rules! pages {
    ($($page:ty),*) => {
        $(impl Page for $page {
            fn next_token(&mut self) -> Option<String> {
                self.next_token.take()
            }
        })*
    };
}
pages!(ActorsPage, SessionsPage, EventsPage, RecordsPage);

/// The members of an event that determine its order.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventHead {
    pub(super) event_id: String,
    pub(super) branch: Option<WireBranch>,
    pub(super) metadata: Option<BTreeMap<String, WireText>>,
}

/// An event.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireEvent {
    pub(super) event_timestamp: WireTime,
    #[serde(default)]
    pub(super) payload: Vec<WirePayload>,
    pub(super) metadata: Option<BTreeMap<String, WireText>>,
}

/// The response of `GetEvent`.
#[derive(Debug, Deserialize)]
pub(super) struct EventAnswer {
    pub(super) event: Box<RawValue>,
}

/// A part of an event.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum WirePayload {
    Conversational(WireMessage),
    Blob(Box<RawValue>),
    Json(WireJson),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireMessage {
    pub(super) content: WireContent,
    pub(super) role: String,
}

/// A text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct WireContent {
    pub(super) text: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireJson {
    pub(super) content: Box<RawValue>,
}

/// A branch.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireBranch {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) root_event_id: Option<String>,
}

/// A value of an event's metadata.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireText {
    pub(super) string_value: String,
}

/// A record in a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireRecord {
    pub(super) memory_record_id: String,
    pub(super) content: WireContent,
    pub(super) memory_strategy_id: Option<String>,
    #[serde(default)]
    pub(super) namespaces: Vec<String>,
    pub(super) created_at: Option<WireTime>,
    pub(super) timestamp: Option<WireTime>,
    #[serde(default)]
    pub(super) metadata: BTreeMap<String, Value>,
}

/// The response of `GetMemory`.
#[derive(Debug, Deserialize)]
pub(super) struct MemoryAnswer {
    pub(super) memory: WireMemory,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WireMemory {
    pub(super) strategies: Vec<WireStrategy>,
    pub(super) event_expiry_duration: Option<u32>,
    pub(super) indexed_keys: Vec<Value>,
    pub(super) namespace_keys: Vec<Value>,
    pub(super) stream_delivery_resources: Option<Value>,
    pub(super) encryption_key_arn: Option<String>,
    pub(super) memory_execution_role_arn: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireStrategy {
    pub(super) strategy_id: String,
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) configuration: Option<StrategyConfiguration>,
    #[serde(default)]
    pub(super) namespaces: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct StrategyConfiguration {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
}

/// The response of `CreateEvent`.
#[derive(Debug, Deserialize)]
pub(super) struct CreatedEvent {
    pub(super) event: CreatedId,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CreatedId {
    pub(super) event_id: String,
}

/// The outcome of a batch.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BatchAnswer {
    #[serde(default)]
    pub(super) successful_records: Vec<BatchItem>,
    #[serde(default)]
    pub(super) failed_records: Vec<BatchItem>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BatchItem {
    pub(super) memory_record_id: Option<String>,
    pub(super) request_identifier: Option<String>,
    pub(super) error_message: Option<String>,
}

/// A time in milliseconds. On the wire it is seconds as a number, or an RFC 3339 text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WireTime(pub(super) i64);

impl WireTime {
    /// Formats the time as RFC 3339, Loci's form.
    pub(super) fn to_rfc3339(self) -> Option<String> {
        jiff::Timestamp::from_millisecond(self.0).ok().map(|time| time.to_string())
    }

    /// Parses a time in Loci's form.
    pub(super) fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|time| Self(time.as_millisecond()))
    }

    /// Returns the seconds with three decimals.
    fn seconds(self) -> String {
        format!("{}.{:03}", self.0.div_euclid(1000), self.0.rem_euclid(1000))
    }
}

impl<'de> Deserialize<'de> for WireTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const RULE: &str = "a time must be seconds as a number, or a text of RFC 3339";
        let millis = match Value::deserialize(deserializer)? {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the cast saturates, and years past it are refused"
            )]
            Value::Number(seconds) => seconds.as_f64().map(|seconds| Self((seconds * 1000.0).round() as i64)),
            Value::String(text) => Self::parse(&text),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        millis.ok_or_else(|| serde::de::Error::custom(RULE))
    }
}

impl Serialize for WireTime {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.seconds()).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}
