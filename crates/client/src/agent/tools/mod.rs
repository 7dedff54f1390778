//! Tools for a model. A tool has a name, a description for the model, a schema of its arguments,
//! and a function. The agent framework shows the tools to the model and calls them.

mod add_memory;
mod arguments;
mod search_memory;
mod targets;

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Value, json};

pub use add_memory::AddToolOptions;
pub use search_memory::SearchToolOptions;

/// The error of a tool call: a text for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);

/// The result of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// The result for the model, as JSON.
    pub result: Value,
    /// The warnings for the model, such as ignored arguments.
    pub warnings: Vec<String>,
}

impl ToolAnswer {
    /// Returns a result without warnings.
    pub fn plain(result: Value) -> Self {
        Self { result, warnings: Vec::new() }
    }

    /// Returns the result for the model as one value, together with any warnings.
    pub fn into_value(self) -> Value {
        match (self.warnings.is_empty(), self.result) {
            (true, result) => result,
            (false, Value::Object(mut members)) => {
                members.insert("warnings".to_owned(), json!(self.warnings));
                Value::Object(members)
            }
            (false, result) => json!({ "results": result, "warnings": self.warnings }),
        }
    }
}

/// A function that runs a tool on its arguments.
pub type ToolWork = Arc<dyn Fn(Value) -> BoxFuture<'static, Result<ToolAnswer, ToolError>> + Send + Sync>;

/// A tool that a model may call.
#[derive(Clone)]
pub struct Tool {
    /// The name of the tool.
    pub name: String,
    /// The description of the tool for the model.
    pub description: String,
    /// The JSON Schema of the arguments.
    pub input_schema: Value,
    /// The function of the tool.
    pub work: ToolWork,
}

impl Tool {
    /// Returns the name, description and schema of the tool in the form in which frameworks list
    /// tools.
    pub fn listed(&self) -> Value {
        json!({ "name": self.name, "description": self.description, "inputSchema": self.input_schema })
    }

    /// Runs the tool.
    ///
    /// # Errors
    /// If the arguments break the schema or a rule, or the tool fails.
    pub async fn call(&self, arguments: Value) -> Result<ToolAnswer, ToolError> {
        (self.work)(arguments).await
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
