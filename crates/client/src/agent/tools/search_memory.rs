//! `search_memory`: the tool by which a model searches the stores. Its name, description and schema
//! are those that prompts and other clients use.

use std::sync::Arc;

use futures::FutureExt;
use serde_json::{Map, Value, json};

use super::arguments::CallArguments;
use super::targets::{self, ToolStore};
use super::{Tool, ToolAnswer, ToolError};
use crate::agent::entry::Entry;
use crate::agent::limits::TOOL_RESULTS_MAX;
use crate::agent::memory_manager::MemoryManager;
use crate::agent::memory_manager::search::SearchOptions;
use crate::agent::time_text::instant_ms;

const DESCRIPTION: &str = "Search long-term memory for facts, preferences, or context from previous conversations. Use when you need background about the user or topic that may have been discussed before.";
const ADVICE: &str = "Name stores to search only those, or leave `stores` out to search all of them.";
const KNOWN: [&str; 4] = ["query", "maxSearchResults", "max_search_results", "stores"];
const KNOWN_EXTENDED: [&str; 7] =
    ["query", "maxSearchResults", "max_search_results", "stores", "filter", "as_of", "budget_tokens"];

/// The options of the tool `search_memory`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchToolOptions {
    /// The name of the tool. `None` means `search_memory`.
    pub name: Option<String>,
    /// The description that the model reads. `None` means the default one.
    pub description: Option<String>,
}

impl MemoryManager {
    pub(in crate::agent) fn search_memory_tool(&self) -> Option<Tool> {
        let options = self.parts.search_tool.as_ref()?;
        let extended = self.parts.extended_tools;
        let targets: Vec<ToolStore> = self
            .parts
            .stores
            .iter()
            .map(|store| ToolStore {
                name: store.name().to_owned(),
                description: store.description().map(str::to_owned),
            })
            .collect();
        let words = options.description.as_deref().unwrap_or(DESCRIPTION);
        let description = targets::described(words, "Available memory stores:", ADVICE, &targets);
        let (manager, targets) = (self.clone(), Arc::new(targets));
        let work = move |arguments: Value| {
            let (manager, targets) = (manager.clone(), Arc::clone(&targets));
            async move { search(&manager, &targets, extended, arguments).await }.boxed()
        };
        Some(Tool {
            name: options.name.clone().unwrap_or_else(|| "search_memory".to_owned()),
            description,
            input_schema: schema(extended),
            work: Arc::new(work),
        })
    }
}

fn schema(extended: bool) -> Value {
    let mut properties = json!({
        "query": {"type": "string", "description": "What to search for"},
        "maxSearchResults": {"type": "number", "description": "Maximum number of results per store"},
        "stores": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Filter to specific stores by name. Omit to search all available stores."
        }
    });
    if extended && let Value::Object(members) = &mut properties {
        let filter = json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"key": {"type": "string"}, "operator": {"type": "string"}, "value": {}},
                "required": ["key", "operator"]
            },
            "description": "Conditions on metadata, all of which must hold"
        });
        let as_of = json!({"type": "string", "description": "What was known at this time (RFC 3339)"});
        let budget = json!({"type": "number", "description": "About so many tokens of results in total"});
        members.insert("filter".to_owned(), filter);
        members.insert("as_of".to_owned(), as_of);
        members.insert("budget_tokens".to_owned(), budget);
    }
    json!({
        "type": "object", "properties": properties, "required": ["query"], "additionalProperties": false
    })
}

async fn search(
    manager: &MemoryManager,
    targets: &[ToolStore],
    extended: bool,
    arguments: Value,
) -> Result<ToolAnswer, ToolError> {
    let known: &[&str] = if extended { &KNOWN_EXTENDED } else { &KNOWN };
    let arguments = CallArguments::read(arguments, known)?;
    let query = arguments.text("query")?;
    let mut warnings = Vec::new();
    let mut options = SearchOptions {
        max_search_results: results_max(&arguments, &mut warnings)?,
        stores: Some(targets::meant(arguments.texts("stores")?, targets, &mut warnings)?),
        ..SearchOptions::default()
    };
    if extended {
        extend(&mut options, &arguments)?;
    }
    let details =
        manager.search_detailed(query, &options).await.map_err(|error| ToolError(error.to_string()))?;
    for failure in &details.failures {
        warnings.push(format!("store {} could not be searched", failure.store_name));
    }
    Ok(ToolAnswer { result: details.entries.iter().map(shown).collect(), warnings })
}

/// Returns the requested maximum number of results, under either of its two names, reduced to the
/// permitted maximum with a warning.
fn results_max(arguments: &CallArguments, warnings: &mut Vec<String>) -> Result<Option<u32>, ToolError> {
    let asked = match (arguments.positive("maxSearchResults")?, arguments.positive("max_search_results")?) {
        (Some(one), Some(other)) if one != other => {
            let rule = "maxSearchResults and max_search_results differ: give one of them";
            return Err(ToolError(rule.to_owned()));
        }
        (one, other) => one.or(other),
    };
    if asked.is_some_and(|asked| asked > TOOL_RESULTS_MAX) {
        warnings.push(format!("maxSearchResults was cut to {TOOL_RESULTS_MAX}"));
    }
    Ok(asked.map(|asked| asked.min(TOOL_RESULTS_MAX)))
}

fn extend(options: &mut SearchOptions, arguments: &CallArguments) -> Result<(), ToolError> {
    if let Some(filter) = arguments.given("filter") {
        let refused = |error| ToolError(format!("filter cannot be read: {error}"));
        options.filter = loci_json::from_value(filter).map_err(refused)?;
    }
    if let Some(as_of) = arguments.given("as_of") {
        let refused = || ToolError("as_of must be a time such as 2026-01-31T10:00:00Z".to_owned());
        options.as_of_ms = Some(as_of.as_str().and_then(instant_ms).ok_or_else(refused)?);
    }
    options.budget_tokens = arguments.positive("budget_tokens")?;
    Ok(())
}

fn shown(entry: &Entry) -> Value {
    let mut members = Map::new();
    members.insert("content".to_owned(), json!(entry.content));
    if !entry.store_name.is_empty() {
        members.insert("storeName".to_owned(), json!(entry.store_name));
        members.insert("store_name".to_owned(), json!(entry.store_name));
    }
    if !entry.metadata.is_empty() {
        members.insert("metadata".to_owned(), Value::Object(entry.metadata.clone()));
    }
    Value::Object(members)
}
