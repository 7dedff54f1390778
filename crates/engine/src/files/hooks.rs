//! The hooks of documents: trees follow their records.

use loci_model::ports::store::Tx;
use loci_model::{MemoryId, RecordId, Result};

use super::settling;
use crate::hooks::RecordHooks;

/// The hooks.
pub(super) struct Hooks;

impl RecordHooks for Hooks {
    fn moved(&self, tx: &mut dyn Tx, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        settling::moved(tx, memory, records)
    }

    fn content_erased(&self, tx: &mut dyn Tx, memory: &MemoryId, records: &[RecordId]) -> Result<()> {
        settling::forget(tx, memory, records)
    }
}
