//! `consolidation_apply`: applies a plan in one write, or nothing of it. It compares the planned
//! documents first. If some changed, nothing is written, and the affected actions are planned
//! again, at most twice.

use std::collections::BTreeSet;

use loci_engine::access;
use loci_engine::calls::idempotency::ClientToken;
use loci_engine::consolidation::plan::Action;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::trees::consolidation_run::{ActionStatus, RunStatus};
use loci_model::{Error, Result};
use serde::{Deserialize, Serialize};

use super::{preflight, run_ledger};
use crate::Documents;
use crate::document::document_write::DocumentWriter;
use crate::trees::tree::{Tree, TreeAsk};
use crate::trees::tree_write::TreeWrite;
use crate::upkeep::changelog;
use crate::upkeep::run::{ConsolidationRun, RunAction};

/// The maximum of automatic replans.
const REPLANS_MAX: u32 = 2;

/// The result of an attempt.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct ApplyAttempt {
    /// The paths that changed; nothing was written then.
    moved: Vec<String>,
}

impl Documents {
    /// Applies the actions of a planned run: all that need no decision, or those that the request
    /// names. Only callers with a grant of admin may apply actions that wait for a decision.
    ///
    /// # Errors
    /// `NotFound`; `Conflict` if the tree changed, listing the paths, whose actions are planned
    /// again; `Denied`; `Invalid`.
    pub async fn consolidation_apply(
        &self,
        caller: &Principal,
        (ask, id): (&TreeAsk, &str),
        actions: Option<Vec<String>>,
        token: Option<ClientToken>,
    ) -> Result<ConsolidationRun> {
        // Checked before the lookup: the existence of a run is not revealed to everyone.
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Write)?;
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let tried = self.try_run(caller, (ask, id), actions, token).await?;
        let run = self.consolidation_get(caller, ask, id).await?;
        if tried.moved.is_empty() {
            return Ok(run);
        }
        self.planned_anew(ask, run).await?;
        let rule = "documents were changed since the plan was made: what has to do with them is planned anew; look at the run again";
        Err(Error::conflict(rule).on("actions").listing(tried.moved))
    }

    /// Applies a run that was requested without a dry run, and plans changed parts again.
    pub(in crate::upkeep) async fn consolidation_do(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        mut run: ConsolidationRun,
    ) -> Result<ConsolidationRun> {
        loop {
            let tried = self.try_run(caller, (ask, &run.id), None, None).await?;
            run = self.run_kept(ask, &run.id).await?;
            if tried.moved.is_empty() {
                return Ok(run);
            }
            run = self.planned_anew(ask, run).await?;
            if run.status != RunStatus::Planned {
                return Ok(run);
            }
        }
    }

    /// Plans the changed parts again, or ends the run after too many replans.
    async fn planned_anew(&self, ask: &TreeAsk, run: ConsolidationRun) -> Result<ConsolidationRun> {
        if run.status == RunStatus::Planned && run.replans < REPLANS_MAX {
            return self.replan_touched(ask, run, true).await;
        }
        let now = self.engine.now();
        self.engine
            .store()
            .write(move |tx| {
                let mut run = run_ledger::run_of(tx, &run.memory, &run.namespace, &run.id)?;
                if run.status == RunStatus::Planned {
                    (run.status, run.updated_at) = (RunStatus::Conflict, now);
                    run.failure =
                        Some("the tree changed more often than it is planned anew: plan it again".to_owned());
                    tx.ledger_mut().put_noun(&run)?;
                }
                Ok(run)
            })
            .await
    }

    async fn try_run(
        &self,
        caller: &Principal,
        (ask, id): (&TreeAsk, &str),
        actions: Option<Vec<String>>,
        token: Option<ClientToken>,
    ) -> Result<ApplyAttempt> {
        let kept = self.run_kept(ask, id).await?;
        let makes = kept.actions.iter().filter(|one| makes_one(&one.action)).count();
        let id = id.to_owned();
        let write = TreeWrite {
            new_records: makes,
            run: Some(id.clone()),
            ..TreeWrite::of(ask, "ApplyConsolidation", token)
        };
        self.tree_write(caller, write, move |tx, writing| {
            let tree = writing.tree;
            let mut run = run_ledger::run_of(tx, &tree.memory, &tree.normal, &id)?;
            let chosen = chosen(&run, actions.as_deref(), writing.is_admin)?;
            let moved = moved(tx, tree, &chosen, writing)?;
            if !moved.is_empty() {
                run.conflicts.clone_from(&moved);
                tx.ledger_mut().put_noun(&run)?;
                return Ok(ApplyAttempt { moved });
            }
            writing.apply(tx, &mut run, &chosen)?;
            Ok(ApplyAttempt::default())
        })
        .await
    }

    /// Returns a stored run. The caller checks access.
    pub(super) async fn run_kept(&self, ask: &TreeAsk, id: &str) -> Result<ConsolidationRun> {
        let (tree, id) = (Tree::of(ask), id.to_owned());
        self.engine.store().read(move |tx| run_ledger::run_of(tx, &tree.memory, &tree.normal, &id)).await
    }
}

