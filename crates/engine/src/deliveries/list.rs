//! `delivery_list`: lists the outgoing deliveries of a memory that wait, were given up, or were
//! sent within the last day.

use loci_model::delivery::{DeliveryDirection, DeliveryState};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{DeliveryId, Error, MemoryId, Result, limits};

use super::DeliveryPage;
use crate::calls::page::Page;
use crate::memories::existing;
use crate::{Engine, access};

impl Engine {
    /// Returns a page of a memory's outgoing deliveries, newest first, without their content.
    ///
    /// # Errors
    /// `Denied` without administration of the memory, `NotFound` (memory), `Invalid` (limit not 1
    /// to 100).
    pub async fn delivery_list(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        state: Option<DeliveryState>,
        after: Option<DeliveryId>,
        limit: u32,
    ) -> Result<DeliveryPage> {
        access::require_whole(caller, memory, Capability::Admin)?;
        if limit == 0 || limit > limits::PAGE_ITEMS_MAX {
            return Err(Error::invalid("limit", "limit must be 1 to 100"));
        }
        let (memory, wanted) = (memory.clone(), limit as usize);
        self.store
            .read(move |tx| {
                existing(tx, &memory)?;
                let out = DeliveryDirection::Out;
                let rows = tx.deliveries().page(&memory, out, state, after.as_ref(), wanted + 1)?;
                Ok(Page::cut(rows, wanted, |row| row.id.clone()))
            })
            .await
    }
}
