//! A call of a tool by name: may the caller, have the arguments their form, then the tool. Every door calls here.

use loci_api::ErrorCode;
use serde_json::Value;

use super::check::check;
use super::error::ToolError;
use super::given_back::given_back;
use super::profile::Profile;
use super::table::Table;
use super::tool::{Arguments, Context, Outcome, Tool, Work};

/// Calls a tool by one of its names.
///
/// # Errors
/// `NOT_FOUND` where there is none of that name, `FORBIDDEN` where the caller's scope does not reach, `INVALID_ARGUMENT`
/// where the arguments are not of its form, and whatever the tool says.
pub async fn call(table: &Table, context: Context, name: &str, arguments: Arguments) -> Outcome {
    let (_, work, arguments) = admit(table, &context, name, arguments)?;
    work(context, arguments).await
}

/// The tool of a name, and arguments of its form, where the caller's scope reaches.
pub(super) fn admit<'a>(
    table: &'a Table,
    context: &Context,
    name: &str,
    arguments: Arguments,
) -> Result<(&'a Tool, Work, Arguments), ToolError> {
    let Some((tool, work)) = table.find(name) else {
        return Err(ToolError::new(ErrorCode::NotFound, "there is no tool of that name"));
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

/// Arguments as the tools of operations take them: null is as good as absent, as a function's
/// default in the source design.
fn without_nulls(mut arguments: Arguments) -> Arguments {
    arguments.retain(|_, value| !value.is_null());
    arguments
}
