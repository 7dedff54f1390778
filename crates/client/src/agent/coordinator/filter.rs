//! Filters of the messages that a store receives. A filter sees one message at a time, so that a
//! range of messages always has the same content.

use crate::agent::message::{Block, Message};

/// Keeps a message, a part of it, or nothing.
pub trait MessageFilter: Send + Sync {
    /// Returns the part of the message to keep; `None`: nothing.
    fn keep(&self, message: &Message) -> Option<Message>;
}

/// Keeps everything except tool calls and tool results. Messages without other content are dropped.
#[derive(Debug, Clone, Copy, Default)]
pub struct WithoutTools;

impl MessageFilter for WithoutTools {
    fn keep(&self, message: &Message) -> Option<Message> {
        let mut kept = message.clone();
        kept.content.retain(|block| !matches!(block, Block::ToolUse { .. } | Block::ToolResult { .. }));
        (!kept.content.is_empty()).then_some(kept)
    }
}

/// Keeps everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeepAll;

impl MessageFilter for KeepAll {
    fn keep(&self, message: &Message) -> Option<Message> {
        Some(message.clone())
    }
}
