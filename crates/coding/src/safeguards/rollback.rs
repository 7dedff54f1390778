//! The verb `repository_rollback`: returns a repository's memory to a snapshot, in one write, which
//! is recorded. The state before is a snapshot of its own: a rollback to it undoes this rollback.

use loci_api::coding::safeguard::{RollbackAsk, RolledBack};
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::reason_text;
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::records::state_transition::StateTransition;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::rollback::Rollback;
use loci_model::{Error, JobId, RecordId, Result, Timestamp, limits};

use super::RepositoryShare;
use super::rollback_plan::{RollbackPlan, apply, plan};
use super::snapshots::{supports_after, target};
use crate::Coding;
use crate::rules;
use crate::tasks::task_namespaces::snapshot;

fn rolled_back(to: &str, before: Option<String>, applied: bool, plan: &RollbackPlan) -> RolledBack {
    RolledBack {
        to: to.to_owned(),
        before,
        applied,
        rolled_back: plan.rolled_back(),
        restored: plan.restored(),
        changed: plan.changed(),
        not_undone: plan.not_undone.clone(),
    }
}

impl Coding {
    /// Returns all records of a repository to their state at a snapshot. Records that were erased
    /// since cannot be restored, and the response lists them.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `NotFound` if the repository has no such snapshot; `Invalid` without a
    /// reason; `TooLarge`; `Denied` without administration of the repository's actor.
    pub async fn repository_rollback(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        ask: RollbackAsk,
    ) -> Result<RolledBack> {
        let ask = RollbackAsk { reason: reason_text::required(&ask.reason)?, ..ask };
        let part = self.part(caller, standing, repo, Capability::Admin).await?;
        let now = self.engine.now();
        if ask.dry_run {
            let work = move |tx: &dyn loci_model::ports::store::ReadTx| {
                let target = target(tx, &part, &ask.to)?.ok_or_else(|| unknown(&ask.to))?;
                Ok(rolled_back(&ask.to, None, false, &plan(tx, &part, target, now)?))
            };
            return self.engine.store().read(work).await;
        }
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let by = caller.name.clone();
        let done = self.engine.store().write(move |tx| go_back(tx, &part, &ask, &by, now, &job)).await?;
        self.engine.wake().call();
        let (gone, restored) = (done.rolled_back.len(), done.restored.len());
        tracing::warn!(to = done.to, rolled_back = gone, restored, "a repository's memory was rolled back");
        Ok(done)
    }
}

fn unknown(name: &str) -> Error {
    Error::not_found(format!("the repository has no snapshot {name}: list them first")).on("to")
}

fn go_back(
    tx: &mut dyn Tx,
    part: &RepositoryShare,
    ask: &RollbackAsk,
    by: &str,
    now: Timestamp,
    job: &JobId,
) -> Result<RolledBack> {
    let memory = existing(tx, &part.memory)?;
    let target = target(tx, part, &ask.to)?.ok_or_else(|| unknown(&ask.to))?;
    let mut plan = plan(tx, part, target, now)?;
    if plan.undone().is_empty() {
        return Ok(rolled_back(&ask.to, None, true, &plan));
    }
    // A distinct time, so that earlier changes are distinguishable from those of the rollback.
    let at = plan.last_change.map_or(now, |last| now.max(last.plus_millis(1)));
    let before = snapshot(tx.memories().sequence(&memory.id)?);
    let whole = format!("rolled back to {}: {}", ask.to, ask.reason);
    let reason: String = whole.chars().take(limits::REASON_CHARS_MAX).collect();
    apply(tx, &StateTransition { memory: &memory, by, at }, &mut plan, &reason)?;
    // Later statements and decisions no longer count for rules; otherwise they would undo the
    // rollback.
    let touched: Vec<RecordId> = plan.undone().into_iter().map(|undone| undone.record).collect();
    let known = supports_after(tx, part, target.at)?;
    let supports = rules::take_back(tx, &part.memory, &touched, target.at, &known)?;
    tx.ledger_mut().put_noun(&Rollback {
        memory: part.memory.clone(),
        actor: part.actor.clone(),
        to: ask.to.clone(),
        before: before.clone(),
        by: by.to_owned(),
        reason: ask.reason.clone(),
        at,
        changes: plan.undone(),
        supports,
    })?;
    batch::ask_for_vectors(tx, &memory.id, job, now)?;
    Ok(rolled_back(&ask.to, Some(before), true, &plan))
}
