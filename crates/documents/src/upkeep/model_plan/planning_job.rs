//! Plans by a model, in a job. Rules plan first, and the model does not see the documents that they
//! resolve. The rest is shown to it in parts, and its plans are validated like any other.
//! `loci_engine::language_models` asks the model, and once more with all errors of its answer.

use std::collections::BTreeSet;

use loci_engine::consolidation::plan::{Operation, Plan};
use loci_engine::consolidation::snapshot::{Snapshot, reference_key};
use loci_engine::consolidation::validator::{Bounds, validate};
use loci_engine::language_models::{QuestionOutcome, Unanswered, Why, ask, usage_of};
use loci_engine::memories::existing;
use loci_engine::strategies::model_questions::question::BadReply;
use loci_model::job::exchange::Step;
use loci_model::job::{DueRule, Job, NewJob};
use loci_model::memory::settings::ModelMode;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::trees::consolidation_run::RunStatus;
use loci_model::{JobId, Namespace, Result, Timestamp};

use super::question;
use crate::Documents;
use crate::consolidation::clusters::{Clusters, clusters};
use crate::consolidation::{
    self, About, ModelWork, PlanResult, PlannedAction, PlannerSettings, judged, plan,
};
use crate::trees::tree::TreeAsk;
use crate::upkeep::plan_input::TreeRead;
use crate::upkeep::rule_plan::{self, RULES};
use crate::upkeep::run::ConsolidationRun;
use crate::upkeep::run_request::PlannerChoice;
use crate::upkeep::runs::replan::without;
use crate::upkeep::runs::run_ledger;

/// The prefix of a run's id in the key of its job.
const JOB_KEY: &str = "tree_plan ";
/// The maximum of violations in the request for a corrected answer.
const VIOLATIONS_SHOWN: usize = 20;

/// The state of a run whose job plans it.
pub(crate) enum PlanningRunState {
    /// The run is planned, failed, or cancelled.
    Ended,
    /// A question waits for the caller's own model.
    Waits,
    /// The model gave no answer.
    Unanswered(Unanswered),
}

/// The parts of a tree for a model, and the plan of rules before it.
struct Parts {
    read: TreeRead,
    by_rules: PlanResult,
    asked: consolidation::PlanRequest,
    /// The parts of the tree for the model.
    shown: Vec<Snapshot>,
    skipped: usize,
}

impl Documents {
    /// Starts a run that a job plans.
    pub(in crate::upkeep) async fn consolidation_ask_model(
        &self,
        mut run: ConsolidationRun,
    ) -> Result<ConsolidationRun> {
        let now = run.created_at;
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        run.planner = format!("{RULES}, {}", question::PROMPT);
        run.job = Some(job.clone());
        // An answer may never come: then the next run may replace this one.
        let until =
            run.limits.timeout_ms.map(|most| now.plus_millis(i64::try_from(most).unwrap_or(i64::MAX)));
        let begun = run.clone();
        self.engine
            .store()
            .write(move |tx| {
                existing(tx, &begun.memory)?;
                run_ledger::begin(tx, &begun, until)?;
                let new = NewJob {
                    id: job.clone(),
                    memory: begun.memory.clone(),
                    kind: crate::jobs::tree_plan::KIND,
                    unique_key: format!("{JOB_KEY}{}", begun.id),
                    strategy: None,
                    actor: None,
                    session: None,
                    due: now,
                    due_rule: DueRule::Earlier,
                };
                tx.jobs_mut().enqueue(&new, now).map(drop)
            })
            .await?;
        self.engine.wake().call();
        Ok(run)
    }

