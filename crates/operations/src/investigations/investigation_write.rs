//! Writes the next version of an investigation. It reads the record again within the transaction,
//! because another writer may have changed it, and masks secrets in its values. Outcomes, findings
//! and alerts supply the new content.

use loci_engine::access;
use loci_engine::memories::existing;
use loci_engine::records::record_builder::Building;
use loci_engine::safety::{RedactionMode, SafetyPolicy};
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::Record;
use loci_model::{Error, MemoryId, RecordId, Result};
use serde_json::{Map, Value};

use super::investigation_lookup::StoredInvestigation;
use crate::Operations;
use crate::input::secret_mask;

/// An investigation within the transaction that changes it.
pub(crate) struct InvestigationRewrite<'a> {
    /// The current version.
    pub(crate) known: StoredInvestigation,
    /// Builds the other records that the transaction writes.
    pub(crate) building: Building<'a>,
    masks: RedactionMode,
}

impl InvestigationRewrite<'_> {
    /// Replaces the investigation with its next version. `finish` sets members other than the
    /// content.
    ///
    /// # Errors
    /// As [`Building::replace`].
    pub(crate) fn write(
        &self,
        tx: &mut dyn Tx,
        content: Map<String, Value>,
        why: &str,
        finish: impl FnOnce(&mut Record),
    ) -> Result<Record> {
        let mut content = Value::Object(content);
        secret_mask::mask(&mut content, self.masks);
        let mut next = self.known.saying(&content, self.building.now);
        finish(&mut next);
        self.building.replace(tx, &self.known.record, next, why)
    }
}

impl Operations {
    /// Runs `work` on the current version of an investigation, in one transaction.
    ///
    /// # Errors
    /// `NotFound` if it was deleted; `Denied` if the caller may not write it; errors of `work`.
    pub(crate) async fn rewrite<T, F>(
        &self,
        caller: &Principal,
        (memory, record): (&MemoryId, &RecordId),
        work: F,
    ) -> Result<T>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Tx, &InvestigationRewrite<'_>) -> Result<T> + Send + 'static,
    {
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Write, now)?;
        let (settings, by) = (self.engine.settings().clone(), caller.name.clone());
        let (memory, record) = (memory.clone(), record.clone());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let fresh = tx.records().get(&memory.id, &record)?.and_then(StoredInvestigation::of);
                let gone = || Error::not_found("the investigation is gone").on("incident_id");
                let known = fresh.ok_or_else(gone)?;
                let policy = SafetyPolicy::of(&settings, &memory.settings);
                let masks = policy.secrets;
                // JSON content is masked once, value by value.
                let policy = SafetyPolicy { secrets: RedactionMode::Off, ..policy };
                let building = Building { memory: &memory, view: &view, policy, expiry: None, by: &by, now };
                work(tx, &InvestigationRewrite { known, building, masks })
            })
            .await
    }
}
