//! Events, actors and sessions.

use std::collections::BTreeMap;

pub use loci_model::event::ExtractionMode as Extraction;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::word_lists::twin_words;

twin_words! {
    /// Role of the speaker.
    Role = loci_model::event::Role {
        /// The model.
        Assistant,
        /// A person.
        User,
        /// A tool.
        Tool,
        /// Any other speaker.
        Other,
    }
}

/// One item of an event's payload: a message, or JSON that is stored byte for byte.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PayloadItem {
    /// A message of a conversation.
    Message(Message),
    /// JSON that strategies read.
    #[schema(value_type = serde_json::Value)]
    Json(Box<RawValue>),
    /// JSON that strategies do not read.
    #[schema(value_type = serde_json::Value)]
    Blob(Box<RawValue>),
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Role of the speaker.
    pub role: Role,
    /// Text of the message.
    pub text: String,
}

/// A branch of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// Name of the branch.
    pub name: String,
    /// Id of the event that the branch starts from. Required once, when the branch is created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// A request to store an event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventCreate {
    /// Id of the actor.
    pub actor: String,
    /// Id of the session. Default: a new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Time at which the event happened, RFC 3339. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Payload items of the event.
    pub payload: Vec<PayloadItem>,
    /// Branch of the session. Default: the main branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
    /// Metadata: keys with free texts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// Extraction mode: determines if strategies read the event. Default: they do.
    #[serde(default)]
    pub extraction: Extraction,
    /// Values of declared namespace variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub namespace_variables: BTreeMap<String, String>,
}

/// An event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Id of the event. The string order of ids is the order of the events.
    pub id: String,
    /// Id of the memory.
    pub memory: String,
    /// Id of the actor.
    pub actor: String,
    /// Id of the session.
    pub session: String,
    /// Time at which the event happened.
    pub time: String,
    /// Payload items of the event; absent if the request excluded them.
    #[serde(default)]
    pub payload: Vec<PayloadItem>,
    /// Branch of the session.
    pub branch: Branch,
    /// Metadata: keys with free texts.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// True if the content exceeded a limit and was stored anyway.
    pub over_limit: bool,
    /// Time at which the event expires.
    pub expires_at: String,
}

/// A stored event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EventCreated {
    /// The event.
    pub event: Event,
    /// Degradations and warnings.
    #[serde(flatten)]
    pub notices: crate::Notices,
}

/// A request to list events of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EventListing {
    /// Id of the actor.
    pub actor: String,
    /// Id of the session.
    pub session: String,
    /// Name of the only branch to list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// True to include the events of the parent branches up to the start of the branch. Default:
    /// false.
    pub include_parents: bool,
    /// True to omit the payloads. Default: false.
    pub without_payload: bool,
    /// Maximum number of events per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Actor and session of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventPlace {
    /// Id of the actor.
    pub actor: String,
    /// Id of the session.
    pub session: String,
}

/// A page of events, newest first.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EventList {
    /// The events.
    pub events: Vec<Event>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A request to list actors or sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Paging {
    /// Maximum number of items per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of actors, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActorList {
    /// Ids of the actors.
    pub actors: Vec<String>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A session of an actor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    /// Id of the session.
    pub id: String,
    /// Time at which the session began.
    pub created_at: String,
}

/// A page of sessions, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionList {
    /// The sessions.
    pub sessions: Vec<Session>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
