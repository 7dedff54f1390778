//! `/v1/tools`: the tools that models call over MCP, for callers over HTTP.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A request to list tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolListing {
    /// Names of tool profiles, separated by commas. Default: `full`, all tools for agents that work
    /// on code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

/// A tool: a function that a model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolEntry {
    /// Name of the tool.
    pub name: String,
    /// Dotted name of the tool, if it has one. The server accepts both names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dotted_name: Option<String>,
    /// Purpose of the tool, for the model that chooses a tool.
    pub description: String,
    /// Scope that the caller needs: `memory:read`, `memory:write` or `memory:admin`. Agents may
    /// call some tools without it.
    pub scope: String,
    /// Names of the tool profiles that contain the tool.
    pub profiles: Vec<String>,
    /// JSON Schema of the arguments, with every limit.
    pub input_schema: Value,
    /// JSON Schema of the result.
    pub output_schema: Value,
}

/// The tools that the caller may call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct ToolList {
    /// The tools, in the order of the table.
    pub tools: Vec<ToolEntry>,
}

/// Arguments of a tool call, as defined by the tool's schema.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub struct ToolArguments(pub Map<String, Value>);

/// Result of a tool call, as defined by the tool's schema.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub struct ToolResult(pub Value);
