//! `claude-code-jsonl`: the session files of Claude Code, one JSON object on each line.
//!
//! A line of type `user` or `assistant` with a `message` is conversation; its content is a string or blocks. Calls of
//! tools become JSON turns of the assistant, their results turns of the tool. Everything else such a file holds is
//! counted as skipped. It does NOT follow `parentUuid`: the order of the file is the order of the conversation.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::error::TranscriptError;
use super::format::leading_objects;
use super::json_members::{
    Object, carried, flag, object, optional_time, required_object, required_text, session, wrong,
};
use super::lines::{Input, Line, Lines};
use super::reader::{LineParser, LineSource, Out, Source, TranscriptOptions};
use super::skipped::SkipReason;
use super::turn::{Role, TranscriptTurn, TurnContent};

/// Calls whose result has not been seen. Past it a result has no tool name; nothing else is lost.
const OPEN_CALLS_MAX: usize = 4096;

pub(super) fn recognises(first: &str) -> bool {
    if leading_objects(first).any(|o| is_ours(&o)) {
        return true;
    }
    first.trim_start().starts_with('{')
        && ["\"type\"", "\"sessionId\"", "\"message\""].iter().all(|member| first.contains(member))
}

fn is_ours(object: &Object) -> bool {
    let has = |name: &str| object.contains_key(name);
    has("type") && (has("sessionId") && has("message") || has("leafUuid") || has("isSnapshotUpdate"))
}

pub(super) fn open<'a>(input: Input<'a>, _: &TranscriptOptions) -> Box<dyn Source + Send + 'a> {
    Box::new(LineSource { lines: Lines::new(input), parser: ClaudeCode::default() })
}

#[derive(Default)]
struct ClaudeCode {
    /// Tool names by call id.
    open_calls: HashMap<String, String>,
}

impl LineParser for ClaudeCode {
    const IS_JSON: bool = true;

    fn line(&mut self, line: &Line, out: &mut Out) -> Result<(), TranscriptError> {
        if line.text.trim().is_empty() {
            return Ok(());
        }
        let number = line.number;
        let entry = object(number, &line.text)?;
        let role = match required_text(number, &entry, "type")? {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "summary" => {
                out.skip(SkipReason::Summary, number);
                return Ok(());
            }
            "system" => {
                out.skip(SkipReason::System, number);
                return Ok(());
            }
            _ => {
                out.skip(SkipReason::Bookkeeping, number);
                return Ok(());
            }
        };
        if let Some(reason) = not_said(&entry) {
            out.skip(reason, number);
            return Ok(());
        }
        let mut message = Message {
            template: TranscriptTurn {
                session: session(number, required_text(number, &entry, "sessionId")?)?,
                actor: None,
                time_ms: optional_time(number, &entry, "timestamp")?,
                role,
                speaker: None,
                content: TurnContent::Text(String::new()),
                source_line: number,
                part: 0,
                carried: carried(&entry, &["cwd", "gitBranch"]),
            },
            turns: Vec::new(),
            skipped: Vec::new(),
        };
        self.content(required_object(number, &entry, "message")?, &mut message)?;
        message.finish(out);
        Ok(())
    }
}

/// Why a line of type `user` or `assistant` is not conversation.
fn not_said(entry: &Object) -> Option<SkipReason> {
    let flags = [
        ("isMeta", SkipReason::Meta),
        ("isSidechain", SkipReason::Sidechain),
        ("isCompactSummary", SkipReason::Summary),
        ("isApiErrorMessage", SkipReason::ServiceError),
    ];
    flags.into_iter().find(|(name, _)| flag(entry, name)).map(|(_, reason)| reason)
}

/// The turns of one line. They are given out together, so that a line with an error gives none.
struct Message {
    template: TranscriptTurn,
    turns: Vec<TranscriptTurn>,
    skipped: Vec<SkipReason>,
}

impl Message {
    fn line(&self) -> usize {
        self.template.source_line
    }

    fn push(&mut self, role: Role, speaker: Option<String>, content: TurnContent) {
        let part = self.turns.len();
        self.turns.push(TranscriptTurn { role, speaker, content, part, ..self.template.clone() });
    }

