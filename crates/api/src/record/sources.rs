//! The source events of a record.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::event::Event;

/// A request for the source events of a record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecordSourcesAsk {
    /// Id or name of the memory. Default: as for the start of an investigation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Id of the event after which the list starts. Default: the list starts with the first event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Source events of a record, at most 100, in the order of the record.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RecordSources {
    /// The events.
    pub events: Vec<Event>,
    /// True if events are missing from the list.
    pub degraded: bool,
    /// Numbers of the missing events, and the reasons.
    pub warnings: Vec<String>,
}
