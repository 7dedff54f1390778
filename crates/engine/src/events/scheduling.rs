//! When events ask for extraction: one job per (memory, strategy, actor, session), by unique key.
//!
//! Facts and preferences are due shortly after the first unprocessed event; summaries and episodes after the last,
//! or at once when many turns wait.

use loci_model::event::{Event, ExtractionMode, PayloadItem};
use loci_model::job::{DueRule, JobKind, NewJob};
use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::strategy::{Strategy, StrategyBase};
use loci_model::{JobId, Result, Timestamp, limits};

use crate::self_managed::trigger;
use crate::settings::EngineSettings;

/// The key that makes an extraction job unique.
fn extraction_key(strategy: &Strategy, event: &Event) -> String {
    format!("extract {} {} {}", strategy.id, event.actor, event.session)
}

/// The job by which a strategy reads the session of an event.
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
        kind: JobKind::Extract,
        unique_key: extraction_key(strategy, event),
        strategy: Some(strategy.id.clone()),
        actor: Some(event.actor.clone()),
        session: Some(event.session.clone()),
        due,
        due_rule,
    }
}

/// Strategies that the pipeline runs; self-managed ones are the caller's.
pub(crate) fn extracting(memory: &Memory) -> impl Iterator<Item = &Strategy> {
    memory.strategies.iter().filter(|strategy| strategy.base != StrategyBase::SelfManaged)
}

/// Asks for the jobs that an event causes. `ids` has one id per strategy. True if any was asked for.
pub(crate) fn schedule(
    tx: &mut dyn Tx,
    memory: &Memory,
    event: &Event,
    settings: &EngineSettings,
    ids: &[JobId],
    now: Timestamp,
) -> Result<bool> {
    let has_content = event.payload.iter().any(|item| !matches!(item, PayloadItem::Blob(_)));
    if event.extraction == ExtractionMode::Skip || !has_content {
        return Ok(false);
    }
    let mut asked = false;
    for (strategy, id) in memory.strategies.iter().zip(ids) {
        let job = if strategy.base == StrategyBase::SelfManaged {
            if event.hidden { None } else { trigger::due(tx, memory, strategy, event, id, now)? }
        } else {
            let (due, due_rule) = due(tx, strategy, event, settings, now)?;
            Some(extraction_job(strategy, event, id.clone(), due, due_rule))
        };
        if let Some(job) = job {
            tx.jobs_mut().enqueue(&job, now)?;
            asked = true;
        }
    }
    Ok(asked)
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
