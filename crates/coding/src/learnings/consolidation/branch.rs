//! Facts that hold only on a branch: the code is available and the commit is not on the default
//! branch. If this cannot be determined, a learning holds everywhere.

use loci_model::facts::branch_fact::BranchFact;
use loci_model::ports::code::{CodeResult, CodeSource};
use loci_model::ports::store::Tx;
use loci_model::record::Record;
use loci_model::tasks::task::Task;
use loci_model::{RecordId, Result};
use loci_verified::default_here;

/// True if a commit is available and not on the default branch. `default` is the repository's name
/// for that branch.
pub(crate) fn is_unmerged(
    source: &dyn CodeSource,
    commit: Option<&str>,
    default: Option<&str>,
) -> CodeResult<bool> {
    let Some(name) = commit else { return Ok(false) };
    let Some(commit) = source.resolve(name)?.and_then(|revision| revision.commit()) else { return Ok(false) };
    let Some(tip) = default_here(source, default)? else { return Ok(false) };
    Ok(!source.is_ancestor(&commit, &tip)?)
}

/// Records that a record holds only on the branch of its task.
pub(crate) fn note_branch_fact(
    tx: &mut dyn Tx,
    record: &Record,
    task: &Task,
    commit: &str,
    against: Vec<RecordId>,
) -> Result<()> {
    tx.ledger_mut().put_noun(&BranchFact {
        memory: record.memory.clone(),
        actor: task.actor.clone(),
        record: record.id.clone(),
        task: task.id.clone(),
        commit: commit.to_owned(),
        branch: task.branch.clone(),
        against,
        at: record.timestamp,
    })
}