    /// Plans the run of a job, as far as answers are available. A repetition finds the stored
    /// answers.
    pub(crate) async fn plan_run_of(&self, job: &Job) -> Result<PlanningRunState> {
        let Some((run, tree, mode)) = self.run_of_job(job).await? else { return Ok(PlanningRunState::Ended) };
        let parts = match self.parts_of(&run, &tree).await {
            Ok(parts) => parts,
            Err(error) if error.is_retryable() => return Err(error),
            Err(error) => {
                self.end_failed(run, error.message).await?;
                return Ok(PlanningRunState::Ended);
            }
        };
        let (mut run, mut found) = (run, Vec::new());
        for shown in &parts.shown {
            if let Some(rule) = over(&run, self.engine.now()) {
                self.end_failed(run, rule.to_owned()).await?;
                return Ok(PlanningRunState::Ended);
            }
            match self.ask_about(job, mode, &mut run, shown, &parts.asked.bounds).await? {
                QuestionOutcome::Off => {}
                QuestionOutcome::Waits => return Ok(PlanningRunState::Waits),
                QuestionOutcome::Unanswered(why) => return Ok(PlanningRunState::Unanswered(why)),
                QuestionOutcome::Read(Ok(plan), _) => found.extend(plan),
                QuestionOutcome::Read(Err(bad), _) => {
                    self.end_failed(
                        run,
                        format!("the model's plan breaks rules: {}", bad.violations.join("; ")),
                    )
                    .await?;
                    return Ok(PlanningRunState::Ended);
                }
            }
            if let Some(rule) = over(&run, self.engine.now()) {
                self.end_failed(run, rule.to_owned()).await?;
                return Ok(PlanningRunState::Ended);
            }
        }
        self.end_modelled(run, &tree, parts, found).await?;
        Ok(PlanningRunState::Ended)
    }

    /// Ends a run that no model answered. If rules may plan alone, their plan stays.
    pub(crate) async fn plan_unanswered(&self, job: &Job, unanswered: &Unanswered) -> Result<()> {
        let Some((mut run, tree, _)) = self.run_of_job(job).await? else { return Ok(()) };
        let said = unanswered.reason();
        if run.choice == PlannerChoice::Llm || unanswered.why == Why::Form {
            return self.end_failed(run, said).await;
        }
        let parts = self.parts_of(&run, &tree).await?;
        run.planner = RULES.to_owned();
        run.failure = Some(format!("{said}; planned by rules alone"));
        self.end_modelled(run, &tree, parts, Vec::new()).await
    }

    async fn run_of_job(&self, job: &Job) -> Result<Option<(ConsolidationRun, TreeAsk, ModelMode)>> {
        let Some(id) = job.unique_key.strip_prefix(JOB_KEY).map(str::to_owned) else { return Ok(None) };
        let (memory, usual) = (job.memory.clone(), self.engine.models().mode);
        let found = self
            .engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let run = tx.ledger().noun::<ConsolidationRun>(&memory.id, &id)?;
                Ok(run.map(|run| (run, memory.settings.model_mode.unwrap_or(usual))))
            })
            .await?;
        let Some((run, mode)) = found.filter(|(run, _)| run.status == RunStatus::Planning) else {
            return Ok(None);
        };
        let tree = TreeAsk { memory: run.memory.clone(), namespace: Namespace::parse(&run.namespace)? };
        Ok(Some((run, tree, mode)))
    }

    async fn parts_of(&self, run: &ConsolidationRun, tree: &TreeAsk) -> Result<Parts> {
        let (read, covered) = self.read_for_run(tree, &run.operations).await?;
        let (settings, now, about) = (self.parts.settings.upkeep.planner, self.engine.now(), run.clone());
        self.parts.plan_work.run(move || parts_by_rules(read, covered, &about, (&settings, now))).await?
    }

    async fn ask_about(
        &self,
        job: &Job,
        mode: ModelMode,
        run: &mut ConsolidationRun,
        shown: &Snapshot,
        whole: &Bounds,
    ) -> Result<QuestionOutcome<std::result::Result<Vec<PlannedAction>, BadReply>>> {
        let bounds = Bounds { by_model: true, system_tokens_max: None, ..whole.clone() };
        let about = question::about(run, shown)?;
        // The answer of the last turn is accepted with its errors.
        let is_last = run.limits.max_turns < 2;
        let read = |reply: &str| match read_plan(reply, shown, &bounds) {
            Err(bad) if !is_last => Err(bad),
            read => Ok(read),
        };
        let answer = ask(&self.engine, job, mode, Step::TreePlan, &about, &read).await?;
        if matches!(answer, QuestionOutcome::Read(..)) {
            let usage = usage_of(&self.engine, job, Step::TreePlan, &about).await?;
            run.usage.input_tokens = run.usage.input_tokens.saturating_add(usage.input_tokens);
            run.usage.output_tokens = run.usage.output_tokens.saturating_add(usage.output_tokens);
            run.usage.calls = run.usage.calls.saturating_add(1);
        }
        if let QuestionOutcome::Read(_, made) = &answer
            && let Some(model) = &made.model
        {
            run.planner = format!("{RULES}, {} by {model}", question::PROMPT);
        }
        Ok(answer)
    }

    /// Validates the plans of rules and model as one. Applies the plan if requested.
    async fn end_modelled(
        &self,
        run: ConsolidationRun,
        tree: &TreeAsk,
        parts: Parts,
        found: Vec<PlannedAction>,
    ) -> Result<()> {
        let run = self.parts.plan_work.run(move || planned_by_both(run, &parts, found)).await??;
        let run = self.end_planning(run).await?;
        if run.dry_run || run.status != RunStatus::Planned {
            return Ok(());
        }
        let caller = asker(&run)?;
        match self.consolidation_do(&caller, tree, run.clone()).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_retryable() => Err(error),
            // The run stays planned: applying it later reports the error.
            Err(error) => {
                tracing::info!(run = run.id, message = error.message, "a plan was not applied");
                Ok(())
            }
        }
    }

    async fn end_failed(&self, run: ConsolidationRun, why: String) -> Result<()> {
        let failed = ConsolidationRun { status: RunStatus::Failed, failure: Some(why), ..run };
        self.end_planning(failed).await.map(drop)
    }
}

