//! What every format is read into: one turn of one conversation. It does NOT know which format it came from.

use serde_json::{Map, Value};

/// Who spoke, in AgentCore's four roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A person; also every named speaker of a conversation between people.
    User,
    /// The model.
    Assistant,
    /// What a tool answered.
    Tool,
    /// Anything else, for example a system notice that belongs to the conversation.
    Other,
}

impl Role {
    /// The spelling of the AgentCore wire: `USER`, `ASSISTANT`, `TOOL`, `OTHER`.
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

/// What was said.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnContent {
    /// Words. Never empty, and never only white space, except in `agentcore-events`, where it is what the event has.
    Text(String),
    /// Structured content that may be extracted from: a tool call, an AgentCore `json` payload.
    Json(Value),
    /// An AgentCore `blob` payload: kept, never extracted from.
    Blob(Value),
}

/// One turn, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptTurn {
    /// The conversation it belongs to, a valid AgentCore session id (1..100 of letters, digits, `-`, `_`).
    pub session: String,
    /// Whose conversation it is, where the source says so (`agentcore-events` only).
    pub actor: Option<String>,
    /// The turn's id in its source, the same in every copy of the turn; `None` where the source has
    /// none. Turns of one message have an id each.
    pub source_id: Option<String>,
    /// When it was said, in epoch milliseconds; `None` where the source does not say. Turns of one session may share
    /// a time: the order of the file is the order of the conversation.
    pub time_ms: Option<i64>,
    /// Who spoke.
    pub role: Role,
    /// The name of the person or tool that spoke, where the source has one. It is not part of the text.
    pub speaker: Option<String>,
    /// What was said.
    pub content: TurnContent,
    /// Line of the source where the turn begins, from 1.
    pub source_line: usize,
    /// Position among the turns of the same line (or conversation, for `chatgpt-export`), from 0.
    pub part: usize,
    /// Members of the source that have no field above, as they were: for `agentcore-events` `branch`, `metadata`,
    /// `eventId`, `clientToken`, `extractionMode`, `extractionConfig`; for `claude-code-jsonl` `cwd` and `gitBranch`;
    /// for `chatgpt-export` `title`.
    pub carried: Map<String, Value>,
}
