//! `memory_search`: facts of a repository, and other knowledge, by words, meaning and filters.

use std::collections::BTreeSet;

use loci_api::ErrorCode;
use loci_api::verified::fact::FactList;
use loci_engine::retrieval::{Hit, PendingEventUse, SearchRequest};
use loci_model::record::{RecordKind, RecordState};
use loci_model::{MemoryId, limits};
use loci_verified::{FactFilters, FactSearch, FactsAsked};
use serde_json::{Value, json};

#[cfg(feature = "coding")]
use super::coding::search_repository;
use super::shapes::{repo, revision};
use super::verified::shapes::{by_agent, verdict, verify};
use super::verified::{arguments, shapes};
use crate::tools::error::ToolError;
use crate::tools::profile::Profile;
use crate::tools::schema::{
    array, closed, default, flag, list, number, one_of, open, said, text, time, whole, word,
};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};
use crate::tools::{memory_selection, native};

/// Filters on the tasks from which records come.
const ABOUT_TASKS: &[&str] = &["issue", "outcome", "pr"];
/// The error message for a search in a repository and in a store at once.
const BOTH: &str = "repo and store exclude each other: leave one of them out";
const NEITHER: &str =
    "repo and store are missing: give repo (owner/name) for facts, or store (a memory or tree)";
/// The default number of items.
const ITEMS: u32 = 20;

pub(super) fn tool() -> Tool {
    Tool {
        name: "memory_search",
        dotted: Some("memory.search"),
        description: "Search stored knowledge by words, meaning or filters; by default the facts of one repository, checked against its code.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Coding, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(true),
        input: input(),
        output: output(),
        work: Some(|context, arguments| Box::pin(search(context, arguments))),
    }
}

async fn search(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    match (arguments::string(&arguments, "repo"), arguments::string(&arguments, "store")) {
        (Some(repo), None) => facts(context, arguments, repo).await,
        (None, Some(store)) => records(context, arguments, store).await,
        (Some(_), Some(_)) => Err(ToolError::new(ErrorCode::Invalid, BOTH).on("store")),
        (None, None) => Err(ToolError::new(ErrorCode::Invalid, NEITHER).on("repo")),
    }
}

async fn facts(context: Context, arguments: ReceivedArguments, repo: String) -> ToolOutcome {
    if is_beyond_facts(&arguments) {
        #[cfg(feature = "coding")]
        return search_repository::search(context, arguments, repo, ITEMS).await;
        #[cfg(not(feature = "coding"))]
        return Err(absent());
    }
    let question = asked_for(&arguments, repo)?;
    let standing = arguments::standing(&context, &arguments);
    let serving = arguments::serving(&context, &arguments);
    let list = context.engine.verified.facts_search(&context.caller, &standing, question, serving).await?;
    let degraded = list.warnings.iter().any(|warning| warning.starts_with("DEGRADED"));
    native::answer(&FactList { degraded: Some(degraded), ..list.shown() })
}

/// Returns true for a search beyond facts, or for a task. Coding memory answers it, as the native
/// API does.
fn is_beyond_facts(arguments: &ReceivedArguments) -> bool {
    let kinds = arguments.get("kinds").and_then(Value::as_array);
    let others = kinds.into_iter().flatten().any(|kind| kind.as_str() != Some(RecordKind::Fact.as_str()));
    let filters = arguments.get("filters").and_then(Value::as_object);
    let about_tasks = filters.is_some_and(|given| ABOUT_TASKS.iter().any(|name| given.contains_key(*name)));
    others || about_tasks || arguments.contains_key(native::TASK)
}

/// Returns the error for a search beyond facts on a server without coding memory.
#[cfg(not(feature = "coding"))]
fn absent() -> ToolError {
    let rule = "this program was built without the memory of coding agents: search facts alone, without kinds, \
                task_id, and filters about tasks";
    ToolError::new(ErrorCode::Invalid, rule).on("kinds")
}

/// Returns the facts of a call; `None` if it searches documents.
pub(super) fn facts_asked(arguments: &ReceivedArguments) -> Option<Result<FactsAsked, ToolError>> {
    let repo = arguments::string(arguments, "repo").filter(|_| !arguments.contains_key("store"))?;
    if is_beyond_facts(arguments) {
        #[cfg(feature = "coding")]
        return Some(search_repository::facts_asked(arguments, repo));
        #[cfg(not(feature = "coding"))]
        return Some(Err(absent()));
    }
    Some(asked_for(arguments, repo).map(FactsAsked::Search))
}

fn asked_for(arguments: &ReceivedArguments, repo: String) -> Result<FactSearch, ToolError> {
    let given = arguments.get("filters").and_then(Value::as_object).cloned().unwrap_or_default();
    let status = arguments::string(&given, "status");
    let state = status.as_deref().map(|word| {
        RecordState::parse(word).ok_or_else(|| {
            let states: Vec<&str> = RecordState::ALL.iter().map(|state| state.as_str()).collect();
            let rule = format!("filters.status must be one of {}", states.join(", "));
            ToolError::new(ErrorCode::Invalid, rule).on("filters.status")
        })
    });
    let filters = FactFilters {
        path: arguments::string(&given, "path"),
        commit: arguments::string(&given, "commit"),
        user: arguments::string(&given, "user"),
        status: state.transpose()?,
        since: arguments::time(&given, "since")?,
        until: arguments::time(&given, "until")?,
    };
    Ok(FactSearch {
        repo,
        query: arguments::string(arguments, "query"),
        filters,
        limit: arguments::number(arguments, "limit").unwrap_or(ITEMS),
    })
}

