//! `event_get`: returns an event. The request must name its memory, actor, session and id
//! correctly.

use loci_model::event::Event;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{ActorId, Error, EventId, MemoryId, Result, SessionId};

use crate::memories::existing;
use crate::{Engine, access};

impl Engine {
    /// Returns an event.
    pub async fn event_get(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
    ) -> Result<Event> {
        let now = self.clock.now();
        let view = access::event_view(caller, memory, actor, Some(session), Capability::Read, now)?;
        let (memory, actor, session, id) = (memory.clone(), actor.clone(), session.clone(), id.clone());
        let (caller, products) = (caller.clone(), self.products.clone());
        self.store
            .read(move |tx| {
                let place = (&actor, &session);
                let guard =
                    products.event_filters(&caller, &existing(tx, &memory)?, place, Capability::Read)?;
                let found = tx.events().get(&memory, &actor, &session, &id, now)?;
                found.filter(|event| view.admits(event) && guard.admits(event)).ok_or_else(|| unknown(&id))
            })
            .await
    }
}

/// Returns the error for an unknown event.
pub(super) fn unknown(id: &EventId) -> Error {
    Error::not_found(format!("Event not found: {id}"))
}
