//! `add_memory`: the tool by which a model stores entries, in the stores that the options permit.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::join_all;
use serde_json::{Value, json};

use super::arguments::CallArguments;
use super::targets::{self, ToolStore};
use super::{Tool, ToolAnswer, ToolError};
use crate::agent::error::MemoryError;
use crate::agent::memory_manager::MemoryManager;
use crate::agent::memory_manager::additions::AddOptions;

const DESCRIPTION: &str = "Add facts, preferences, or decisions to long-term memory so they are remembered across conversations. Use when the user shares something worth recalling later.";
const ADVICE: &str = "Name stores to add only to those, or leave `stores` out to add to all of them.";

/// The options of the tool `add_memory`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddToolOptions {
    /// The name of the tool. `None` means `add_memory`.
    pub name: Option<String>,
    /// The description that the model reads. `None` means the default one.
    pub description: Option<String>,
    /// The names of the stores that the tool may write to. `None` means every writable store that
    /// takes entries.
    pub stores: Option<Vec<String>>,
    /// True if a call waits until the entry is written. If false, failures are only logged, and the
    /// manager needs an executor.
    pub wait_for_writes: bool,
}

impl Default for AddToolOptions {
    fn default() -> Self {
        Self { name: None, description: None, stores: None, wait_for_writes: true }
    }
}

impl MemoryManager {
    pub(in crate::agent) fn add_memory_tool(&self) -> Option<Tool> {
        let options = self.parts.add_tool.as_ref()?;
        let allowed = |name: &str| options.stores.iter().flatten().any(|allowed| allowed == name);
        let targets: Vec<ToolStore> = self
            .parts
            .stores
            .iter()
            .filter(|store| allowed(store.name()))
            .map(|store| ToolStore {
                name: store.name().to_owned(),
                description: store.description().map(str::to_owned),
            })
            .collect();
        let words = options.description.as_deref().unwrap_or(DESCRIPTION);
        let description = targets::described(words, "Available writable stores:", ADVICE, &targets);
        let (manager, targets, waits) = (self.clone(), Arc::new(targets), options.wait_for_writes);
        let work = move |arguments: Value| {
            let (manager, targets) = (manager.clone(), Arc::clone(&targets));
            async move { add(manager, &targets, waits, arguments).await }.boxed()
        };
        Some(Tool {
            name: options.name.clone().unwrap_or_else(|| "add_memory".to_owned()),
            description,
            input_schema: schema(),
            work: Arc::new(work),
        })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "entries": {
                "type": "array",
                "minItems": 1,
                "items": {"type": "string"},
                "description": "Data to add to long-term memory"
            },
            "stores": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Target specific stores by name. Omit to add to all writable stores."
            }
        },
        "required": ["entries"],
        "additionalProperties": false
    })
}

async fn add(
    manager: MemoryManager,
    targets: &[ToolStore],
    waits: bool,
    arguments: Value,
) -> Result<ToolAnswer, ToolError> {
    let arguments = CallArguments::read(arguments, &["entries", "stores"])?;
    let entries = arguments.texts("entries")?.unwrap_or_default();
    if entries.is_empty() || entries.iter().any(|entry| entry.trim().is_empty()) {
        return Err(ToolError("entries must be a list of texts that are not empty".to_owned()));
    }
    let mut warnings = Vec::new();
    let stores = targets::meant(arguments.texts("stores")?, targets, &mut warnings)?;
    let options = AddOptions { stores: Some(stores), ..AddOptions::default() };
    let count = entries.len();
    match (waits, manager.parts.surroundings.executor.clone()) {
        (false, Some(executor)) => {
            // Every failure is logged at its origin; the caller is gone.
            executor(async move { drop(write(&manager, &entries, &options).await) }.boxed());
            Ok(ToolAnswer { result: json!({ "accepted": count }), warnings })
        }
        _ => {
            let results = write(&manager, &entries, &options).await;
            let mut failed = results.iter().filter_map(|result| result.as_ref().err());
            match failed.next() {
                None => Ok(ToolAnswer { result: json!({ "stored": count }), warnings }),
                Some(first) => {
                    let failed = 1 + failed.count();
                    Err(ToolError(format!("{failed} of {count} entries were not stored: {first}")))
                }
            }
        }
    }
}

async fn write(
    manager: &MemoryManager,
    entries: &[String],
    options: &AddOptions,
) -> Vec<Result<(), MemoryError>> {
    join_all(entries.iter().map(|entry| manager.add(entry, options))).await
}