/// Searches the documents of a memory, or other kinds of its records, and returns the best passage
/// of each.
async fn records(context: Context, arguments: ReceivedArguments, store: String) -> ToolOutcome {
    if arguments.get("filters").and_then(Value::as_object).is_some_and(|filters| !filters.is_empty()) {
        let rule = "filters are about facts of a repository: leave them out, or give repo instead of store";
        return Err(ToolError::new(ErrorCode::Invalid, rule).on("filters"));
    }
    let named = arguments.get("kinds").and_then(Value::as_array).into_iter().flatten();
    let mut kinds: Vec<RecordKind> = named.filter_map(Value::as_str).filter_map(RecordKind::parse).collect();
    if kinds.is_empty() {
        kinds.push(RecordKind::Document);
    }
    let memory = memory_selection::named(&context.engine, &context.caller, &store).await?;
    let limit = arguments::number(&arguments, "limit").unwrap_or(ITEMS);
    // Facts that cite code are excluded from the result, so further hits must be available in their
    // place.
    let top_k = if kinds.contains(&RecordKind::Fact) { limits::TOP_K_MAX } else { limit };
    let query = arguments::needed(&arguments, "query")?;
    let question = SearchRequest { kinds, ..SearchRequest::new(memory.id.clone(), query, top_k) };
    // An agent must find its own recent writes, as with every other tool.
    let mut answer = context.engine.search_with(&context.caller, question, PendingEventUse::Shown).await?;
    let notices = &answer.notices;
    let mut warnings: Vec<String> =
        notices.warnings.iter().map(|warning| warning.code().to_owned()).collect();
    warnings.extend(without_facts_of_code(&context, &memory.id, &mut answer.hits).await?);
    let results = answer.hits.iter().take(limit as usize).map(|hit| {
        let mut found = json!({
            "id": hit.record.id.as_str(),
            "kind": hit.record.kind.as_str(),
            "score": hit.relevance,
            "passage": hit.passage(),
        });
        if let (Some(path), Some(members)) = (&hit.record.path, found.as_object_mut()) {
            members.insert("path".to_owned(), path.clone().into());
        }
        if let (true, Some(members)) = (hit.provisional, found.as_object_mut()) {
            members.insert("provisional".to_owned(), true.into());
        }
        found
    });
    Ok(json!({
        "memories": [],
        "results": results.collect::<Vec<_>>(),
        "degraded": !answer.notices.degraded.is_empty(),
        "warnings": warnings,
    }))
}

/// Removes facts that cite code from the hits, because they must be verified before they are
/// served, which needs their repository. Returns a warning if there were some.
async fn without_facts_of_code(
    context: &Context,
    memory: &MemoryId,
    hits: &mut Vec<Hit>,
) -> Result<Option<String>, ToolError> {
    let facts = hits.iter().map(|hit| &hit.record).filter(|record| record.kind == RecordKind::Fact);
    let citing =
        context.engine.verified.citing_code(&context.caller, memory, facts.cloned().collect()).await?;
    hits.retain(|hit| !citing.contains_key(&hit.record.id));
    let repos: BTreeSet<&str> = citing.values().map(String::as_str).collect();
    let repos = repos.into_iter().collect::<Vec<_>>().join(", ");
    let count = citing.len();
    Ok((count > 0).then(|| {
        format!(
            "FACTS_OF_CODE: {count} matching facts cite code and were left out, for nothing is verified by store: ask with repo \
             ({repos})"
        )
    }))
}

fn input() -> Value {
    const KINDS: [&str; 7] =
        ["fact", "self_feedback", "episode", "reflection", "rule", "preference", "document"];
    let kinds = said(list(one_of(&KINDS), 1, 7), "Default: fact with repo, document with store");
    let filters = closed(
        [
            ("pr", whole(1, i64::MAX)),
            ("commit", text(0, 64)),
            ("issue", whole(1, i64::MAX)),
            ("status", text(0, 40)),
            ("outcome", text(0, 40)),
            ("user", text(0, 200)),
            ("path", text(0, 1024)),
            ("since", time()),
            ("until", time()),
        ],
        &[],
    );
    let input = by_agent(
        [
            ("repo", repo()),
            ("store", said(text(1, 200), "Memory or tree name, instead of repo")),
            ("query", text(1, 800)),
            ("kinds", kinds),
            ("filters", filters),
            ("limit", default(whole(1, 100), ITEMS)),
            ("verify", verify()),
            ("ref", revision()),
            ("task_id", text(0, 200)),
        ],
        &[],
    );
    said(input, "Exactly one of repo and store; query or at least one filter; the server checks both.")
}

fn output() -> Value {
    let result = open(
        [
            ("id", word()),
            ("kind", word()),
            ("score", number()),
            ("path", word()),
            ("passage", word()),
            ("verdict", verdict()),
        ],
        &["id", "kind", "score"],
    );
    shapes::facts([("results", array(result)), ("degraded", flag()), ("exposure_id", word())])
}
