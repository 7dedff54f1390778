//! `RetrieveMemoryRecords`: 200, best first, each with its score. Spec: agentcore-wire §10; memory-manager W-3, W-15, W-22.

use std::borrow::Cow;

use http::StatusCode;
use loci_engine::retrieval::{Hit, SearchRequest};
use loci_model::settings::TextDates;
use serde::{Deserialize, Serialize};

use crate::agentcore::call::{Answer, Call, Outcome};
use crate::agentcore::shapes::record::{RecordShape, namespace_ask, strategy_choice};
use crate::agentcore::shapes::record_filter::{FilterShape, filters};

/// Hits if the request does not say (§10).
const TOP_K_DEFAULT: u32 = 10;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    namespace: Option<String>,
    namespace_path: Option<String>,
    search_criteria: Criteria,
    max_results: Option<u32>,
    next_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Criteria {
    search_query: String,
    memory_strategy_id: Option<String>,
    top_k: Option<u32>,
    metadata_filters: Option<Vec<FilterShape>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    memory_record_summaries: Vec<RecordShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

pub(super) async fn serve(call: &Call<'_>) -> Outcome {
    let request: Request = call.request()?;
    let memory = call.memory()?;
    let start = call.page_start(request.next_token.as_deref(), 2)?;
    let criteria = request.search_criteria;
    let top_k = criteria.top_k.unwrap_or(TOP_K_DEFAULT);
    let search = SearchRequest {
        memory: memory.clone(),
        query: criteria.search_query,
        namespaces: vec![namespace_ask(request.namespace, request.namespace_path)?],
        strategy: strategy_choice(criteria.memory_strategy_id)?,
        metadata: filters(criteria.metadata_filters),
        kinds: Vec::new(),
        states: Vec::new(),
        citing: None,
        as_of: None,
        top_k,
        fold: false,
        budget_tokens: None,
        relevance_min: None,
        explain: false,
        lists: None,
    };
    let answer = call.engine.search(call.caller, search).await?;
    let dates = call.memory_settings(&memory).await?.text_dates;
    // Clients never page here: without `maxResults` all hits are on the first page.
    let page = usize::try_from(request.max_results.unwrap_or(top_k)).unwrap_or(usize::MAX);
    let from = position(&answer.hits, start.as_deref());
    // All pages together hold at most topK, also where the ranking moved between two of them.
    let before = shown_before(start.as_deref());
    let room = usize::try_from(top_k).unwrap_or(usize::MAX).saturating_sub(before);
    let shown: Vec<&Hit> = answer.hits.iter().skip(from).take(page.min(room)).collect();
    let after = before.saturating_add(shown.len());
    let more = shown.len() < room && from.saturating_add(shown.len()) < answer.hits.len();
    let next_token = match shown.last() {
        Some(last) if more => Some(call.page_token(&[&after.to_string(), last.record.id.as_str()])?),
        Some(_) | None => None,
    };
    let texts: Vec<Cow<'_, str>> = shown.iter().map(|hit| text(hit, dates)).collect();
    let memory_record_summaries = shown
        .iter()
        .zip(&texts)
        .map(|(hit, text)| RecordShape::scored(&hit.record, text, hit.relevance))
        .collect();
    let response = Response { memory_record_summaries, next_token };
    Ok(Answer::json(StatusCode::OK, &response)?.with_notices(answer.notices))
}

/// Where the next page starts: behind the last record shown, or at its old place if it is gone.
fn position(hits: &[Hit], start: Option<&[String]>) -> usize {
    let Some([_, last]) = start else { return 0 };
    match hits.iter().position(|hit| hit.record.id.as_str() == last) {
        Some(found) => found.saturating_add(1),
        None => shown_before(start),
    }
}

/// Hits on the pages before this one.
fn shown_before(start: Option<&[String]>) -> usize {
    match start {
        Some([shown, _]) => shown.parse().unwrap_or(0),
        Some(_) | None => 0,
    }
}

/// The text, with its date behind it where the memory is set so.
fn text(hit: &Hit, dates: TextDates) -> Cow<'_, str> {
    match dates {
        TextDates::None => Cow::Borrowed(&hit.record.text),
        TextDates::Suffix => Cow::Owned(format!("{} ({})", hit.record.text, hit.time.date())),
    }
}
