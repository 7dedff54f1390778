//! `CreateEvent`: 201, without waiting for extraction.

use std::collections::BTreeMap;

use http::StatusCode;
use loci_engine::events::{BranchAsk, NewEvent};
use loci_model::event::ExtractionMode;
use loci_model::warning::Warning;
use loci_model::{ActorId, BranchName, EventId, SessionId};
use serde::{Deserialize, Serialize};

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::shapes::event::{
    EventShape, EventView, ExtractionShape, MetadataShape, PayloadShape, metadata, payload,
};
use crate::agentcore::time::WireTime;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    actor_id: String,
    session_id: Option<String>,
    event_timestamp: Option<WireTime>,
    payload: Vec<PayloadShape>,
    branch: Option<BranchShape>,
    client_token: Option<String>,
    metadata: Option<BTreeMap<String, Option<MetadataShape>>>,
    extraction_mode: Option<String>,
    extraction_config: Option<ExtractionShape>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BranchShape {
    name: String,
    root_event_id: Option<String>,
}

#[derive(Serialize)]
struct Response<'a> {
    event: EventShape<'a>,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let token = call.bare_token(request.client_token.as_deref())?;
    let branch = match request.branch {
        Some(given) => Some(BranchAsk {
            name: BranchName::parse(given.name)?,
            root: given.root_event_id.map(EventId::parse).transpose()?,
        }),
        None => None,
    };
    let new = NewEvent {
        memory: call.memory()?,
        actor: ActorId::parse(request.actor_id)?,
        session: request.session_id.map(SessionId::parse).transpose()?,
        time: request.event_timestamp.map(|time| time.0),
        payload: payload(request.payload)?,
        branch,
        metadata: metadata(request.metadata),
        extraction: match request.extraction_mode {
            Some(_) => ExtractionMode::Skip,
            None => ExtractionMode::Extract,
        },
        namespace_variables: request.extraction_config.unwrap_or_default().into_variables(),
        over_limit: call.over_limit,
    };
    let created = call.engine.event_create(call.caller, new, token).await?;
    if created.notices.warnings.contains(&Warning::TokenReplayed) {
        tracing::warn!(event = %created.event.id, "a client token came again with another payload: the first event was returned");
    }
    call.extracted(&created.event.memory, &created.event.actor, &created.event.session).await?;
    let main_branch = call.memory_settings(&created.event.memory).await?.main_branch_marker;
    let view = EventView { payloads: true, main_branch };
    let answer =
        HandlerAnswer::json(StatusCode::CREATED, &Response { event: EventShape::of(&created.event, view) })?;
    Ok(answer.with_notices(created.notices))
}
