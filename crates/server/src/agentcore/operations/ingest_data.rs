//! `IngestData`: 202; the content is extracted, but never stored as an event.

use std::collections::BTreeMap;

use http::StatusCode;
use loci_engine::events::NewIngest;
use loci_model::{ActorId, SessionId};
use serde::{Deserialize, Serialize};

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};
use crate::agentcore::shapes::event::{ExtractionShape, MetadataShape, PayloadShape, metadata, payload};
use crate::agentcore::time::WireTime;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    source: Source,
    content_timestamp: WireTime,
    actor_id: String,
    session_id: Option<String>,
    extraction_config: Option<ExtractionShape>,
    metadata: Option<BTreeMap<String, Option<MetadataShape>>>,
    client_token: Option<String>,
}

/// `ContentSource`: exactly one member set.
#[derive(Deserialize)]
struct Source {
    inline: Option<Inline>,
}

#[derive(Deserialize)]
struct Inline {
    payload: Vec<PayloadShape>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    session_id: &'a str,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let token = call.token(request.client_token.as_deref())?;
    let (memory, actor) = (call.memory()?, ActorId::parse(request.actor_id)?);
    let new = NewIngest {
        memory: memory.clone(),
        actor: actor.clone(),
        session: request.session_id.map(SessionId::parse).transpose()?,
        time: request.content_timestamp.0,
        payload: payload(request.source.inline.map(|inline| inline.payload).unwrap_or_default())?,
        metadata: metadata(request.metadata),
        namespace_variables: request.extraction_config.unwrap_or_default().into_variables(),
    };
    let session = call.engine.ingest(call.caller, new, token).await?;
    call.extracted(&memory, &actor, &session).await?;
    HandlerAnswer::json(StatusCode::ACCEPTED, &Response { session_id: session.as_str() })
}
