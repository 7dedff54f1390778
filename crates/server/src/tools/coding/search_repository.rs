//! `memory_search` in a repository's memory beyond facts, and for a task, like `POST
//! /v1/repos/{owner}/{name}/search`. Facts that cite code have the family's form of facts, all
//! others that of results.

use std::sync::Arc;

use loci_api::coding::repository_search::{RepositorySearch, SearchFilters};
use loci_coding::hydration::{RepositoryFound, SearchedRecord};
use loci_model::Timestamp;
use loci_model::record::{RecordKind, RecordState};
use loci_verified::{FactFilters, FactSearch, FactView, FactsAsked, ReportedVerdicts, WithholdingPolicy};
use serde_json::{Map, Value, json};

use crate::tools::error::ToolError;
use crate::tools::native;
use crate::tools::tool::{Context, ReceivedArguments, ToolOutcome};
use crate::tools::verified::arguments;
use crate::v1::coding::repository_search::{result, searched};
use crate::v1::protocol::problem;

/// The number of facts verified for a search whose results are not known yet.
const FACTS: u32 = 100;

/// Returns the facts that such a search can return, for a client that has the code where the server
/// does not.
pub(in crate::tools) fn facts_asked(
    arguments: &ReceivedArguments,
    repo: String,
) -> Result<FactsAsked, ToolError> {
    let query = arguments::string(arguments, "query").filter(|query| !query.trim().is_empty());
    // Without a question the search returns all records, most recently confirmed first.
    let since = query.is_none().then(|| Timestamp::from_millis(0)).transpose()?;
    Ok(FactsAsked::Search(FactSearch {
        repo,
        query,
        filters: FactFilters { since, ..FactFilters::default() },
        limit: FACTS,
    }))
}

pub(in crate::tools) async fn search(
    context: Context,
    arguments: ReceivedArguments,
    repo: String,
    items: u32,
) -> ToolOutcome {
    let asking = native::asking(&context, &arguments);
    let mut asked = request(&arguments)?;
    asked.limit = asked.limit.or(Some(items));
    let (owner_name, told) = (repo.clone(), context.extensions.get::<Arc<ReportedVerdicts>>().cloned());
    let found = searched(&asking, owner_name, asked, told).await?;
    let standing = arguments::standing(&context, &arguments);
    let withholding = context.engine.verified.withholding(&context.caller, &found.memory, &standing, false);
    Ok(answer(repo, &found, withholding))
}

fn request(arguments: &ReceivedArguments) -> Result<RepositorySearch, ToolError> {
    let filters = arguments.get("filters").cloned().unwrap_or_else(|| json!({}));
    let mut filters: SearchFilters = loci_json::from_value(&filters).map_err(|mut unreadable| {
        let dot = if unreadable.path.is_empty() { "" } else { "." };
        unreadable.path = format!("filters{dot}{}", unreadable.path);
        problem::unreadable(unreadable)
    })?;
    // The active state. All results are in this state.
    filters.status = filters.status.filter(|word| word != RecordState::Active.as_str());
    let kinds = arguments.get("kinds").and_then(Value::as_array).into_iter().flatten();
    let kinds: Vec<String> = kinds.filter_map(Value::as_str).map(str::to_owned).collect();
    Ok(RepositorySearch {
        query: arguments::string(arguments, "query"),
        // The default without a task: facts.
        kinds: if kinds.is_empty() { vec![RecordKind::Fact.as_str().to_owned()] } else { kinds },
        filters,
        limit: arguments::number(arguments, "limit"),
        task_id: arguments::string(arguments, native::TASK),
        reference: arguments::revision(arguments),
    })
}

fn answer(repo: String, found: &RepositoryFound, withholding: WithholdingPolicy) -> Value {
    let facts = found.results.iter().filter_map(fact);
    let (withheld, stated): (Vec<&FactView>, Vec<&FactView>) =
        facts.partition(|view| withholding.hides(view));
    let mut said = Map::from_iter([
        ("repo".to_owned(), repo.into()),
        ("commit".to_owned(), found.commit.clone().into()),
        ("memories".to_owned(), stated.into_iter().map(|view| json!(view.shown())).collect()),
        ("results".to_owned(), found.results.iter().filter_map(|one| other(one, found)).collect()),
        ("degraded".to_owned(), found.degraded.into()),
        ("warnings".to_owned(), json!(found.warnings)),
    ]);
    if !withheld.is_empty() {
        said.insert("withheld".to_owned(), withheld.into_iter().map(|view| json!(view.withheld())).collect());
    }
    if let Some(exposure) = &found.exposure {
        said.insert("exposure_id".to_owned(), exposure.to_string().into());
    }
    Value::Object(said)
}

/// Returns the fact of a record that cites code. Citations that are only proposed make no fact.
fn fact(one: &SearchedRecord) -> Option<&FactView> {
    one.fact.as_ref().filter(|view| !view.remembered.fact.proposed)
}

fn other(one: &SearchedRecord, found: &RepositoryFound) -> Option<Value> {
    if fact(one).is_some() {
        return None;
    }
    let shown = result(one, found.at);
    let mut said = json!({
        "id": shown.record.id,
        "kind": shown.record.kind,
        "score": shown.score,
        "passage": shown.record.text,
    });
    let members = said.as_object_mut()?;
    let more = [
        ("topic", shown.record.topic),
        ("scope", shown.record.scope),
        ("task_id", shown.record.task_id),
        ("outcome", shown.record.outcome),
        ("verdict", shown.verdict),
        ("support", shown.support),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            members.insert(name.to_owned(), value.into());
        }
    }
    if shown.record.looks_like_instructions {
        members.insert("looks_like_instructions".to_owned(), true.into());
    }
    Some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_filter_is_named_with_its_form() {
        for (filters, field, part) in [
            (json!([]), "filters", "expected an object"),
            (json!({ "pr": "seven" }), "filters.pr", "expected u64"),
            (json!({ "prs": 7 }), "filters.prs", "unknown field `prs`"),
        ] {
            let arguments = Map::from_iter([("filters".to_owned(), filters)]);
            let refused = request(&arguments).map(drop).unwrap_err();
            assert_eq!(refused.field.as_deref(), Some(field), "{}", refused.message);
            assert!(refused.message.contains(part), "{}", refused.message);
        }
    }
}
