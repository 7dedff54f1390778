//! Finds the memory that a caller means: the named memory, or the only one in the caller's
//! grants.

use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::{MemoryId, Result};

use super::known;
use crate::Engine;

impl Engine {
    /// Returns the memory with the given id or name; without one, the only memory in the caller's
    /// grants; otherwise the memory named `otherwise`. Returns `None` if the memory does not
    /// exist or is hidden from the caller.
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

    /// Returns the memory with this id or name; `None` if it does not exist or is hidden from the
    /// caller.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn memory_known(&self, caller: &Principal, wanted: &str) -> Result<Option<MemoryId>> {
        let (caller, wanted) = (caller.clone(), wanted.to_owned());
        self.store.read(move |tx| known(tx, &caller, &wanted)).await
    }
}

/// Returns the memory that all grants of the caller name; `None` if they name different ones or
/// none.
pub fn only_granted(caller: &Principal) -> Option<MemoryId> {
    let mut named = caller.grants.iter().map(|grant| grant.memory.as_ref());
    let first = named.next()??;
    named.all(|other| other == Some(first)).then(|| first.clone())
}
