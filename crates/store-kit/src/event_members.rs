//! Members of events that few events have: they are stored together in one JSON column.

use std::collections::BTreeMap;

use loci_model::Result;
use loci_model::event::{Event, EventNotes, RunPlace};
use serde::{Deserialize, Serialize};

use crate::codes::json;

/// The members of an event that have no column of their own.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventMore {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) variables: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<RunPlace>,
    #[serde(default, skip_serializing_if = "is_plain")]
    pub(crate) notes: EventNotes,
}

fn is_plain(notes: &EventNotes) -> bool {
    *notes == EventNotes::default()
}

impl EventMore {
    /// Returns the JSON of these members of an event, or `None` if the event has none of them.
    ///
    /// # Errors
    /// A bug, if it cannot be serialised.
    pub fn of(event: &Event) -> Result<Option<String>> {
        let more = Self {
            variables: event.namespace_variables.clone(),
            run: event.run.clone(),
            notes: event.notes.clone(),
        };
        if more == Self::default() { Ok(None) } else { json(&more).map(Some) }
    }
}
