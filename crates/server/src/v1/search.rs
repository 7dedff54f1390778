//! `POST /v1/search`: retrieval, with its reasons.

use loci_api::search as shape;
use loci_api::table as api;
use loci_engine::retrieval::{Hit, PendingEventUse, SearchRequest};
use loci_model::{MemoryId, Result};

use super::events::notices;
use super::protocol::call::Call;
use super::protocol::table::Table;
use super::protocol::values::time;
use super::records::record_shape::{choice, filter, kinds, places, record, states};

/// The default number of hits.
const TOP_K_DEFAULT: u32 = 10;

pub(super) fn operations(table: Table) -> Table {
    table.json(api::SEARCH, search)
}

async fn search(call: Call, asked: shape::Search) -> Result<shape::SearchAnswer> {
    let explain = asked.explain;
    let own_writes =
        if asked.read_your_writes == Some(false) { PendingEventUse::Hidden } else { PendingEventUse::Shown };
    let memory = call.doors.engine.memory_id(&call.caller, &asked.memory).await?;
    let answer = call.doors.engine.search_with(&call.caller, request(asked, memory)?, own_writes).await?;
    Ok(shape::SearchAnswer {
        hits: answer.hits.iter().map(hit).collect(),
        statistics: explain.then_some(answer.statistics),
        notices: notices(&answer.notices),
    })
}

fn request(asked: shape::Search, memory: MemoryId) -> Result<SearchRequest> {
    Ok(SearchRequest {
        memory,
        query: asked.query,
        namespaces: places(asked.namespaces, asked.namespace_paths)?,
        strategy: choice(asked.strategy)?,
        metadata: asked.metadata.into_iter().map(filter).collect::<Result<_>>()?,
        kinds: kinds(&asked.kinds)?,
        states: states(&asked.states)?,
        citing: None,
        as_of: time("as_of", asked.as_of.as_deref())?,
        top_k: asked.top_k.unwrap_or(TOP_K_DEFAULT),
        fold: asked.fold.unwrap_or(true),
        budget_tokens: asked.budget_tokens,
        relevance_min: asked.relevance_min,
        explain: asked.explain,
        lists: asked.lists,
        include_system: asked.include_system,
    })
}

fn hit(hit: &Hit) -> shape::Hit {
    let explanation = hit.explanation.iter().map(|signal| shape::Signal {
        name: signal.name.to_owned(),
        value: signal.value,
        weight: signal.weight,
        contribution: signal.contribution,
    });
    shape::Hit {
        record: record(&hit.record),
        part: hit.part,
        score: hit.score,
        relevance: hit.relevance,
        time: hit.time.to_rfc3339(),
        folded: hit.folded.iter().map(ToString::to_string).collect(),
        explanation: explanation.collect(),
        provisional: hit.provisional,
    }
}
