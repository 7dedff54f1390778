//! `agentcore-events`: JSON lines. Each is the body of a `CreateEvent` request or an `Event`
//! object, either alone or in the member `event` as `CreateEvent` and `GetEvent` return it.
//!
//! Each payload item is one turn. All turns of an event share its line and its carried members. It
//! does NOT check the limits of the wire format: the target server applies its own.

use serde_json::{Map, Value};

use super::error::TranscriptError;
use super::format::leading_objects;
use super::json_members::{
    Object, carried, object, optional_text, optional_time, own_id, required_object, required_text, session,
    wrong,
};
use super::lines::{Input, InputLine, Lines};
use super::reader::{LineParser, LineSource, Source, SourceOutput, TranscriptOptions};
use super::skip_report::SkipReason;
use super::turn::{Role, TranscriptTurn, TurnContent};

const CARRIED: [&str; 6] =
    ["branch", "metadata", "eventId", "clientToken", "extractionMode", "extractionConfig"];

pub(super) fn recognises(first: &str) -> bool {
    let is_event = |o: &Object| o.contains_key("payload") && o.contains_key("actorId");
    let inside = |o: &Object| o.get("event").and_then(Value::as_object).is_some_and(is_event);
    if leading_objects(first).any(|o| is_event(&o) || inside(&o)) {
        return true;
    }
    first.trim_start().starts_with('{') && first.contains("\"actorId\"") && first.contains("\"payload\"")
}

pub(super) fn open<'a>(input: Input<'a>, options: &TranscriptOptions) -> Box<dyn Source + Send + 'a> {
    let parser = AgentcoreEvents { default_session: options.default_session.clone() };
    Box::new(LineSource { lines: Lines::new(input), parser })
}

struct AgentcoreEvents {
    default_session: String,
}

impl LineParser for AgentcoreEvents {
    const IS_JSON: bool = true;

    fn line(&mut self, line: &InputLine, out: &mut SourceOutput) -> Result<(), TranscriptError> {
        if line.text.trim().is_empty() {
            return Ok(());
        }
        let number = line.number;
        let whole = object(number, &line.text)?;
        if whole.contains_key("events") {
            return Err(TranscriptError::new(
                number,
                "each line is one event; this is an answer of ListEvents",
                "split it with `jq -c '.events[]'`",
            ));
        }
        let event =
            if whole.contains_key("event") { required_object(number, &whole, "event")? } else { &whole };
        let turns = self.event(number, event)?;
        if turns.is_empty() {
            out.skip(SkipReason::Empty, number);
        }
        for turn in turns {
            out.turn(turn);
        }
        Ok(())
    }
}

impl AgentcoreEvents {
    fn event(&self, line: usize, event: &Object) -> Result<Vec<TranscriptTurn>, TranscriptError> {
        let actor = required_text(line, event, "actorId")?;
        let session_id = optional_text(line, event, "sessionId")?.unwrap_or(&self.default_session);
        let session = session(line, session_id)?;
        let time_ms = optional_time(line, event, "eventTimestamp")?;
        let carried = carried(event, &CARRIED);
        // A request has no event id yet, but may have a client token, which identifies the event.
        let id = ["eventId", "clientToken"].into_iter().find_map(|name| Some((name, own_id(event, name)?)));
        let id = id.map(|(name, id)| format!("{session} {name} {id}"));
        let Some(Value::Array(payload)) = event.get("payload") else {
            return Err(wrong(line, "payload", "an array"));
        };
        let mut turns = Vec::new();
        for (part, item) in payload.iter().enumerate() {
            let (role, content) = payload_item(line, item)?;
            turns.push(TranscriptTurn {
                session: session.clone(),
                actor: Some(actor.to_owned()),
                source_id: id.as_ref().map(|id| format!("{id} {part}")),
                time_ms,
                role,
                speaker: None,
                content,
                source_line: line,
                part,
                carried: carried.clone(),
            });
        }
        Ok(turns)
    }
}

/// Parses a payload item, a union: exactly one of `conversational`, `json`, `blob`.
fn payload_item(line: usize, item: &Value) -> Result<(Role, TurnContent), TranscriptError> {
    let none = Map::new();
    let item = item.as_object().unwrap_or(&none);
    match (item.get("conversational"), item.get("json"), item.get("blob"), item.len()) {
        (Some(Value::Object(said)), None, None, 1) => {
            let text = required_text(line, required_object(line, said, "content")?, "text")?;
            Ok((role(line, required_text(line, said, "role")?)?, TurnContent::Text(text.to_owned())))
        }
        (None, Some(Value::Object(json)), None, 1) => {
            let content = json.get("content").ok_or_else(|| wrong(line, "json.content", "required"))?;
            Ok((Role::Other, TurnContent::Json(content.clone())))
        }
        (None, None, Some(blob), 1) => Ok((Role::Other, TurnContent::Blob(blob.clone()))),
        _ => Err(TranscriptError::new(
            line,
            "each item of `payload` is an object with exactly one of `conversational`, `json` and `blob`",
            "correct the item, or remove it from the payload",
        )),
    }
}

fn role(line: usize, name: &str) -> Result<Role, TranscriptError> {
    match name {
        "USER" => Ok(Role::User),
        "ASSISTANT" => Ok(Role::Assistant),
        "TOOL" => Ok(Role::Tool),
        "OTHER" => Ok(Role::Other),
        _ => Err(TranscriptError::new(
            line,
            "`role` is one of USER, ASSISTANT, TOOL, OTHER",
            "write the role in capitals; what is none of the first three is OTHER",
        )),
    }
}

#[cfg(test)]
#[path = "agentcore_events_tests.rs"]
mod tests;
