//! `memory_get`, `memory_by_name`, `memory_id`, and the functions with which every other
//! operation looks up its memory.

use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::Principal;
use loci_model::{Error, MemoryId, Reason, Result};

use super::resource_names::is_name;
use crate::{Engine, access};

impl Engine {
    /// Returns a memory, if the caller has any grant on it.
    pub async fn memory_get(&self, caller: &Principal, id: &MemoryId) -> Result<Memory> {
        if !access::may_know(caller, id) {
            return Err(Error::denied("the caller's grants do not include this memory"));
        }
        let id = id.clone();
        self.store.read(move |tx| existing(tx, &id)).await
    }

    /// Returns the id of a memory that a request names by its id or its name. An id is returned
    /// without a lookup, because the operation itself checks that the memory exists. A name never
    /// has the form of an id, so the two cannot be confused.
    ///
    /// # Errors `NotFound` if no memory has the name, or the memory is hidden from the caller;
    /// `Invalid` if the text is neither a name nor an id.
    pub async fn memory_id(&self, caller: &Principal, name_or_id: &str) -> Result<MemoryId> {
        if let Ok(id) = MemoryId::parse(name_or_id) {
            return Ok(id);
        }
        if !is_name(name_or_id) {
            let rule = "memory must be the name of a memory (a letter, then up to 47 letters, digits or _), or \
                        its id, like notes-a1B2c3D4e5";
            return Err(Error::invalid("memory", rule));
        }
        let (caller, wanted) = (caller.clone(), name_or_id.to_owned());
        let found = self.store.read(move |tx| known(tx, &caller, &wanted)).await?;
        found.ok_or_else(|| Error::not_found(format!("there is no memory named {name_or_id}")).on("memory"))
    }

    /// Returns the id of a memory that a request names by its id or its name; `None` if the
    /// memory does not exist or is hidden from the caller. It is for front ends that report both
    /// cases in the same way.
    pub async fn memory_visible(&self, caller: &Principal, name_or_id: &str) -> Result<Option<MemoryId>> {
        let wanted = name_or_id.to_owned();
        let found = move |tx: &dyn ReadTx| Ok(by_id_or_name(tx, &wanted)?.map(|memory| memory.id));
        let there: Option<MemoryId> = self.store.read(found).await?;
        Ok(there.filter(|memory| access::may_know(caller, memory)))
    }

    /// Returns the memory with this name. A memory that is hidden from the caller is reported as
    /// not found.
    pub async fn memory_by_name(&self, caller: &Principal, name: &str) -> Result<Memory> {
        let wanted = name.to_owned();
        let found = self.store.read(move |tx| tx.memories().by_name(&wanted)).await?;
        found
            .filter(|memory| memory.import.is_none() && access::may_know(caller, &memory.id))
            .ok_or_else(|| Error::not_found(format!("there is no memory named {name}")))
    }
}

/// Returns the id of the memory with this id or name, if the caller has any grant on it.
pub fn known(tx: &dyn ReadTx, caller: &Principal, name_or_id: &str) -> Result<Option<MemoryId>> {
    let memory = by_id_or_name(tx, name_or_id)?.map(|memory| memory.id);
    Ok(memory.filter(|memory| {
        access::may_know(caller, memory)
            || access::may_act(caller, memory)
            || access::may_report(caller, memory)
    }))
}

/// Returns the memory with this id or name, without a check of grants.
pub fn by_id_or_name(tx: &dyn ReadTx, name_or_id: &str) -> Result<Option<Memory>> {
    let found = match MemoryId::parse(name_or_id) {
        Ok(id) => tx.memories().get(&id),
        Err(_) => tx.memories().by_name(name_or_id),
    }?;
    Ok(found.filter(|memory| memory.import.is_none()))
}

/// Returns a memory; the error is `NotFound` if it does not exist or its import is still running.
pub fn existing(tx: &dyn ReadTx, id: &MemoryId) -> Result<Memory> {
    served(any(tx, id)?)
}

/// Returns a memory, even while its import is running; the error is `NotFound` if it does not
/// exist.
pub fn any(tx: &dyn ReadTx, id: &MemoryId) -> Result<Memory> {
    tx.memories().get(id)?.ok_or_else(|| Error::not_found(format!("Memory not found: {id}")))
}

/// Returns the given memory; an error if its import is still running.
pub fn served(memory: Memory) -> Result<Memory> {
    if memory.import.is_none() {
        return Ok(memory);
    }
    let rule = format!("the memory {} is being imported and is not served until that has ended", memory.id);
    let remedy = "where the import broke off, import the file again, or delete the memory";
    Err(Error::conflict(format!("{rule}; {remedy}")).because(Reason::ResourceConflict).on("memory"))
}
