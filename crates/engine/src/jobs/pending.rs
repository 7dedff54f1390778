//! Whether events still wait to become records: what makes an answer `extraction_pending`.

use loci_model::job::{Job, JobKind, JobState};
use loci_model::ports::store::{JobQuery, ReadTx};
use loci_model::principal::bounds::Bounds;
use loci_model::record::scope::AccessClause;
use loci_model::{MemoryId, Result, Timestamp, limits};

use crate::access::View;

/// True while an extraction waits or runs whose events the caller may know of: those of the whole memory, or of an actor.
/// Where a grant is on a namespace or a strategy alone, what others have said lately is not told. Of a grant that is bound
/// the jobs that changed last are looked at; where there are more of them, something may wait, and so it says.
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

/// True where a job has an event yet to read that meets the bounds.
fn reads_some(tx: &dyn ReadTx, memory: &MemoryId, job: &Job, bounds: &Bounds) -> Result<bool> {
    let (Some(strategy), Some(actor), Some(session)) = (&job.strategy, &job.actor, &job.session) else {
        return Ok(false);
    };
    let read = tx.events().progress(memory, strategy, actor, session)?;
    // What has expired by now was to be read all the same: the time does not matter here.
    tx.events().has_unprocessed(memory, actor, session, read, bounds, Timestamp::EPOCH)
}
