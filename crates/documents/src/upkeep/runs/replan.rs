//! `consolidation_replan`: plans the documents that changed since a run was planned, and the
//! affected actions, again; everything else stays. New documents belong to another run.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::access;
use loci_engine::consolidation::snapshot::{Snapshot, reference_key};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::trees::consolidation_run::{ActionStatus, RunStatus};
use loci_model::{Error, Result, Timestamp};

use super::affected_actions::{Parted, parted};
use super::run_ledger;
use super::start::note_conflicts;
use crate::Documents;
use crate::consolidation::{About, PlanResult, PlannedAction, PlannerSettings, judged, plan};
use crate::trees::tree::TreeAsk;
use crate::upkeep::plan_input::TreeRead;
use crate::upkeep::rule_plan;
use crate::upkeep::run::{ConsolidationRun, DocumentReadState, RunAction};

impl Documents {
    /// Plans the changed parts again.
    ///
    /// # Errors
    /// `NotFound`; `Conflict` for a run that is not planned; `Denied` without grants of read and
    /// write on the whole namespace.
    pub async fn consolidation_replan(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        id: &str,
    ) -> Result<ConsolidationRun> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Write)?;
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let run = self.run_kept(ask, id).await?;
        if !matches!(run.status, RunStatus::Planned | RunStatus::Conflict) {
            let rule =
                format!("the run is {}: only one that is planned can be planned anew", run.status.as_str());
            return Err(Error::conflict(rule));
        }
        self.replan_touched(ask, run, false).await
    }

    /// Plans the changed parts of a run again, after the caller checked access. `counts`: it is an
    /// automatic replan.
    pub(super) async fn replan_touched(
        &self,
        ask: &TreeAsk,
        run: ConsolidationRun,
        counts: bool,
    ) -> Result<ConsolidationRun> {
        let before = run.updated_at;
        let (read, covered) = self.read_for_run(ask, &run.operations).await?;
        let (settings, now) = (self.parts.settings.upkeep.planner, self.engine.now());
        let planned = self.parts.plan_work.run(move || replanned(run, &read, covered, (&settings, now)));
        let mut run = planned.await??;
        run.replans += u32::from(counts);
        self.keep_replanned(run, before).await
    }

    async fn keep_replanned(
        &self,
        run: ConsolidationRun,
        before: loci_model::Timestamp,
    ) -> Result<ConsolidationRun> {
        let now = self.engine.now();
        self.engine
            .store()
            .write(move |tx| {
                let kept = run_ledger::run_of(tx, &run.memory, &run.namespace, &run.id)?;
                // Another caller was faster: its result stands.
                if kept.updated_at != before
                    || !matches!(kept.status, RunStatus::Planned | RunStatus::Conflict)
                {
                    return Ok(kept);
                }
                let mut run = ConsolidationRun { updated_at: now, ..run.clone() };
                note_conflicts(tx, &mut run, now)?;
                tx.ledger_mut().put_noun(&run)?;
                Ok(run)
            })
            .await
    }
}

/// Returns the documents that differ from those that an action was planned on, and the paths that
/// are no longer free, by key.
fn moved(actions: &[RunAction], read: &TreeRead) -> BTreeSet<String> {
    let is_as_seen = |was: &DocumentReadState| {
        let is = read.seen.get(&reference_key(&was.path));
        is.is_some_and(|is| DocumentReadState { version: was.version, ..is.clone() } == *was)
    };
    let taken: BTreeSet<String> = read.snapshot.taken.iter().map(|path| reference_key(path)).collect();
    let mut moved = BTreeSet::new();
    for one in actions {
        moved.extend(one.seen.iter().filter(|was| !is_as_seen(was)).map(|was| reference_key(&was.path)));
        let own: BTreeSet<String> = one.action.reads().into_iter().map(reference_key).collect();
        let target = one.action.writes().map(reference_key).filter(|target| !own.contains(target));
        moved.extend(target.filter(|target| read.seen.contains_key(target) || taken.contains(target)));
    }
    moved
}

