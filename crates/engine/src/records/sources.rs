//! `record_sources`: the events from which a record was derived, whoever their actors are. Events
//! that were removed, or that the caller may not read, are only counted.

use loci_model::event::Event;
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, ErrorKind, EventId, MemoryId, RecordId, Result, Timestamp};

use super::get::readable;
use crate::hooks::Products;
use crate::memories::existing;
use crate::{Engine, access};

/// The maximum number of source events in one response.
const EVENTS_MAX: usize = 100;

/// The source events of a record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordSources {
    /// The source events, in the order in which the record names them.
    pub events: Vec<Event>,
    /// The number of source events that are not returned, because they were removed or the caller
    /// may not read them.
    pub unread: usize,
    /// The number of sources of the record that follow the last examined one.
    pub behind: usize,
    /// The id of the last examined event, from which the next request continues; `None` if no
    /// event was examined.
    pub last: Option<EventId>,
}

impl Engine {
    /// Returns the events from which a record was derived, at most 100 of them, after `after` if
    /// given.
    ///
    /// # Errors
    /// `NotFound` for a record that the caller cannot see; `Invalid` on `after` for an event that
    /// is not one of its sources.
    pub async fn record_sources(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        record: &RecordId,
        after: Option<&EventId>,
    ) -> Result<RecordSources> {
        let now = self.clock.now();
        let view = access::bound_view(&self.products, caller, memory, Capability::Read, now)?;
        let (caller, memory, record, after) =
            (caller.clone(), memory.clone(), record.clone(), after.cloned());
        let products = self.products.clone();
        self.store
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let record = readable(tx, &view.within(&memory), &memory.id, &record, now)?;
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
                    match event(tx, &products, (&caller, &memory), id, now)? {
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

/// Returns an event of any session, if the caller may read it.
fn event(
    tx: &dyn ReadTx,
    products: &Products,
    (caller, memory): (&Principal, &Memory),
    id: &EventId,
    now: Timestamp,
) -> Result<Option<Event>> {
    let Some(place) = tx.events().place(&memory.id, id)? else { return Ok(None) };
    let (actor, session) = (&place.actor, &place.session);
    let view = access::event_view(caller, &memory.id, actor, Some(session), Capability::Read, now);
    let Ok(view) = view else { return Ok(None) };
    let filters = products.event_filters(caller, memory, (actor, session), Capability::Read);
    let guard = match filters {
        Ok(guard) => guard,
        Err(error) if error.kind == ErrorKind::Denied => return Ok(None),
        Err(error) => return Err(error),
    };
    let found = tx.events().get(&memory.id, actor, session, id, now)?;
    Ok(found.filter(|event| view.admits(event) && guard.admits(event)))
}
