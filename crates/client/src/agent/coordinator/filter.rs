//! Filters of the messages that a store receives. A filter sees one message at a time, so that a
//! range of messages always gives the same result.

use crate::agent::message::{Block, Message};

/// A filter that keeps a message, a part of it, or nothing.
pub trait MessageFilter: Send + Sync {
    /// Returns the part of the message to keep. `None` drops the message.
    fn keep(&self, message: &Message) -> Option<Message>;
}

/// A filter that removes tool calls and tool results. It drops a message that has no other content.
#[derive(Debug, Clone, Copy, Default)]
pub struct WithoutTools;

impl MessageFilter for WithoutTools {
    fn keep(&self, message: &Message) -> Option<Message> {
        let mut kept = message.clone();
        kept.content.retain(|block| !matches!(block, Block::ToolUse { .. } | Block::ToolResult { .. }));
        (!kept.content.is_empty()).then_some(kept)
    }
}

/// A filter that keeps every message unchanged.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeepAll;

impl MessageFilter for KeepAll {
    fn keep(&self, message: &Message) -> Option<Message> {
        Some(message.clone())
    }
}
