//! Calls a tool by name: checks the caller's scope and the form of the arguments, then runs the
//! tool. Every interface uses it.

use loci_api::ErrorCode;
use serde_json::Value;

use super::check::check;
use super::error::ToolError;
use super::profile::Profile;
use super::returned_citations::given_back;
use super::table::Table;
use super::tool::{Context, ReceivedArguments, Tool, ToolFuture, ToolOutcome};

/// Calls a tool by one of its names.
///
/// # Errors
/// `NOT_FOUND` for an unknown name, `FORBIDDEN` for a missing scope, `INVALID_ARGUMENT` for
/// malformed arguments, and errors of the tool.
pub async fn call(table: &Table, context: Context, name: &str, arguments: ReceivedArguments) -> ToolOutcome {
    let (_, work, arguments) = admit(table, &context, name, arguments)?;
    work(context, arguments).await
}

/// Returns the tool of a name with its checked arguments, if the caller has the scope.
pub(super) fn admit<'a>(
    table: &'a Table,
    context: &Context,
    name: &str,
    arguments: ReceivedArguments,
) -> Result<(&'a Tool, ToolFuture, ReceivedArguments), ToolError> {
    let Some((tool, work)) = table.find(name) else {
        let name: String = name.chars().take(64).collect();
        let rule = format!("there is no tool {name}: list the tools for their names");
        return Err(ToolError::new(ErrorCode::NotFound, rule));
    };
    if !tool.is_open_to(|scope| scope.is_held(&context.caller)) {
        let scope = tool.scope.as_str();
        return Err(ToolError::new(ErrorCode::Denied, format!("{} needs the scope {scope}", tool.name))
            .with("scope", scope));
    }
    let arguments = if tool.profiles == [Profile::Sre] { without_nulls(arguments) } else { arguments };
    let arguments = Value::Object(given_back(arguments));
    check(&tool.input, &arguments)?;
    let Value::Object(arguments) = arguments else {
        return Err(ToolError::new(ErrorCode::Invalid, "arguments must be an object"));
    };
    Ok((tool, work, arguments))
}

/// Removes null arguments for the tools of operations. There null means absent, as a function's
/// default in the source design.
fn without_nulls(mut arguments: ReceivedArguments) -> ReceivedArguments {
    arguments.retain(|_, value| !value.is_null());
    arguments
}
