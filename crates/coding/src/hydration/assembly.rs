//! Assembles the memory of a task or repository for a prompt, and writes the exposure if a task
//! requests it. The verbs determine the task or repository.

use std::collections::BTreeMap;

use futures::FutureExt;
use loci_api::coding::hydration::PromptSource;
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::deadline::{Deadline, DeadlineRead};
use loci_engine::memories::existing;
use loci_engine::safety::Patterns;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::Principal;
use loci_model::tasks::exposure::ExposureCall;
use loci_model::tasks::task::{MemoryArm, TaskStatus};
use loci_model::{ExposureId, MemoryId, RecordId, Result, TaskId, Timestamp, limits};
use loci_text::tokens::Estimator;
use loci_verified::CitedLook;

use super::block_plan::{BlockLimits, BlockPlan, plan};
use super::block_score::RescoredBlock;
use super::candidate_reads::{HydrationReads, HydrationScope, KindRead};
use super::exposure_row::{ExposureInput, exposure};
use super::kind::{HydrationKind, KindStatus};
use super::related_files::{RelatedRead, screened};
use super::request::Hydration;
use super::safety_screen::screen;
use super::scope_match::RequestPaths;
use super::selection::{SelectionAim, choose};
use crate::Coding;
use crate::code_graph::co_change::CoChange;
use crate::prompts::task_prompt::{Assembled, PromptLimits, assemble, texts};
use crate::tasks::log_fields::{LOAD_INFRA, WRITE_INFRA};
use crate::tasks::task_namespaces::snapshot;

/// The warning if the request names no task.
const NO_TASK: &str = "NOT_LOGGED: no task is named, so it is not written down who was shown this";

/// The result of a hydration.
#[derive(Debug, Clone, PartialEq)]
pub struct Hydrated {
    /// The task; `None`: the request names a repository and no task.
    pub task: Option<TaskId>,
    /// The arm of the task; `on` without a task.
    pub arm: MemoryArm,
    /// True if a part could not be read, or not in time.
    pub degraded: bool,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
    /// True if the repository has hardly any earlier tasks.
    pub cold_start: bool,
    /// The state of the memory that the result is based on.
    pub snapshot: String,
    /// The exposure; `None` if it could not be written, or no task requested it.
    pub exposure: Option<ExposureId>,
    /// The commit at which citations were verified.
    pub commit: Option<String>,
    /// The status of reading each kind.
    pub status: BTreeMap<HydrationKind, KindStatus>,
    /// The shown records, and those left out.
    pub plan: BlockPlan,
    /// Shown files that often change with those of the request.
    pub related: Vec<CoChange>,
    /// The status of reading these files.
    pub related_status: KindStatus,
    /// The budget in tokens.
    pub limit: u32,
    /// The estimator that counts tokens.
    pub estimator: Estimator,
    /// The time of the request, from which ages are computed.
    pub at: Timestamp,
    /// The user prompt, if requested.
    pub assembled: Option<Assembled>,
    /// The task's branch, and its base branch.
    pub branches: (Option<String>, Option<String>),
}

/// The data read for a hydration.
struct HydrationData {
    status: BTreeMap<HydrationKind, KindStatus>,
    warnings: Vec<String>,
    look: Option<CitedLook>,
    plan: BlockPlan,
    related: RelatedRead,
}

impl HydrationData {
    fn is_degraded(&self) -> bool {
        self.related.status.is_failure() || self.status.values().any(|status| status.is_failure())
    }
}

