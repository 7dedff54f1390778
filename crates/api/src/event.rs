//! Events, actors and sessions.

use std::collections::BTreeMap;

pub use loci_model::event::ExtractionMode as Extraction;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::twin_words::twin_words;

twin_words! {
    /// Who speaks.
    Role = loci_model::event::Role {
        /// The model.
        Assistant,
        /// A person.
        User,
        /// A tool.
        Tool,
        /// Anything else.
        Other,
    }
}

/// One part of an event: a message, or JSON that is kept byte for byte.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PayloadItem {
    /// Something said.
    Message(Message),
    /// JSON that strategies read.
    #[schema(value_type = serde_json::Value)]
    Json(Box<RawValue>),
    /// JSON that strategies do not read.
    #[schema(value_type = serde_json::Value)]
    Blob(Box<RawValue>),
}

/// Something said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub text: String,
}

/// A branch of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// Its name.
    pub name: String,
    /// The event it starts from; needed once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// An event to be stored.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventCreate {
    /// Who.
    pub actor: String,
    /// Which conversation; a new one where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When it happened; now where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// What was said or done.
    pub payload: Vec<PayloadItem>,
    /// The branch; main where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
    /// Free texts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// Whether strategies read it.
    #[serde(default)]
    pub extraction: Extraction,
    /// Values of declared namespace variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub namespace_variables: BTreeMap<String, String>,
}

/// An event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Its id; string order is the order of events.
    pub id: String,
    /// The memory.
    pub memory: String,
    /// Who.
    pub actor: String,
    /// Which conversation.
    pub session: String,
    /// When it happened.
    pub time: String,
    /// What was said or done; absent where it was not asked for.
    #[serde(default)]
    pub payload: Vec<PayloadItem>,
    /// The branch.
    pub branch: Branch,
    /// Free texts.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// Content was over a limit and stored all the same.
    pub over_limit: bool,
    /// When it vanishes.
    pub expires_at: String,
}

/// A stored event.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EventCreated {
    /// The event.
    pub event: Event,
    /// What to know about it.
    #[serde(flatten)]
    pub notices: crate::Notices,
}

/// Which events of a session to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EventListing {
    /// The actor.
    pub actor: String,
    /// The session.
    pub session: String,
    /// Only this branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// With the branch's ancestors, up to where it starts.
    pub include_parents: bool,
    /// Without payloads.
    pub without_payload: bool,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// One event of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EventPlace {
    /// The actor.
    pub actor: String,
    /// The session.
    pub session: String,
}

/// A page of events, newest first.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EventList {
    /// The events.
    pub events: Vec<Event>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Which actors or sessions to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Paging {
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of actors, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActorList {
    /// Their ids.
    pub actors: Vec<String>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A session of an actor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// When it began.
    pub created_at: String,
}

/// A page of sessions, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionList {
    /// The sessions.
    pub sessions: Vec<Session>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
