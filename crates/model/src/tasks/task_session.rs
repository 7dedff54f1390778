//! Sessions of tasks: what was said and done while an agent worked, numbered by the agent, and what
//! a run that crashed goes on with. An item is the archive's copy: what of it is kept is the
//! engine's matter. Shapes only.

use serde::{Deserialize, Serialize};

use crate::words::closed_words;
use crate::{ActorId, Document, EventId, MemoryId, SessionId, TaskId, Timestamp};

closed_words! {
    /// What an item of a session is.
    SessionItemKind {
        /// Somebody said something.
        Message = "message",
        /// The agent thought.
        Reasoning = "reasoning",
        /// It called a tool.
        ToolCall = "tool_call",
        /// What the tool answered.
        ToolResult = "tool_result",
        /// The agent, or a person, decided something.
        Decision = "decision",
        /// Somebody noted something.
        Note = "note",
    }
}

closed_words! {
    /// How much of a conversation is kept behind the end of its session.
    #[derive(Default)]
    Capture {
        /// All of it.
        #[default]
        Full = "full",
        /// Decisions and notes; of the rest digests and counts.
        Decisions = "decisions",
        /// Digests and counts.
        Metadata = "metadata",
        /// Nothing but the use of tools.
        Off = "off",
    }
}

/// How a tool was used: kept whatever else is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolUse {
    /// Its name.
    pub name: String,
    /// Digest of what it was given.
    pub input_sha256: Option<String>,
    /// Digest of what it answered.
    pub output_sha256: Option<String>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// What it cost.
    pub cost_usd: Option<f64>,
    /// How it ended, in a word.
    pub status: Option<String>,
}

/// Something that was said or done in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionItem {
    /// The memory.
    pub memory: MemoryId,
    /// The repository: the actor of its task.
    pub actor: ActorId,
    /// The task.
    pub task: TaskId,
    /// Its number in the session, the agent's own.
    pub seq: u64,
    /// What it is.
    pub kind: SessionItemKind,
    /// Who spoke: `user`, `assistant`, `tool`, `other`.
    pub role: String,
    /// What was said, as far as the archive keeps it.
    pub text: Option<String>,
    /// Digest of what was said, without its secrets.
    pub text_sha256: String,
    /// Characters of it.
    pub text_chars: u64,
    /// Whose words led to it, by name.
    pub user: Option<String>,
    /// The version of the prompt.
    pub prompt_version: Option<String>,
    /// The commit that was checked out, or made.
    pub commit: Option<String>,
    /// The tool, where one was used.
    pub tool: Option<ToolUse>,
    /// The event that holds all of it; `None`: it came when the session was over.
    pub event: Option<EventId>,
    /// When it happened.
    pub at: Timestamp,
    /// When it was heard of.
    pub reported_at: Timestamp,
    /// The archive forgets it then.
    pub expires_at: Timestamp,
}

/// What was said at the end of a task, where it can be searched: what went wrong, and which files it was about.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToldEnd {
    /// What was done.
    pub summary: Option<String>,
    /// How.
    pub approach: Option<String>,
    /// What was in the way.
    pub difficulties: Vec<String>,
    /// What went wrong.
    pub error_message: Option<String>,
    /// The files that were changed.
    pub files_changed: Vec<String>,
}

impl ToldEnd {
    /// Everything in it, one text.
    pub fn words(&self) -> String {
        let one = [&self.summary, &self.approach, &self.error_message].into_iter().flatten();
        one.chain(&self.difficulties).chain(&self.files_changed).cloned().collect::<Vec<_>>().join("\n")
    }
}

/// A session of a task, apart from its items: what its next run goes on with, and what was told at its end.
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
    /// What the agent keeps for its next run; nobody reads it but the agent.
    pub state: Option<Document>,
    /// Counts the changes of `state`; 0 before the first.
    pub state_version: u64,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What was told at the end of the task.
    pub told: ToldEnd,
    /// When this was last changed.
    pub updated_at: Timestamp,
}

impl TaskSession {
    /// One of which nothing is known yet.
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
