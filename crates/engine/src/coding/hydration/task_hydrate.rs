//! `task_hydrate`: what is remembered of a task's repository, put together for its prompt; and the row of what was shown.

use std::collections::BTreeMap;

use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, StoreExt, TaskQuery};
use loci_model::principal::{Capability, Principal};
use loci_model::task::{MemoryArm, Task, TaskStatus};
use loci_model::{Error, ExposureId, MemoryId, RecordId, Result, TaskId, Timestamp};
use loci_text::tokens::Estimator;

use super::asked::Hydration;
use super::choosing::{Aim, choose};
use super::deadline::{Deadline, Read};
use super::exposing::{Shown, exposure};
use super::kind::{HydrationKind, KindStatus};
use super::planning::{Limits, Plan, plan};
use super::reading::{KindRead, Place, Reading};
use super::scope_match::AskedPaths;
use super::screening::screen;
use crate::Engine;
use crate::coding::place;
use crate::memories::existing;
use crate::safety::Patterns;
use crate::verified::{CitedLook, Standing};

/// A repository with no more tasks than these has hardly anything to tell.
const COLD_TASKS: usize = 5;

/// What a task is given.
#[derive(Debug, Clone, PartialEq)]
pub struct Hydrated {
    /// The task.
    pub task: TaskId,
    /// Which memory it is given.
    pub arm: MemoryArm,
    /// Something could not be read, or not in time.
    pub degraded: bool,
    /// What to know.
    pub warnings: Vec<String>,
    /// Hardly any task of the repository came before.
    pub cold_start: bool,
    /// The state of the memory it was made from.
    pub snapshot: String,
    /// The row of what was shown; `None` where it could not be written.
    pub exposure: Option<ExposureId>,
    /// The commit at which citations were verified.
    pub commit: Option<String>,
    /// How each kind was read.
    pub status: BTreeMap<HydrationKind, KindStatus>,
    /// What is shown, and what is not.
    pub plan: Plan,
    /// At most so many tokens.
    pub limit: u32,
    /// How they were estimated.
    pub estimator: Estimator,
    /// When: ages are told from it.
    pub at: Timestamp,
}

/// What was read for a hydration.
struct Gathered {
    status: BTreeMap<HydrationKind, KindStatus>,
    warnings: Vec<String>,
    look: Option<CitedLook>,
    plan: Plan,
}

impl Engine {
    /// Puts together what a task is shown. A part of memory that cannot be read, or not in time, is left out, and the answer says so;
    /// a task of the control group is shown nothing.
    ///
    /// # Errors
    /// `Invalid` by the rules of the request; `NotFound`; `Unavailable` where not even the task could be read in time.
    pub async fn task_hydrate(
        &self,
        caller: &Principal,
        standing: &Standing,
        id: &TaskId,
        asked: Hydration,
    ) -> Result<Hydrated> {
        let settings = &self.settings.coding;
        asked.check()?;
        let deadline = Deadline::begin(self.clock.clone(), asked.timeout_ms(settings));
        let place = async {
            let memory = self.code_memory(caller, standing).await?;
            self.hydration_place(caller, &memory, id).await
        };
        let place = match deadline.read(place).await {
            Read::Done(place) => place?,
            Read::Late => return Err(Error::unavailable("the task could not be read in time")),
        };
        let at = self.clock.now();
        let limits = Limits {
            tokens: asked.budget_tokens.unwrap_or(settings.budget_tokens),
            estimator: asked.estimator.unwrap_or(settings.estimator),
            seed: self.ids.random(),
        };
        let query = asked.question(&place.task);
        let is_shadow = place.task.arm == MemoryArm::Off && settings.control.shadow;
        let wanted: Vec<HydrationKind> = HydrationKind::ALL
            .iter()
            .copied()
            .filter(|kind| asked.includes(*kind) && (is_shadow || kind.is_of(place.task.arm)))
            .collect();
        let asking = self.asking_once();
        let reading = Reading {
            engine: &asking,
            caller,
            standing,
            place: &place,
            asked: &asked,
            query: query.as_deref(),
            deadline: &deadline,
            wanted: &wanted,
        };
        let (read, (docs, unread)) = futures::join!(reading.all(), reading.named_docs());
        let paths = AskedPaths::new(&asked.paths);
        let (task, query) = (&place.task.id, query.as_deref());
        let aim = Aim { task, query, paths: &paths, docs: docs.as_ref(), now: at };
        let mut gathered = self.gathered(read, &aim, &limits, &deadline).await;
        gathered.warnings.extend(unread);
        let degraded = gathered.status.values().any(|status| status.is_failure());
        let snapshot = format!("snap_{}", place.sequence);
        let shown = Shown {
            task: &place.task,
            query,
            snapshot: &snapshot,
            limits: &limits,
            plan: &gathered.plan,
            is_shadow,
            degraded,
            at,
        };
        let (exposure, unwritten) = self.expose(&place, &shown, gathered.look.as_ref(), &deadline).await?;
        if place.task.arm == MemoryArm::Off {
            // As where nothing is known: the prompt of the control group has the same shape.
            gathered.plan = plan(BTreeMap::new(), &limits, settings);
            gathered.status.values_mut().for_each(|status| *status = KindStatus::Disabled);
            gathered.warnings.clear();
        }
        gathered.warnings.extend(unwritten);
        Ok(hydrated(place, gathered, snapshot, exposure, &limits, at))
    }

