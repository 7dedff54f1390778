//! `RetrieveMemoryRecords`: 200, best first, each with its score.

use std::borrow::Cow;

use http::StatusCode;
use loci_engine::retrieval::{Hit, SearchRequest, is_provisional, provisional_id};
use loci_model::memory::settings::TextDates;
use loci_model::record::{Record, RecordState};
use loci_model::{ErrorKind, MemoryId, RecordId, Timestamp, limits};
use serde::{Deserialize, Serialize};

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::constraints::Refusal;
use crate::agentcore::errors::AgentCoreFailure;
use crate::agentcore::shapes::record::{RecordShape, namespace_ask, strategy_choice};
use crate::agentcore::shapes::record_filter::{FilterShape, filters};

/// The default number of hits.
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

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let memory = call.memory()?;
    let start = call.page_start(request.next_token.as_deref(), 2)?;
    let criteria = request.search_criteria;
    let top_k = criteria.top_k.unwrap_or(TOP_K_DEFAULT);
    let listed = start.as_deref().map(read).transpose()?;
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
        top_k: looked_at(listed.as_deref(), top_k),
        fold: false,
        budget_tokens: None,
        relevance_min: None,
        explain: false,
        lists: None,
        include_system: true,
    };
    let answer = call.engine.search(call.caller, search).await?;
    let dates = call.memory_settings(&memory).await?.text_dates;
    // Clients of this operation do not page: without `maxResults` all hits are on the first page.
    let page = usize::try_from(request.max_results.unwrap_or(top_k)).unwrap_or(usize::MAX);
    // The first page fixes the list. Writes between two pages neither move nor hide any of it.
    let listed: Vec<ListedRecord> = listed.unwrap_or_else(|| {
        answer
            .hits
            .iter()
            .map(|hit| ListedRecord { id: hit.record.id.clone(), score: hit.relevance })
            .collect()
    });
    let (of_page, rest) = listed.split_at(page.min(listed.len()));
    let mut shown: Vec<(Record, Timestamp, f32)> = Vec::with_capacity(of_page.len());
    for one in of_page {
        match hit_of(one, &memory, &answer.hits, &listed, &shown) {
            Some(hit) => shown.push((hit.record.clone(), hit.time, one.score)),
            None => shown.extend(still_there(call, &memory, &one.id).await?.map(|record| {
                let time = record.timestamp;
                (record, time, one.score)
            })),
        }
    }
    let next_token = match rest {
        [] => None,
        rest => Some(call.page_token(&[FORM, &written(rest)])?),
    };
    let texts: Vec<Cow<'_, str>> = shown.iter().map(|(record, time, _)| text(record, *time, dates)).collect();
    let memory_record_summaries = shown
        .iter()
        .zip(&texts)
        .map(|((record, _, score), text)| RecordShape::scored(record, text, *score))
        .collect();
    let response = Response { memory_record_summaries, next_token };
    Ok(HandlerAnswer::json(StatusCode::OK, &response)?.with_notices(answer.notices))
}

/// Returns the number of hits to search for. A record that replaced a turn of the list is found
/// only by the ranking, and newer records may rank before it.
fn looked_at(listed: Option<&[ListedRecord]>, top_k: u32) -> u32 {
    let any_waited = listed.is_some_and(|listed| listed.iter().any(|one| is_provisional(&one.id)));
    if any_waited { limits::TOP_K_MAX } else { top_k }
}

/// Returns the current hit for an item of the list. If the item was a turn that was extracted
/// meanwhile, it returns the turn's record, unless that record has another position in the list.
fn hit_of<'a>(
    one: &ListedRecord,
    memory: &MemoryId,
    hits: &'a [Hit],
    listed: &[ListedRecord],
    shown: &[(Record, Timestamp, f32)],
) -> Option<&'a Hit> {
    let same = hits.iter().find(|hit| hit.record.id == one.id);
    if same.is_some() || !is_provisional(&one.id) {
        return same;
    }
    let was_turn = |source| provisional_id(memory, source).is_ok_and(|id| id == one.id);
    hits.iter().find(|hit| {
        let id = &hit.record.id;
        hit.record.provenance.sources.iter().any(was_turn)
            && !listed.iter().any(|other| other.id == *id)
            && !shown.iter().any(|(record, ..)| record.id == *id)
    })
}

/// The version of the token's list format.
const FORM: &str = "1";

/// A record of the list that the first page fixed.
#[derive(Debug, Clone, PartialEq)]
struct ListedRecord {
    id: RecordId,
    score: f32,
}

/// Returns the remaining list in the form of a token.
fn written(rest: &[ListedRecord]) -> String {
    let one = |listed: &ListedRecord| format!("{}={:08x}", listed.id, listed.score.to_bits());
    rest.iter().map(one).collect::<Vec<_>>().join(";")
}

fn read(place: &[String]) -> Result<Vec<ListedRecord>, Refusal> {
    let refused = || {
        let rule = "nextToken is not a token of this server: start again without it";
        Refusal::field("nextToken", rule)
    };
    let [form, list] = place else { return Err(refused()) };
    if form != FORM {
        return Err(refused());
    }
    let one = |text: &str| {
        let (id, score) = text.split_once('=')?;
        let score = f32::from_bits(u32::from_str_radix(score, 16).ok()?);
        Some(ListedRecord { id: RecordId::parse(id).ok()?, score }).filter(|_| score.is_finite())
    };
    list.split(';').map(|text| one(text).ok_or_else(refused)).collect()
}

/// Returns a record of the list that the current ranking leaves out; `None` if it is gone.
async fn still_there(
    call: &AgentCoreCall<'_>,
    memory: &MemoryId,
    id: &RecordId,
) -> Result<Option<Record>, AgentCoreFailure> {
    match call.engine.record_get(call.caller, memory, id, None).await {
        Ok(record) => Ok(Some(record).filter(|record| record.state == RecordState::Active)),
        Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::Denied) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the text, followed by its date if the memory is configured so.
fn text(record: &Record, time: Timestamp, dates: TextDates) -> Cow<'_, str> {
    match dates {
        TextDates::None => Cow::Borrowed(&record.text),
        TextDates::Suffix => Cow::Owned(format!("{} ({})", record.text, time.date())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let listed = |number: u128, score: f32| ListedRecord { id: RecordId::of_uuid(number), score };
        let list = [listed(7, 0.75), listed(8, 0.1)];
        let place = [FORM.to_owned(), written(&list)];
        assert_eq!(read(&place).unwrap(), list);
        let check = |place: &[&str]| {
            let place: Vec<String> = place.iter().map(|part| (*part).to_owned()).collect();
            assert!(read(&place).is_err(), "{place:?}");
        };
        check(&["17", "mem-00000000-0000-0000-0000-000000000007"]);
        check(&[FORM, ""]);
        check(&[FORM, "mem-1=3f400000"]);
        check(&[FORM, "mem-00000000-0000-0000-0000-000000000007=7fc00000"]);
    }
}
