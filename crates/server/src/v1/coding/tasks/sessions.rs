//! Sessions of tasks: messages of an agent during its work, notes, learnings, and the end. The
//! task's id names the session.

use loci_api::coding::table as api;
use loci_api::coding::task::session as shape;
use loci_coding::{NewSessionItem, SessionListing, of_event};
use loci_model::event::Role;
use loci_model::tasks::task_session::{SessionItem, SessionItemKind, ToolUse};
use loci_model::{Document, Error, Result, TaskId};

use super::end::learned;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::time;

pub(in crate::v1) fn operations(table: Table) -> Table {
    table
        .json(api::SESSION_APPEND, append)
        .query(api::SESSION_EVENTS, events)
        .plain(api::SESSION_STATE, state)
        .json(api::SESSION_STATE_PUT, keep_state)
        .json(api::SESSION_PROMOTE, promote)
        .plain(api::SESSION_END_OF_TASK, end)
}

/// Returns the task of the session.
fn session_task(call: &Call) -> Result<TaskId> {
    TaskId::parse(call.path("task")?)
}

async fn append(call: Call, asked: shape::SessionAppend) -> Result<shape::SessionAppended> {
    let (standing, id) = (standing(&call)?, session_task(&call)?);
    if asked.task_id.as_deref().is_some_and(|task| task != id.as_str()) {
        return Err(Error::invalid("task_id", "task_id must be the task of the path, whose session it is"));
    }
    let items = (0..).zip(asked.events);
    let items = items.map(|(at, event)| new_item(event).map_err(|error| of_event(at, error)));
    let items = items.collect::<Result<Vec<_>>>()?;
    call.doors.engine.coding.session_append(&call.caller, &standing, &id, items).await
}

fn new_item(event: shape::SessionEvent) -> Result<NewSessionItem> {
    let kind = SessionItemKind::read("events.type", Some(&event.r#type))?
        .ok_or_else(|| Error::invalid("events.type", "events.type must be given"))?;
    Ok(NewSessionItem {
        seq: event.seq,
        kind,
        role: role(event.role.as_deref())?,
        content: event.content,
        user: event.user,
        prompt_version: event.prompt_hash,
        commit: event.commit_sha,
        tool: event.tool.map(|tool| ToolUse {
            name: tool.name,
            input_sha256: tool.input_sha256,
            output_sha256: tool.output_sha256,
            duration_ms: tool.duration_ms,
            cost_usd: tool.cost_usd,
            status: tool.status,
        }),
        at: time("events.at", event.at.as_deref())?,
    })
}

fn role(text: Option<&str>) -> Result<Option<Role>> {
    let Some(text) = text else { return Ok(None) };
    let rule = "events.role must be one of user, assistant, tool, other";
    let is_small = text.bytes().all(|b| b.is_ascii_lowercase());
    let role = Role::parse(&text.to_uppercase()).filter(|_| is_small);
    role.map(Some).ok_or_else(|| Error::invalid("events.role", rule))
}

async fn events(call: Call, asked: shape::SessionListing) -> Result<shape::SessionEvents> {
    let types = asked.types.as_deref().map(|types| types.split(',').map(str::trim).collect::<Vec<_>>());
    let kinds = types.unwrap_or_default().into_iter().map(|text| SessionItemKind::read("types", Some(text)));
    let listing = SessionListing {
        after_seq: asked.after_seq,
        kinds: kinds.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect(),
        limit: cursor::limit(asked.limit)?,
    };
    let (standing, id) = (standing(&call)?, session_task(&call)?);
    let found = call.doors.engine.coding.session_events(&call.caller, &standing, &id, listing).await?;
    Ok(shape::SessionEvents {
        events: found.page.items.into_iter().map(said).collect(),
        next_after_seq: found.page.next,
        last_seq: found.last_seq,
        ended_at: found.ended_at.map(|at| at.to_rfc3339()),
    })
}

fn said(item: SessionItem) -> shape::SaidEvent {
    shape::SaidEvent {
        seq: item.seq,
        r#type: item.kind.as_str().to_owned(),
        role: item.role,
        content: item.text,
        user: item.user,
        prompt_hash: item.prompt_version,
        commit_sha: item.commit,
        at: item.at.to_rfc3339(),
        tool: item.tool.map(|tool| shape::SessionTool {
            name: tool.name,
            input_sha256: tool.input_sha256,
            output_sha256: tool.output_sha256,
            duration_ms: tool.duration_ms,
            cost_usd: tool.cost_usd,
            status: tool.status,
        }),
        content_sha256: item.text_sha256,
        content_chars: item.text_chars,
        event_id: item.event.map(|event| event.to_string()),
        expires_at: item.expires_at.to_rfc3339(),
    }
}

async fn state(call: Call) -> Result<shape::SessionState> {
    let (standing, id) = (standing(&call)?, session_task(&call)?);
    let (state, version) = call.doors.engine.coding.session_state(&call.caller, &standing, &id).await?;
    Ok(shape::SessionState { state: state.value()?, version })
}

async fn keep_state(call: Call, asked: shape::SessionState) -> Result<shape::SessionStateKept> {
    let (standing, id) = (standing(&call)?, session_task(&call)?);
    let state = Document::from_value(&asked.state)?;
    let engine = &call.doors.engine;
    let version = engine.coding.session_state_put(&call.caller, &standing, &id, state, asked.version).await?;
    Ok(shape::SessionStateKept { version })
}

async fn promote(call: Call, asked: shape::SessionPromote) -> Result<shape::SessionPromoted> {
    let as_feedback = match asked.r#as.as_deref() {
        None | Some("knowledge") => false,
        Some("self_feedback") => true,
        Some(_) => return Err(Error::invalid("as", "as must be knowledge or self_feedback")),
    };
    let (standing, id) = (standing(&call)?, session_task(&call)?);
    let engine = &call.doors.engine;
    let done = engine.coding.session_promote(&call.caller, &standing, &id, asked.seq, as_feedback).await?;
    let events = done.events.into_iter().map(|one| shape::PromotedEvent {
        seq: one.seq,
        learnings: one.learned.into_iter().map(learned).collect(),
    });
    Ok(shape::SessionPromoted { events: events.collect(), warnings: done.warnings })
}

async fn end(call: Call) -> Result<shape::TaskSessionEnded> {
    let (standing, id) = (standing(&call)?, session_task(&call)?);
    let ended = call.doors.engine.coding.session_end_of_task(&call.caller, &standing, &id).await?;
    Ok(shape::TaskSessionEnded { ended })
}
