//! `claude-code-jsonl`: the session files of Claude Code, one JSON object per line.
//!
//! A line of type `user` or `assistant` with a `message` is conversation; its content is a string
//! or blocks. Tool calls become JSON turns of the assistant, and their results turns of the tool. A
//! prompt typed while a tool ran is an attachment of type `queued_command`, or stays in the queue
//! (`claude_queue`). Text that the program wrote into lines of type `user` is never attributed to
//! the user (`claude_marks`). All other contents of such a file are counted as skipped. It does NOT
//! follow `parentUuid`: the order of the file is the order of the conversation.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::claude_marks::{Piece, pieces};
use super::claude_queue::{Queue, QueueExit, RemainingPrompts};
use super::error::TranscriptError;
use super::format::leading_objects;
use super::json_members::{
    Object, carried, flag, object, optional_time, own_id, required_object, required_text, session, wrong,
};
use super::lines::{Input, InputLine, Lines};
use super::reader::{LineParser, LineSource, Source, SourceOutput, TranscriptOptions};
use super::skip_report::SkipReason;
use super::turn::{Role, TranscriptTurn, TurnContent};

/// The reason with which the queue removes a prompt that went to the working model. Versions before
/// 2.1.246 write no reason, and hand over such a prompt as an attachment.
const ABSORBED: &str = "absorbed_mid_turn";
/// The maximum of calls without a result so far. Beyond it a result has no tool name; nothing else
/// is lost.
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
    /// The text that was typed while the program worked.
    queue: Queue,
}

impl LineParser for ClaudeCode {
    const IS_JSON: bool = true;

    fn line(&mut self, line: &InputLine, out: &mut SourceOutput) -> Result<(), TranscriptError> {
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
            "attachment" if queued(&entry).is_some() => Role::User,
            "queue-operation" => return self.queue_operation(number, &entry, out),
            _ => {
                out.skip(SkipReason::Bookkeeping, number);
                return Ok(());
            }
        };
        if let Some(reason) = not_said(&entry) {
            out.skip(reason, number);
            return Ok(());
        }
        let role = if role == Role::User && !is_of_user(&entry) { Role::Other } else { role };
        let mut message = Message::of(number, &entry, role)?;
        match queued(&entry) {
            Some(prompt) => self.content("attachment.prompt", Some(prompt), &mut message)?,
            None => {
                let content = required_object(number, &entry, "message")?.get("content");
                self.content("message.content", content, &mut message)?;
            }
        }
        for line in self.queue.arrived(&message.turns) {
            out.skip(SkipReason::Bookkeeping, line);
        }
        message.finish(out);
        Ok(())
    }

    fn end(&mut self, out: &mut SourceOutput) {
        let RemainingPrompts { said, taken_back } = self.queue.remains();
        for line in taken_back {
            out.skip(SkipReason::TakenBack, line);
        }
        for turn in said {
            out.turn(turn);
        }
    }
}

/// Returns the text of a line that was typed while the program worked.
fn queued(entry: &Object) -> Option<&Value> {
    let attachment = entry.get("attachment")?;
    let is_queued = attachment.get("type").and_then(Value::as_str) == Some("queued_command");
    attachment.get("prompt").filter(|_| is_queued)
}

/// Returns the reason why a line is not conversation.
fn not_said(entry: &Object) -> Option<SkipReason> {
    let flags = [
        ("isMeta", SkipReason::Meta),
        ("isSidechain", SkipReason::Sidechain),
        ("isCompactSummary", SkipReason::Summary),
        ("isApiErrorMessage", SkipReason::ServiceError),
    ];
    // The text of a skill is the result of the tool call that loads it.
    let is_skill = entry.contains_key("sourceToolUseID") && !entry.contains_key("toolUseResult");
    let flagged = flags.into_iter().find(|(name, _)| flag(entry, name)).map(|(_, reason)| reason);
    flagged.or(is_skill.then_some(SkipReason::Meta))
}

/// True if a person wrote the line of type `user`, according to its origin member.
fn is_of_user(entry: &Object) -> bool {
    let origin = entry.get("origin").and_then(|origin| origin.get("kind").or(Some(origin)));
    let mode = entry.get("attachment").and_then(|attachment| attachment.get("commandMode"));
    let is_one_of = |value: Option<&Value>, words: &[&str]| {
        value.and_then(Value::as_str).is_none_or(|word| words.contains(&word))
    };
    is_one_of(origin, &["user", "human"]) && is_one_of(mode, &["prompt"])
}

