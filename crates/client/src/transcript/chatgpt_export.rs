//! `chatgpt-export`: `conversations.json` of a ChatGPT data export, an array of conversations (or
//! one conversation).
//!
//! A conversation is a tree of messages. The reader takes the path from the root to `current_node`,
//! which was shown last. Messages of other branches are counted as skipped. A message that breaks a
//! rule is skipped alone, and its error names the conversation. The array is split into
//! conversations while it is read (`json_elements`), so that an export of any size needs the memory
//! of its largest conversation. It does NOT read the HTML or the attachments of an export.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::error::TranscriptError;
use super::json_elements::{Element, Elements};
use super::json_members::{Object, carried, object, own_id, required_object, required_text, session, wrong};
use super::lines::Input;
use super::reader::{Source, SourceOutput, TranscriptOptions};
use super::skip_report::SkipReason;
use super::time;
use super::turn::{Role, TranscriptTurn, TurnContent};

/// The maximum of characters of a title in an error.
const TITLE_CHARS_SHOWN: usize = 80;
/// The maximum of characters of an id in an error.
const ID_CHARS_SHOWN: usize = 100;

pub(super) fn recognises(first: &str) -> bool {
    let first = first.trim_start();
    let has = |member: &str| first.contains(member);
    let array = first.starts_with('[') && has("\"mapping\"");
    let one = first.starts_with('{') && has("\"mapping\"") && !has("\"sessionId\"") && !has("\"actorId\"");
    array || one
}

pub(super) fn open<'a>(input: Input<'a>, _: &TranscriptOptions) -> Box<dyn Source + Send + 'a> {
    Box::new(ChatgptExport { elements: Elements::new(input), count: 0 })
}

struct ChatgptExport<'a> {
    elements: Elements<'a>,
    /// The number of conversations so far. In an export of one line it identifies the conversation.
    count: usize,
}

impl Source for ChatgptExport<'_> {
    fn pull(&mut self, out: &mut SourceOutput) -> bool {
        let Some(element) = self.elements.next() else { return false };
        self.count += 1;
        let number = self.count;
        match element {
            Ok(element) => conversation(element, number, out),
            Err(error) => out.error(error.within(&format!("conversation {number}"))),
        }
        true
    }
}

/// Reads a conversation. An error in a message affects only that message.
fn conversation(element: Element, number: usize, out: &mut SourceOutput) {
    let line = element.line;
    out.note_replaced(element.replaced);
    let text = out.repaired(element.text);
    let mut place = format!("conversation {number}");
    let read = object(line, &text).and_then(|conversation| {
        place = named(&place, &conversation);
        messages(line, &conversation, &place, out)
    });
    if let Err(error) = read {
        out.error(error.within(&place));
    }
}

/// Names a conversation for its owner, by its title and its id.
fn named(place: &str, conversation: &Object) -> String {
    let text = |name: &str| conversation.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let title = text("title").map(|title| {
        let shown: String = title.chars().filter(|c| !c.is_control()).take(TITLE_CHARS_SHOWN).collect();
        format!(" \"{shown}\"")
    });
    let id = text("conversation_id").or_else(|| text("id")).map(|id| {
        let shown: String = id.chars().filter(|c| !c.is_control()).take(ID_CHARS_SHOWN).collect();
        format!(" ({shown})")
    });
    format!("{place}{}{}", title.unwrap_or_default(), id.unwrap_or_default())
}

fn messages(
    line: usize,
    conversation: &Object,
    place: &str,
    out: &mut SourceOutput,
) -> Result<(), TranscriptError> {
    let id = match conversation.get("conversation_id") {
        Some(Value::String(id)) => id,
        _ => required_text(line, conversation, "id")?,
    };
    let session = session(line, id)?;
    let mapping = required_object(line, conversation, "mapping")?;
    let (path, is_whole) = shown_path(conversation, mapping);
    if !is_whole {
        out.skip(SkipReason::BrokenTree, line);
    }
    let shown: HashSet<&str> = path.iter().map(|(id, _)| *id).collect();
    let others = mapping.iter().filter(|(id, node)| {
        !shown.contains(id.as_str()) && node.get("message").is_some_and(Value::is_object)
    });
    for _ in others {
        out.skip(SkipReason::OtherBranch, line);
    }
    let mut part = 0;
    for (id, node) in &path {
        let Some(message) = node.get("message").and_then(Value::as_object) else { continue };
        let (mut skipped, said) = match message_turn(line, message) {
            Ok(read) => read,
            Err(error) => {
                out.error(error.within(&format!("{place}, message {id}")));
                continue;
            }
        };
        if let Some((role, speaker, content)) = said {
            let time_ms = message.get("create_time").filter(|time| !time.is_null());
            let read = time_ms.and_then(time::from_value);
            if time_ms.is_some() && read.is_none() {
                skipped.push(SkipReason::UnreadableTime);
            }
            out.turn(TranscriptTurn {
                session: session.clone(),
                actor: None,
                // Message ids are unique only within their conversation.
                source_id: Some(format!("{session} {}", own_id(message, "id").unwrap_or(id))),
                time_ms: read,
                role,
                speaker,
                content,
                source_line: line,
                part,
                carried: carried(conversation, &["title"]),
            });
            part += 1;
        }
        for reason in skipped {
            out.skip(reason, line);
        }
    }
    Ok(())
}

