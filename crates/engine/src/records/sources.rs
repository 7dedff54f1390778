//! `record_sources`: the events that a record was made from, whoever's they are (sre-memory.md §3.4). Those that the caller may not read, and those that
//! are gone, are counted: what a record says of them is all there is.

use loci_model::event::Event;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, EventId, MemoryId, RecordId, Result, Timestamp};

use super::get::readable;
use crate::memories::existing;
use crate::{Engine, access};

/// Events of one answer.
const EVENTS_MAX: usize = 100;

/// Where a record comes from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordSources {
    /// The events, in the order of the record.
    pub events: Vec<Event>,
    /// How many of those that were looked for are gone, or not for the caller.
    pub unread: usize,
    /// How many come behind the last one that was looked for.
    pub behind: usize,
    /// The last one that was looked for.
    pub last: Option<EventId>,
}

impl Engine {
    /// The events that a record was made from, at most 100 of them, behind `after` where that is one of them.
    ///
    /// # Errors
    /// `NotFound` for a record that is not there for the caller; `Invalid` on `after` for an event that it was not made from.
    pub async fn record_sources(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        record: &RecordId,
        after: Option<&EventId>,
    ) -> Result<RecordSources> {
        let now = self.clock.now();
        let view = access::bound_view(caller, memory, Capability::Read, now)?;
        let (caller, memory, record, after) =
            (caller.clone(), memory.clone(), record.clone(), after.cloned());
        self.store
            .read(move |tx| {
                existing(tx, &memory)?;
                let record = readable(tx, &view, &memory, &record, now)?;
                let mut ids: Vec<EventId> = Vec::new();
                for source in &record.provenance.sources {
                    if !ids.contains(&source.event) {
                        ids.push(source.event.clone());
                    }
                }
                let from = match &after {
                    None => 0,
                    Some(after) => {
                        let rule = "after must be an event that the record was made from";
                        let place = ids.iter().position(|id| id == after);
                        place.ok_or_else(|| Error::invalid("after", rule))? + 1
                    }
                };
                let mut found = RecordSources::default();
                for id in ids.iter().skip(from).take(EVENTS_MAX) {
                    match event(tx, &caller, &memory, id, now)? {
                        Some(event) => found.events.push(event),
                        None => found.unread += 1,
                    }
                    found.last = Some(id.clone());
                }
                found.behind = ids.len().saturating_sub(from + EVENTS_MAX);
                Ok(found)
            })
            .await
    }
}

/// An event wherever it is, as far as the caller may read there.
fn event(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    id: &EventId,
    now: Timestamp,
) -> Result<Option<Event>> {
    let Some(place) = tx.events().place(memory, id)? else { return Ok(None) };
    let view = access::event_view(caller, memory, &place.actor, Some(&place.session), Capability::Read, now);
    let Ok(view) = view else { return Ok(None) };
    let found = tx.events().get(memory, &place.actor, &place.session, id, now)?;
    Ok(found.filter(|event| view.admits(event)))
}
