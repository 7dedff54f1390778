//! `/v1/tools`: what an agent may call by name, over this API as over MCP.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// Which tools are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolListing {
    /// Profiles, parted by commas; `full` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolEntry {
    /// Its name.
    pub name: String,
    /// Its other name, where it has one: both are taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dotted_name: Option<String>,
    /// What it is for.
    pub description: String,
    /// What its caller must be allowed to do: `memory:read`, `memory:write` or `memory:admin`; agents may call some without.
    pub scope: String,
    /// The profiles that list it.
    pub profiles: Vec<String>,
    /// The form of its arguments: a JSON Schema, with every limit.
    pub input_schema: Value,
    /// The form of its result: a JSON Schema.
    pub output_schema: Value,
}

/// The tools that the caller may call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct ToolList {
    /// In the order of the table.
    pub tools: Vec<ToolEntry>,
}

/// Arguments of a call: what the tool's schema says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub struct ToolArguments(pub Map<String, Value>);

/// Result of a call: what the tool's schema says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub struct ToolResult(pub Value);
