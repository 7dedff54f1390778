//! Whether events of a memory still wait to become records: what makes an answer `extraction_pending`.

use loci_model::job::JobKind;
use loci_model::ports::store::ReadTx;
use loci_model::{MemoryId, Result};

/// True while an extraction of the memory waits or runs.
pub(crate) fn extraction_is_pending(tx: &dyn ReadTx, memory: &MemoryId) -> Result<bool> {
    tx.jobs().has_open(memory, JobKind::Extract)
}
