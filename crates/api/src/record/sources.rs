//! The events that a record was made from.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::event::Event;

/// Which of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecordSourcesAsk {
    /// Id or name of the memory; absent: as at the start of an investigation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Those behind this event; absent: from the first on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Events, at most 100, in the order of the record.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RecordSources {
    /// The events.
    pub events: Vec<Event>,
    /// There are more than are shown.
    pub degraded: bool,
    /// How many more, and why they are not shown.
    pub warnings: Vec<String>,
}
