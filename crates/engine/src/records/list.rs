//! `record_list`: lists records, newest first. Filters apply before the list is divided into
//! pages.

use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{Error, Result};

use super::{RecordList, RecordListing, filters, namespaces, strategy_choice};
use crate::calls::page::Page;
use crate::events::list::check_limit;
use crate::memories::existing;
use crate::{Engine, access};

impl Engine {
    /// Returns a page of the records that match a request and that the caller may see.
    pub async fn record_list(&self, caller: &Principal, listing: RecordListing) -> Result<RecordList> {
        check_limit(listing.limit)?;
        check_states(&listing.states)?;
        let view =
            access::bound_view(&self.products, caller, &listing.memory, Capability::Read, self.clock.now())?;
        let (now, products) = (self.clock.now(), self.products.clone());
        self.store
            .read(move |tx| {
                let memory = existing(tx, &listing.memory)?;
                filters::check(&memory, &listing.metadata)?;
                let (mut scope, notices) = namespaces::scope(&memory, &view, &listing.namespaces, now)?;
                namespaces::add_other_names(&mut scope, &memory, &view, &listing.namespaces, &products);
                scope.strategy.clone_from(&listing.strategy);
                scope.metadata.clone_from(&listing.metadata);
                scope.kinds.clone_from(&listing.kinds);
                scope.states = if listing.states.is_empty() {
                    vec![RecordState::Active]
                } else {
                    listing.states.clone()
                };
                strategy_choice::check(tx, &memory, &scope)?;
                let wanted = listing.limit as usize;
                let records = tx.records().list(&RecordPage {
                    scope,
                    after: listing.after.clone(),
                    limit: wanted + 1,
                })?;
                let mut page = Page::cut(records, wanted, |record| (record.created_at, record.id.clone()));
                // Records reserved for another user make a page shorter.
                let view = view.within(&memory);
                page.items.retain(|record| view.admits(record));
                Ok(RecordList { page, notices })
            })
            .await
    }
}

/// Checks that a read request does not name the state of erased records, which no caller may
/// read.
pub fn check_states(states: &[RecordState]) -> Result<()> {
    if states.contains(&RecordState::Erased) {
        return Err(Error::invalid("states", "deleted records cannot be read: leave the state erased out"));
    }
    Ok(())
}