/// Returns the plan of rules for a tree, and the parts of the rest for a model.
fn parts_by_rules(
    read: TreeRead,
    covered: u64,
    run: &ConsolidationRun,
    (settings, now): (&PlannerSettings, Timestamp),
) -> Result<Parts> {
    let asked = rule_plan::asked(run, &read, covered, (settings, now));
    let by_rules = plan(&read.snapshot, &asked);
    let rest = without_planned(&read.snapshot, &by_rules.actions);
    let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let bounds = Bounds {
        files_max: size(run.limits.max_files),
        input_bytes_max: size(run.limits.max_input_bytes),
        ..Bounds::default()
    };
    let Clusters { clusters, skipped } = clusters(&rest, &bounds, run.limits.cluster)?;
    let part = |places: &Vec<usize>| {
        let documents = places.iter().filter_map(|at| rest.documents.get(*at)).cloned().collect::<Vec<_>>();
        let named: BTreeSet<String> = documents.iter().map(|one| reference_key(&one.reference)).collect();
        let others = read.snapshot.documents.iter().map(|one| &one.reference);
        let mut taken = rest.taken.clone();
        taken.extend(others.filter(|one| !named.contains(&reference_key(one))).cloned());
        Snapshot { sequence: rest.sequence, documents, taken }
    };
    let shown = clusters.iter().map(part).filter(|part| is_wanted(part, &asked.about)).collect();
    Ok(Parts { by_rules, asked, shown, skipped: skipped.len(), read })
}

/// Returns a run with one plan of rules and a model, validated as one.
fn planned_by_both(
    mut run: ConsolidationRun,
    parts: &Parts,
    found: Vec<PlannedAction>,
) -> Result<ConsolidationRun> {
    let by_model: Vec<_> = found.iter().map(|one| one.action.clone()).collect();
    let mut actions = parts.by_rules.actions.clone();
    actions.extend(found);
    actions
        .sort_by_cached_key(|one| (one.operation, one.action.reads().into_iter().min().map(str::to_owned)));
    // The model received the documents that rules left.
    let union = PlanResult { actions, left: ModelWork::default(), ..parts.by_rules.clone() };
    let union = judged(union, &parts.read.snapshot, &parts.asked.bounds);
    let places = union.actions.iter().enumerate();
    let of_model: BTreeSet<usize> =
        places.filter(|(_, one)| by_model.contains(&one.action)).map(|(at, _)| at).collect();
    let told = run.failure.clone();
    rule_plan::fill(&mut run, &parts.read, &union, &parts.asked, (&of_model, parts.skipped))?;
    run.failure = run.failure.or(told);
    Ok(run)
}

