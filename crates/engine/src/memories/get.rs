//! `memory_get`, `memory_by_name`, and the look-up that every other verb starts with.

use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::Principal;
use loci_model::{Error, MemoryId, Result};

use crate::{Engine, access};

impl Engine {
    /// The memory, for anyone with a grant that touches it.
    pub async fn memory_get(&self, caller: &Principal, id: &MemoryId) -> Result<Memory> {
        if !access::may_know(caller, id) {
            return Err(Error::denied("the caller's grants do not include this memory"));
        }
        let id = id.clone();
        self.store.read(move |tx| existing(tx, &id)).await
    }

    /// The memory of that name; not found also where the caller may not know of it.
    pub async fn memory_by_name(&self, caller: &Principal, name: &str) -> Result<Memory> {
        let wanted = name.to_owned();
        let found = self.store.read(move |tx| tx.memories().by_name(&wanted)).await?;
        found
            .filter(|memory| access::may_know(caller, &memory.id))
            .ok_or_else(|| Error::not_found(format!("there is no memory named {name}")))
    }
}

/// The memory, or the error for an unknown one.
pub(crate) fn existing(tx: &dyn ReadTx, id: &MemoryId) -> Result<Memory> {
    tx.memories().get(id)?.ok_or_else(|| Error::not_found(format!("Memory not found: {id}")))
}
