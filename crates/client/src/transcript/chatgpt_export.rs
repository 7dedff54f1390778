//! `chatgpt-export`: `conversations.json` of a ChatGPT data export, an array of conversations (or one conversation).
//!
//! A conversation is a tree of messages; the path from the root to `current_node` is the one that was shown last, and
//! the one that is read. Messages of other branches are counted as skipped. The array is cut into conversations while
//! it is read (`json_elements`), so that an export of any size needs the memory of its largest conversation.
//! It does NOT read the HTML or the attachments of an export.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::error::TranscriptError;
use super::json_elements::{Element, Elements};
use super::json_members::{
    Object, carried, object, optional_time, required_object, required_text, session, wrong,
};
use super::lines::Input;
use super::reader::{Out, Source, TranscriptOptions};
use super::skipped::SkipReason;
use super::turn::{Role, TranscriptTurn, TurnContent};

pub(super) fn recognises(first: &str) -> bool {
    let first = first.trim_start();
    let has = |member: &str| first.contains(member);
    let array = first.starts_with('[') && has("\"mapping\"");
    let one = first.starts_with('{') && has("\"mapping\"") && !has("\"sessionId\"") && !has("\"actorId\"");
    array || one
}

pub(super) fn open<'a>(input: Input<'a>, _: &TranscriptOptions) -> Box<dyn Source + Send + 'a> {
    Box::new(ChatgptExport { elements: Elements::new(input) })
}

struct ChatgptExport<'a> {
    elements: Elements<'a>,
}

impl Source for ChatgptExport<'_> {
    fn pull(&mut self, out: &mut Out) -> bool {
        let Some(element) = self.elements.next() else { return false };
        if let Err(error) = element.and_then(|element| conversation(element, out)) {
            out.error(error);
        }
        true
    }
}

fn conversation(element: Element, out: &mut Out) -> Result<(), TranscriptError> {
    let line = element.line;
    let conversation = object(line, &out.repaired(element.text))?;
    let id = match conversation.get("conversation_id") {
        Some(Value::String(id)) => id,
        _ => required_text(line, &conversation, "id")?,
    };
    let session = session(line, id)?;
    let mapping = required_object(line, &conversation, "mapping")?;
    let path = shown_path(line, &conversation, mapping)?;
    let shown: HashSet<&str> = path.iter().map(|(id, _)| *id).collect();
    let mut turns = Vec::new();
    let mut skipped: Vec<SkipReason> = mapping
        .iter()
        .filter(|(id, node)| {
            !shown.contains(id.as_str()) && node.get("message").is_some_and(Value::is_object)
        })
        .map(|_| SkipReason::OtherBranch)
        .collect();
    for (_, node) in &path {
        let Some(message) = node.get("message").and_then(Value::as_object) else { continue };
        let read = message_turn(line, message, &mut skipped)?;
        let Some((role, speaker, content)) = read else { continue };
        turns.push(TranscriptTurn {
            session: session.clone(),
            actor: None,
            time_ms: optional_time(line, message, "create_time")?,
            role,
            speaker,
            content,
            source_line: line,
            part: turns.len(),
            carried: carried(&conversation, &["title"]),
        });
    }
    for reason in skipped {
        out.skip(reason, line);
    }
    for turn in turns {
        out.turn(turn);
    }
    Ok(())
}

type Node<'c> = (&'c str, &'c Value);

/// The nodes from the root to the message that was shown last.
fn shown_path<'c>(
    line: usize,
    conversation: &'c Object,
    mapping: &'c Object,
) -> Result<Vec<Node<'c>>, TranscriptError> {
    let mut next = match conversation.get("current_node").and_then(Value::as_str) {
        Some(id) => Some(id),
        None => newest_leaf(mapping),
    };
    let mut path = Vec::new();
    while let Some(id) = next {
        let (id, node) =
            mapping.get_key_value(id).ok_or_else(|| broken_tree(line, "names a node that is not there"))?;
        if path.len() >= mapping.len() {
            return Err(broken_tree(line, "is a circle"));
        }
        path.push((id.as_str(), node));
        next = node.get("parent").and_then(Value::as_str);
    }
    path.reverse();
    Ok(path)
}

