//! Resolves the argument `stores`: names of memories, or their ids.

use loci_api::ErrorCode;
use loci_engine::calls::page::Page;
use loci_model::memory::Memory;
use serde_json::Value;

use crate::tools::error::ToolError;
use crate::tools::memory_selection::{self, MEMORIES_MAX};
use crate::tools::tool::{Context, ReceivedArguments};

/// Memories, with warnings about those that were not found.
pub(super) struct Stores {
    pub(super) memories: Vec<Memory>,
    pub(super) warnings: Vec<String>,
}

/// Returns the names in the arguments; an empty list counts as absent.
pub(super) fn asked(arguments: &ReceivedArguments) -> Vec<String> {
    let names = arguments.get("stores").and_then(Value::as_array).into_iter().flatten();
    let mut asked: Vec<String> = names.filter_map(Value::as_str).map(str::to_owned).collect();
    let mut seen = std::collections::BTreeSet::new();
    asked.retain(|name| seen.insert(name.clone()));
    asked
}

/// Returns the memories of these names. Unknown ones are dropped with a warning, as long as one is
/// known.
pub(super) async fn named(context: &Context, names: &[String]) -> Result<Stores, ToolError> {
    let (mut memories, mut warnings) = (Vec::new(), Vec::new());
    for name in names {
        match memory_selection::named(&context.engine, &context.caller, name).await {
            Ok(memory) => memories.push(memory),
            Err(error) if error.kind == loci_model::ErrorKind::Bug => return Err(error.into()),
            Err(error) if error.is_retryable() => return Err(error.into()),
            Err(_) => warnings.push(format!("there is no store {}", short(name))),
        }
    }
    if memories.is_empty() {
        let known = memory_selection::visible(&context.engine, &context.caller, MEMORIES_MAX).await?;
        let known: Vec<_> = known.into_iter().map(|memory| memory.name).collect();
        let message = format!("none of these stores is known: there are {}", known.join(", "));
        return Err(ToolError::new(ErrorCode::Invalid, message).on("stores").with("available", known));
    }
    Ok(Stores { memories, warnings })
}

/// Returns all memories that the caller may see, up to a limit, with a warning about the limit.
pub(super) async fn all(context: &Context) -> Result<Stores, ToolError> {
    let page: Page<Memory, _> = context.engine.memory_list(&context.caller, None, MEMORIES_MAX).await?;
    let mut warnings = Vec::new();
    if page.next.is_some() {
        warnings.push(format!("only the {MEMORIES_MAX} newest stores were searched: name others in stores"));
    }
    Ok(Stores { memories: page.items, warnings })
}

fn short(name: &str) -> String {
    name.chars().take(64).collect()
}