/// The turns of one line. A block with an error is skipped alone.
struct Message {
    template: TranscriptTurn,
    turns: Vec<TranscriptTurn>,
    skipped: Vec<SkipReason>,
    errors: Vec<TranscriptError>,
}

impl Message {
    fn of(line: usize, entry: &Object, role: Role) -> Result<Self, TranscriptError> {
        let template = TranscriptTurn {
            session: session(line, required_text(line, entry, "sessionId")?)?,
            actor: None,
            source_id: own_id(entry, "uuid").map(str::to_owned),
            time_ms: optional_time(line, entry, "timestamp")?,
            role,
            speaker: None,
            content: TurnContent::Text(String::new()),
            source_line: line,
            part: 0,
            carried: carried(entry, &["cwd", "gitBranch"]),
        };
        Ok(Self { template, turns: Vec::new(), skipped: Vec::new(), errors: Vec::new() })
    }

    fn line(&self) -> usize {
        self.template.source_line
    }

    fn push(&mut self, role: Role, speaker: Option<String>, content: TurnContent) {
        let part = self.turns.len();
        // A resumed session repeats the earlier lines, with their ids and under its own session
        // name.
        let source_id = self.template.source_id.as_ref().map(|line| format!("{line} {part}"));
        self.turns.push(TranscriptTurn { source_id, role, speaker, content, part, ..self.template.clone() });
    }

    fn text(&mut self, text: &str) {
        if self.template.role != Role::User {
            match text.trim() {
                "" => self.skipped.push(SkipReason::Empty),
                said => self.push(self.template.role, None, TurnContent::Text(said.to_owned())),
            }
            return;
        }
        for piece in pieces(text) {
            match piece {
                Piece::Said(text) => self.push(Role::User, None, TurnContent::Text(text)),
                Piece::Shell(text) => {
                    self.push(Role::Tool, Some("bash".to_owned()), TurnContent::Text(text));
                }
                Piece::Program(text) => self.push(Role::Other, None, TurnContent::Text(text)),
                Piece::Nothing(reason) => self.skipped.push(reason),
            }
        }
    }

    fn finish(self, out: &mut SourceOutput) {
        let line = self.line();
        for error in self.errors {
            out.error(error);
        }
        for reason in self.skipped {
            out.skip(reason, line);
        }
        for turn in self.turns {
            out.turn(turn);
        }
    }
}

impl ClaudeCode {
    fn content(
        &mut self,
        name: &str,
        content: Option<&Value>,
        to: &mut Message,
    ) -> Result<(), TranscriptError> {
        match content {
            Some(Value::String(text)) => {
                to.text(text);
                Ok(())
            }
            Some(Value::Array(blocks)) => {
                if blocks.is_empty() {
                    to.skipped.push(SkipReason::Empty);
                }
                for block in blocks {
                    if let Err(error) = self.block(block, to) {
                        to.errors.push(error);
                    }
                }
                Ok(())
            }
            None | Some(Value::Null) => {
                to.skipped.push(SkipReason::Empty);
                Ok(())
            }
            Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                Err(wrong(to.line(), name, "a string or an array of blocks"))
            }
        }
    }

    /// Records an operation of the queue. A queued prompt becomes a turn only after it leaves the
    /// queue.
    fn queue_operation(
        &mut self,
        line: usize,
        entry: &Object,
        out: &mut SourceOutput,
    ) -> Result<(), TranscriptError> {
        let typed = entry.get("content").filter(|_| entry.contains_key("sessionId"));
        match (entry.get("operation").and_then(Value::as_str), typed) {
            (Some("enqueue"), Some(typed)) => {
                let mut message = Message::of(line, entry, Role::User)?;
                self.content("content", Some(typed), &mut message)?;
                for turn in self.queue.waits(std::mem::take(&mut message.turns)) {
                    out.turn(turn);
                }
                message.finish(out);
                return Ok(());
            }
            // The prompt is back in the input field, where the person may change it.
            (Some("popAll"), _) => {
                for line in self.queue.clear() {
                    out.skip(SkipReason::TakenBack, line);
                }
            }
            (Some("dequeue"), typed) => self.queue.leaves(typed.and_then(Value::as_str), QueueExit::Handed),
            (Some("remove"), typed) => {
                let reason = entry.get("reason").and_then(Value::as_str);
                let how = if reason == Some(ABSORBED) { QueueExit::Handed } else { QueueExit::TakenBack };
                self.queue.leaves(typed.and_then(Value::as_str), how);
            }
            _ => {}
        }
        out.skip(SkipReason::Bookkeeping, line);
        Ok(())
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

#[cfg(test)]
#[path = "claude_code_tests.rs"]
mod tests;