impl Coding {
    /// Assembles the memory of a task or repository, within a deadline.
    pub(super) async fn hydrate(
        &self,
        caller: &Principal,
        standing: &CallContext,
        place: HydrationScope,
        asked: Hydration,
        deadline: &Deadline,
    ) -> Result<Hydrated> {
        let settings = &self.parts.settings.of(place.repository.as_ref());
        let (at, arm) = (self.engine.now(), place.arm());
        let limits = BlockLimits {
            tokens: asked.budget_tokens.unwrap_or(settings.budget_tokens),
            estimator: asked.estimator.unwrap_or(settings.estimator),
            seed: self.engine.ids().random(),
        };
        let query = asked.question(place.task.as_ref());
        let is_shadow = arm == MemoryArm::Off && settings.control.shadow;
        let wanted: Vec<HydrationKind> = HydrationKind::ALL
            .iter()
            .copied()
            .filter(|kind| asked.includes(*kind) && place.has(*kind) && (is_shadow || kind.is_of(arm)))
            .collect();
        let asking = self.asking_once();
        let reading = HydrationReads {
            coding: &asking,
            caller,
            standing,
            place: &place,
            asked: &asked,
            query: query.as_deref(),
            deadline,
            wanted: &wanted,
            told: None,
            wants_themes: asked.includes_themes()
                && place.has(HydrationKind::Knowledge)
                && (is_shadow || HydrationKind::Knowledge.is_of(arm)),
        };
        let (read, (docs, unread), related) =
            futures::join!(reading.all().boxed(), reading.named_docs().boxed(), reading.related().boxed());
        let paths = RequestPaths::new(&asked.paths);
        let (task, query) = (place.task.as_ref().map(|task| &task.id), query.as_deref());
        let aim = SelectionAim { task, query, paths: &paths, docs: docs.as_ref(), now: at };
        let mut gathered = self.gathered((read, related), &aim, &limits, deadline).await;
        gathered.warnings.extend(unread);
        let snapshot = snapshot(place.sequence);
        let shown = ExposureInput {
            call: ExposureCall::Hydrate,
            query,
            snapshot: &snapshot,
            limits: &limits,
            plan: &gathered.plan,
            is_shadow,
            degraded: gathered.is_degraded(),
            at,
        };
        let (exposure, unwritten) = self.expose(&place, &shown, gathered.look.as_ref(), deadline).await?;
        if arm == MemoryArm::Off {
            // The control group gets an empty plan: its prompt has the shape as without memory.
            gathered.plan = plan(BTreeMap::new(), &limits, settings);
            gathered.status.values_mut().for_each(|status| *status = KindStatus::Disabled);
            gathered.related = RelatedRead::of(KindStatus::Disabled);
            gathered.warnings.clear();
        }
        gathered.warnings.extend(unwritten);
        let found = hydrated(place, gathered, snapshot, exposure, &limits, at);
        let prompt = PromptLimits { tokens: settings.user_prompt_budget_tokens, ..prompt_of(&limits) };
        let assembled = self.prompt_of_sources(asked.sources.as_deref(), prompt).await?;
        let warnings = found.warnings.iter().chain(assembled.iter().flat_map(|made| &made.warnings));
        Ok(Hydrated { warnings: warnings.cloned().collect(), assembled, ..found })
    }

    /// Assembles the user prompt, if the request has sources for it. Long sources run outside the
    /// threads of the runtime.
    async fn prompt_of_sources(
        &self,
        sources: Option<&[PromptSource]>,
        limits: PromptLimits,
    ) -> Result<Option<Assembled>> {
        let Some(sources) = sources else { return Ok(None) };
        let bytes: usize = sources.iter().flat_map(texts).map(str::len).sum();
        if bytes < limits::LONG_TEXT_BYTES_MIN {
            return Ok(Some(assemble(sources, &limits)));
        }
        let sources = sources.to_vec();
        self.engine.long_work().run(move || assemble(&sources, &limits)).await.map(Some)
    }

    /// Selects and plans the records that were read.
    async fn gathered(
        &self,
        (read, mut related): (BTreeMap<HydrationKind, KindRead>, RelatedRead),
        aim: &SelectionAim<'_>,
        limits: &BlockLimits,
        deadline: &Deadline,
    ) -> HydrationData {
        let settings = &self.parts.settings;
        let (mut status, mut warnings, mut look) = (BTreeMap::new(), Vec::new(), None);
        let mut chosen = BTreeMap::new();
        for (kind, read) in read {
            status.insert(kind, read.status);
            warnings.extend(read.warnings);
            look = look.or(read.look);
            chosen.insert(kind, choose(kind, read.found, aim, settings));
        }
        let patterns = Patterns::in_force(self.engine.settings().patterns);
        warnings.append(&mut related.warnings);
        let mut ready = screen(chosen, aim.now, patterns, deadline).await;
        ready.entry(HydrationKind::Knowledge).or_default().beside = screened(&related.files, patterns);
        for (kind, late) in
            ready.iter().map(|(kind, ready)| (kind, ready.late())).filter(|(_, late)| *late > 0)
        {
            status.insert(*kind, KindStatus::Timeout);
            let kind = kind.as_str();
            warnings.push(format!("NOT_IN_TIME: {late} of the {kind} were found and not looked at in time"));
        }
        let RescoredBlock { plan, failed } = self.rescored(ready, limits, deadline).await;
        if let Some(error) = failed {
            let what = "nothing is shown, for what was found could not be looked at as a whole";
            tracing::warn!(metric_type = LOAD_INFRA, ?error, "a block could not be screened");
            warnings.push(format!("SCREENING_FAILED: {what}"));
            for status in status.values_mut().filter(|status| **status == KindStatus::Ok) {
                *status = KindStatus::ScreeningFailed;
            }
            if related.status == KindStatus::Ok {
                related.status = KindStatus::ScreeningFailed;
            }
        }
        if plan.cuts_rules() {
            warnings.push("RULES_TRUNCATED: not every rule fits the budget".to_owned());
        }
        if plan.block.is_empty() {
            warnings.push(
                "BUDGET_TOO_SMALL: the budget does not hold the fence, so nothing is rendered".to_owned(),
            );
        }
        let shown = plan.related.iter().filter_map(|place| related.files.get(*place).cloned()).collect();
        related.files = shown;
        HydrationData { status, warnings, look, plan, related }
    }

