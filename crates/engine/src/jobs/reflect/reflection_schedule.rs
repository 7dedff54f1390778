//! Schedules reflections: after enough new episodes, or on request. No model is asked here.

use std::collections::BTreeMap;

use loci_model::job::{DueRule, Job, JobKind, NewJob};
use loci_model::memory::settings::ModelMode;
use loci_model::memory::strategy::{Reflection, Strategy};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{JobQuery, ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordKind;
use loci_model::record::derivation::MakingMode;
use loci_model::{
    ActorId, Error, JobId, MemoryId, Namespace, NamespaceMatch, Result, StrategyId, Timestamp, limits,
};

use super::window::{KNOWN_MAX, newest};
use super::{ReflectionParameters, WINDOW_DEFAULT};
use crate::memories::existing;
use crate::{Engine, access};

/// Maximum number of jobs of a strategy to check.
const JOBS_MAX: usize = 1_000;
/// Template variable of the actor.
const ACTOR: &str = "actorId";

/// A request to make a reflection now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReflectionAsk {
    /// The number of newest episodes that the reflection considers, 1 to 200; `None` means 50.
    pub window: Option<u32>,
    /// The namespace that gets the reflections; the episodes in its subtree are considered.
    /// Required if the strategy's reflection template has variables.
    pub namespace: Option<Namespace>,
}

impl Engine {
    /// Schedules a reflection over the newest episodes of a strategy, independent of the number of
    /// new ones. Returns the job.
    ///
    /// # Errors
    /// `Denied`, `NotFound` (memory, strategy), `Invalid` (`strategy`: it has no episodes;
    /// `window`, `namespace`), `Conflict` (the memory uses no language model).
    pub async fn strategy_reflect(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        strategy: &StrategyId,
        ask: ReflectionAsk,
    ) -> Result<JobId> {
        access::require_whole(caller, memory, Capability::Write)?;
        let size = ask.window.unwrap_or(WINDOW_DEFAULT) as usize;
        if !(1..=limits::REFLECT_WINDOW_MAX).contains(&size) {
            return Err(Error::invalid("window", "window must be 1 to 200"));
        }
        let (now, usual) = (self.clock.now(), self.models.mode);
        let id = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let (memory, strategy) = (memory.clone(), strategy.clone());
        let job = self
            .store
            .write(move |tx| {
                let found = existing(tx, &memory)?;
                let mode = found.settings.model_mode.unwrap_or(usual);
                let strategy = found
                    .strategy(&strategy)
                    .ok_or_else(|| Error::not_found(format!("Strategy not found: {strategy}")))?;
                let reflection = strategy.reflection.as_ref().ok_or_else(|| {
                    Error::invalid("strategy", "only episodic strategies reflect: name one of these")
                })?;
                if mode == ModelMode::None {
                    let rule =
                        "no language model reads this memory: set model_mode, for nothing else can reflect";
                    return Err(Error::conflict(rule));
                }
                let (namespace, actor) = placed(strategy, reflection, ask.namespace.as_ref())?;
                let place = ReflectionParameters {
                    memory: memory.clone(),
                    strategy: strategy.id.clone(),
                    namespace,
                    size,
                };
                tx.jobs_mut().enqueue(&new_job(&place, actor, id.clone(), now), now)
            })
            .await?;
        self.wake.call();
        Ok(job)
    }
}

/// Returns the namespace of reflections according to the template, and the actor in it.
fn placed(
    strategy: &Strategy,
    reflection: &Reflection,
    asked: Option<&Namespace>,
) -> Result<(Namespace, Option<ActorId>)> {
    let known = |name: &str| own(strategy, name);
    let Some(asked) = asked else {
        let rule = "name the namespace: the strategy's reflection template has variables";
        let namespace = reflection.template.render(&known).map_err(|_| Error::invalid("namespace", rule))?;
        return Ok((namespace, None));
    };
    let rule = "namespace must be one that the strategy's reflection template gives";
    let values = reflection.template.read(asked, &known).ok_or_else(|| Error::invalid("namespace", rule))?;
    let namespace = reflection.template.render(&|name| known(name).or_else(|| values.get(name).cloned()))?;
    Ok((namespace, values.get(ACTOR).and_then(|actor| ActorId::parse(actor.clone()).ok())))
}

/// Returns the value of a variable that the strategy determines.
fn own(strategy: &Strategy, name: &str) -> Option<String> {
    matches!(name, "memoryStrategyId" | "strategyId").then(|| strategy.id.to_string())
}

fn new_job(place: &ReflectionParameters, actor: Option<ActorId>, id: JobId, now: Timestamp) -> NewJob {
    NewJob {
        id,
        memory: place.memory.clone(),
        kind: JobKind::REFLECT,
        unique_key: place.key(),
        strategy: Some(place.strategy.clone()),
        actor,
        session: None,
        due: now,
        due_rule: DueRule::Earlier,
    }
}

/// A due reflection.
struct Due {
    place: ReflectionParameters,
    /// True if all its episodes belong to the actor.
    is_actors: bool,
    /// The time of the last request.
    asked: Option<Timestamp>,
}

