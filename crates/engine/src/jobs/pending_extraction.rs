//! Checks if events still wait for extraction, which a response reports as `extraction_pending`.

use loci_model::job::{Job, JobKind, JobState};
use loci_model::ports::store::{JobQuery, ReadTx};
use loci_model::principal::bounds::Bounds;
use loci_model::record::scope::AccessClause;
use loci_model::{MemoryId, Result, Timestamp, limits};

use crate::access::View;

/// Returns true while an extraction waits or runs whose events the caller may know of: those of the
/// whole memory, or of an actor. A grant on a namespace or a strategy only does not reveal recent
/// events of others. For a restricted grant it checks the latest changed jobs; if there are more,
/// it returns true because one may wait.
pub(crate) fn extraction_is_pending(tx: &dyn ReadTx, memory: &MemoryId, view: &View) -> Result<bool> {
    let open = tx.jobs().has_open(memory, &JobKind::EXTRACT)?;
    if !open || view.is_whole() {
        return Ok(open);
    }
    let of_events = |clause: &&AccessClause| clause.namespace.is_none() && clause.strategy.is_none();
    for clause in view.clauses().iter().filter(of_events) {
        let looked_at = if clause.bounds.is_none() { 0 } else { limits::PENDING_JOBS_MAX };
        for state in [JobState::Pending, JobState::Running] {
            let query = JobQuery {
                kinds: vec![JobKind::EXTRACT],
                state: Some(state),
                actor: clause.actor.clone(),
                session: clause.session.clone(),
                limit: looked_at + 1,
                ..JobQuery::default()
            };
            let jobs = tx.jobs().list(memory, &query)?;
            if jobs.len() > looked_at {
                return Ok(true);
            }
            for job in jobs {
                if reads_some(tx, memory, &job, &clause.bounds)? {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// Returns true if a job must still read an event that meets the restrictions.
fn reads_some(tx: &dyn ReadTx, memory: &MemoryId, job: &Job, bounds: &Bounds) -> Result<bool> {
    let (Some(strategy), Some(actor), Some(session)) = (&job.strategy, &job.actor, &job.session) else {
        return Ok(false);
    };
    let read = tx.events().progress(memory, strategy, actor, session)?;
    // Expired events were to be read as well, so the time does not matter here.
    tx.events().has_unprocessed(memory, actor, session, read, bounds, Timestamp::EPOCH)
}
