//! `search_memory`: all records of one or several memories, best first.

use loci_api::ErrorCode;
use loci_engine::retrieval::{Hit, PendingEventUse, SearchRequest};
use loci_model::limits::TOP_K_MAX;
use loci_model::record::metadata::MetadataValue;
use loci_model::{ErrorKind, limits};
use serde_json::{Map, Value, json};

use super::stores::{self, Stores};
use crate::tools::check::whole;
use crate::tools::error::ToolError;
use crate::tools::memory_selection;
use crate::tools::profile::Profile;
use crate::tools::schema::{anything, array, closed, default, flag, number, open, said, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

/// The argument that includes documents with which every prompt begins.
const SYSTEM_ABOUT: &str = "Search documents of knowledge/system/ too, which are loaded with every prompt";
/// The default number of results.
const RESULTS_DEFAULT: u32 = 5;

pub(in crate::tools) fn tool() -> Tool {
    let results = "Maximum number of results per store";
    let query = json!({ "type": "string", "minLength": 1, "maxLength": limits::QUERY_CHARS_MAX });
    Tool {
        name: "search_memory",
        dotted: None,
        description: "Search long-term memory for facts, preferences or context of earlier conversations, over all kinds of \
                      records. For verified facts of one repository use memory_search.",
        profiles: &[Profile::Recall, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(false),
        input: closed(
            [
                ("query", said(query, "What to search for")),
                ("maxSearchResults", default(said(number(), results), RESULTS_DEFAULT)),
                ("max_search_results", default(said(number(), results), RESULTS_DEFAULT)),
                (
                    "stores",
                    said(array(word()), "Names of stores to search. Omit to search all available stores."),
                ),
                ("include_system", default(said(flag(), SYSTEM_ABOUT), false)),
            ],
            &["query"],
        ),
        output: open(
            [
                (
                    "results",
                    array(open(
                        [
                            ("content", word()),
                            ("storeName", word()),
                            ("store_name", word()),
                            ("score", number()),
                            ("metadata", anything()),
                        ],
                        &["content", "storeName", "store_name", "score", "metadata"],
                    )),
                ),
                ("degraded", array(word())),
                ("warnings", array(word())),
            ],
            &["results"],
        ),
        work: Some(|context, arguments| Box::pin(search(context, arguments))),
    }
}

/// The results from one memory.
struct MemoryResults {
    store: String,
    hit: Hit,
}

async fn search(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default();
    let (limit, clamped) = results_max(&arguments)?;
    let include_system = arguments.get("include_system").and_then(Value::as_bool).unwrap_or(false);
    let names = stores::asked(&arguments);
    let Stores { memories, mut warnings } = match (&names[..], &context.place.asked) {
        ([], None) => stores::all(&context).await?,
        ([], Some(asked)) => {
            let memory = memory_selection::named(&context.engine, &context.caller, asked).await?;
            Stores { memories: vec![memory], warnings: Vec::new() }
        }
        (names, _) => stores::named(&context, names).await?,
    };
    warnings.extend(clamped);
    let (mut found, mut degraded) = (Vec::new(), std::collections::BTreeSet::new());
    for memory in memories {
        let question = SearchRequest::new(memory.id.clone(), query.to_owned(), limit);
        let request = SearchRequest { fold: true, include_system, ..question };
        let answer = context.engine.search_with(&context.caller, request, PendingEventUse::Shown).await;
        let answer = match answer {
            // Without a named store, unreadable memories are skipped.
            Err(error) if error.kind == ErrorKind::Denied && names.is_empty() => continue,
            answer => answer?,
        };
        degraded.extend(answer.notices.degraded.iter().map(|code| code.code()));
        warnings.extend(answer.notices.warnings.iter().map(|code| code.code().to_owned()));
        found.extend(answer.hits.into_iter().map(|hit| MemoryResults { store: memory.name.clone(), hit }));
    }
    found.sort_by(|a, b| {
        let by_score = b.hit.relevance.total_cmp(&a.hit.relevance);
        by_score.then_with(|| a.store.cmp(&b.store)).then_with(|| a.hit.record.id.cmp(&b.hit.record.id))
    });
    let mut answer = Map::new();
    answer.insert("results".to_owned(), found.iter().map(shown).collect());
    if !degraded.is_empty() {
        answer.insert("degraded".to_owned(), json!(degraded));
    }
    if !warnings.is_empty() {
        warnings.dedup();
        answer.insert("warnings".to_owned(), json!(warnings));
    }
    Ok(Value::Object(answer))
}

/// Returns the limit under either spelling, and a warning if it was too high.
fn results_max(arguments: &ReceivedArguments) -> Result<(u32, Option<String>), ToolError> {
    let read = |name: &str| -> Result<Option<i64>, ToolError> {
        let Some(value) = arguments.get(name) else { return Ok(None) };
        let refused = || {
            let rule = format!("{name} must be a positive whole number");
            ToolError::new(ErrorCode::Invalid, rule).on(name)
        };
        whole(value).filter(|number| *number > 0).map(Some).ok_or_else(refused)
    };
    let asked = match (read("maxSearchResults")?, read("max_search_results")?) {
        (Some(one), Some(other)) if one != other => {
            let rule = "maxSearchResults and max_search_results differ: give one of them";
            return Err(ToolError::new(ErrorCode::Invalid, rule).on("max_search_results"));
        }
        (one, other) => one.or(other),
    };
    let asked = asked.unwrap_or_else(|| i64::from(RESULTS_DEFAULT));
    let limit = u32::try_from(asked).unwrap_or(u32::MAX);
    if limit > TOP_K_MAX {
        return Ok((TOP_K_MAX, Some(format!("at most {TOP_K_MAX} results are given per store"))));
    }
    Ok((limit, None))
}

fn shown(found: &MemoryResults) -> Value {
    let record = &found.hit.record;
    let mut metadata: Map<String, Value> =
        record.metadata.iter().map(|(key, value)| (key.clone(), value_shown(value))).collect();
    for (key, value) in [
        ("id", record.id.to_string()),
        ("kind", record.kind.as_str().to_owned()),
        ("namespace", record.namespace.to_string()),
        ("date", found.hit.time.to_rfc3339()),
    ] {
        metadata.insert(key.to_owned(), Value::String(value));
    }
    json!({
        "content": record.text,
        "storeName": found.store,
        "store_name": found.store,
        "score": found.hit.relevance,
        "metadata": metadata,
    })
}

fn value_shown(value: &MetadataValue) -> Value {
    match value {
        MetadataValue::String(text) => json!(text),
        MetadataValue::StringList(items) => json!(items),
        MetadataValue::Number(number) => json!(number),
        MetadataValue::DateTime(time) => json!(time.to_rfc3339()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_in_both_spellings() {
        let check = |arguments: Value, expect: Result<u32, &str>| {
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            let read = results_max(&arguments).map(|(limit, _)| limit).map_err(|error| error.message);
            match expect {
                Ok(limit) => assert_eq!(read, Ok(limit), "{arguments:?}"),
                Err(part) => assert!(read.is_err_and(|said| said.contains(part)), "{arguments:?}"),
            }
        };
        check(json!({}), Ok(5));
        check(json!({ "maxSearchResults": 7 }), Ok(7));
        check(json!({ "max_search_results": 7.0 }), Ok(7));
        check(json!({ "maxSearchResults": 7, "max_search_results": 7 }), Ok(7));
        check(json!({ "maxSearchResults": 7, "max_search_results": 8 }), Err("differ"));
        check(json!({ "maxSearchResults": 0 }), Err("maxSearchResults must be a positive"));
        check(json!({ "max_search_results": -1 }), Err("max_search_results must be a positive"));
        check(json!({ "maxSearchResults": 1.5 }), Err("maxSearchResults must be a positive"));
        check(json!({ "maxSearchResults": 101 }), Ok(100));
        check(json!({ "maxSearchResults": 1e12 }), Ok(100));
    }
}
