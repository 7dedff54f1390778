//! `consolidation_start`: plans a run, and applies it if requested. Until then only the run itself
//! is written.

use std::collections::BTreeSet;

use loci_api::documents::consolidation::ConsolidationUsage;
use loci_engine::access;
use loci_engine::consolidation::plan::Operation;
use loci_engine::memories::existing;
use loci_engine::records::conflicts;
use loci_engine::safety::kept;
use loci_model::memory::settings::ModelMode;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::trees::consolidation_run::{ActionStatus, RunStatus};
use loci_model::trees::tree_entry::owner_of;
use loci_model::{Error, Result, Timestamp, limits};

use super::run_ledger;
use crate::Documents;
use crate::consolidation::plan;
use crate::trees::tree::{Tree, TreeAsk};
use crate::upkeep::plan_input::{self, TreeRead};
use crate::upkeep::rule_plan::{self, RULES};
use crate::upkeep::run::ConsolidationRun;
use crate::upkeep::run_request::{ConsolidationAsk, PlannerChoice};

impl Documents {
    /// Plans a run over a tree; with `dry_run: false` it is also applied. A run with a model
    /// continues as a job, with the status `planning`.
    ///
    /// # Errors
    /// `Denied` without grants of read and write on the whole namespace; `RUN_ACTIVE`; `Invalid`
    /// for limits and names.
    pub async fn consolidation_start(
        &self,
        caller: &Principal,
        ask: &ConsolidationAsk,
    ) -> Result<ConsolidationRun> {
        access::tree_view(caller, &ask.tree.memory, &ask.tree.namespace, Capability::Write)?;
        access::tree_view(caller, &ask.tree.memory, &ask.tree.namespace, Capability::Read)?;
        let operations = ask.checked()?;
        let mode = self.planner_mode(&ask.tree, ask.planner).await?;
        let now = self.engine.now();
        let run = self.new_run(caller, ask, operations, now)?;
        if mode != ModelMode::None {
            return self.consolidation_ask_model(run).await;
        }
        let until = now.plus_millis(limits::UPKEEP_PLANNING_MS);
        let begun = run.clone();
        self.engine
            .store()
            .write(move |tx| {
                existing(tx, &begun.memory)?;
                run_ledger::begin(tx, &begun, Some(until))
            })
            .await?;
        let run = match self.plan_by_rules(&ask.tree, run.clone()).await {
            Ok(run) => run,
            Err(error) => {
                let failed = ConsolidationRun {
                    status: RunStatus::Failed,
                    failure: Some(error.message.clone()),
                    ..run
                };
                self.end_planning(failed).await?;
                return Err(error);
            }
        };
        let run = self.end_planning(run).await?;
        if ask.dry_run || run.status != RunStatus::Planned {
            return Ok(run);
        }
        self.consolidation_do(caller, &ask.tree, run).await
    }

    /// Returns the mode in which a run's planner asks a model; `None` if only rules plan.
    async fn planner_mode(&self, tree: &TreeAsk, choice: PlannerChoice) -> Result<ModelMode> {
        let (memory, usual) = (tree.memory.clone(), self.engine.models().mode);
        let mode = self
            .engine
            .store()
            .read(move |tx| Ok(existing(tx, &memory)?.settings.model_mode.unwrap_or(usual)))
            .await?;
        match choice {
            PlannerChoice::Deterministic => Ok(ModelMode::None),
            PlannerChoice::Auto => Ok(mode),
            PlannerChoice::Llm if mode == ModelMode::None => {
                let rule =
                    "the memory asks no model: configure one, or plan by rules with planner: deterministic";
                Err(Error::invalid("planner", rule))
            }
            PlannerChoice::Llm => Ok(mode),
        }
    }