type Node<'c> = (&'c str, &'c Value);

/// Returns the nodes from the root to the message that was shown last. The flag is false if the
/// path is incomplete: a tree may name a missing node or contain a cycle. Then the path is read as
/// far as it leads.
fn shown_path<'c>(conversation: &'c Object, mapping: &'c Object) -> (Vec<Node<'c>>, bool) {
    let named = conversation.get("current_node").and_then(Value::as_str);
    let is_there = named.is_none_or(|id| mapping.contains_key(id));
    let mut next = named.filter(|_| is_there).or_else(|| newest_leaf(mapping));
    let (mut path, mut seen) = (Vec::new(), HashSet::new());
    let mut is_whole = is_there;
    while let Some(id) = next {
        let Some((id, node)) = mapping.get_key_value(id).filter(|(id, _)| seen.insert(id.as_str())) else {
            is_whole = false;
            break;
        };
        path.push((id.as_str(), node));
        next = node.get("parent").and_then(Value::as_str);
    }
    path.reverse();
    (path, is_whole)
}

/// Returns the leaf with the latest time, for exports without a current node. Of equal times it is
/// the last one in the file.
fn newest_leaf(mapping: &Object) -> Option<&str> {
    let childless = |node: &Value| node.get("children").and_then(Value::as_array).is_none_or(Vec::is_empty);
    let time = |node: &Value| node.pointer("/message/create_time").and_then(Value::as_f64).unwrap_or(0.0);
    mapping
        .iter()
        .filter(|(_, node)| childless(node))
        .max_by(|(_, a), (_, b)| time(a).total_cmp(&time(b)))
        .map(|(id, _)| id.as_str())
}

type ExportMessage = (Role, Option<String>, TurnContent);

/// Returns role, speaker and content of a message, if it is conversation, and the reasons for
/// skipped parts.
fn message_turn(
    line: usize,
    message: &Object,
) -> Result<(Vec<SkipReason>, Option<ExportMessage>), TranscriptError> {
    let nothing = |reason| Ok((vec![reason], None));
    let Some(content) = message.get("content").filter(|content| !content.is_null()) else {
        return nothing(SkipReason::Empty);
    };
    let author = required_object(line, message, "author")?;
    let role = match required_text(line, author, "role")? {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        "system" => return nothing(SkipReason::System),
        _ => Role::Other,
    };
    let hidden = message.get("metadata").and_then(|m| m.get("is_visually_hidden_from_conversation"));
    if hidden == Some(&Value::Bool(true)) {
        return nothing(SkipReason::Meta);
    }
    let content = content.as_object().ok_or_else(|| wrong(line, "content", "an object"))?;
    let (skipped, text) = message_text(line, content)?;
    let Some(text) = text else { return Ok((skipped, None)) };
    let name = author.get("name").and_then(Value::as_str).filter(|n| !n.is_empty()).map(str::to_owned);
    let recipient = message.get("recipient").and_then(Value::as_str).unwrap_or("all");
    let content = if role == Role::Assistant && recipient != "all" {
        TurnContent::Json(json!({"tool_call": {"tool": recipient, "input": text}}))
    } else {
        TurnContent::Text(text)
    };
    Ok((skipped, Some((role, name, content))))
}

/// Returns the text of a content, and the reasons for parts without text.
fn message_text(line: usize, content: &Object) -> Result<(Vec<SkipReason>, Option<String>), TranscriptError> {
    let nothing = |reason| Ok((vec![reason], None));
    match content.get("content_type").and_then(Value::as_str) {
        Some("thoughts" | "reasoning_recap") => return nothing(SkipReason::Thinking),
        Some("user_editable_context" | "model_editable_context") => return nothing(SkipReason::Meta),
        Some(_) | None => {}
    }
    let mut skipped = Vec::new();
    let mut texts: Vec<&str> = Vec::new();
    match (content.get("parts"), content.get("text").or_else(|| content.get("result"))) {
        (Some(Value::Array(parts)), _) => {
            for part in parts.iter().filter(|part| !part.is_null()) {
                match part.as_str().or_else(|| part.get("text").and_then(Value::as_str)) {
                    Some(text) => texts.push(text),
                    None => skipped.push(SkipReason::Attachment),
                }
            }
            if texts.is_empty() && !skipped.is_empty() {
                return Ok((skipped, None));
            }
        }
        (_, Some(Value::String(text))) => texts.push(text),
        (Some(Value::Null), _) => {}
        (Some(_), _) => return Err(wrong(line, "content.parts", "an array")),
        (None, _) => return nothing(SkipReason::UnknownContent),
    }
    let text = texts.join("\n").trim().to_owned();
    if text.is_empty() {
        skipped.push(SkipReason::Empty);
        return Ok((skipped, None));
    }
    Ok((skipped, Some(text)))
}

#[cfg(test)]
#[path = "chatgpt_export_tests.rs"]
mod tests;
