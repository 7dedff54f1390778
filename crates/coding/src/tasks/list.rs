//! `task_list`: tasks, the newest first, by what they are about.

use loci_engine::access;
use loci_engine::calls::page::Page;
use loci_engine::calls::standing::Standing;
use loci_engine::memories::existing;
use loci_model::ports::store::{ReadTx, StoreExt, TaskQuery};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::outcome::OutcomeGrade;
use loci_model::tasks::task::{Task, TaskStatus};
use loci_model::{ActorId, MemoryId, Result, TaskId, Timestamp, limits};
use loci_verified::find_repository;

use super::task_namespaces;
use crate::Coding;
use crate::outcomes::outcome_of;

/// Which tasks; every member that is given must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskListing {
    /// Of this repository, by one of its names.
    pub repo: Option<String>,
    /// Asked for by this name.
    pub user: Option<String>,
    /// So far.
    pub status: Option<TaskStatus>,
    /// About this issue.
    pub issue: Option<u64>,
    /// About this pull request.
    pub pr: Option<u64>,
    /// On this branch.
    pub branch: Option<String>,
    /// With this version of the prompt.
    pub prompt_version: Option<String>,
    /// In this variant.
    pub variant: Option<String>,
    /// This came of them.
    pub outcome: Option<OutcomeGrade>,
    /// Taken in then or later.
    pub since: Option<Timestamp>,
    /// Taken in before.
    pub until: Option<Timestamp>,
    /// The description holds this, whatever the case of its letters.
    pub words: Option<String>,
    /// Behind this task.
    pub after: Option<(Timestamp, TaskId)>,
    /// 1 to 100.
    pub limit: u32,
}

impl Coding {
    /// A page of tasks that the caller may see.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied` without a repository for a caller whose grants name no actors.
    pub async fn task_list(
        &self,
        caller: &Principal,
        standing: &Standing,
        listing: TaskListing,
    ) -> Result<Page<Task, (Timestamp, TaskId)>> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, now) = (caller.clone(), self.engine.now());
        let limit = listing.limit.clamp(1, limits::PAGE_ITEMS_MAX) as usize;
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let actors = actors(tx, &caller, &memory, listing.repo.as_deref())?;
                let query = query(&memory, actors, &listing, limit + 1);
                if let Some(grade) = listing.outcome {
                    return ended(tx, query, grade, limit, now);
                }
                let found = tx.tasks().list(&query)?;
                Ok(Page::cut(found, limit, |task| (task.created_at, task.id.clone())))
            })
            .await
    }
}

/// A page of those that ended so: outcomes are not in the table of tasks, so each is asked for its own, of so many for one page.
fn ended(
    tx: &dyn ReadTx,
    mut query: TaskQuery,
    grade: OutcomeGrade,
    limit: usize,
    now: Timestamp,
) -> Result<Page<Task, (Timestamp, TaskId)>> {
    let mut items = Vec::new();
    let mut looked_at = 0;
    loop {
        let found = tx.tasks().list(&query)?;
        let is_last = found.len() < query.limit;
        for task in found {
            if items.len() == limit || looked_at == limits::ATTRIBUTION_SCANNED_MAX {
                return Ok(Page { items, next: query.after });
            }
            looked_at += 1;
            query.after = Some((task.created_at, task.id.clone()));
            if outcome_of(tx, &task, now)?.is_some_and(|outcome| outcome.grade == Some(grade)) {
                items.push(task);
            }
        }
        if is_last {
            return Ok(Page { items, next: None });
        }
    }
}

/// Whose tasks are listed; none means everybody's.
pub(crate) fn actors(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    repo: Option<&str>,
) -> Result<Vec<ActorId>> {
    let Some(name) = repo else {
        return Ok(access::visible_actors(caller, memory)?.unwrap_or_default());
    };
    let repository = find_repository(tx, caller, memory, name, Capability::Read)?;
    let actor = task_namespaces::actor_of(&repository)?;
    task_namespaces::require_all(caller, memory, &actor, Capability::Read)?;
    Ok(vec![actor])
}

fn query(memory: &MemoryId, actors: Vec<ActorId>, listing: &TaskListing, limit: usize) -> TaskQuery {
    let listing = listing.clone();
    TaskQuery {
        memory: memory.clone(),
        ids: None,
        actors,
        user: listing.user,
        status: listing.status,
        issue: listing.issue,
        pr: listing.pr,
        branch: listing.branch,
        prompt_version: listing.prompt_version,
        variant: listing.variant,
        since: listing.since,
        until: listing.until,
        words: listing.words,
        said: None,
        after: listing.after,
        limit,
    }
}
