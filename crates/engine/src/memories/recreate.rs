//! `memory_recreate`: destroys a memory with all its data and creates one with the same
//! configuration and name, in one write. The caller must repeat the name, because the data cannot
//! be restored.

use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::transfer::{TransferKind, TransferPlace};
use loci_model::{Error, JobId, MemoryId, Result};

use super::get::existing;
use super::resource_names;
use crate::deliveries::record_streams;
use crate::records::batch;
use crate::{Engine, access};

/// The result of `memory_recreate`: the data that was destroyed, or would be, and the new memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRecreated {
    /// The old memory, which the request names.
    pub old: Memory,
    /// The new memory; `None` if the name was not repeated, so that nothing was destroyed.
    pub new: Option<Memory>,
    /// The number of records of the old memory, in any state.
    pub records: u64,
    /// The number of events of the old memory.
    pub events: u64,
}

impl Engine {
    /// Reports how much data a memory holds. If the request repeats the memory's name, the memory
    /// is destroyed and a new one is created with the same settings, strategies, keys and tags,
    /// but with new ids.
    ///
    /// # Errors
    /// `Denied` without administration of the server; `NotFound` for an unknown memory; `Invalid`
    /// if the repeated name differs.
    pub async fn memory_recreate(
        &self,
        caller: &Principal,
        id: &MemoryId,
        yes_destroy: Option<&str>,
    ) -> Result<MemoryRecreated> {
        access::require_whole(caller, id, Capability::Admin)?;
        // It also creates a memory.
        access::require_server_admin(caller)?;
        let now = self.clock.now();
        let (id, name) = (id.clone(), yes_destroy.map(str::to_owned));
        let place = TransferPlace::Memory(id.clone());
        if name.is_none() {
            return self
                .store
                .read(move |tx| {
                    let old = existing(tx, &id)?;
                    let records = tx.transfer().count(&place, TransferKind::Records)?;
                    let events = tx.transfer().count(&place, TransferKind::Events)?;
                    Ok(MemoryRecreated { old, new: None, records, events })
                })
                .await;
        }
        let engine = self.clone();
        let purge = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        self.store
            .write(move |tx| {
                let old = existing(tx, &id)?;
                if name.as_deref() != Some(old.name.as_str()) {
                    let rule =
                        "yes_destroy must be the memory's name in full: what is destroyed does not come back";
                    return Err(Error::invalid("yes_destroy", rule));
                }
                let records = tx.transfer().count(&place, TransferKind::Records)?;
                let events = tx.transfer().count(&place, TransferKind::Events)?;
                let mut new = old.clone();
                new.id = resource_names::memory_id(engine.ids.as_ref(), &old.name)?;
                for strategy in &mut new.strategies {
                    strategy.id = resource_names::strategy_id(engine.ids.as_ref(), &strategy.name)?;
                    (strategy.created_at, strategy.updated_at) = (now, now);
                }
                (new.created_at, new.updated_at) = (now, now);
                tx.jobs_mut().cancel(&id, None, None)?;
                tx.memories_mut().delete(&id, now)?;
                batch::ask_for_purge(tx, &old, &purge, now)?;
                tx.memories_mut().insert(&new)?;
                record_streams::enabled(tx, None, &new, now)?;
                Ok(MemoryRecreated { old, new: Some(new), records, events })
            })
            .await
    }
}
