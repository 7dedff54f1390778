//! Arguments as every family reads them. Their form has been checked before.

use loci_api::ErrorCode;
use loci_engine::calls::call_context::CallContext;
use serde_json::Value;

use super::error::ToolError;
use super::tool::{Context, ReceivedArguments};

/// Returns an argument that is a text; `None` if it is absent.
pub(in crate::tools) fn string(arguments: &ReceivedArguments, name: &str) -> Option<String> {
    arguments.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// Returns an argument that is a text and that the schema requires.
pub(in crate::tools) fn needed(arguments: &ReceivedArguments, name: &str) -> Result<String, ToolError> {
    let missing = || {
        let remedy = match name {
            "repo" => ": name it as owner/name, or start `loci mcp` in a clone of it",
            _ => "",
        };
        ToolError::new(ErrorCode::Invalid, format!("{name} is required{remedy}")).on(name)
    };
    string(arguments, name).ok_or_else(missing)
}

/// Returns the memory, directory and user that a call of a tool refers to.
pub(in crate::tools) fn standing(context: &Context, arguments: &ReceivedArguments) -> CallContext {
    CallContext {
        memory: context.place.asked.clone().or_else(|| context.place.configured.clone()),
        directory: context.place.directory.clone(),
        agent: string(arguments, "agent_id"),
        session: string(arguments, "session_id"),
        by_person: context.place.by_person,
    }
}