/// Removes the questions of a run, with their quotations, and ends its job.
pub(in crate::upkeep) fn forget_questions(tx: &mut dyn Tx, run: &ConsolidationRun) -> Result<()> {
    let Some(job) = &run.job else { return Ok(()) };
    tx.exchanges_mut().drop_of_job(&run.memory, job)?;
    tx.jobs_mut().wake(&run.memory, job, run.updated_at).map(drop)
}

/// Returns the principal that requested a run, with its rights in the tree.
fn asker(run: &ConsolidationRun) -> Result<Principal> {
    let mut capabilities = BTreeSet::from([Capability::Read, Capability::Write]);
    if run.by_admin {
        capabilities.insert(Capability::Admin);
    }
    let grant = Grant {
        memory: Some(run.memory.clone()),
        namespace: Some(Namespace::parse(&run.namespace)?),
        capabilities,
        ..Grant::everything()
    };
    Ok(Principal { name: run.by.clone(), grants: vec![grant] })
}

/// Returns the limit that a run exceeds.
fn over(run: &ConsolidationRun, now: Timestamp) -> Option<&'static str> {
    let tokens = run.usage.input_tokens + run.usage.output_tokens;
    if run.limits.max_tokens.is_some_and(|most| tokens > most) {
        return Some("the model took more tokens than limits.max_tokens: raise it, or narrow the scope");
    }
    let taken_ms = u64::try_from(now.millis().saturating_sub(run.created_at.millis())).unwrap_or(0);
    run.limits
        .timeout_ms
        .is_some_and(|most| taken_ms > most)
        .then_some("the model did not answer within limits.timeout_ms: raise it, or narrow the scope")
}

/// Returns the tree without the documents that rules resolved.
fn without_planned(snapshot: &Snapshot, actions: &[PlannedAction]) -> Snapshot {
    let named = actions.iter().flat_map(|one| one.action.reads().into_iter().chain(one.action.writes()));
    without(snapshot, named)
}

/// True if a part contains a document in the scope.
fn is_wanted(part: &Snapshot, about: &About) -> bool {
    let mut keys = part.documents.iter().map(|one| reference_key(&one.reference));
    match about {
        About::Everything => true,
        About::Changed(some) | About::Touching(some) => keys.any(|key| some.contains(&key)),
        About::Within(paths) => keys.any(|key| {
            paths.iter().any(|path| {
                key.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        }),
    }
}

/// Parses a model's plan over a part, or returns all its errors.
fn read_plan(
    reply: &str,
    shown: &Snapshot,
    bounds: &Bounds,
) -> std::result::Result<Vec<PlannedAction>, BadReply> {
    let plan = Plan::read(question::bare(reply)).map_err(|malformed| BadReply::of(malformed.0))?;
    let found = validate(&plan, shown, bounds);
    let refused: Vec<String> = found
        .iter()
        .filter(|one| !one.held)
        .map(|one| format!("action {} ({:?}): {}", one.action + 1, one.code, one.message))
        .collect();
    if !refused.is_empty() {
        let more = refused.len().saturating_sub(VIOLATIONS_SHOWN);
        let mut violations: Vec<String> = refused.into_iter().take(VIOLATIONS_SHOWN).collect();
        if more > 0 {
            violations.push(format!("and {more} more"));
        }
        return Err(BadReply { violations });
    }
    let held = |at: usize| found.iter().find(|one| one.action == at).map(|one| one.message.clone());
    let made = plan.actions.into_iter().enumerate();
    Ok(made
        .map(|(at, action)| PlannedAction {
            operation: operation_of(action.kind(), bounds),
            held: held(at),
            action,
        })
        .collect())
}

/// Returns the first requested operation that has such actions.
fn operation_of(kind: &str, bounds: &Bounds) -> Operation {
    let of = |operation: &Operation| match operation {
        Operation::ResolveContradictions => matches!(kind, "update" | "supersede"),
        Operation::Deduplicate => matches!(kind, "merge" | "archive"),
        Operation::DeriveInsights => kind == "create",
        Operation::Reorganize => matches!(kind, "move" | "update"),
        Operation::Prune => kind == "archive",
    };
    bounds.operations.iter().copied().find(of).unwrap_or(Operation::Reorganize)
}
