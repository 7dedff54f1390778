//! The memory that a caller addresses: by its id or name, or the only one of their grants.

use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::{MemoryId, Result};

use super::known;
use crate::Engine;

impl Engine {
    /// Returns the memory with the given id or name, else the only one of the caller's grants, else
    /// the memory with the name `otherwise`. Returns `None` if the caller may not know of it, or it
    /// does not exist.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn memory_meant(
        &self,
        caller: &Principal,
        named: Option<&str>,
        otherwise: &str,
    ) -> Result<Option<MemoryId>> {
        let wanted = named.map(str::to_owned).or_else(|| Some(only_granted(caller)?.to_string()));
        self.memory_known(caller, wanted.as_deref().unwrap_or(otherwise)).await
    }

    /// Returns the memory with this id or name, if the caller may know of it.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn memory_known(&self, caller: &Principal, wanted: &str) -> Result<Option<MemoryId>> {
        let (caller, wanted) = (caller.clone(), wanted.to_owned());
        self.store.read(move |tx| known(tx, &caller, &wanted)).await
    }
}

/// Returns the memory if all of the caller's grants name the same one.
pub fn only_granted(caller: &Principal) -> Option<MemoryId> {
    let mut named = caller.grants.iter().map(|grant| grant.memory.as_ref());
    let first = named.next()??;
    named.all(|other| other == Some(first)).then(|| first.clone())
}
