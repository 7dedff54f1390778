//! The common form of all formats: one turn of one conversation. It does NOT know its source
//! format.

use serde_json::{Map, Value};

/// The speaker, in AgentCore's four roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A person; also every named speaker of a conversation between people.
    User,
    /// The model.
    Assistant,
    /// The result of a tool.
    Tool,
    /// Anything else, for example a system notice that belongs to the conversation.
    Other,
}

impl Role {
    /// Returns the spelling of the AgentCore wire format: `USER`, `ASSISTANT`, `TOOL`, `OTHER`.
    #[must_use]
    pub fn as_wire(self) -> &'static str {
        match self {
            Self::User => "USER",
            Self::Assistant => "ASSISTANT",
            Self::Tool => "TOOL",
            Self::Other => "OTHER",
        }
    }
}

/// The content of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnContent {
    /// A text. Never empty, and never only white space, except in `agentcore-events`, where it is
    /// the event's text.
    Text(String),
    /// Structured content that may be extracted from: a tool call, an AgentCore `json` payload.
    Json(Value),
    /// An AgentCore `blob` payload: kept, never extracted from.
    Blob(Value),
}

/// One turn, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptTurn {
    /// The session of the conversation, a valid AgentCore session id: 1 to 100 letters, digits, `-`
    /// and `_`.
    pub session: String,
    /// The actor of the conversation, if the source names one (`agentcore-events` only).
    pub actor: Option<String>,
    /// The turn's id in its source, equal in every copy of the turn; `None` if the source has none.
    /// Turns of one message have an id each.
    pub source_id: Option<String>,
    /// The time of the turn, in epoch milliseconds; `None` if the source has none. Turns of one
    /// session may share a time: the order of the file is the order of the conversation.
    pub time_ms: Option<i64>,
    /// The speaker's role.
    pub role: Role,
    /// The name of the person or tool that spoke, if the source has one. It is not part of the
    /// text.
    pub speaker: Option<String>,
    /// The content of the turn.
    pub content: TurnContent,
    /// The line of the source where the turn begins, from 1.
    pub source_line: usize,
    /// The position among the turns of one line (or conversation, for `chatgpt-export`), from 0.
    pub part: usize,
    /// The members of the source without a field above, unchanged: for `agentcore-events` `branch`,
    /// `metadata`, `eventId`, `clientToken`, `extractionMode`, `extractionConfig`; for
    /// `claude-code-jsonl` `cwd` and `gitBranch`; for `chatgpt-export` `title`.
    pub carried: Map<String, Value>,
}