    fn text(&mut self, text: &str) {
        match spoken(text) {
            Ok(text) => self.push(self.template.role, None, TurnContent::Text(text)),
            Err(reason) => self.skipped.push(reason),
        }
    }

    fn finish(self, out: &mut Out) {
        let line = self.line();
        for reason in self.skipped {
            out.skip(reason, line);
        }
        for turn in self.turns {
            out.turn(turn);
        }
    }
}

impl ClaudeCode {
    fn content(&mut self, message: &Object, to: &mut Message) -> Result<(), TranscriptError> {
        match message.get("content") {
            Some(Value::String(text)) => {
                to.text(text);
                Ok(())
            }
            Some(Value::Array(blocks)) => {
                if blocks.is_empty() {
                    to.skipped.push(SkipReason::Empty);
                }
                blocks.iter().try_for_each(|block| self.block(block, to))
            }
            None | Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                Err(wrong(to.line(), "message.content", "a string or an array of blocks"))
            }
        }
    }

    fn block(&mut self, block: &Value, to: &mut Message) -> Result<(), TranscriptError> {
        let line = to.line();
        let block = block.as_object().ok_or_else(|| wrong(line, "message.content[]", "an object"))?;
        match required_text(line, block, "type")? {
            "text" => to.text(required_text(line, block, "text")?),
            "tool_use" => self.call(block, to)?,
            "tool_result" => self.result(block, to)?,
            "thinking" | "redacted_thinking" => to.skipped.push(SkipReason::Thinking),
            "image" | "document" => to.skipped.push(SkipReason::Attachment),
            _ => to.skipped.push(SkipReason::UnknownContent),
        }
        Ok(())
    }

    fn call(&mut self, block: &Object, to: &mut Message) -> Result<(), TranscriptError> {
        let line = to.line();
        let tool = required_text(line, block, "name")?;
        let id = required_text(line, block, "id")?;
        if self.open_calls.len() < OPEN_CALLS_MAX {
            self.open_calls.insert(id.to_owned(), tool.to_owned());
        }
        let input = block.get("input").cloned().unwrap_or(Value::Null);
        to.push(
            Role::Assistant,
            None,
            TurnContent::Json(json!({"tool_call": {"tool": tool, "input": input}})),
        );
        Ok(())
    }

    fn result(&mut self, block: &Object, to: &mut Message) -> Result<(), TranscriptError> {
        let line = to.line();
        let tool = self.open_calls.remove(required_text(line, block, "tool_use_id")?);
        let mut texts = Vec::new();
        match block.get("content") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => texts.push(text.as_str()),
            Some(Value::Array(blocks)) => {
                for block in blocks {
                    match block.get("text").and_then(Value::as_str) {
                        Some(text) => texts.push(text),
                        None => to.skipped.push(SkipReason::Attachment),
                    }
                }
            }
            Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                return Err(wrong(line, "tool_result.content", "a string or an array of blocks"));
            }
        }
        let text = texts.join("\n");
        if text.trim().is_empty() {
            to.skipped.push(SkipReason::Empty);
        } else {
            to.push(Role::Tool, tool, TurnContent::Text(text));
        }
        Ok(())
    }
}

/// What of a text was said by somebody: commands of the program keep only what the person added to them.
fn spoken(text: &str) -> Result<String, SkipReason> {
    let bare = text.trim();
    if bare.is_empty() {
        return Err(SkipReason::Empty);
    }
    if bare.starts_with("<system-reminder>") && bare.ends_with("</system-reminder>") {
        return Err(SkipReason::Meta);
    }
    if bare.starts_with("[Request interrupted by user") {
        return Err(SkipReason::Bookkeeping);
    }
    if bare.starts_with("<local-command-") {
        return Err(SkipReason::LocalCommand);
    }
    if bare.starts_with("<command-name>") || bare.starts_with("<command-message>") {
        return match (between(bare, "command-name"), between(bare, "command-args")) {
            (Some(name), Some(arguments)) if !arguments.is_empty() => Ok(format!("{name} {arguments}")),
            _ => Err(SkipReason::LocalCommand),
        };
    }
    Ok(bare.to_owned())
}

fn between<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    let (inner, _) = rest.split_once(&format!("</{tag}>"))?;
    Some(inner.trim())
}

#[cfg(test)]
#[path = "claude_code_tests.rs"]
mod tests;