    async fn hydration_place(&self, caller: &Principal, memory: &MemoryId, id: &TaskId) -> Result<Place> {
        let (caller, memory, id) = (caller.clone(), memory.clone(), id.clone());
        self.store
            .read(move |tx| {
                existing(tx, &memory)?;
                let task = place::visible(&caller, &id, tx.tasks().get(&memory, &id)?, Capability::Write)?;
                let repository = match &task.repository {
                    Some(repository) => tx.repositories().get(&memory, repository)?,
                    None => None,
                };
                let sequence = tx.memories().sequence(&memory)?;
                let is_cold = is_cold(tx, &task)?;
                Ok(Place { memory: memory.clone(), task, repository, sequence, is_cold })
            })
            .await
    }

    /// What is shown of what was read.
    async fn gathered(
        &self,
        read: BTreeMap<HydrationKind, KindRead>,
        aim: &Aim<'_>,
        limits: &Limits,
        deadline: &Deadline,
    ) -> Gathered {
        let settings = &self.settings.coding;
        let (mut status, mut warnings, mut look) = (BTreeMap::new(), Vec::new(), None);
        let mut chosen = BTreeMap::new();
        for (kind, read) in read {
            status.insert(kind, read.status);
            warnings.extend(read.warnings);
            look = look.or(read.look);
            chosen.insert(kind, choose(kind, read.found, aim, settings));
        }
        let patterns = Patterns::in_force(self.settings.patterns);
        let ready = screen(chosen, aim.now, patterns, deadline).await;
        for (kind, late) in
            ready.iter().map(|(kind, ready)| (kind, ready.late())).filter(|(_, late)| *late > 0)
        {
            status.insert(*kind, KindStatus::Timeout);
            let kind = kind.as_str();
            warnings.push(format!("NOT_IN_TIME: {late} of the {kind} were found and not looked at in time"));
        }
        let plan = plan(ready, limits, settings);
        if plan.cuts_rules() {
            warnings.push("RULES_TRUNCATED: not every rule fits the budget".to_owned());
        }
        if plan.block.is_empty() {
            warnings.push(
                "BUDGET_TOO_SMALL: the budget does not hold the fence, so nothing is rendered".to_owned(),
            );
        }
        Gathered { status, warnings, look, plan }
    }

    /// Writes down what was shown, what was found of citations, and that the task is hydrated: one write. A task is not held up by a
    /// write that fails or takes too long: the answer says so.
    async fn expose(
        &self,
        place: &Place,
        shown: &Shown<'_>,
        look: Option<&CitedLook>,
        deadline: &Deadline,
    ) -> Result<(Option<ExposureId>, Option<String>)> {
        let id = ExposureId::parse(format!("exp_{}", uuid7(self.ids.as_ref(), shown.at.millis())))?;
        let row = exposure(id.clone(), shown);
        let served: Vec<RecordId> = match shown.is_shadow {
            true => Vec::new(),
            false => shown.plan.shown.iter().map(|one| one.candidate.record.id.clone()).collect(),
        };
        let (memory, task, look, engine) =
            (place.memory.clone(), place.task.id.clone(), look.cloned(), self.clone());
        let write = self.store.write(move |tx| {
            let memory = existing(tx, &memory)?;
            tx.exposures_mut().put(&row)?;
            if let Some(look) = &look {
                engine.write_cited(tx, &memory, look, &served)?;
            }
            let begun = tx.tasks().get(&memory.id, &task)?.filter(|task| task.status == TaskStatus::Accepted);
            if let Some(mut task) = begun {
                task.status = TaskStatus::Hydrating;
                task.updated_at = row.at;
                tx.tasks_mut().put(&task)?;
            }
            Ok(())
        });
        Ok(match deadline.assemble(write).await {
            Read::Done(Ok(())) => (Some(id), None),
            Read::Done(Err(error)) => {
                let task_id = &place.task.id;
                tracing::warn!(%task_id, ?error, metric_type = "memory_write_infra_failure", "an exposure");
                (None, Some("NOT_LOGGED: what was shown could not be written down".to_owned()))
            }
            Read::Late => {
                let message = "LOGGED_LATE: it is not known yet whether what was shown is written down";
                (Some(id), Some(message.to_owned()))
            }
        })
    }
}

fn hydrated(
    place: Place,
    gathered: Gathered,
    snapshot: String,
    exposure: Option<ExposureId>,
    limits: &Limits,
    at: Timestamp,
) -> Hydrated {
    let Gathered { status, warnings, look, plan } = gathered;
    Hydrated {
        task: place.task.id,
        arm: place.task.arm,
        degraded: status.values().any(|status| status.is_failure()),
        warnings,
        cold_start: place.is_cold,
        snapshot,
        exposure,
        commit: look.and_then(|look| look.commit),
        status,
        plan,
        limit: limits.tokens,
        estimator: limits.estimator,
        at,
    }
}

/// Whether hardly any task of the same actor was taken in yet.
fn is_cold(tx: &dyn ReadTx, task: &Task) -> Result<bool> {
    let query =
        TaskQuery { actors: vec![task.actor.clone()], ..TaskQuery::all(task.memory.clone(), COLD_TASKS + 1) };
    Ok(tx.tasks().list(&query)?.len() <= COLD_TASKS)
}
