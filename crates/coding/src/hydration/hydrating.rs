//! What is remembered of a place, put together for a prompt; and, where a task asks, the row of what it was shown. The verbs say which
//! place is meant.

use std::collections::BTreeMap;

use futures::FutureExt;
use loci_api::coding::hydration::PromptSource;
use loci_engine::calls::deadline::{Deadline, Read};
use loci_engine::calls::standing::Standing;
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

use super::asked::Hydration;
use super::choosing::{Aim, choose};
use super::exposing::{Shown, exposure};
use super::kind::{HydrationKind, KindStatus};
use super::planning::{Limits, Plan, plan};
use super::reading::{KindRead, Place, Reading};
use super::related_shown::{RelatedRead, screened};
use super::rescoring::Rescored;
use super::scope_match::AskedPaths;
use super::screening::screen;
use crate::Coding;
use crate::code_graph::co_change::CoChange;
use crate::prompts::task_prompt::{Assembled, PromptLimits, assemble, texts};
use crate::tasks::log_fields::{LOAD_INFRA, WRITE_INFRA};
use crate::tasks::task_namespaces::snapshot;

/// What is said where no task asks.
const NO_TASK: &str = "NOT_LOGGED: no task is named, so it is not written down who was shown this";

/// What is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Hydrated {
    /// The task; `None`: a repository was named, and no task.
    pub task: Option<TaskId>,
    /// Which memory the task is given; `on` without one.
    pub arm: MemoryArm,
    /// Something could not be read, or not in time.
    pub degraded: bool,
    /// What to know.
    pub warnings: Vec<String>,
    /// Hardly any task of the repository came before.
    pub cold_start: bool,
    /// The state of the memory it was made from.
    pub snapshot: String,
    /// The row of what was shown; `None` where it could not be written, or no task asked.
    pub exposure: Option<ExposureId>,
    /// The commit at which citations were verified.
    pub commit: Option<String>,
    /// How each kind was read.
    pub status: BTreeMap<HydrationKind, KindStatus>,
    /// What is shown, and what is not.
    pub plan: Plan,
    /// Files that often change with those of the request, as far as they are shown.
    pub related: Vec<CoChange>,
    /// How those were read.
    pub related_status: KindStatus,
    /// At most so many tokens.
    pub limit: u32,
    /// How they were estimated.
    pub estimator: Estimator,
    /// When: ages are told from it.
    pub at: Timestamp,
    /// The user prompt, where it was asked for.
    pub assembled: Option<Assembled>,
    /// The task's branch, and the one it is for.
    pub branches: (Option<String>, Option<String>),
}

/// What was read for a hydration.
struct Gathered {
    status: BTreeMap<HydrationKind, KindStatus>,
    warnings: Vec<String>,
    look: Option<CitedLook>,
    plan: Plan,
    related: RelatedRead,
}

impl Gathered {
    fn is_degraded(&self) -> bool {
        self.related.status.is_failure() || self.status.values().any(|status| status.is_failure())
    }
}

impl Coding {
    /// Puts together what is shown at a place, until a deadline.
    pub(super) async fn hydrate(
        &self,
        caller: &Principal,
        standing: &Standing,
        place: Place,
        asked: Hydration,
        deadline: &Deadline,
    ) -> Result<Hydrated> {
        let settings = &self.parts.settings.of(place.repository.as_ref());
        let (at, arm) = (self.engine.now(), place.arm());
        let limits = Limits {
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
        let reading = Reading {
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
        let paths = AskedPaths::new(&asked.paths);
        let (task, query) = (place.task.as_ref().map(|task| &task.id), query.as_deref());
        let aim = Aim { task, query, paths: &paths, docs: docs.as_ref(), now: at };
        let mut gathered = self.gathered((read, related), &aim, &limits, deadline).await;
        gathered.warnings.extend(unread);
        let snapshot = snapshot(place.sequence);
        let shown = Shown {
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
            // As where nothing is known: the prompt of the control group has the same shape.
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

    /// The user prompt, where sources are given for it; long ones keep no thread of the runtime.
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

    /// What is shown of what was read.
    async fn gathered(
        &self,
        (read, mut related): (BTreeMap<HydrationKind, KindRead>, RelatedRead),
        aim: &Aim<'_>,
        limits: &Limits,
        deadline: &Deadline,
    ) -> Gathered {
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
        let Rescored { plan, failed } = self.rescored(ready, limits, deadline).await;
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
        Gathered { status, warnings, look, plan, related }
    }

    /// Writes down what a task was shown, what was found of citations, and, of a hydration, that the task is hydrated: one write. A task is
    /// not held up by a write that fails or takes too long: the answer says so. Where no task asks, nothing is written.
    pub(super) async fn expose(
        &self,
        place: &Place,
        shown: &Shown<'_>,
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
            // What is found in the middle of a task is no beginning of it.
            match row.call {
                ExposureCall::Hydrate => note_shown(tx, &memory.id, &task_id, &seen, row.at),
                ExposureCall::Search => Ok(()),
            }
        });
        Ok(match deadline.assemble(write).await {
            Read::Done(Ok(())) => (Some(id), None),
            Read::Done(Err(error)) => {
                tracing::warn!(metric_type = WRITE_INFRA, ?error, "an exposure could not be written");
                (None, Some("NOT_LOGGED: what was shown could not be written down".to_owned()))
            }
            Read::Late => {
                let message = "LOGGED_LATE: it is not known yet whether what was shown is written down";
                (Some(id), Some(message.to_owned()))
            }
        })
    }
}

/// What a task was shown, and that it is under way, as the task notes it.
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

/// What counts for the user prompt as for the block; its fence is its own.
fn prompt_of(limits: &Limits) -> PromptLimits {
    let mut seed = limits.seed;
    seed.reverse();
    PromptLimits { tokens: limits.tokens, estimator: limits.estimator, seed }
}

fn hydrated(
    place: Place,
    gathered: Gathered,
    snapshot: String,
    exposure: Option<ExposureId>,
    limits: &Limits,
    at: Timestamp,
) -> Hydrated {
    let degraded = gathered.is_degraded();
    let Gathered { status, warnings, look, plan, related } = gathered;
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
