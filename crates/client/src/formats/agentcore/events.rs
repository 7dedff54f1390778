//! Converts an event of the wire format to an item, and an event of Loci to a call.

use std::collections::BTreeMap;

use loci_api::event::{Branch, Event, EventCreate, Extraction, Message, PayloadItem, Role};
use serde::Serialize;
use serde_json::value::RawValue;

use super::super::item::{FormatProblem, ImportItem, ItemTarget, Mapping};
use super::shapes::{
    WireBranch, WireContent, WireEvent, WireJson, WireMessage, WirePayload, WireText, WireTime,
};
use super::{MARK, limits};

/// The metadata key of an imported event's id, which is not exported.
const IMPORT_ID: &str = "import_id";

/// The position of an event in the remote memory.
pub(super) struct RemoteEventPosition<'a> {
    pub(super) memory: &'a str,
    pub(super) actor: &'a str,
    pub(super) session: &'a str,
}

/// Returns the permanent key of an event: its memory, and its id within it.
pub(super) fn key(memory: &str, event: &str) -> String {
    format!("{memory}/{}", event.replace('#', "."))
}

/// Converts an event of the wire format to an item, with the branch that was determined for it.
pub(super) fn item(
    raw: &RawValue,
    id: &str,
    branch: Option<&(String, Option<String>)>,
    place: &RemoteEventPosition<'_>,
    extraction: Extraction,
    mapping: &mut Mapping,
) -> Result<ImportItem, FormatProblem> {
    let where_from = format!("event {id} of {}/{}", place.actor, place.session);
    let broken = |_| {
        let rule = "it has a part that is neither a message, nor a blob, nor JSON";
        FormatProblem::new(&where_from, "payload", rule, "import with a newer Loci")
    };
    let event: WireEvent = loci_json::from_str(raw.get()).map_err(broken)?;
    let branch = branch.map(|(name, root)| Branch {
        name: name.clone(),
        root: root.as_ref().map(|root| key(place.memory, root)),
    });
    let mut metadata: BTreeMap<String, String> = event
        .metadata
        .unwrap_or_default()
        .into_iter()
        .map(|(key, value)| (key, value.string_value))
        .collect();
    metadata.remove(MARK);
    if metadata.remove(IMPORT_ID).is_some() {
        mapping.loses("the metadata import_id of events is the one of this import");
    }
    let create = EventCreate {
        actor: place.actor.to_owned(),
        session: Some(place.session.to_owned()),
        time: event.event_timestamp.to_rfc3339(),
        payload: event.payload.into_iter().map(payload_here).collect(),
        branch,
        metadata,
        extraction,
        namespace_variables: BTreeMap::new(),
    };
    Ok(ImportItem { id: key(place.memory, id), place: where_from, becomes: ItemTarget::Event(create) })
}

fn payload_here(item: WirePayload) -> PayloadItem {
    match item {
        WirePayload::Conversational(message) => {
            let role = match message.role.as_str() {
                "USER" => Role::User,
                "ASSISTANT" => Role::Assistant,
                "TOOL" => Role::Tool,
                _ => Role::Other,
            };
            PayloadItem::Message(Message { role, text: message.content.text })
        }
        WirePayload::Blob(raw) => PayloadItem::Blob(raw),
        WirePayload::Json(json) => PayloadItem::Json(json.content),
    }
}

fn payload_there(item: &PayloadItem) -> WirePayload {
    match item {
        PayloadItem::Message(message) => {
            let role = match message.role {
                Role::User => "USER",
                Role::Assistant => "ASSISTANT",
                Role::Tool => "TOOL",
                Role::Other => "OTHER",
            };
            let content = WireContent { text: message.text.clone() };
            WirePayload::Conversational(WireMessage { content, role: role.to_owned() })
        }
        PayloadItem::Blob(raw) => WirePayload::Blob(raw.clone()),
        PayloadItem::Json(raw) => WirePayload::Json(WireJson { content: raw.clone() }),
    }
}

/// The body of `CreateEvent`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventCall {
    pub(super) actor_id: String,
    pub(super) session_id: String,
    pub(super) event_timestamp: WireTime,
    pub(super) payload: Vec<WirePayload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) branch: Option<WireBranch>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) metadata: BTreeMap<String, WireText>,
    pub(super) client_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extraction_mode: Option<&'static str>,
}

/// Converts an event of Loci to a call, without its branch and its mark. Parts that do not fit are
/// reported.
pub(super) fn call(event: &Event, extract: bool, mapping: &mut Mapping) -> Result<EventCall, FormatProblem> {
    let place = format!("event {}", event.id);
    let remedy = "it stays here alone: export the memory as jsonl to keep it";
    let payload: Vec<_> = event.payload.iter().map(payload_there).collect();
    if let Some(rule) = limits::unfit_payload(&payload) {
        return Err(FormatProblem::new(&place, "payload", rule, remedy));
    }
    let time = WireTime::parse(&event.time)
        .ok_or_else(|| FormatProblem::new(&place, "time", "it must be a time of RFC 3339", remedy))?;
    let call = EventCall {
        actor_id: event.actor.clone(),
        session_id: event.session.clone(),
        event_timestamp: time,
        payload,
        branch: None,
        metadata: metadata_there(event, mapping),
        client_token: String::new(),
        extraction_mode: (!extract).then_some("SKIP"),
    };
    let bytes = serde_json::to_vec(&call).map_or(0, |text| text.len());
    if bytes > limits::EVENT_BYTES_MAX {
        let rule = format!("an event may have at most {} bytes", limits::EVENT_BYTES_MAX);
        return Err(FormatProblem::new(&place, "payload", rule, remedy));
    }
    Ok(call)
}

fn metadata_there(event: &Event, mapping: &mut Mapping) -> BTreeMap<String, WireText> {
    let mut there = BTreeMap::new();
    for (key, value) in event.metadata.iter().filter(|(key, _)| *key != IMPORT_ID && *key != MARK) {
        if !limits::is_key(key) || !limits::is_value(value, limits::VALUE_CHARS_MAX) {
            mapping.skip(
                &format!("metadata {key} of an event"),
                "its characters, or how many, are not taken there",
            );
        } else if there.len() == limits::EVENT_KEYS_MAX {
            mapping.skip(&format!("metadata {key} of an event"), "an event may have 15 keys there");
        } else {
            there.insert(key.clone(), WireText { string_value: value.clone() });
        }
    }
    there
}
