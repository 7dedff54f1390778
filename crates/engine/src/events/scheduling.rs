//! Schedules the extraction of events. For each memory, strategy, actor and session there is at
//! most one waiting job.
//!
//! Without a model, facts and preferences are due shortly after the first unprocessed event.
//! Summaries and episodes are due after the last one, or immediately if many turns wait. With a
//! model, a window is due when it is full, or after a pause.

use loci_model::event::{Event, ExtractionMode, PayloadItem};
use loci_model::job::{DueRule, JobKind, NewJob};
use loci_model::memory::Memory;
use loci_model::memory::settings::ModelMode;
use loci_model::memory::strategy::{Strategy, StrategyBase};
use loci_model::ports::store::Tx;
use loci_model::{JobId, Result, Timestamp, limits};

use crate::settings::EngineSettings;
use crate::strategies::self_managed::trigger;
use crate::{Engine, strategies};

/// The number of pauses after which a group of events is extracted although it is not full and
/// new events keep arriving.
pub(crate) const PAUSES_MAX: i64 = 10;

/// Returns the key that makes an extraction job unique.
fn extraction_key(strategy: &Strategy, event: &Event) -> String {
    format!("extract {} {} {}", strategy.id, event.actor, event.session)
}

/// Returns the extraction job of one strategy for the session of an event.
pub(crate) fn extraction_job(
    strategy: &Strategy,
    event: &Event,
    id: JobId,
    due: Timestamp,
    due_rule: DueRule,
) -> NewJob {
    NewJob {
        id,
        memory: event.memory.clone(),
        kind: JobKind::EXTRACT,
        unique_key: extraction_key(strategy, event),
        strategy: Some(strategy.id.clone()),
        actor: Some(event.actor.clone()),
        session: Some(event.session.clone()),
        due,
        due_rule,
    }
}

/// Returns the strategies that the server extracts. Clients extract for self-managed strategies.
pub(crate) fn extracting(memory: &Memory) -> impl Iterator<Item = &Strategy> {
    memory.strategies.iter().filter(|strategy| strategy.base != StrategyBase::SelfManaged)
}

/// Schedules the extraction jobs for an event. `ids` has one job id for each strategy. Returns
/// true if a job was scheduled.
pub(crate) fn schedule(
    tx: &mut dyn Tx,
    memory: &Memory,
    event: &Event,
    engine: &Engine,
    ids: &[JobId],
    now: Timestamp,
) -> Result<bool> {
    let has_content = event.payload.iter().any(|item| !matches!(item, PayloadItem::Blob(_)));
    if event.extraction == ExtractionMode::Skip || !has_content {
        return Ok(false);
    }
    let mut asked = false;
    let by_model = engine.model_mode(memory) != ModelMode::None;
    for (strategy, id) in memory.strategies.iter().zip(ids) {
        let job = if strategy.base == StrategyBase::SelfManaged {
            if event.hidden { None } else { trigger::due(tx, memory, strategy, event, id, now)? }
        } else {
            let (due, due_rule) = if by_model && strategies::of(strategy.base).is_some_and(|one| one.asks()) {
                window_due(tx, memory, strategy, event, now)?
            } else {
                due(tx, strategy, event, &engine.settings, now)?
            };
            Some(extraction_job(strategy, event, id.clone(), due, due_rule))
        };
        if let Some(job) = job {
            tx.jobs_mut().enqueue(&job, now)?;
            asked = true;
        }
    }
    Ok(asked)
}

/// Returns the time at which the unprocessed events of a session are extracted: now if they have
/// enough messages or tokens, otherwise after a pause without events, but at the latest after
/// [`PAUSES_MAX`] pauses.
fn window_due(
    tx: &mut dyn Tx,
    memory: &Memory,
    strategy: &Strategy,
    event: &Event,
    now: Timestamp,
) -> Result<(Timestamp, DueRule)> {
    let (actor, session) = (&event.actor, &event.session);
    let window = &memory.settings.window;
    let read = tx.events().progress(&memory.id, &strategy.id, actor, session)?;
    let load = tx.events().load(&memory.id, actor, session, read, now)?;
    if load.messages >= window.messages || load.tokens >= window.tokens {
        return Ok((now, DueRule::Earlier));
    }
    let idle_ms = i64::try_from(window.idle_ms).unwrap_or(i64::MAX);
    let first = tx.events().first_unprocessed(&memory.id, actor, session, read, now)?;
    let latest = first.unwrap_or(now).plus_millis(idle_ms.saturating_mul(PAUSES_MAX));
    Ok((now.plus_millis(idle_ms).min(latest.max(now)), DueRule::Later))
}

fn due(
    tx: &mut dyn Tx,
    strategy: &Strategy,
    event: &Event,
    settings: &EngineSettings,
    now: Timestamp,
) -> Result<(Timestamp, DueRule)> {
    match strategy.base {
        StrategyBase::Semantic | StrategyBase::UserPreference | StrategyBase::SelfManaged => {
            Ok((now.plus_millis(settings.extraction_delay_ms), DueRule::Earlier))
        }
        StrategyBase::Summary | StrategyBase::Episodic => {
            let (memory, actor, session) = (&event.memory, &event.actor, &event.session);
            let read = tx.events().progress(memory, &strategy.id, actor, session)?;
            let limit = limits::SUMMARY_TURNS_DUE;
            let waiting = tx.events().unprocessed_items(memory, actor, session, read, limit, now)?;
            if waiting >= limits::SUMMARY_TURNS_DUE {
                Ok((now, DueRule::Earlier))
            } else {
                Ok((now.plus_millis(settings.summary_delay_ms), DueRule::Later))
            }
        }
    }
}
