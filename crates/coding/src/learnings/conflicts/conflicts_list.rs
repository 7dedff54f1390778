//! The verb `conflicts_list`: the conflicts of a repository, with both records.

use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::page::Page;
use loci_engine::memories::existing;
use loci_engine::records::conflicts::open_of;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::conflict::{Conflict, ConflictState};
use loci_model::record::{Record, RecordState};
use loci_model::{ActorId, MemoryId, Result, Timestamp, limits};
use loci_verified::find_repository;

use crate::Coding;
use crate::tasks::task_namespaces;

/// A conflict with its records in their present state. A deleted record is absent.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictShown {
    /// The conflict.
    pub conflict: Conflict,
    /// The earlier record.
    pub standing: Option<Record>,
    /// The record that contradicts it.
    pub against: Option<Record>,
}

impl Coding {
    /// Returns a page of conflicts of a state, the newest first, after the cursor `after`. Open
    /// conflicts are those between two active records.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied` if the caller may not read all of the repository's data.
    pub async fn conflicts_list(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        state: ConflictState,
        (after, limit): (Option<(Timestamp, String)>, u32),
    ) -> Result<Page<ConflictShown, (Timestamp, String)>> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, repo) = (caller.clone(), repo.to_owned());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory, &repo, Capability::Read)?;
                let actor = task_namespaces::actor_of(&repository)?;
                task_namespaces::require_all(&caller, &memory, &actor, Capability::Read)?;
                let wanted = limit.clamp(1, limits::PAGE_ITEMS_MAX) as usize;
                let mut found = page(tx, &memory, &actor, state, (after.clone(), wanted + 1))?;
                found.truncate(wanted + 1);
                let shown = found.into_iter().map(|conflict| shown(tx, conflict)).collect::<Result<_>>()?;
                Ok(Page::cut(shown, wanted, |one: &ConflictShown| {
                    (one.conflict.found_at, one.conflict.id.clone())
                }))
            })
            .await
    }
}

fn page(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    actor: &ActorId,
    state: ConflictState,
    (after, limit): (Option<(Timestamp, String)>, usize),
) -> Result<Vec<Conflict>> {
    if state == ConflictState::Open {
        let is_behind = |one: &Conflict| {
            let Some((at, id)) = &after else { return true };
            one.found_at < *at || (one.found_at == *at && one.id > *id)
        };
        return Ok(open_of(tx, memory, actor)?.into_iter().filter(is_behind).take(limit).collect());
    }
    tx.ledger().nouns(&LedgerPage {
        memory: memory.clone(),
        shelf: Conflict::SHELF,
        actor: Some(actor.clone()),
        subject: Some(Conflict::subject_of(actor, state)),
        after,
        limit,
    })
}

pub(super) fn shown(tx: &dyn ReadTx, conflict: Conflict) -> Result<ConflictShown> {
    let of = |id| {
        let found = tx.records().get(&conflict.memory, id)?;
        Ok::<_, loci_model::Error>(found.filter(|record| record.state != RecordState::Erased))
    };
    let (standing, against) = (of(&conflict.standing)?, of(&conflict.against)?);
    Ok(ConflictShown { conflict, standing, against })
}
