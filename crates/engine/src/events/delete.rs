//! `event_delete`: removes an event and its copy in the archive of a task's session. Records
//! derived from the event stay; an extraction that has not run yet does not see it.

use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{ActorId, EventId, MemoryId, Result, SessionId};

use super::get::unknown;
use crate::admin::erasure::{IMPORT_ID, Source, Tombstones};
use crate::language_models::erasure;
use crate::memories::existing;
use crate::{Engine, access};

impl Engine {
    /// Deletes an event.
    pub async fn event_delete(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
    ) -> Result<()> {
        let now = self.clock.now();
        let view = access::event_view(caller, memory, actor, Some(session), Capability::Write, now)?;
        let (memory, actor, session, id) = (memory.clone(), actor.clone(), session.clone(), id.clone());
        let (caller, vault, products) = (caller.clone(), self.vault.clone(), self.products.clone());
        self.ready_to_seal().await?;
        self.store
            .write(move |tx| {
                let place = (&actor, &session);
                let guard =
                    products.event_filters(&caller, &existing(tx, &memory)?, place, Capability::Write)?;
                let live = tx.events().get(&memory, &actor, &session, &id, now)?;
                let live = live.filter(|event| view.admits(event) && guard.admits(event));
                let Some(event) = live else { return Err(unknown(&id)) };
                if tx.events_mut().delete(&memory, &actor, &session, &id, now)? {
                    products.event_deleted(tx, &event)?;
                    let tombstones = Tombstones { vault: vault.as_ref(), memory: &memory };
                    tombstones.put(tx, &Source::Event(&id), now)?;
                    if let Some(id) = event.metadata.get(IMPORT_ID) {
                        let source = Source::ImportedEvent { actor: &actor, session: &session, id };
                        tombstones.put(tx, &source, now)?;
                    }
                    // Pending questions on the session may contain the event's text, so they are
                    // asked again without it.
                    erasure::of_session(tx, &memory, &actor, &session, now)
                } else {
                    Err(unknown(&id))
                }
            })
            .await
    }
}
