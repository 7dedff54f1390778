//! The verb `task_list`: tasks, the newest first, with filters.

use loci_api::coding::task::TaskListing;
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::page::Page;
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

impl Coding {
    /// Returns a page of tasks that the caller may see, after the cursor `after`.
    ///
    /// # Errors
    /// `Invalid` for an invalid word or time; `REPO_UNKNOWN`; `Denied` without a repository for a
    /// caller whose grants name no actors.
    pub async fn task_list(
        &self,
        caller: &Principal,
        standing: &CallContext,
        listing: TaskListing,
        (after, limit): (Option<(Timestamp, TaskId)>, u32),
    ) -> Result<Page<Task, (Timestamp, TaskId)>> {
        let limit = limit.clamp(1, limits::PAGE_ITEMS_MAX) as usize;
        let status = TaskStatus::read("status", listing.status.as_deref())?;
        let since = Timestamp::read("since", listing.since.as_deref())?;
        let until = Timestamp::read("until", listing.until.as_deref())?;
        let outcome = OutcomeGrade::read("outcome", listing.outcome.as_deref())?;
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, now) = (caller.clone(), self.engine.now());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let actors = actors(tx, &caller, &memory, listing.repo.as_deref())?;
                let query = TaskQuery {
                    actors,
                    user: listing.user.clone(),
                    status,
                    issue: listing.issue,
                    pr: listing.pr,
                    branch: listing.branch.clone(),
                    prompt_version: listing.prompt_version.clone(),
                    variant: listing.variant.clone(),
                    since,
                    until,
                    words: listing.q.clone(),
                    after: after.clone(),
                    ..TaskQuery::all(memory.clone(), limit + 1)
                };
                if let Some(grade) = outcome {
                    return ended(tx, query, grade, limit, now);
                }
                let found = tx.tasks().list(&query)?;
                Ok(Page::cut(found, limit, |task| (task.created_at, task.id.clone())))
            })
            .await
    }
}

/// Returns a page of tasks with a grade. Outcomes are not in the table of tasks, so each task is
/// checked separately, up to a maximum number for each page.
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

/// Returns the actors whose tasks are listed. An empty list means all actors.
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
