//! Events: payload in requests, whole events in responses. Documents pass as the text received.

use std::collections::BTreeMap;

use loci_model::Document;
use loci_model::event::{Event, PayloadItem, Role};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::agentcore::constraints::Refusal;
use crate::agentcore::errors::AgentCoreFailure;
use crate::agentcore::time::WireTime;

/// `PayloadType`: exactly one member set.
#[derive(Debug, Deserialize)]
pub(crate) struct PayloadShape {
    conversational: Option<ConversationalShape>,
    #[serde(default, deserialize_with = "any_document")]
    blob: Option<Box<RawValue>>,
    json: Option<JsonShape>,
}

#[derive(Debug, Deserialize)]
struct ConversationalShape {
    role: String,
    content: TextShape,
}

#[derive(Debug, Deserialize)]
struct TextShape {
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
struct JsonShape {
    content: Box<RawValue>,
}

/// Deserializes a document; `null` is a document like any other, not an absent one.
fn any_document<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// Returns the payload in the engine's form.
pub(crate) fn payload(items: Vec<PayloadShape>) -> Result<Vec<PayloadItem>, AgentCoreFailure> {
    items.into_iter().map(PayloadShape::into_item).collect()
}

impl PayloadShape {
    fn into_item(self) -> Result<PayloadItem, AgentCoreFailure> {
        if let Some(message) = self.conversational {
            let role = Role::parse(&message.role)
                .ok_or_else(|| Refusal::field("role", "role must be ASSISTANT, USER, TOOL or OTHER"))?;
            return Ok(PayloadItem::Conversational { role, text: message.content.text.unwrap_or_default() });
        }
        if let Some(json) = self.json {
            return Ok(PayloadItem::Json(Document::from_raw(&json.content)?));
        }
        match self.blob {
            Some(blob) => Ok(PayloadItem::Blob(Document::from_raw(&blob)?)),
            None => Err(Refusal::field("payload", "a payload item must have exactly one member").into()),
        }
    }
}

/// `MetadataValue` of events.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MetadataShape {
    string_value: Option<String>,
}

impl MetadataShape {
    /// Returns the text, if it is set.
    pub(crate) fn into_text(self) -> Option<String> {
        self.string_value
    }
}

/// Returns event metadata in the engine's form; `null` values are absent.
pub(crate) fn metadata(given: Option<BTreeMap<String, Option<MetadataShape>>>) -> BTreeMap<String, String> {
    given
        .unwrap_or_default()
        .into_iter()
        .filter_map(|(key, value)| value.and_then(MetadataShape::into_text).map(|value| (key, value)))
        .collect()
}

/// `ExtractionConfig`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExtractionShape {
    namespace_variables: Option<BTreeMap<String, Option<String>>>,
}

impl ExtractionShape {
    /// Returns the variables; `null` values are absent.
    pub(crate) fn into_variables(self) -> BTreeMap<String, String> {
        let given = self.namespace_variables.unwrap_or_default();
        given.into_iter().filter_map(|(key, value)| value.map(|value| (key, value))).collect()
    }
}

/// The form of events in a response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventView {
    /// True to include the member `payload`.
    pub(crate) payloads: bool,
    /// True if main-line events carry `branch: {name: main}`.
    pub(crate) main_branch: bool,
}

/// `Event`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventShape<'a> {
    memory_id: &'a str,
    actor_id: &'a str,
    session_id: &'a str,
    event_id: &'a str,
    event_timestamp: WireTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Vec<ItemShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<BranchShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<BTreeMap<&'a str, ValueShape<'a>>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum ItemShape<'a> {
    Conversational { role: &'static str, content: TextOut<'a> },
    Blob(&'a RawValue),
    Json { content: &'a RawValue },
}

#[derive(Debug, Serialize)]
struct TextOut<'a> {
    text: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BranchShape<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    root_event_id: Option<&'a str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ValueShape<'a> {
    string_value: &'a str,
}

impl<'a> EventShape<'a> {
    /// Returns the shape of an event.
    pub(crate) fn of(event: &'a Event, view: EventView) -> Self {
        let branch = BranchShape {
            name: event.branch.name.as_str(),
            root_event_id: event.branch.root.as_ref().map(loci_model::EventId::as_str),
        };
        let metadata = event
            .metadata
            .iter()
            .map(|(key, value)| (key.as_str(), ValueShape { string_value: value }))
            .collect();
        Self {
            memory_id: event.memory.as_str(),
            actor_id: event.actor.as_str(),
            session_id: event.session.as_str(),
            event_id: event.id.as_str(),
            event_timestamp: WireTime(event.time),
            payload: view.payloads.then(|| event.payload.iter().map(ItemShape::of).collect()),
            branch: (view.main_branch || !event.branch.is_main()).then_some(branch),
            metadata: (!event.metadata.is_empty()).then_some(metadata),
        }
    }
}

impl<'a> ItemShape<'a> {
    fn of(item: &'a PayloadItem) -> Self {
        match item {
            PayloadItem::Conversational { role, text } => {
                Self::Conversational { role: role.as_str(), content: TextOut { text } }
            }
            PayloadItem::Blob(document) => Self::Blob(document.raw()),
            PayloadItem::Json(document) => Self::Json { content: document.raw() },
        }
    }
}
