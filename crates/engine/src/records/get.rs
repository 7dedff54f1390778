//! `record_get`, and functions that return a single record to a caller who may see it.

use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::Record;
use loci_model::{Error, MemoryId, Namespace, RecordId, Result, Timestamp};

use crate::Engine;
use crate::access::{self, View};
use crate::memories::existing;

impl Engine {
    /// Returns a record that the caller may see. A caller who names a `namespace` other than the
    /// record's is denied.
    pub async fn record_get(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        id: &RecordId,
        namespace: Option<&Namespace>,
    ) -> Result<Record> {
        let view = access::bound_view(&self.products, caller, memory, Capability::Read, self.clock.now())?;
        let now = self.clock.now();
        let (memory, id, namespace) = (memory.clone(), id.clone(), namespace.cloned());
        self.store
            .read(move |tx| {
                let view = view.within(&existing(tx, &memory)?);
                let record = readable(tx, &view, &memory, &id, now)?;
                check_namespace(&record, namespace.as_ref())?;
                Ok(record)
            })
            .await
    }
}

/// Returns a record if it is not deleted and the caller may see it. A record that the caller may
/// not see is reported as not found.
pub(super) fn readable(
    tx: &dyn ReadTx,
    view: &View,
    memory: &MemoryId,
    id: &RecordId,
    now: Timestamp,
) -> Result<Record> {
    tx.records()
        .get(memory, id)?
        .filter(|record| record.is_readable(now) && view.admits(record))
        .ok_or_else(|| unknown(id))
}

/// Returns the error for a record that does not exist or is hidden from the caller.
pub(super) fn unknown(id: &RecordId) -> Error {
    Error::not_found(format!("Memory record not found: {id}"))
}

/// Checks that the caller named no namespace other than the record's.
pub(super) fn check_namespace(record: &Record, named: Option<&Namespace>) -> Result<()> {
    match named {
        Some(named) if named.normal() != record.namespace.normal() => {
            Err(Error::denied("the record is not in the namespace given"))
        }
        Some(_) | None => Ok(()),
    }
}
