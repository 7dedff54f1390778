//! Whether events still wait to become records: what makes an answer `extraction_pending`.

use loci_model::job::{JobKind, JobState};
use loci_model::ports::store::{JobQuery, ReadTx};
use loci_model::scope::AccessClause;
use loci_model::{MemoryId, Result};

use crate::access::View;

/// True while an extraction waits or runs whose events the caller may know of: those of the whole memory, or of an actor.
/// Where a grant is on a namespace or a strategy alone, what others have said lately is not told.
pub(crate) fn extraction_is_pending(tx: &dyn ReadTx, memory: &MemoryId, view: &View) -> Result<bool> {
    let open = tx.jobs().has_open(memory, JobKind::Extract)?;
    if !open || view.is_whole() {
        return Ok(open);
    }
    let of_events = |clause: &&AccessClause| clause.namespace.is_none() && clause.strategy.is_none();
    for clause in view.clauses().iter().filter(of_events) {
        for state in [JobState::Pending, JobState::Running] {
            let query = JobQuery {
                kinds: vec![JobKind::Extract],
                state: Some(state),
                actor: clause.actor.clone(),
                session: clause.session.clone(),
                limit: 1,
                ..JobQuery::default()
            };
            if !tx.jobs().list(memory, &query)?.is_empty() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