/// Schedules reflections for an extraction's session with an episode in a namespace with enough new
/// ones. It runs at the end of each extraction, so that after a crash the next extraction does it.
pub(in crate::jobs) async fn ask_where_due(engine: &Engine, job: &Job) -> Result<()> {
    let (Some(strategy), Some(actor), Some(session)) = (&job.strategy, &job.actor, &job.session) else {
        return Ok(());
    };
    let (memory, strategy) = (job.memory.clone(), strategy.clone());
    let (actor, session) = (actor.clone(), session.clone());
    let (now, usual) = (engine.clock.now(), engine.models.mode);
    let due = engine
        .store
        .read(move |tx| {
            let Some(memory) = tx.memories().get(&memory)? else { return Ok(Vec::new()) };
            let Some(strategy) = memory.strategy(&strategy) else { return Ok(Vec::new()) };
            let Some(reflection) = &strategy.reflection else { return Ok(Vec::new()) };
            if memory.settings.model_mode.unwrap_or(usual) == ModelMode::None {
                return Ok(Vec::new());
            }
            let known = |name: &str| match name {
                ACTOR => Some(actor.to_string()),
                "sessionId" => Some(session.to_string()),
                other => own(strategy, other),
            };
            let mut due: Vec<Due> = Vec::new();
            for mode in [MakingMode::Model, MakingMode::Pull, MakingMode::Fallback] {
                for record in tx.records().by_making(&memory.id, &strategy.id, &actor, &session, mode)? {
                    let namespace = reflects_in(strategy, reflection, &record.namespace, &known);
                    let Some(namespace) = namespace.filter(|_| record.kind == RecordKind::Episode) else {
                        continue;
                    };
                    let size = WINDOW_DEFAULT as usize;
                    let place = ReflectionParameters {
                        memory: memory.id.clone(),
                        strategy: strategy.id.clone(),
                        namespace,
                        size,
                    };
                    let every = memory.settings.consolidation.reflect_every as usize;
                    let asked = last_asked(tx, &place)?;
                    if due.iter().all(|other| other.place != place) && is_due(tx, &place, every, asked, now)?
                    {
                        let is_actors = reflection.template.variables().contains(&ACTOR);
                        due.push(Due { place, is_actors, asked });
                    }
                }
            }
            Ok(due)
        })
        .await?;
    for Due { place, is_actors, asked } in due {
        let id = JobId::parse(uuid7(engine.ids.as_ref(), now.millis()))?;
        let actor = job.actor.clone().filter(|_| is_actors);
        let new = new_job(&place, actor, id, now);
        engine
            .store
            .write(move |tx| {
                // Another session with the same episodes may have been faster.
                if last_asked(tx, &place)? != asked {
                    return Ok(());
                }
                tx.jobs_mut().enqueue(&new, now).map(drop)
            })
            .await?;
        engine.wake.call();
    }
    Ok(())
}

/// Returns the namespace of reflections over an episode of this namespace.
fn reflects_in(
    strategy: &Strategy,
    reflection: &Reflection,
    episode: &Namespace,
    known: &dyn Fn(&str) -> Option<String>,
) -> Option<Namespace> {
    let values: BTreeMap<String, String> = strategy.template.read(episode, known)?;
    reflection.template.render(&|name| known(name).or_else(|| values.get(name).cloned())).ok()
}

/// Returns true if at least `every` active episodes are newer than the last request for a
/// reflection.
fn is_due(
    tx: &dyn ReadTx,
    place: &ReflectionParameters,
    every: usize,
    asked: Option<Timestamp>,
    now: Timestamp,
) -> Result<bool> {
    let episodes = newest(tx, place, (RecordKind::Episode, NamespaceMatch::Subtree), every, now)?;
    let Some(oldest) = episodes.last().filter(|_| episodes.len() >= every) else { return Ok(false) };
    let last = match asked {
        Some(asked) => Some(asked),
        // The job of the last request is removed after a day.
        None => newest(tx, place, (RecordKind::Reflection, NamespaceMatch::Exact), KNOWN_MAX, now)?
            .iter()
            .map(|record| record.updated_at)
            .max(),
    };
    Ok(last.is_none_or(|last| oldest.created_at > last))
}

/// Returns the time of the last request for a reflection of this namespace, as far as jobs are
/// kept.
fn last_asked(tx: &dyn ReadTx, place: &ReflectionParameters) -> Result<Option<Timestamp>> {
    let kinds = vec![JobKind::REFLECT];
    let query =
        JobQuery { kinds, strategy: Some(place.strategy.clone()), limit: JOBS_MAX, ..JobQuery::default() };
    let jobs = tx.jobs().list(&place.memory, &query)?;
    let is_here = |job: &Job| {
        ReflectionParameters::of(job).is_ok_and(|other| other.namespace.normal() == place.namespace.normal())
    };
    Ok(jobs.iter().filter(|job| is_here(job)).map(|job| job.created_at).max())
}
