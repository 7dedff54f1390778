//! Completion of repositories and paths, for prompts and templates of resources.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{LociOffer, not_served};
use crate::mcp::fault::McpFault;
use crate::mcp::message::Params;
use crate::mcp::provider::{CompletionTarget, CompletionValues, HandlerRequest};

/// The maximum number of values in one completion, set by the protocol.
const VALUES_MAX: usize = 100;

pub(super) async fn complete(
    offer: &LociOffer,
    asking: &HandlerRequest,
    of: &CompletionTarget,
    argument: &str,
    begin: &str,
    context: &Params,
) -> Result<CompletionValues, McpFault> {
    let is_known = match of {
        CompletionTarget::Prompt(name) => {
            let listed = super::prompts::list(offer).value;
            listed.iter().any(|prompt| prompt.get("name").and_then(Value::as_str) == Some(name))
        }
        CompletionTarget::Resource(uri) => uri.starts_with("memory://"),
    };
    if !is_known {
        return Err(McpFault::invalid("there is no such prompt or resource to complete"));
    }
    if !offer.has_facts() {
        return Ok(CompletionValues::default());
    }
    let found = match argument {
        "repo" => offer.tools.repositories(&asking.caller).await.map_err(not_served)?,
        "path" | "paths" => match context.get("repo").and_then(Value::as_str) {
            Some(repo) => paths(offer, asking, repo, begin).await?,
            None => Vec::new(),
        },
        _ => Vec::new(),
    };
    let fitting: Vec<_> = found.into_iter().filter(|value| value.starts_with(begin)).collect();
    let total = fitting.len();
    Ok(CompletionValues { values: fitting.into_iter().take(VALUES_MAX).collect(), total })
}

/// Returns the paths that facts of a repository cite.
async fn paths(
    offer: &LociOffer,
    asking: &HandlerRequest,
    repo: &str,
    begin: &str,
) -> Result<Vec<String>, McpFault> {
    let directory = begin.rsplit_once('/').map_or("", |(directory, _)| directory);
    let glob = if directory.is_empty() { "**".to_owned() } else { format!("{directory}/**") };
    let asked = json!({ "repo": repo, "path": glob, "match": "glob", "limit": 200 });
    let answer = offer.ask(asking, "memory_search_by_path", asked).await.map_err(not_served)?;
    let listed = |list: &'static str, places: &'static str| {
        let facts = answer.get(list).and_then(Value::as_array).into_iter().flatten();
        facts.filter_map(move |fact| fact.get(places)?.as_array()).flatten()
    };
    let citations = listed("memories", "citations").chain(listed("withheld", "places"));
    let paths: BTreeSet<_> = citations.filter_map(|citation| citation.get("path")?.as_str()).collect();
    Ok(paths.into_iter().map(str::to_owned).collect())
}
