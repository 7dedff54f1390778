//! Sessions of tasks: the messages and actions of an agent at work, numbered by the agent, and the
//! state that a crashed run resumes from. An item is the archive's copy. The engine decides which
//! parts are kept. This module holds the data types.

use serde::{Deserialize, Serialize};

use crate::words::closed_words;
use crate::{ActorId, Document, EventId, MemoryId, SessionId, TaskId, Timestamp};

closed_words! {
    /// The kind of a session item.
    SessionItemKind {
        /// A message.
        Message = "message",
        /// A reasoning step of the agent.
        Reasoning = "reasoning",
        /// A tool call.
        ToolCall = "tool_call",
        /// The result of a tool call.
        ToolResult = "tool_result",
        /// A decision of the agent or a person.
        Decision = "decision",
        /// A note.
        Note = "note",
    }
}

closed_words! {
    /// The part of a conversation that is kept after the end of its session.
    #[derive(Default)]
    Capture {
        /// All of it.
        #[default]
        Full = "full",
        /// Decisions and notes; digests and counts of the rest.
        Decisions = "decisions",
        /// Digests and counts.
        Metadata = "metadata",
        /// Only the use of tools.
        Off = "off",
    }
}

/// A use of a tool, which every capture setting keeps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolUse {
    /// Its name.
    pub name: String,
    /// Digest of its input.
    pub input_sha256: Option<String>,
    /// Digest of its output.
    pub output_sha256: Option<String>,
    /// Duration in milliseconds.
    pub duration_ms: Option<u64>,
    /// Cost in USD.
    pub cost_usd: Option<f64>,
    /// The status of its end, in a word.
    pub status: Option<String>,
}

/// A message or an action in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionItem {
    /// The memory.
    pub memory: MemoryId,
    /// The repository: the actor of its task.
    pub actor: ActorId,
    /// The task.
    pub task: TaskId,
    /// Its number in the session, which the agent assigns.
    pub seq: u64,
    /// The kind of the item.
    pub kind: SessionItemKind,
    /// The role of the speaker: `user`, `assistant`, `tool`, `other`.
    pub role: String,
    /// The text, as far as the archive keeps it.
    pub text: Option<String>,
    /// Digest of the text without its secrets.
    pub text_sha256: String,
    /// Number of characters of the text.
    pub text_chars: u64,
    /// The name of the user whose words led to it.
    pub user: Option<String>,
    /// The version of the prompt.
    pub prompt_version: Option<String>,
    /// The commit that was checked out, or made.
    pub commit: Option<String>,
    /// The tool, if one was used.
    pub tool: Option<ToolUse>,
    /// The event that holds all of it; `None`: the item arrived after the end of the session.
    pub event: Option<EventId>,
    /// The time at which it happened.
    pub at: Timestamp,
    /// The time of the report.
    pub reported_at: Timestamp,
    /// The time at which the archive deletes it.
    pub expires_at: Timestamp,
}

/// The report at the end of a task, in a searchable form: the error and the changed files included.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToldEnd {
    /// A summary of the work.
    pub summary: Option<String>,
    /// The approach.
    pub approach: Option<String>,
    /// The difficulties.
    pub difficulties: Vec<String>,
    /// The error.
    pub error_message: Option<String>,
    /// The changed files.
    pub files_changed: Vec<String>,
}

impl ToldEnd {
    /// Returns all of it as one text.
    pub fn words(&self) -> String {
        let one = [&self.summary, &self.approach, &self.error_message].into_iter().flatten();
        one.chain(&self.difficulties).chain(&self.files_changed).cloned().collect::<Vec<_>>().join("\n")
    }
}

/// A session of a task without its items: the state for its next run, and the report at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSession {
    /// The memory.
    pub memory: MemoryId,
    /// The repository: the actor of its task.
    pub actor: ActorId,
    /// The task.
    pub task: TaskId,
    /// The session of its events.
    pub session: SessionId,
    /// The agent's state for its next run. Only the agent reads it.
    pub state: Option<Document>,
    /// Number of changes of `state`; 0 before the first.
    pub state_version: u64,
    /// The time of its end.
    pub ended_at: Option<Timestamp>,
    /// The report at the end of the task.
    pub told: ToldEnd,
    /// The time of the last change of this entry.
    pub updated_at: Timestamp,
}

impl TaskSession {
    /// Returns a session without any data yet.
    pub fn begun(memory: MemoryId, actor: ActorId, task: TaskId, session: SessionId, at: Timestamp) -> Self {
        Self {
            memory,
            actor,
            task,
            session,
            state: None,
            state_version: 0,
            ended_at: None,
            told: ToldEnd::default(),
            updated_at: at,
        }
    }
}
