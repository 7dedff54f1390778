//! Abandons pull requests without activity, and retries reverts that wait for their subject. No
//! report announces either, so a pass looks for them once a day for each repository, together with
//! the check of its default branch.

use loci_model::facts::repository::Repository;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{LedgerPage, StoreExt, Tx};
use loci_model::tasks::outcome::Outcome;
use loci_model::{ActorId, JobId, Result, Timestamp};
use serde::{Deserialize, Serialize};

use super::grades::ABANDONED_AFTER_MS;
use super::outcome_write::{OutcomeInput, Recording, tell};
use super::revert_effects::RevertContext;
use crate::Coding;
use crate::repositories::progress::{RepositoryProgress, RepositoryWork};
use crate::tasks::task_namespaces;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// The number of outcomes of one write.
const PAGE: usize = 200;
/// The maximum number of writes of one pass.
const PAGES_MAX: usize = 500;

/// The pass through the outcomes of a repository. Only its time is stored.
#[derive(Debug, Serialize, Deserialize)]
struct InactivityPass {}

impl RepositoryWork for InactivityPass {
    const KEY: &'static str = "outcomes";
}

impl Coding {
    /// Abandons the open pull requests of a repository without activity for thirty days.
    pub(crate) async fn rest_outcomes(&self, repository: &Repository, now: Timestamp) -> Result<()> {
        let Ok(actor) = task_namespaces::actor_of(repository) else { return Ok(()) };
        let (memory, id) = (repository.memory.clone(), repository.id.clone());
        let last = self
            .engine
            .store()
            .read(move |tx| RepositoryProgress::<InactivityPass>::read(tx, &memory, &id))
            .await?;
        if last.is_some_and(|last| last.at.plus_millis(DAY_MS) > now) {
            return Ok(());
        }
        // Read before the pass, which changes the update times and therefore the order.
        let mut after: Option<(Timestamp, String)> = None;
        for _ in 0..PAGES_MAX {
            let page = LedgerPage {
                memory: repository.memory.clone(),
                shelf: Outcome::SHELF,
                actor: Some(actor.clone()),
                subject: None,
                after: after.clone(),
                limit: PAGE,
            };
            let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
            let (next, given_up) = self.engine.store().write(move |tx| rest(tx, &page, &job, now)).await?;
            given_up.iter().for_each(tell);
            after = next;
            if after.is_none() {
                break;
            }
        }
        self.try_reverts_again(repository, &actor, now).await?;
        let (memory, repository) = (repository.memory.clone(), repository.id.clone());
        let rested = RepositoryProgress { memory, actor, repository, at: now, work: InactivityPass {} };
        self.engine.store().write(move |tx| tx.ledger_mut().put_noun(&rested)).await
    }
}

impl Coding {
    async fn try_reverts_again(
        &self,
        repository: &Repository,
        actor: &ActorId,
        now: Timestamp,
    ) -> Result<()> {
        let (repository, actor) = (repository.clone(), actor.clone());
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let regraded = self.engine.store().write(move |tx| {
            let Some(memory) = tx.memories().get(&repository.memory)? else { return Ok(Vec::new()) };
            let recording = Recording { memory: &memory, by: "loci", at: now, job: &job };
            RevertContext { recording: &recording, repository: &repository, actor: &actor }.try_again(tx)
        });
        regraded.await?.iter().for_each(tell);
        Ok(())
    }
}

type InactivityPage = (Option<(Timestamp, String)>, Vec<Outcome>);

fn rest(tx: &mut dyn Tx, page: &LedgerPage, job: &JobId, now: Timestamp) -> Result<InactivityPage> {
    let Some(memory) = tx.memories().get(&page.memory)? else { return Ok((None, Vec::new())) };
    let recording = Recording { memory: &memory, by: "loci", at: now, job };
    let found: Vec<Outcome> = tx.ledger().nouns(page)?;
    let behind = found.last().filter(|_| found.len() == page.limit).map(|last| (last.at(), last.key()));
    let is_idle = |one: &Outcome| {
        let given_up = now.plus_millis(-ABANDONED_AFTER_MS);
        let is_open = one.facts.is_open == Some(true) && one.grade.is_none();
        is_open && one.facts.active_at.is_some_and(|at| at <= given_up)
    };
    let mut regraded = Vec::new();
    for outcome in found.into_iter().filter(is_idle) {
        let Some(task) = tx.tasks().get(&memory.id, &outcome.task)? else { continue };
        let (facts, by_hand) = (outcome.facts.clone(), outcome.by_hand.clone());
        let heard = OutcomeInput { facts, by_hand, why: "nothing happened for 30 days" };
        let (outcome, is_regraded) = recording.record(tx, &task, outcome, heard)?;
        regraded.extend(is_regraded.then_some(outcome));
    }
    Ok((behind, regraded))
}