/// Returns the tree without the named documents: their paths stay in use.
pub(in crate::upkeep) fn without<'a>(snapshot: &Snapshot, named: impl Iterator<Item = &'a str>) -> Snapshot {
    let named: BTreeMap<String, &str> = named.map(|path| (reference_key(path), path)).collect();
    let (sequence, taken) = (snapshot.sequence, snapshot.taken.clone());
    let mut rest = Snapshot { sequence, taken, documents: Vec::new() };
    let is_named = |reference: &str| named.contains_key(&reference_key(reference));
    rest.documents.extend(snapshot.documents.iter().filter(|one| !is_named(&one.reference)).cloned());
    rest.taken.extend(named.values().map(|path| (*path).to_owned()));
    rest
}

/// Returns a run whose affected pending actions are planned again.
fn replanned(
    mut run: ConsolidationRun,
    read: &TreeRead,
    covered: u64,
    (settings, now): (&PlannerSettings, Timestamp),
) -> Result<ConsolidationRun> {
    let open = |one: &RunAction| matches!(one.status, ActionStatus::Planned | ActionStatus::Held);
    let (open, done): (Vec<RunAction>, Vec<RunAction>) = run.actions.drain(..).partition(open);
    let moved = moved(&open, read);
    let Parted { kept, touched } = parted(open, &moved);
    let mut asked = rule_plan::asked(&run, read, covered, (settings, now));
    let scope = std::mem::replace(&mut asked.about, About::Touching(touched));
    let rest = without(&read.snapshot, kept.iter().flat_map(RunAction::paths));
    let mut fresh = plan(&rest, &asked);
    // A run keeps its scope. In the rest the changed documents are wanted, regardless of their
    // former actions.
    if matches!(scope, About::Within(_)) {
        fresh.keep(&scope);
    }
    let by_model = kept.iter().filter(|one| one.by_model).map(|one| one.action.clone()).collect::<Vec<_>>();
    let union = union(&kept, fresh);
    let union = judged(union, &read.snapshot, &asked.bounds);
    let of_model: BTreeSet<usize> = union
        .actions
        .iter()
        .enumerate()
        .filter(|(_, one)| by_model.contains(&one.action))
        .map(|(at, _)| at)
        .collect();
    let ids: BTreeMap<String, String> = kept.iter().map(|one| (told(&one.action), one.id.clone())).collect();
    rule_plan::fill(&mut run, read, &union, &asked, (&of_model, 0))?;
    renumber(&mut run.actions, &ids);
    run.actions.splice(0..0, done);
    Ok(run)
}

/// Returns one plan, in the order of the operations. Actions that were held for their own sake stay
/// held; the rules for the whole tree are validated again.
fn union(kept: &[RunAction], mut fresh: PlanResult) -> PlanResult {
    let mut actions: Vec<PlannedAction> = kept
        .iter()
        .map(|one| PlannedAction {
            operation: one.operation,
            action: one.action.clone(),
            held: one.held.clone(),
        })
        .chain(std::mem::take(&mut fresh.actions))
        .collect();
    actions
        .sort_by_cached_key(|one| (one.operation, one.action.reads().into_iter().min().map(str::to_owned)));
    PlanResult { actions, violations: Vec::new(), ..fresh }
}

/// Assigns ids: kept actions keep theirs, and new ones get ids that none had.
fn renumber(actions: &mut [RunAction], ids: &BTreeMap<String, String>) {
    let number = |id: &String| id.trim_start_matches('a').parse::<usize>().unwrap_or(0);
    let mut next = ids.values().map(number).max().unwrap_or(0).max(actions.len()) + 1;
    for one in actions {
        match ids.get(&told(&one.action)) {
            Some(id) => one.id.clone_from(id),
            None => {
                one.id = format!("a{next}");
                next += 1;
            }
        }
    }
}

/// Identifies an action within its plan.
fn told(action: &loci_engine::consolidation::plan::Action) -> String {
    format!("{}\n{}", action.kind(), action.reads().join("\n"))
}
