//! `event_list`: lists the events of a session, newest first. Every acknowledged write is
//! visible, and filters apply before the list is divided into pages.

use loci_model::ports::store::{EventQuery, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, FieldName, Result, limits};

use super::branches::{self, SessionPlace};
use super::{EventListing, EventPage};
use crate::calls::page::Page;
use crate::memories::existing;
use crate::{Engine, access};

impl Engine {
    /// Returns a page of a session's events. It is empty for an unknown actor, session or branch.
    pub async fn event_list(&self, caller: &Principal, listing: EventListing) -> Result<EventPage> {
        check_limit(listing.limit)?;
        let now = self.clock.now();
        let (memory, actor, session) = (&listing.memory, &listing.actor, &listing.session);
        let view = access::event_view(caller, memory, actor, Some(session), Capability::Read, now)?;
        let (caller, products) = (caller.clone(), self.products.clone());
        self.store
            .read(move |tx| {
                let memory = existing(tx, &listing.memory)?;
                products.check_event_ids(&memory, listing.actor.as_str(), Some(listing.session.as_str()))?;
                let of = (&listing.actor, &listing.session);
                let guard = products.event_filters(&caller, &memory, of, Capability::Read)?;
                let place = SessionPlace {
                    memory: &listing.memory,
                    actor: &listing.actor,
                    session: &listing.session,
                    now,
                };
                let branches = match &listing.branch {
                    None => None,
                    Some((name, with_parents)) => Some(branches::slices(tx, &place, name, *with_parents)?),
                };
                if branches.as_ref().is_some_and(Vec::is_empty) {
                    return Ok(Page { items: Vec::new(), next: None });
                }
                let wanted = listing.limit as usize;
                let events = tx.events().list(&EventQuery {
                    memory: listing.memory.clone(),
                    actor: listing.actor.clone(),
                    session: listing.session.clone(),
                    branches,
                    metadata: listing.metadata.clone(),
                    only: view.only(),
                    before: listing.before.clone(),
                    limit: wanted + 1,
                    now,
                    with_payload: listing.with_payload,
                })?;
                let mut page = Page::cut(events, wanted, |event| event.id.clone());
                // Hidden preferences of other users make a page shorter.
                page.items.retain(|event| guard.admits(event));
                Ok(page)
            })
            .await
    }
}

/// Checks that the maximum number of items in a page is 1 to 100.
pub(crate) fn check_limit(limit: u32) -> Result<()> {
    if (1..=limits::PAGE_ITEMS_MAX).contains(&limit) {
        Ok(())
    } else {
        Err(Error::invalid(FieldName::Limit, "a page must have 1 to 100 items"))
    }
}
