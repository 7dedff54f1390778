//! The current commit of a task, at which its learnings hold: the head of its pull request, else
//! the newest reported commit, else the base commit. The module does not check that the commit is
//! available.

use loci_model::Result;
use loci_model::ports::store::ReadTx;
use loci_model::tasks::commit::TaskCommit;
use loci_model::tasks::task::Task;

/// The maximum number of a task's commits that are read.
const COMMITS_MAX: usize = 1_000;

/// Returns the current commit of a task, if one was reported.
pub(crate) fn newest_commit(tx: &dyn ReadTx, task: &Task) -> Result<Option<String>> {
    if let Some(head) = task.pr.as_ref().and_then(|pr| pr.head_sha.clone()) {
        return Ok(Some(head));
    }
    let reported = tx.commits().of_task(&task.memory, &task.id, COMMITS_MAX)?;
    Ok(newest(&reported).map(|commit| commit.sha.to_string()).or_else(|| task.base_sha.clone()))
}

/// Returns the newest of a task's commits that no rewrite replaced. All commits of one report have
/// the same time, so the newest is the one that is no other commit's parent.
fn newest(commits: &[TaskCommit]) -> Option<&TaskCommit> {
    let live = || commits.iter().filter(|commit| commit.rewritten_to.is_none());
    let is_parent = |commit: &TaskCommit| live().any(|other| other.parents.contains(&commit.sha));
    live().filter(|commit| !is_parent(commit)).max_by_key(|commit| (commit.reported_at, commit.sha))
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::facts::code::ObjectId;
    use loci_model::{ActorId, MemoryId, Timestamp};

    fn sha(number: u8) -> ObjectId {
        ObjectId::parse(&format!("{number:040x}")).unwrap()
    }

    fn commit(number: u8, parent: u8, at: i64) -> TaskCommit {
        let (memory, actor) = (MemoryId::parse("m-0123456789"), ActorId::parse("acme/shop"));
        let at = Timestamp::EPOCH.plus_millis(at);
        let bare = TaskCommit::bare(memory.unwrap(), actor.unwrap(), sha(number), at);
        TaskCommit { parents: vec![sha(parent)], ..bare }
    }

    #[test]
    fn the_newest_that_stands() {
        let check = |commits: &[TaskCommit], expect: Option<u8>| {
            assert_eq!(newest(commits).map(|commit| commit.sha), expect.map(sha), "{commits:?}");
        };
        check(&[], None);
        check(&[commit(9, 0, 1), commit(1, 0, 2)], Some(1));
        // All commits come from one report, so the parents determine the order.
        check(&[commit(9, 0, 1), commit(3, 9, 1), commit(5, 3, 1)], Some(5));
        let amended = TaskCommit { rewritten_to: Some(sha(9)), ..commit(1, 0, 2) };
        check(&[commit(9, 0, 1), amended.clone()], Some(9));
        check(&[amended], None);
    }
}
