//! Typed content of an AgentCore event. Agents of the source design send a preference, knowledge
//! about a service or an investigation as the only message of an event, as JSON or in Python
//! notation, without a type name. Pure. The write checks that the memory stores such types.

use loci_engine::events::NewEvent;
use loci_model::event::{PayloadItem, Role};
use loci_model::services::knowledge::SreType;
use loci_model::{Error, Result};
use serde_json::{Map, Value};

use super::python_literal;
use crate::preferences::categories;
use crate::records::namespace_rules::PREFERENCES_SESSION;
use crate::records::save::EVENT_TYPE;

/// Names of timeline members in our format, and their names in other formats.
const TIMELINE_NAMES: &[(&str, &str)] =
    &[("timestamp", "time"), ("action", "event"), ("agent", "by"), ("result_summary", "result")];

/// Members of which every typed text contains at least one.
const MARKS: &[&str] = &["preference_type", "knowledge_type", "incident_id"];

/// Content of a known type, in the form that the parser of the type accepts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Typed {
    /// The record type.
    pub(crate) kind: SreType,
    /// The content.
    pub(crate) data: Value,
}

/// True if an event may have typed content, without parsing it.
pub(crate) fn may_be_typed(new: &NewEvent) -> bool {
    let has_mark = |text: &str| MARKS.iter().any(|mark| text.contains(mark));
    let is_object = |item: &PayloadItem| match item {
        PayloadItem::Conversational { text, .. } => text.trim_start().starts_with('{') && has_mark(text),
        PayloadItem::Json(document) => has_mark(document.as_str()),
        PayloadItem::Blob(_) => false,
    };
    let is_of_preferences =
        new.session.as_ref().is_some_and(|session| session.as_str() == PREFERENCES_SESSION);
    new.metadata.contains_key(EVENT_TYPE)
        || (new.payload.len() == 1 && (is_of_preferences || new.payload.iter().any(is_object)))
}

/// Returns the typed content of the event. `None` for ordinary conversation. A type named by the
/// event has precedence.
///
/// # Errors
/// `Invalid` if the event names an unknown type, or if its message does not fit the type.
pub(crate) fn typed(new: &NewEvent) -> Result<Option<Typed>> {
    let named = new.metadata.get(EVENT_TYPE);
    let session = new.session.as_ref().map(|session| session.as_str());
    let is_of_preferences = session == Some(PREFERENCES_SESSION);
    let alone = match new.payload.as_slice() {
        // Tool output is data by third parties.
        [PayloadItem::Conversational { role: Role::Assistant | Role::User, text }] => Some(text.as_str()),
        [PayloadItem::Json(document)] => Some(document.as_str()),
        _ => None,
    };
    if let Some(word) = named {
        let rule = format!(
            "{EVENT_TYPE} must be preferences, infrastructure or investigations, and the event one message of it"
        );
        let wrong = || Error::invalid("metadata", rule.clone());
        let kind = SreType::parse_input(word).ok_or_else(wrong)?;
        let text = alone.ok_or_else(wrong)?;
        return Ok(Some(of_kind(kind, object(text), text)));
    }
    let Some(text) = alone else { return Ok(None) };
    let found = object(text);
    let kind = if is_of_preferences { Some(SreType::Preferences) } else { found.as_ref().and_then(kind_of) };
    Ok(kind.map(|kind| of_kind(kind, found, text)))
}

/// Returns the object in a text.
fn object(text: &str) -> Option<Map<String, Value>> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let value = loci_json::from_str(text).ok().or_else(|| python_literal::read(text))?;
    match value {
        Value::Object(members) => Some(members),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    }
}

fn kind_of(members: &Map<String, Value>) -> Option<SreType> {
    let has = |name: &str| members.contains_key(name);
    if has("preference_type") {
        Some(SreType::Preferences)
    } else if has("service_name") && has("knowledge_type") {
        Some(SreType::Infrastructure)
    } else if has("incident_id") && (has("key_findings") || has("timeline") || has("actions_taken")) {
        Some(SreType::Investigations)
    } else {
        None
    }
}

fn of_kind(kind: SreType, found: Option<Map<String, Value>>, text: &str) -> Typed {
    let data = match (kind, found) {
        (SreType::Preferences, Some(members)) => Value::Object(of_preference(members)),
        // The text is a sentence.
        (SreType::Preferences, None) => {
            Value::Object(Map::from_iter([("preference_value".to_owned(), Value::String(text.to_owned()))]))
        }
        (SreType::Infrastructure, Some(members)) => Value::Object(members),
        (SreType::Investigations, Some(members)) => Value::Object(of_investigation(members)),
        (SreType::Infrastructure | SreType::Investigations, None) => Value::String(text.to_owned()),
    };
    Typed { kind, data }
}