    /// Writes the exposure, the verification results of citations and, for a hydration, the task's
    /// new status, in one write. A write that fails or takes too long does not delay the task: the
    /// response reports it. Without a task nothing is written.
    pub(super) async fn expose(
        &self,
        place: &HydrationScope,
        shown: &ExposureInput<'_>,
        look: Option<&CitedLook>,
        deadline: &Deadline,
    ) -> Result<(Option<ExposureId>, Option<String>)> {
        if !shown.is_shadow {
            let read = shown.plan.shown.iter().map(|one| &one.candidate.record.id);
            self.engine.products().records_read(&place.memory, read, shown.at);
        }
        let Some(task) = &place.task else { return Ok((None, Some(NO_TASK.to_owned()))) };
        let id = ExposureId::parse(format!("exp_{}", uuid7(self.engine.ids().as_ref(), shown.at.millis())))?;
        let (row, seen) = (exposure(id.clone(), task, shown), shown.seen_hash());
        let served: Vec<RecordId> = match shown.is_shadow {
            true => Vec::new(),
            false => shown.plan.shown.iter().map(|one| one.candidate.record.id.clone()).collect(),
        };
        let (memory, task_id, look, coding) =
            (place.memory.clone(), task.id.clone(), look.cloned(), self.clone());
        let write = self.engine.store().write(move |tx| {
            let memory = existing(tx, &memory)?;
            tx.exposures_mut().put(&row)?;
            if let Some(look) = &look {
                coding.verified.write_cited(tx, &memory, look, &served)?;
            }
            // A search in the middle of a task does not begin it.
            match row.call {
                ExposureCall::Hydrate => note_shown(tx, &memory.id, &task_id, &seen, row.at),
                ExposureCall::Search => Ok(()),
            }
        });
        Ok(match deadline.assemble(write).await {
            DeadlineRead::Done(Ok(())) => (Some(id), None),
            DeadlineRead::Done(Err(error)) => {
                tracing::warn!(metric_type = WRITE_INFRA, ?error, "an exposure could not be written");
                (None, Some("NOT_LOGGED: what was shown could not be written down".to_owned()))
            }
            DeadlineRead::Late => {
                let message = "LOGGED_LATE: it is not known yet whether what was shown is written down";
                (Some(id), Some(message.to_owned()))
            }
        })
    }
}

/// Records on the task the digest of the shown records, and its status `hydrating`.
fn note_shown(tx: &mut dyn Tx, memory: &MemoryId, id: &TaskId, shown: &str, at: Timestamp) -> Result<()> {
    let Some(mut task) = tx.tasks().get(memory, id)? else { return Ok(()) };
    let begins = task.status == TaskStatus::Accepted;
    if !begins && task.memory_hash.as_deref() == Some(shown) {
        return Ok(());
    }
    if begins {
        task.status = TaskStatus::Hydrating;
    }
    task.memory_hash = Some(shown.to_owned());
    task.updated_at = at;
    tx.tasks_mut().put(&task)
}

/// Returns the limits of the user prompt: those of the block with a fence of its own.
fn prompt_of(limits: &BlockLimits) -> PromptLimits {
    let mut seed = limits.seed;
    seed.reverse();
    PromptLimits { tokens: limits.tokens, estimator: limits.estimator, seed }
}

fn hydrated(
    place: HydrationScope,
    gathered: HydrationData,
    snapshot: String,
    exposure: Option<ExposureId>,
    limits: &BlockLimits,
    at: Timestamp,
) -> Hydrated {
    let degraded = gathered.is_degraded();
    let HydrationData { status, warnings, look, plan, related } = gathered;
    if place.is_cold {
        tracing::debug!("a cold start: hardly any task of the repository came before");
    }
    Hydrated {
        arm: place.arm(),
        assembled: None,
        branches: place
            .task
            .as_ref()
            .map(|task| (task.branch.clone(), task.base.clone()))
            .unwrap_or_default(),
        task: place.task.map(|task| task.id),
        degraded,
        warnings,
        cold_start: place.is_cold,
        snapshot,
        exposure,
        commit: look.and_then(|look| look.commit),
        status,
        plan,
        related: related.files,
        related_status: related.status,
        limit: limits.tokens,
        estimator: limits.estimator,
        at,
    }
}
