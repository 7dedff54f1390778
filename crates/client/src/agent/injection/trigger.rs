//! The triggers that decide if a model call gets entries.

use std::sync::Arc;

use serde_json::Value;

use super::{CallbackError, isolated};
use crate::agent::message::{Message, Role};

/// The situation at the start of a model call.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// The messages of the model call.
    pub messages: &'a [Message],
    /// The state of the agent, as JSON in the format of the framework.
    pub state: &'a Value,
}

/// A function that decides from the messages and the agent's state.
pub type Predicate = Arc<dyn Fn(&Situation<'_>) -> Result<bool, CallbackError> + Send + Sync>;

/// The trigger that decides if a model call gets entries.
#[derive(Clone, Default)]
pub enum InjectionTrigger {
    /// Fires if the last message is from the user and contains no tool result.
    #[default]
    UserTurn,
    /// Fires at every model call.
    EveryTurn,
    /// Fires if the predicate returns true.
    When(Predicate),
}

impl InjectionTrigger {
    pub(super) fn fires(&self, situation: &Situation<'_>) -> bool {
        match self {
            Self::UserTurn => is_user_turn(situation.messages),
            Self::EveryTurn => true,
            Self::When(predicate) => {
                let fires = isolated("the trigger", || predicate(situation));
                fires.unwrap_or_else(|error| {
                    tracing::warn!("reason=<{error}> | memory injection trigger failed");
                    false
                })
            }
        }
    }
}

impl std::fmt::Debug for InjectionTrigger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::UserTurn => "UserTurn",
            Self::EveryTurn => "EveryTurn",
            Self::When(_) => "When",
        })
    }
}

pub(super) fn is_user_turn(messages: &[Message]) -> bool {
    messages.last().is_some_and(|last| last.role == Role::User && !last.has_tool_result())
}