/// Converts the members of a preference. The event names the user. Generic clients of the wire
/// protocol write a sentence with categories.
fn of_preference(mut members: Map<String, Value>) -> Map<String, Value> {
    members.remove("user_id");
    let categories = match members.remove("categories") {
        Some(Value::Array(items)) => {
            items.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        }
        Some(_) | None => Vec::new(),
    };
    if let Some(sentence) = members.remove("preference") {
        members.entry("preference_value").or_insert(sentence);
    }
    match members.get_mut("preference_type") {
        Some(Value::String(kind)) => *kind = kind.trim().to_lowercase(),
        Some(_) => {}
        None => {
            members.insert("preference_type".to_owned(), Value::String(categories::type_of(&categories)));
        }
    }
    members
}

fn of_investigation(mut members: Map<String, Value>) -> Map<String, Value> {
    members.remove("user_id");
    if let Some(Value::Array(entries)) = members.get_mut("timeline") {
        for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
            for (theirs, ours) in TIMELINE_NAMES {
                let value = if entry.contains_key(*ours) { None } else { entry.remove(*theirs) };
                entry.extend(value.map(|value| ((*ours).to_owned(), value)));
            }
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use loci_model::event::ExtractionMode;
    use loci_model::{ActorId, Document, MemoryId, SessionId};
    use serde_json::json;

    use super::*;

    fn event(session: &str, payload: Vec<PayloadItem>) -> NewEvent {
        NewEvent {
            memory: MemoryId::parse("sre-0123456789").unwrap(),
            actor: ActorId::parse("Alice").unwrap(),
            session: Some(SessionId::parse(session).unwrap()),
            time: None,
            payload,
            branch: None,
            metadata: BTreeMap::new(),
            extraction: ExtractionMode::Extract,
            namespace_variables: BTreeMap::new(),
            over_limit: false,
        }
    }

    fn said(role: Role, text: &str) -> PayloadItem {
        PayloadItem::Conversational { role, text: text.to_owned() }
    }

    fn assistant(text: &str) -> Vec<PayloadItem> {
        vec![said(Role::Assistant, text)]
    }

    #[test]
    fn what_content_says() {
        use SreType::{Infrastructure, Investigations, Preferences};
        let check = |session: &str, text: &str, expect: Option<(SreType, Value)>| {
            let found = typed(&event(session, assistant(text))).unwrap();
            assert_eq!(found.map(|one| (one.kind, one.data)), expect, "{text}");
        };
        let value = json!({"preference_type": "escalation", "preference_value": {"delay": 15}});
        let python =
            "{'user_id': 'Alice', 'preference_type': 'Escalation', 'preference_value': {'delay': 15}}";
        check("s-1", python, Some((Preferences, value.clone())));
        check("s-1", &value.to_string(), Some((Preferences, value)));
        let sentence = json!({"preference_type": "style", "preference_value": "short reports"});
        let general = r#"{"context": "", "preference": "short reports", "categories": ["business"]}"#;
        check("s-1", general, None);
        let mut of_session = sentence.clone();
        of_session["context"] = json!("");
        check("preferences-default", general, Some((Preferences, of_session)));
        check(
            "preferences-default",
            "short reports",
            Some((Preferences, json!({"preference_value": "short reports"}))),
        );
        let known = json!({"service_name": "api", "knowledge_type": "config", "knowledge_data": {"a": 1}});
        check("s-1", &known.to_string(), Some((Infrastructure, known)));
        let python = "{'incident_id': 'i', 'query': 'q', 'timeline': [{'timestamp': '2026-11-20T14:30:00', 'agent': 'a', \
                      'action': 'ran', 'result_summary': 'ok'}]}";
        let entry = json!({"time": "2026-11-20T14:30:00", "by": "a", "event": "ran", "result": "ok"});
        check(
            "s-1",
            python,
            Some((Investigations, json!({"incident_id": "i", "query": "q", "timeline": [entry]}))),
        );
        for talk in
            ["hello", "{\"incident_id\": 1}", "{\"service_name\": \"api\"}", "{broken", "[1]", "{'a': f()}"]
        {
            check("s-1", talk, None);
        }
    }

    #[test]
    fn what_is_not_asked() {
        let known =
            json!({"service_name": "api", "knowledge_type": "config", "knowledge_data": {}}).to_string();
        let kind =
            |new: &NewEvent| typed(new).map(|found| found.map(|one| one.kind)).map_err(|error| error.field);
        assert_eq!(kind(&event("s", vec![said(Role::Tool, &known)])), Ok(None));
        assert_eq!(kind(&event("s", vec![said(Role::User, &known), said(Role::Assistant, "ok")])), Ok(None));
        let document = Document::parse(&known).unwrap();
        assert_eq!(kind(&event("s", vec![PayloadItem::Json(document)])), Ok(Some(SreType::Infrastructure)));
        let mut named = event("s", assistant("restarts follow the nightly batch"));
        named.metadata.insert(EVENT_TYPE.to_owned(), "infrastructure".to_owned());
        assert_eq!(typed(&named).unwrap().unwrap().data, json!("restarts follow the nightly batch"));
        named.metadata.insert(EVENT_TYPE.to_owned(), "rumours".to_owned());
        assert_eq!(kind(&named), Err(Some("metadata".to_owned())));
    }
}