    fn new_run(
        &self,
        caller: &Principal,
        ask: &ConsolidationAsk,
        operations: Vec<Operation>,
        now: Timestamp,
    ) -> Result<ConsolidationRun> {
        let (memory, namespace) = (&ask.tree.memory, &ask.tree.namespace);
        Ok(ConsolidationRun {
            memory: memory.clone(),
            namespace: namespace.normal(),
            id: format!("cr_{}", uuid7(self.engine.ids().as_ref(), now.millis())),
            operations,
            scope: ask.scope.clone(),
            choice: ask.planner,
            planner: RULES.to_owned(),
            dry_run: ask.dry_run,
            instructions: ask.instructions.clone().map(kept),
            limits: ask.limits,
            status: RunStatus::Planning,
            snapshot_sequence: 0,
            covered_sequence: None,
            applied_sequence: None,
            actions: Vec::new(),
            reviews: Vec::new(),
            violations: Vec::new(),
            summary: String::new(),
            report: None,
            usage: ConsolidationUsage::default(),
            replans: 0,
            conflicts: Vec::new(),
            changed: Vec::new(),
            reverts: None,
            reverted_by: None,
            failure: None,
            changelog: String::new(),
            changelog_sequences: Vec::new(),
            job: None,
            by: caller.name.clone(),
            by_admin: access::tree_view(caller, memory, namespace, Capability::Admin).is_ok(),
            created_at: now,
            updated_at: now,
            actor: owner_of(None)?,
        })
    }

    /// Returns the present tree of a run, and the sequence up to which earlier runs covered it.
    pub(in crate::upkeep) async fn read_for_run(
        &self,
        ask: &TreeAsk,
        operations: &[Operation],
    ) -> Result<(TreeRead, u64)> {
        self.caught_up(ask).await?;
        let (tree, now, operations) = (Tree::of(ask), self.engine.now(), operations.to_vec());
        self.engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &tree.memory)?;
                let upkeep = run_ledger::upkeep(tx, &tree.memory, &tree.normal)?;
                let covered = upkeep.covered_by(operations.iter().map(|one| one.as_str()));
                Ok((plan_input::read(tx, &memory, &tree, now)?, covered))
            })
            .await
    }

    async fn plan_by_rules(&self, ask: &TreeAsk, mut run: ConsolidationRun) -> Result<ConsolidationRun> {
        let (read, covered) = self.read_for_run(ask, &run.operations).await?;
        let (settings, now) = (self.parts.settings.upkeep.planner, self.engine.now());
        let planned = self.parts.plan_work.run(move || {
            let asked = rule_plan::asked(&run, &read, covered, (&settings, now));
            let planned = plan(&read.snapshot, &asked);
            rule_plan::fill(&mut run, &read, &planned, &asked, (&BTreeSet::new(), 0))?;
            Ok(run)
        });
        planned.await?
    }

    /// Stores a planned run; contradictions in a repository's memory are recorded there as
    /// conflicts.
    pub(in crate::upkeep) async fn end_planning(&self, run: ConsolidationRun) -> Result<ConsolidationRun> {
        let now = self.engine.now();
        self.engine
            .store()
            .write(move |tx| {
                let mut run = run.clone();
                note_conflicts(tx, &mut run, now)?;
                if run_ledger::end_planning(tx, &mut run, now)? {
                    return Ok(run);
                }
                run_ledger::run_of(tx, &run.memory, &run.namespace, &run.id)
            })
            .await
    }
}

/// Records an action that a person decides about two documents as a conflict of their repository,
/// if they have one.
pub(super) fn note_conflicts(tx: &mut dyn Tx, run: &mut ConsolidationRun, now: Timestamp) -> Result<()> {
    let held = run.actions.iter().filter(|one| one.status == ActionStatus::Held && one.seen.len() == 2);
    for one in held {
        if let [old, new] = one.seen.as_slice()
            && let Some(against) = tx.records().get(&run.memory, &new.record)?
        {
            let reason = one.held.as_deref().unwrap_or_default();
            conflicts::note(tx, (&old.record, &against), reason, now)?;
        }
    }
    Ok(())
}
