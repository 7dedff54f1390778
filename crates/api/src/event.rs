//! Events, actors and sessions.

use std::collections::BTreeMap;

pub use loci_model::event::ExtractionMode as Extraction;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::word_lists::twin_words;

twin_words! {
    /// The role of the speaker of a message.
    Role = loci_model::event::Role {
        /// The message comes from a model.
        Assistant,
        /// The message comes from a person.
        User,
        /// The message comes from a tool.
        Tool,
        /// The message comes from any other speaker.
        Other,
    }
}

/// One item of an event's payload: a message, or JSON that is stored byte for byte.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PayloadItem {
    /// A message of a conversation.
    Message(Message),
    /// A JSON value from which strategies extract records.
    #[schema(value_type = serde_json::Value)]
    Json(Box<RawValue>),
    /// A JSON value that strategies ignore. The server only stores and returns it.
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

/// A branch of a session: a sequence of events that starts from an event of another branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// Name of the branch.
    pub name: String,
    /// Id of the event that the branch starts from. Required in the first event of a branch; later
    /// events may omit it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// A request to store an event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventCreate {
    /// Id of the actor that the event is about.
    pub actor: String,
    /// Id of the session that the event belongs to. Default: a new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Time at which the event happened, RFC 3339. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Payload items of the event.
    pub payload: Vec<PayloadItem>,
    /// Branch that the event belongs to. Default: the main branch of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
    /// Metadata of the event: keys with texts, for filters and grants.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// Selection of the events that strategies read. Default: strategies extract records from the
    /// event.
    #[serde(default)]
    pub extraction: Extraction,
    /// Values of the namespace variables that the memory declares. Strategies use them in the
    /// namespaces of the event's records.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub namespace_variables: BTreeMap<String, String>,
}

/// A stored event of a session.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Id of the event. The string order of ids is the order of the events.
    pub id: String,
    /// Id of the memory.
    pub memory: String,
    /// Id of the actor that the event is about.
    pub actor: String,
    /// Id of the session that the event belongs to.
    pub session: String,
    /// Time at which the event happened.
    pub time: String,
    /// Payload items of the event; absent if the request asked for events without payload.
    #[serde(default)]
    pub payload: Vec<PayloadItem>,
    /// Branch that the event belongs to.
    pub branch: Branch,
    /// Metadata of the event: keys with texts, for filters and grants.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// True if the payload exceeded a limit and was stored anyway (memory setting `event_limits`).
    pub over_limit: bool,
    /// Time at which the server deletes the event.
    pub expires_at: String,
}

/// The result of storing an event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EventCreated {
    /// The event.
    pub event: Event,
    /// Codes for missing parts of the response and for special handling of the request.
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
    /// Name of the only branch whose events to list. Default: all branches.
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
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The actor and session that an event belongs to, as query parameters.
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
    /// The events on this page.
    pub events: Vec<Event>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A request for a page of actors or sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Paging {
    /// Maximum number of items per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of actors, sorted by id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActorList {
    /// Ids of the actors.
    pub actors: Vec<String>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A session of an actor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    /// Id of the session.
    pub id: String,
    /// Time at which the first event of the session was stored.
    pub created_at: String,
}

/// A page of sessions, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionList {
    /// The sessions on this page.
    pub sessions: Vec<Session>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
