//! Messages of a conversation and their blocks. Adapters of agent frameworks convert their
//! messages to these types, which depend on no framework.

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use loci_api::event::Role;

use super::entry::Metadata;

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The speaker of the message.
    pub role: Role,
    /// The content of the message, in parts.
    pub content: Vec<Block>,
    /// The metadata of the message.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// The id that the framework gives the message. `None` unless that id is stable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The time of the message, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<i64>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// A text.
    Text(String),
    /// A tool call of the model.
    ToolUse {
        /// The id of the tool call.
        id: String,
        /// The name of the called tool.
        name: String,
        /// The arguments of the tool call, as JSON.
        input: Value,
    },
    /// The result of a tool.
    ToolResult {
        /// The id of the tool call that this result answers.
        id: String,
        /// The result of the tool, as JSON.
        content: Value,
        /// True if the tool failed.
        is_error: bool,
    },
    /// Any other kind of block, as JSON in the format of the framework.
    Other(Value),
}

impl Message {
    /// Creates a message with a text.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            content: vec![Block::Text(text.into())],
            metadata: Metadata::new(),
            id: None,
            at_ms: None,
        }
    }

    /// Creates a message with a text of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::text(Role::User, text)
    }

    /// Creates a message with a text of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::text(Role::Assistant, text)
    }

    /// Returns the texts of the message that are not blank, trimmed and joined by newlines.
    pub fn joined_text(&self) -> String {
        let mut out = String::new();
        for block in &self.content {
            let Block::Text(text) = block else { continue };
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(text);
        }
        out
    }

    /// True if the message contains the result of a tool.
    pub fn has_tool_result(&self) -> bool {
        self.content.iter().any(|block| matches!(block, Block::ToolResult { .. }))
    }

    /// Returns the approximate size of the message in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        const FRAME_BYTES: usize = 128;
        let blocks: usize = self.content.iter().map(block_bytes).sum();
        let metadata: usize = self.metadata.iter().map(|(key, value)| key.len() + value_bytes(value)).sum();
        FRAME_BYTES + blocks + metadata + self.id.as_ref().map_or(0, String::len)
    }
}

fn block_bytes(block: &Block) -> usize {
    const FRAME_BYTES: usize = 32;
    FRAME_BYTES
        + match block {
            Block::Text(text) => text.len(),
            Block::ToolUse { id, name, input } => id.len() + name.len() + value_bytes(input),
            Block::ToolResult { id, content, .. } => id.len() + value_bytes(content),
            Block::Other(value) => value_bytes(value),
        }
}

fn value_bytes(value: &Value) -> usize {
    const FRAME_BYTES: usize = 32;
    FRAME_BYTES
        + match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(value_bytes).sum(),
            Value::Object(members) => {
                members.iter().map(|(key, member)| key.len() + value_bytes(member)).sum()
            }
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_joined_and_blank_ones_left_out() {
        let mut message = Message::user("  a ");
        message.content.push(Block::Other(Value::Null));
        message.content.push(Block::Text(" \n".into()));
        message.content.push(Block::Text("b".into()));
        assert_eq!(message.joined_text(), "a\nb");
        let text = serde_json::to_string(&message).unwrap();
        assert_eq!(serde_json::from_str::<Message>(&text).unwrap(), message, "{text}");
    }
}
