//! When entries are injected.

use std::sync::Arc;

use serde_json::Value;

use super::{CallbackError, isolated};
use crate::agent::message::{Message, Role};

/// What a model call begins with.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// The messages.
    pub messages: &'a [Message],
    /// The state of the agent, as its framework has it.
    pub state: &'a Value,
}

/// Decides by what is said and by the agent's state.
pub type Predicate = Arc<dyn Fn(&Situation<'_>) -> Result<bool, CallbackError> + Send + Sync>;

/// When entries are injected.
#[derive(Clone, Default)]
pub enum InjectionTrigger {
    /// When the user spoke last, and not the tools in their name.
    #[default]
    UserTurn,
    /// With every call of the model.
    EveryTurn,
    /// When the predicate says so.
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
