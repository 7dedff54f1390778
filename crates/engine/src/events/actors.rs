//! `actor_list`: lists the actors that have events which the caller may see, in ascending order.

use loci_model::ports::store::{ActorPage, StoreExt};
use loci_model::principal::Principal;
use loci_model::{ActorId, MemoryId, Result};

use super::ActorList;
use super::list::check_limit;
use super::sessions::shows_any;
use crate::calls::page::Page;
use crate::memories::existing;
use crate::{Engine, access};

impl Engine {
    /// Returns a page of actors.
    pub async fn actor_list(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        after: Option<ActorId>,
        limit: u32,
    ) -> Result<ActorList> {
        check_limit(limit)?;
        let only = access::visible_actors(caller, memory)?;
        let now = self.clock.now();
        let (caller, memory) = (caller.clone(), memory.clone());
        self.store
            .read(move |tx| {
                existing(tx, &memory)?;
                let wanted = limit as usize;
                let mut actors = Vec::new();
                let mut page = ActorPage {
                    memory: memory.clone(),
                    after: after.clone(),
                    limit: wanted + 1,
                    now,
                    only: only.clone(),
                };
                // This reads as many pages as needed, because some actors are hidden from the
                // caller.
                loop {
                    let found = tx.events().actors(&page)?;
                    let is_last = found.len() < page.limit;
                    page.after = found.last().cloned();
                    for actor in found {
                        if shows_any(tx, &caller, (&memory, &actor), now)? {
                            actors.push(actor);
                        }
                    }
                    if is_last || actors.len() >= page.limit {
                        actors.truncate(page.limit);
                        return Ok(Page::cut(actors, wanted, Clone::clone));
                    }
                }
            })
            .await
    }
}
