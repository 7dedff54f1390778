//! `session_list`: newest first; empty sessions stay listed for a day.

use loci_model::ports::store::{SessionPage, StoreExt};
use loci_model::principal::Principal;
use loci_model::{ActorId, MemoryId, Result, SessionId, Timestamp};

use super::SessionList;
use super::list::check_limit;
use crate::memories::existing;
use crate::page::Page;
use crate::{Engine, access};

impl Engine {
    /// A page of an actor's sessions; an unknown actor has none.
    pub async fn session_list(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        actor: &ActorId,
        with_events_only: bool,
        after: Option<(Timestamp, SessionId)>,
        limit: u32,
    ) -> Result<SessionList> {
        check_limit(limit)?;
        let only = access::visible_sessions(caller, memory, actor)?;
        let now = self.clock.now();
        let (memory, actor) = (memory.clone(), actor.clone());
        self.store
            .read(move |tx| {
                existing(tx, &memory)?;
                let wanted = limit as usize;
                let sessions = tx.events().sessions(&SessionPage {
                    memory: memory.clone(),
                    actor: actor.clone(),
                    with_events_only,
                    after: after.clone(),
                    limit: wanted + 1,
                    now,
                    only: only.clone(),
                })?;
                Ok(Page::cut(sessions, wanted, |entry| (entry.created_at, entry.session.clone())))
            })
            .await
    }
}
