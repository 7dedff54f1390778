//! The verb `snapshots_list`: the states of a repository's memory that are available for a
//! rollback: those at the creation of its tasks, and those before each rollback. A snapshot is a
//! position in the sequence of changes, so it copies nothing.

use loci_api::coding::safeguard::Snapshot;
use loci_engine::calls::call_context::CallContext;
use loci_model::ledger::LedgerNoun as _;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt, TaskQuery};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::rollback::Rollback;
use loci_model::tasks::rule::RuleSupport;
use loci_model::{Result, Timestamp, limits};

use super::RepositoryShare;
use crate::Coding;

/// The number of tasks that one page reads.
const TASKS: usize = 1_000;

/// The target of a rollback: changes up to a time stay, and so do records without a change since a
/// sequence number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RollbackTarget {
    pub(super) sequence: u64,
    /// The last time that belongs to it.
    pub(super) at: Timestamp,
}

impl Coding {
    /// Returns the newest snapshots of a repository: of a limited number of tasks, and of all
    /// rollbacks between them.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied` without administration of the repository's actor.
    pub async fn snapshots_list(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        limit: u32,
    ) -> Result<Vec<Snapshot>> {
        let part = self.part(caller, standing, repo, Capability::Admin).await?;
        let wanted = limit.clamp(1, limits::PAGE_ITEMS_MAX) as usize;
        self.engine
            .store()
            .read(move |tx| {
                let query = TaskQuery {
                    actors: vec![part.actor.clone()],
                    ..TaskQuery::all(part.memory.clone(), wanted)
                };
                let shown = |id, task_id, before_rollback_to, at: Timestamp| {
                    (at, Snapshot { id, task_id, before_rollback_to, at: at.to_rfc3339() })
                };
                let tasks = tx.tasks().list(&query)?.into_iter().filter_map(|task| {
                    Some(shown(task.snapshot?, Some(task.id.to_string()), None, task.created_at))
                });
                let rollbacks = rollbacks(tx, &part, wanted)?.into_iter();
                let rollbacks = rollbacks.map(|one| shown(one.before, None, Some(one.to), one.at));
                let mut all: Vec<(Timestamp, Snapshot)> = tasks.chain(rollbacks).collect();
                all.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| other.id.cmp(&one.id)));
                all.truncate(wanted);
                Ok(all.into_iter().map(|(_, snapshot)| snapshot).collect())
            })
            .await
    }
}

/// Returns the support of rules before the rollbacks after a time: for each rule, its form before
/// the earliest of these rollbacks.
pub(super) fn supports_after(
    tx: &dyn ReadTx,
    part: &RepositoryShare,
    at: Timestamp,
) -> Result<Vec<RuleSupport>> {
    let mut found: Vec<RuleSupport> = Vec::new();
    let mut after = None;
    loop {
        let page = LedgerPage {
            memory: part.memory.clone(),
            shelf: Rollback::SHELF,
            actor: Some(part.actor.clone()),
            subject: None,
            after,
            limit: TASKS,
        };
        let some = tx.ledger().nouns::<Rollback>(&page)?;
        after = some.last().map(|last| (last.at, last.key()));
        let is_last = some.len() < TASKS || some.last().is_some_and(|last| last.at <= at);
        for rollback in some.into_iter().filter(|one| one.at > at) {
            // The newest rollbacks come first: the form before an earlier one replaces theirs.
            for support in rollback.supports {
                found.retain(|known| known.rule != support.rule);
                found.push(support);
            }
        }
        if is_last {
            return Ok(found);
        }
    }
}

fn rollbacks(tx: &dyn ReadTx, part: &RepositoryShare, limit: usize) -> Result<Vec<Rollback>> {
    tx.ledger().nouns(&LedgerPage {
        memory: part.memory.clone(),
        shelf: Rollback::SHELF,
        actor: Some(part.actor.clone()),
        subject: None,
        after: None,
        limit,
    })
}

/// Returns the target of a named snapshot; `None` if the repository has no snapshot with the name.
pub(super) fn target(tx: &dyn ReadTx, part: &RepositoryShare, name: &str) -> Result<Option<RollbackTarget>> {
    let Some(sequence) = name.strip_prefix("snap_").and_then(|number| number.parse::<u64>().ok()) else {
        return Ok(None);
    };
    let rollback = tx.ledger().noun::<Rollback>(&part.memory, &Rollback::key_of(&part.actor, name))?;
    if let Some(rollback) = rollback {
        return Ok(Some(RollbackTarget { sequence, at: rollback.at.plus_millis(-1) }));
    }
    let mut query =
        TaskQuery { actors: vec![part.actor.clone()], ..TaskQuery::all(part.memory.clone(), TASKS) };
    loop {
        let tasks = tx.tasks().list(&query)?;
        let Some(last) = tasks.last() else { return Ok(None) };
        query.after = Some((last.created_at, last.id.clone()));
        // Several tasks may share a snapshot if nothing changed between them. The newest one comes
        // first.
        if let Some(task) = tasks.iter().find(|task| task.snapshot.as_deref() == Some(name)) {
            return Ok(Some(RollbackTarget { sequence, at: task.created_at }));
        }
    }
}
