//! Whether events of a memory still wait to become records: what makes an answer `extraction_pending`.

use loci_model::job::{JobKind, JobState};
use loci_model::ports::store::{JobQuery, ReadTx};
use loci_model::{MemoryId, Result};

/// True while an extraction of the memory waits or runs.
pub(crate) fn extraction_is_pending(tx: &dyn ReadTx, memory: &MemoryId) -> Result<bool> {
    for state in [JobState::Pending, JobState::Running] {
        let query =
            JobQuery { kind: Some(JobKind::Extract), state: Some(state), limit: 1, ..JobQuery::default() };
        if !tx.jobs().list(memory, &query)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
