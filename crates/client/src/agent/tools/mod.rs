//! What a model may call. A tool is its name, its words for the model, its schema, and the work; how a framework lists and calls
//! tools is the framework's affair.

mod add_memory;
mod arguments;
mod search_memory;
mod targets;

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Value, json};

pub use add_memory::AddToolOptions;
pub use search_memory::SearchToolOptions;

/// Why a tool gives no result: a text for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);

/// What a tool answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// The result.
    pub result: Value,
    /// What the model should know of it.
    pub warnings: Vec<String>,
}

impl ToolAnswer {
    /// A result that needs no warning.
    pub fn plain(result: Value) -> Self {
        Self { result, warnings: Vec::new() }
    }

    /// What the model is given: the result as it is, and beside it warnings where there are any.
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

/// The work of a tool, on its arguments.
pub type ToolWork = Arc<dyn Fn(Value) -> BoxFuture<'static, Result<ToolAnswer, ToolError>> + Send + Sync>;

/// A tool.
#[derive(Clone)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it is for, to the model.
    pub description: String,
    /// The form of its arguments: a JSON Schema.
    pub input_schema: Value,
    /// The work.
    pub work: ToolWork,
}

impl Tool {
    /// Name, description and schema, as they are listed.
    pub fn listed(&self) -> Value {
        json!({ "name": self.name, "description": self.description, "inputSchema": self.input_schema })
    }

    /// Does the work.
    ///
    /// # Errors
    /// Where the arguments break the schema or a rule, or the work fails.
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
