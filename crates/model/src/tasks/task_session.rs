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
        /// The whole conversation is kept.
        #[default]
        Full = "full",
        /// Decisions and notes are kept; of everything else only digests and counts.
        Decisions = "decisions",
        /// Only digests and counts are kept.
        Metadata = "metadata",
        /// Only the use of tools is kept.
        Off = "off",
    }
}

/// A use of a tool, which every capture setting keeps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolUse {
    /// The name of the tool.
    pub name: String,
    /// Digest of the tool's input.
    pub input_sha256: Option<String>,
    /// Digest of the tool's output.
    pub output_sha256: Option<String>,
    /// Duration of the tool in milliseconds.
    pub duration_ms: Option<u64>,
    /// Cost of the tool in US dollars.
    pub cost_usd: Option<f64>,
    /// The status of the tool's use in one word, as the agent reports it.
    pub status: Option<String>,
}

/// A message or an action in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionItem {
    /// The memory that the item belongs to.
    pub memory: MemoryId,
    /// The repository: the actor of the item's task.
    pub actor: ActorId,
    /// The task that the item belongs to.
    pub task: TaskId,
    /// The sequence number of the item in the session, which the agent assigns.
    pub seq: u64,
    /// The kind of the item.
    pub kind: SessionItemKind,
    /// The role of the speaker: `user`, `assistant`, `tool`, `other`.
    pub role: String,
    /// The text of the item, as far as the archive keeps it.
    pub text: Option<String>,
    /// SHA-256 digest of the text after secrets were removed.
    pub text_sha256: String,
    /// Number of characters of the text.
    pub text_chars: u64,
    /// The name of the user whose words led to the item.
    pub user: Option<String>,
    /// The version of the prompt.
    pub prompt_version: Option<String>,
    /// The commit that was checked out, or made.
    pub commit: Option<String>,
    /// The tool, if one was used.
    pub tool: Option<ToolUse>,
    /// The event that holds all of it; `None`: the item arrived after the end of the session.
    pub event: Option<EventId>,
    /// The time at which the item happened.
    pub at: Timestamp,
    /// The time at which the agent reported the item.
    pub reported_at: Timestamp,
    /// The time at which the archive deletes the item.
    pub expires_at: Timestamp,
}

/// The report at the end of a task, in a searchable form: the error and the changed files included.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToldEnd {
    /// A summary of the work.
    pub summary: Option<String>,
    /// The approach that the agent took.
    pub approach: Option<String>,
    /// The difficulties that the agent met.
    pub difficulties: Vec<String>,
    /// The error of the task.
    pub error_message: Option<String>,
    /// The paths of the files that the task changed.
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
    /// The memory that the session belongs to.
    pub memory: MemoryId,
    /// The repository: the actor of the session's task.
    pub actor: ActorId,
    /// The task that the session belongs to.
    pub task: TaskId,
    /// The session that contains the task's events in the memory.
    pub session: SessionId,
    /// The state that the agent stored for its next run. Only the agent reads it.
    pub state: Option<Document>,
    /// Number of changes of `state`; 0 before the first.
    pub state_version: u64,
    /// The time at which the session ended.
    pub ended_at: Option<Timestamp>,
    /// The report at the end of the task.
    pub told: ToldEnd,
    /// The time at which the stored session was last changed.
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
