//! A call of a tool by name: may the caller, have the arguments their form, then the tool. Every door calls here.

use serde_json::Value;

use super::check::check;
use super::error::{Code, ToolError};
use super::table::Table;
use super::tool::{Arguments, Context, Outcome};
use super::verified::given_back::given_back;

/// Calls a tool by one of its names.
///
/// # Errors
/// `NOT_FOUND` where there is none of that name, `FORBIDDEN` where the caller's scope does not reach, `INVALID_ARGUMENT`
/// where the arguments are not of its form, and whatever the tool says.
pub async fn call(table: &Table, context: Context, name: &str, arguments: Arguments) -> Outcome {
    let Some((tool, work)) = table.find(name) else {
        return Err(ToolError::new(Code::NotFound, "there is no tool of that name"));
    };
    if !tool.scope.is_held(&context.caller) {
        let scope = tool.scope.as_str();
        return Err(ToolError::new(Code::Forbidden, format!("{} needs the scope {scope}", tool.name))
            .with("scope", scope));
    }
    let arguments = Value::Object(given_back(arguments));
    check(&tool.input, &arguments)?;
    let Value::Object(arguments) = arguments else {
        return Err(ToolError::new(Code::InvalidArgument, "arguments must be an object"));
    };
    work(context, arguments).await
}
