//! Tools that are calls of the native API under another name. Their arguments are parsed as its
//! request, and its response is their result, so that both interfaces have equal members.

use loci_api::ErrorCode;
use loci_model::{Error, TaskId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::arguments;
use super::error::ToolError;
use super::tool::{Context, ReceivedArguments, ToolOutcome};
use crate::authenticated_call::AuthenticatedCall;
use crate::v1::protocol::problem;

/// The argument that is a path parameter in the native API.
pub(super) const TASK: &str = "task_id";

/// Returns the authenticated call.
pub(super) fn asking<'a>(context: &'a Context, arguments: &ReceivedArguments) -> AuthenticatedCall<'a> {
    AuthenticatedCall {
        engine: &context.engine,
        caller: &context.caller,
        standing: arguments::standing(context, arguments),
    }
}

/// Returns the task.
pub(super) fn task(arguments: &ReceivedArguments) -> Result<TaskId, ToolError> {
    let rule = "task_id is required: give it, or start `loci mcp` with LOCI_TASK_ID";
    let id = arguments::string(arguments, TASK);
    let id = id.ok_or_else(|| ToolError::new(ErrorCode::Invalid, rule).on(TASK))?;
    Ok(TaskId::parse(id)?)
}

/// Returns the native request, without its path parameters.
pub(super) fn request<T: DeserializeOwned>(
    mut arguments: ReceivedArguments,
    in_path: &[&str],
) -> Result<T, ToolError> {
    for name in in_path {
        arguments.shift_remove(*name);
    }
    Ok(loci_json::from_value(&Value::Object(arguments)).map_err(problem::unreadable)?)
}

/// Returns the native response.
pub(super) fn answer(shape: &impl Serialize) -> ToolOutcome {
    Ok(serde_json::to_value(shape)
        .map_err(|error| Error::bug("an answer that cannot be written").caused_by(error))?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_objects_at_every_depth() {
        let read = |arguments: Value| {
            let Value::Object(arguments) = arguments else { panic!("{arguments}") };
            request::<loci_api::key::KeyCreate>(arguments, &[TASK]).map(|read| read.grants.unwrap().len())
        };
        assert_eq!(read(json!({"task_id": "t", "name": "k", "grants": [{}]})).ok(), Some(1));
        for (arguments, field, part) in [
            (json!({"name": "k", "grants": [[]]}), "grants[0]", "expected an object"),
            (json!({"name": "k", "grants": [{}, ["m"]]}), "grants[1]", "expected an object"),
            (json!({"grants": []}), "name", "missing field `name`"),
            (json!({"name": "k", "grant": []}), "grant", "expected `name` or `grants`"),
        ] {
            let refused = read(arguments).unwrap_err();
            assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::Invalid, Some(field)));
            assert!(refused.message.contains(part), "{}", refused.message);
        }
    }
}
