//! `ListMemoryExtractionJobs`: 200, failed jobs only, newest failure first.

use http::StatusCode;
use loci_model::job::{Job, JobKind, JobState};
use loci_model::ports::store::JobQuery;
use loci_model::{ActorId, JobId, SessionId, StrategyId};
use serde::{Deserialize, Serialize};

use super::PAGE_DEFAULT;
use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::page_token::{parse_time, time_part};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    filter: Option<Filter>,
    max_results: Option<u32>,
    next_token: Option<String>,
}

/// The filter. Its `status` can only be FAILED, the only status in this list.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Filter {
    strategy_id: Option<String>,
    session_id: Option<String>,
    actor_id: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    jobs: Vec<JobShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

/// `ExtractionJobMetadata`. It spells `jobID`; StartMemoryExtractionJob spells `jobId`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobShape<'a> {
    #[serde(rename = "jobID")]
    job_id: &'a str,
    messages: Messages<'a>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor_id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Messages<'a> {
    messages_list: Vec<Message<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    event_id: &'a str,
    message_index: u32,
}

impl<'a> JobShape<'a> {
    fn of(job: &'a Job) -> Self {
        let message = |message: &'a loci_model::job::JobMessage| Message {
            event_id: message.event.as_str(),
            message_index: message.message,
        };
        Self {
            job_id: job.id.as_str(),
            messages: Messages { messages_list: job.messages.iter().map(message).collect() },
            status: "FAILED",
            failure_reason: job.failure_reason.as_deref(),
            strategy_id: job.strategy.as_ref().map(StrategyId::as_str),
            session_id: job.session.as_ref().map(SessionId::as_str),
            actor_id: job.actor.as_ref().map(ActorId::as_str),
        }
    }
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let after = match call.page_start(request.next_token.as_deref(), 2)?.as_deref() {
        Some([time, id]) => Some((parse_time(time)?, JobId::parse(id.as_str())?)),
        Some(_) | None => None,
    };
    let filter = request.filter.unwrap_or_default();
    let query = JobQuery {
        kinds: vec![JobKind::EXTRACT, JobKind::REFLECT],
        state: Some(JobState::Failed),
        strategy: filter.strategy_id.map(StrategyId::parse).transpose()?,
        actor: filter.actor_id.map(ActorId::parse).transpose()?,
        session: filter.session_id.map(SessionId::parse).transpose()?,
        after,
        limit: usize::try_from(request.max_results.unwrap_or(PAGE_DEFAULT)).unwrap_or(usize::MAX),
    };
    let page = call.engine.job_list(call.caller, &call.memory()?, query).await?;
    let next_token = match &page.next {
        Some((time, id)) => Some(call.page_token(&[&time_part(*time), id.as_str()])?),
        None => None,
    };
    let jobs = page.items.iter().map(JobShape::of).collect();
    HandlerAnswer::json(StatusCode::OK, &Response { jobs, next_token })
}