/// True for an action that creates a record.
fn makes_one(action: &Action) -> bool {
    match action {
        Action::Create { .. } => true,
        Action::Merge { sources, target, .. } => {
            use loci_engine::consolidation::snapshot::reference_key;
            let target = reference_key(target);
            !sources.iter().any(|source| reference_key(source) == target)
        }
        Action::Update { .. } | Action::Supersede { .. } | Action::Move { .. } | Action::Archive { .. } => {
            false
        }
    }
}

/// Returns the selected actions.
fn chosen(run: &ConsolidationRun, named: Option<&[String]>, is_admin: bool) -> Result<Vec<RunAction>> {
    if !matches!(run.status, RunStatus::Planned | RunStatus::Applied) {
        let rule = format!("the run is {}: only one that is planned can be applied", run.status.as_str());
        return Err(Error::conflict(rule));
    }
    let Some(named) = named else {
        if run.status == RunStatus::Applied {
            return Err(Error::conflict("the run is applied already: name the actions that are still to be"));
        }
        return Ok(run.actions.iter().filter(|one| one.status == ActionStatus::Planned).cloned().collect());
    };
    if named.is_empty() {
        return Err(Error::invalid("actions", "actions must name at least one, or be left out for all"));
    }
    let mut chosen = Vec::new();
    for id in named.iter().collect::<BTreeSet<_>>() {
        let one = run.action(id).ok_or_else(|| {
            Error::invalid("actions", format!("the run has no action {id:?}: name some of its own"))
        })?;
        match one.status {
            ActionStatus::Planned => {}
            ActionStatus::Held if is_admin => {}
            ActionStatus::Held => {
                let rule = format!("action {id} waits for whoever has a grant of admin on the namespace");
                return Err(Error::denied(rule).on("actions"));
            }
            ActionStatus::Applied | ActionStatus::Skipped | ActionStatus::Conflict => {
                let rule = format!("action {id} is {}: it cannot be applied", one.status.as_str());
                return Err(Error::conflict(rule).on("actions"));
            }
        }
        chosen.push(one.clone());
    }
    // In the order of the plan, regardless of the order of the names.
    chosen.sort_by_key(|one| run.actions.iter().position(|other| other.id == one.id));
    Ok(chosen)
}

fn moved(
    tx: &dyn Tx,
    tree: &Tree,
    chosen: &[RunAction],
    writing: &DocumentWriter<'_>,
) -> Result<Vec<String>> {
    let mut moved = BTreeSet::new();
    for one in chosen {
        moved.extend(preflight::moved(tx, tree, one, writing.now)?);
    }
    Ok(moved.into_iter().collect())
}

impl DocumentWriter<'_> {
    fn apply(&self, tx: &mut dyn Tx, run: &mut ConsolidationRun, chosen: &[RunAction]) -> Result<()> {
        let mut upkeep = run_ledger::upkeep(tx, &run.memory, &run.namespace)?;
        let is_still = self.tree.changes_since(tx, upkeep.looked, 1)?.is_empty();
        for one in chosen {
            self.carry(tx, one, &mut run.changed)?;
            if let Some(done) = run.actions.iter_mut().find(|other| other.id == one.id) {
                done.status = ActionStatus::Applied;
            }
        }
        let sequence = self.tree.progress(tx)?.sequence;
        run.status = RunStatus::Applied;
        run.conflicts.clear();
        (run.applied_sequence, run.updated_at) = (Some(sequence), self.now);
        if !chosen.is_empty() {
            let entry = changelog::entry_of(run, chosen, self.now);
            run.changelog.push_str(&entry);
            run.changelog_sequences.push(sequence);
        }
        run.drop_words();
        run_ledger::cover(&mut upkeep, run);
        // The run's own changes are already covered; earlier changes by others are not.
        if is_still {
            upkeep.looked = upkeep.looked.max(sequence);
        }
        tx.ledger_mut().put_noun(&upkeep)?;
        tx.ledger_mut().put_noun(run)
    }
}