fn broken_tree(line: usize, what: &str) -> TranscriptError {
    TranscriptError::new(
        line,
        format!("the path of a conversation leads to its root; here it {what}"),
        "export the data again, or remove this conversation from the array",
    )
}

/// Exports that name no current node: the leaf with the latest time, of equals the last one in the file.
fn newest_leaf(mapping: &Object) -> Option<&str> {
    let childless = |node: &Value| node.get("children").and_then(Value::as_array).is_none_or(Vec::is_empty);
    let time = |node: &Value| node.pointer("/message/create_time").and_then(Value::as_f64).unwrap_or(0.0);
    mapping
        .iter()
        .filter(|(_, node)| childless(node))
        .max_by(|(_, a), (_, b)| time(a).total_cmp(&time(b)))
        .map(|(id, _)| id.as_str())
}

type Said = (Role, Option<String>, TurnContent);

/// Role, speaker and content of a message; `None` (and the reasons) if it is not conversation.
fn message_turn(
    line: usize,
    message: &Object,
    skipped: &mut Vec<SkipReason>,
) -> Result<Option<Said>, TranscriptError> {
    let author = required_object(line, message, "author")?;
    let role = match required_text(line, author, "role")? {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        "system" => {
            skipped.push(SkipReason::System);
            return Ok(None);
        }
        _ => Role::Other,
    };
    let hidden = message.get("metadata").and_then(|m| m.get("is_visually_hidden_from_conversation"));
    if hidden == Some(&Value::Bool(true)) {
        skipped.push(SkipReason::Meta);
        return Ok(None);
    }
    let Some(text) = message_text(line, required_object(line, message, "content")?, skipped)? else {
        return Ok(None);
    };
    let name = author.get("name").and_then(Value::as_str).filter(|n| !n.is_empty()).map(str::to_owned);
    let recipient = message.get("recipient").and_then(Value::as_str).unwrap_or("all");
    let content = if role == Role::Assistant && recipient != "all" {
        TurnContent::Json(json!({"tool_call": {"tool": recipient, "input": text}}))
    } else {
        TurnContent::Text(text)
    };
    Ok(Some((role, name, content)))
}

fn message_text(
    line: usize,
    content: &Object,
    skipped: &mut Vec<SkipReason>,
) -> Result<Option<String>, TranscriptError> {
    match required_text(line, content, "content_type")? {
        "thoughts" | "reasoning_recap" => {
            skipped.push(SkipReason::Thinking);
            return Ok(None);
        }
        "user_editable_context" | "model_editable_context" => {
            skipped.push(SkipReason::Meta);
            return Ok(None);
        }
        _ => {}
    }
    let mut texts: Vec<&str> = Vec::new();
    match (content.get("parts"), content.get("text").or_else(|| content.get("result"))) {
        (Some(Value::Array(parts)), _) => {
            for part in parts {
                match part.as_str().or_else(|| part.get("text").and_then(Value::as_str)) {
                    Some(text) => texts.push(text),
                    None => skipped.push(SkipReason::Attachment),
                }
            }
            if texts.is_empty() && !parts.is_empty() {
                return Ok(None);
            }
        }
        (Some(_), _) => return Err(wrong(line, "content.parts", "an array")),
        (None, Some(Value::String(text))) => texts.push(text),
        (None, _) => {
            skipped.push(SkipReason::UnknownContent);
            return Ok(None);
        }
    }
    let text = texts.join("\n").trim().to_owned();
    if text.is_empty() {
        skipped.push(SkipReason::Empty);
        return Ok(None);
    }
    Ok(Some(text))
}

#[cfg(test)]
#[path = "chatgpt_export_tests.rs"]
mod tests;
