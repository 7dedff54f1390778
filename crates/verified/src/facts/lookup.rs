//! Looks up one fact by its id with its repository, if the caller may see it. Every operation on a
//! fact begins with it.

use loci_engine::memories::existing;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, MemoryId, RecordId, Result};

use super::fact_record::{self, Remembered};
use crate::Verified;
use crate::repositories::{VisibleRepository, of_id};
use loci_engine::calls::call_context::CallContext;

/// A fact with its repository.
#[derive(Debug, Clone)]
pub(crate) struct LocatedFact {
    pub(crate) found: VisibleRepository,
    pub(crate) remembered: Remembered,
}

/// Parses a record id as callers write it, with or without `mem-`.
///
/// # Errors
/// `Invalid`, naming the rule.
pub fn record_id(text: &str) -> Result<RecordId> {
    let bare = text.strip_prefix("mem-").unwrap_or(text);
    let is_uuid = bare.len() == 36
        && bare.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    if !is_uuid {
        return Err(Error::invalid("memory_id", "memory_id must be a UUID, with or without mem- before it"));
    }
    RecordId::parse(format!("mem-{}", bare.to_ascii_lowercase()))
}

/// Returns the id in the form that these tools use.
pub fn bare_id(id: &RecordId) -> &str {
    id.as_str().strip_prefix("mem-").unwrap_or(id.as_str())
}

impl Verified {
    /// Returns one stored fact in any state.
    ///
    /// # Errors
    /// `NotFound` if the fact does not exist or is not visible to the caller.
    pub(crate) async fn locate(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &RecordId,
        capability: Capability,
    ) -> Result<LocatedFact> {
        let located = self.locate_proposed(caller, standing, id, capability).await?;
        if located.remembered.fact.proposed { Err(fact_record::unknown(id)) } else { Ok(located) }
    }

    /// Returns one fact in any state, including one whose citations are only proposed.
    ///
    /// # Errors
    /// As [`Verified::locate`].
    pub(crate) async fn locate_proposed(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &RecordId,
        capability: Capability,
    ) -> Result<LocatedFact> {
        let memory = self.code_memory(caller, standing).await?;
        let (caller, id) = (caller.clone(), id.clone());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                stored_or_proposed(tx, &caller, &memory, &id, capability)
            })
            .await
    }
}

/// Returns one stored fact within a transaction.
pub(crate) fn located(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    id: &RecordId,
    capability: Capability,
) -> Result<LocatedFact> {
    let located = stored_or_proposed(tx, caller, memory, id, capability)?;
    if located.remembered.fact.proposed { Err(fact_record::unknown(id)) } else { Ok(located) }
}

/// Returns one fact within a transaction, including one whose citations are only proposed, for
/// callers that confirm it.
pub(crate) fn stored_or_proposed(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    id: &RecordId,
    capability: Capability,
) -> Result<LocatedFact> {
    let missing = || fact_record::unknown(id);
    let fact = tx.facts().get(memory, id)?.ok_or_else(missing)?;
    let found = of_id(tx, caller, memory, &fact.repository, capability)?.ok_or_else(missing)?;
    let remembered = fact_record::one(tx, memory, &found.view, id)?.ok_or_else(missing)?;
    Ok(LocatedFact { found, remembered })
}
