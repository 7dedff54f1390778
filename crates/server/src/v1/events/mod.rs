//! Events: create, list, get, delete; actors and sessions.

pub(super) mod session_end;

use loci_api::event as shape;
use loci_api::table as api;
use loci_api::{Nothing, Notices};
use loci_engine::events::{BranchAsk, EventListing, NewEvent};
use loci_model::event::{Event, PayloadItem};
use loci_model::warning;
use loci_model::{ActorId, BranchName, Document, Error, EventId, MemoryId, Result, SessionId};

use super::protocol::call::Call;
use super::protocol::cursor;
use super::protocol::table::Table;
use super::protocol::values::time;

pub(super) fn operations(table: Table) -> Table {
    table
        .replayed(api::EVENT_CREATE, event_create)
        .query(api::EVENT_LIST, event_list)
        .query(api::EVENT_GET, event_get)
        .query(api::EVENT_DELETE, event_delete)
        .query(api::ACTOR_LIST, actor_list)
        .query(api::SESSION_LIST, session_list)
}

async fn event_create(call: Call, asked: shape::EventCreate) -> Result<(shape::EventCreated, bool)> {
    let token = call.token()?;
    let new = new_event(call.memory().await?, asked)?;
    let made = call.doors.engine.event_create(&call.caller, new, token).await?;
    let answer = shape::EventCreated { event: shown(&made.event)?, notices: notices(&made.notices) };
    Ok((answer, made.replayed))
}

fn new_event(memory: MemoryId, asked: shape::EventCreate) -> Result<NewEvent> {
    Ok(NewEvent {
        memory,
        actor: actor(asked.actor)?,
        session: asked.session.map(session).transpose()?,
        time: time("time", asked.time.as_deref())?,
        payload: asked.payload.into_iter().map(payload_item).collect::<Result<_>>()?,
        branch: asked.branch.map(branch_ask).transpose()?,
        metadata: asked.metadata,
        extraction: asked.extraction,
        namespace_variables: asked.namespace_variables,
        over_limit: false,
    })
}

fn payload_item(item: shape::PayloadItem) -> Result<PayloadItem> {
    Ok(match item {
        shape::PayloadItem::Message(message) => {
            PayloadItem::Conversational { role: message.role.into(), text: message.text }
        }
        shape::PayloadItem::Json(raw) => {
            PayloadItem::Json(Document::from_raw(&raw).map_err(|error| error.on("payload.json"))?)
        }
        shape::PayloadItem::Blob(raw) => {
            PayloadItem::Blob(Document::from_raw(&raw).map_err(|error| error.on("payload.blob"))?)
        }
    })
}

fn branch_ask(asked: shape::Branch) -> Result<BranchAsk> {
    Ok(BranchAsk {
        name: BranchName::parse(asked.name)?,
        root: asked.root.map(EventId::parse).transpose().map_err(|error| error.on("branch.root"))?,
    })
}

/// Parses an actor's id in a request.
pub(super) fn actor(text: String) -> Result<ActorId> {
    ActorId::parse(text).map_err(|error: Error| error.on("actor"))
}

/// Parses a session's id in a request.
pub(super) fn session(text: String) -> Result<SessionId> {
    SessionId::parse(text).map_err(|error: Error| error.on("session"))
}

async fn event_list(call: Call, asked: shape::EventListing) -> Result<shape::EventList> {
    let branch = asked.branch.map(BranchName::parse).transpose().map_err(|error| error.on("branch"))?;
    let listing = EventListing {
        memory: call.memory().await?,
        actor: actor(asked.actor)?,
        session: session(asked.session)?,
        branch: branch.map(|name| (name, asked.include_parents)),
        metadata: Vec::new(),
        before: cursor::read(asked.cursor.as_deref())?,
        limit: cursor::limit(asked.limit)?,
        with_payload: !asked.without_payload,
    };
    let page = call.doors.engine.event_list(&call.caller, listing).await?;
    Ok(shape::EventList {
        events: page.items.iter().map(shown).collect::<Result<_>>()?,
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

fn event_id(call: &Call) -> Result<EventId> {
    EventId::parse(call.path("event")?).map_err(|error| error.on("event"))
}

async fn event_get(call: Call, asked: shape::EventPlace) -> Result<shape::Event> {
    let (memory, id) = (call.memory().await?, event_id(&call)?);
    let (actor, session) = (actor(asked.actor)?, session(asked.session)?);
    shown(&call.doors.engine.event_get(&call.caller, &memory, &actor, &session, &id).await?)
}

async fn event_delete(call: Call, asked: shape::EventPlace) -> Result<Nothing> {
    let (memory, id) = (call.memory().await?, event_id(&call)?);
    let (actor, session) = (actor(asked.actor)?, session(asked.session)?);
    call.doors.engine.event_delete(&call.caller, &memory, &actor, &session, &id).await?;
    Ok(Nothing {})
}

async fn actor_list(call: Call, asked: shape::Paging) -> Result<shape::ActorList> {
    let (after, limit) = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let page = call.doors.engine.actor_list(&call.caller, &call.memory().await?, after, limit).await?;
    Ok(shape::ActorList {
        actors: page.items.iter().map(ToString::to_string).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn session_list(call: Call, asked: shape::Paging) -> Result<shape::SessionList> {
    let (after, limit) = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let (memory, actor) = (call.memory().await?, call.actor()?);
    let page = call.doors.engine.session_list(&call.caller, &memory, &actor, false, after, limit).await?;
    let sessions = page.items.iter().map(|entry| shape::Session {
        id: entry.session.to_string(),
        created_at: entry.created_at.to_rfc3339(),
    });
    Ok(shape::SessionList {
        sessions: sessions.collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

pub(super) fn shown(event: &Event) -> Result<shape::Event> {
    Ok(shape::Event {
        id: event.id.to_string(),
        memory: event.memory.to_string(),
        actor: event.actor.to_string(),
        session: event.session.to_string(),
        time: event.time.to_rfc3339(),
        payload: event.payload.iter().map(item_shown).collect(),
        branch: shape::Branch {
            name: event.branch.name.to_string(),
            root: event.branch.root.as_ref().map(ToString::to_string),
        },
        metadata: event.metadata.clone(),
        over_limit: event.notes.over_limit,
        expires_at: event.expires.to_rfc3339(),
    })
}

fn item_shown(item: &PayloadItem) -> shape::PayloadItem {
    match item {
        PayloadItem::Conversational { role, text } => {
            shape::PayloadItem::Message(shape::Message { role: (*role).into(), text: text.clone() })
        }
        PayloadItem::Json(document) => shape::PayloadItem::Json(document.raw().to_owned()),
        PayloadItem::Blob(document) => shape::PayloadItem::Blob(document.raw().to_owned()),
    }
}

/// Returns degradations and warnings as codes.
pub(super) fn notices(notices: &warning::Notices) -> Notices {
    Notices {
        degraded: notices.degraded.iter().map(|code| code.code().to_owned()).collect(),
        warnings: notices.warnings.iter().map(|code| code.code().to_owned()).collect(),
    }
}
