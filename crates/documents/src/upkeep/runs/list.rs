//! `consolidation_get`, `consolidations_list`, `consolidation_cancel`: runs of a tree.

use loci_engine::access;
use loci_engine::calls::page::Page;
use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::trees::consolidation_run::{ActionStatus, RunStatus};
use loci_model::{Error, Result, Timestamp};

use super::run_ledger;
use crate::Documents;
use crate::trees::tree::{Tree, TreeAsk};
use crate::upkeep::model_plan::planning_job;
use crate::upkeep::run::ConsolidationRun;

/// The failure of a cancelled run.
const CALLED_OFF: &str = "called off";

/// The options of listing the consolidation runs of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsolidationListing {
    /// The tree whose runs are listed.
    pub tree: TreeAsk,
    /// The status that listed runs must have. `None` lists all.
    pub status: Option<RunStatus>,
    /// True to list only runs with actions that wait for a person.
    pub held: bool,
    /// The creation time and the id of the last run on the previous page. `None` means the first
    /// page.
    pub after: Option<(Timestamp, String)>,
    /// The maximum number of runs on the page, 1 to 100.
    pub limit: u32,
}

impl Documents {
    /// Returns a run.
    ///
    /// # Errors
    /// `NotFound`; `Denied` without a grant of read on the whole namespace.
    pub async fn consolidation_get(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        id: &str,
    ) -> Result<ConsolidationRun> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        self.run_kept(ask, id).await
    }

    /// Returns the runs of a tree, the newest first.
    ///
    /// # Errors
    /// `Denied` without a grant of read on the whole namespace.
    pub async fn consolidations_list(
        &self,
        caller: &Principal,
        asked: &ConsolidationListing,
    ) -> Result<Page<ConsolidationRun, (Timestamp, String)>> {
        let ask = &asked.tree;
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let (tree, asked) = (Tree::of(ask), asked.clone());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &tree.memory)?;
                let limit = asked.limit as usize;
                let mut items = Vec::new();
                run_ledger::each(tx, &tree, asked.after.clone(), |run| {
                    items.extend(Some(run).filter(|run| is_wanted(run, &asked)));
                    items.len() <= limit
                })?;
                Ok(Page::cut(items, limit, |last| (last.created_at, last.id.clone())))
            })
            .await
    }

    /// Cancels a run that is not applied.
    ///
    /// # Errors
    /// `NotFound`; `Conflict` for a run that ended; `Denied` without grants of write and read on
    /// the whole namespace, because the answer contains the plan.
    pub async fn consolidation_cancel(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        id: &str,
    ) -> Result<ConsolidationRun> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Write)?;
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let (tree, id, now) = (Tree::of(ask), id.to_owned(), self.engine.now());
        self.engine
            .store()
            .write(move |tx| {
                let mut run = run_ledger::run_of(tx, &tree.memory, &tree.normal, &id)?;
                if !matches!(run.status, RunStatus::Planning | RunStatus::Planned | RunStatus::Conflict) {
                    let rule = format!("the run is {}: there is nothing to call off", run.status.as_str());
                    return Err(Error::conflict(rule));
                }
                (run.status, run.updated_at) = (RunStatus::Cancelled, now);
                run.failure = Some(CALLED_OFF.to_owned());
                run.drop_words();
                run_ledger::free(tx, &run)?;
                planning_job::forget_questions(tx, &run)?;
                tx.ledger_mut().put_noun(&run)?;
                Ok(run)
            })
            .await
    }
}

fn is_wanted(run: &ConsolidationRun, asked: &ConsolidationListing) -> bool {
    let waits = || {
        matches!(run.status, RunStatus::Planned | RunStatus::Applied)
            && run.actions.iter().any(|one| one.status == ActionStatus::Held)
    };
    asked.status.is_none_or(|status| status == run.status) && (!asked.held || waits())
}
