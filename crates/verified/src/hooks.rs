//! The hooks of verified memory: facts follow their records.

use loci_engine::hooks::RecordHooks;
use loci_engine::records::changes::RecordStateChange;
use loci_model::ports::store::Tx;
use loci_model::record::Record;
use loci_model::{MemoryId, RecordId, Result, Timestamp};

use super::facts::record_changes;
use super::record_citations::proposals;

/// The hooks.
pub(super) struct Hooks;

impl RecordHooks for Hooks {
    fn changed(&self, tx: &mut dyn Tx, change: &RecordStateChange<'_>) -> Result<()> {
        record_changes::follow(tx, change)
    }

    fn extracted(&self, tx: &mut dyn Tx, record: &Record, at: Timestamp) -> Result<()> {
        proposals::ask(tx, record, at)
    }

    fn erased_at_once(
        &self,
        tx: &mut dyn Tx,
        memory: &MemoryId,
        records: &[RecordId],
        by: &str,
        at: Timestamp,
    ) -> Result<()> {
        record_changes::erased(tx, memory, records, by, at)
    }
}
