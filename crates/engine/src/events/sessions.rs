//! `session_list`: lists the sessions of an actor, newest first. A session without events stays
//! in the list for a day.

use loci_model::ports::store::{ReadTx, SessionEntry, SessionPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{ActorId, MemoryId, Result, SessionId, Timestamp};

use super::SessionList;
use super::list::check_limit;
use crate::Engine;
use crate::access::{self, grant_restrictions};
use crate::calls::page::Page;
use crate::memories::existing;

impl Engine {
    /// Returns a page of an actor's sessions. The page is empty for an unknown actor.
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
        let (caller, memory, actor) = (caller.clone(), memory.clone(), actor.clone());
        self.store
            .read(move |tx| {
                existing(tx, &memory)?;
                let wanted = limit as usize;
                let page = SessionPage {
                    memory: memory.clone(),
                    actor: actor.clone(),
                    with_events_only,
                    after: after.clone(),
                    limit: wanted + 1,
                    now,
                    only: only.clone(),
                };
                let sessions = shown(tx, &caller, page)?;
                Ok(Page::cut(sessions, wanted, |entry| (entry.created_at, entry.session.clone())))
            })
            .await
    }
}

/// Returns the sessions of a page that contain an event which the caller may see.
fn shown(tx: &dyn ReadTx, caller: &Principal, mut page: SessionPage) -> Result<Vec<SessionEntry>> {
    let mut out = Vec::new();
    loop {
        let found = tx.events().sessions(&page)?;
        let is_last = found.len() < page.limit;
        page.after = found.last().map(|entry| (entry.created_at, entry.session.clone()));
        for entry in found {
            if grant_restrictions::shows(tx, caller, (&page.memory, &page.actor, &entry.session), page.now)? {
                out.push(entry);
            }
        }
        if is_last || out.len() >= page.limit {
            out.truncate(page.limit);
            return Ok(out);
        }
    }
}

/// Returns true if the caller may see any event in any session of the actor.
pub(super) fn shows_any(
    tx: &dyn ReadTx,
    caller: &Principal,
    (memory, actor): (&MemoryId, &ActorId),
    now: Timestamp,
) -> Result<bool> {
    let whole = access::event_view(caller, memory, actor, None, Capability::Read, now);
    if whole.is_ok_and(|view| view.is_whole()) {
        return Ok(true);
    }
    let (memory, actor) = (memory.clone(), actor.clone());
    let page = SessionPage { memory, actor, with_events_only: true, after: None, limit: 1, now, only: None };
    Ok(!shown(tx, caller, page)?.is_empty())
}
