//! The job that turns unprocessed events of one actor and session into records of one strategy.
//!
//! In rounds: read events behind the strategy's progress, extract, embed, look for near-duplicates, write all of it and
//! the progress in one transaction. A round whose ground moved meanwhile (progress, or the strategy's records in that
//! namespace) writes nothing and is planned again, so a job that is run twice, or beside another, writes once.

mod consolidating;
mod draft;
mod join;
mod neighbours;
mod round;
mod write;

use std::collections::HashMap;

use loci_model::job::{Job, JobMessage};
use loci_model::ports::embedder::Vector;
use loci_model::ports::store::StoreExt;
use loci_model::{ActorId, Error, JobId, MemoryId, Result, SessionId, StrategyId};

use super::{Ended, failure};
use crate::Engine;
use consolidating::Settled;

/// Plans of one round that may be overtaken before the job lets others go first.
const PLANS_MAX: u32 = 6;
/// How long it lets them.
const STEP_BACK_MS: i64 = 50;
/// Events whose messages a failed job names.
const NAMED_EVENTS_MAX: usize = 20;
/// Messages that a failed job names.
const NAMED_MESSAGES_MAX: usize = 100;

/// Whose events a job reads, and for which strategy.
#[derive(Debug, Clone)]
struct Place {
    job: JobId,
    memory: MemoryId,
    strategy: StrategyId,
    actor: ActorId,
    session: SessionId,
}

impl Place {
    fn of(job: &Job) -> Result<Self> {
        match (&job.strategy, &job.actor, &job.session) {
            (Some(strategy), Some(actor), Some(session)) => Ok(Self {
                job: job.id.clone(),
                memory: job.memory.clone(),
                strategy: strategy.clone(),
                actor: actor.clone(),
                session: session.clone(),
            }),
            _ => Err(Error::bug("an extraction job without strategy, actor or session")),
        }
    }
}

/// Vectors by text: a plan that is made again does not embed again.
type Vectors = HashMap<String, Vector>;

/// Runs until no event is left. A memory, strategy or event that is gone meanwhile is no failure.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<Ended> {
    let place = Place::of(job)?;
    let mut failed: Vec<JobMessage> = Vec::new();
    let mut reason = None;
    // Messages an earlier try failed on: read once more, for the template may have changed since.
    let mut again = job.messages.clone();
    let mut vectors = Vectors::new();
    let mut plans = 0;
    loop {
        let Some(round) = round::read(engine, &place, &again).await? else { break };
        plans += 1;
        let drafts = draft::drafts(engine, &round, &mut vectors).await?;
        let drafts = neighbours::find(engine, &round, drafts).await?;
        let Settled::Ready(drafts) = consolidating::settle(engine, job, &round, drafts).await? else {
            return Ok(Ended::Again(engine.clock.now().plus_millis(STEP_BACK_MS)));
        };
        let (unresolved, why) = (round.unresolved.clone(), round.reason.clone());
        if write::write(engine, round, drafts).await? {
            failed.extend(unresolved);
            reason = why.or(reason);
            again.clear();
            vectors.clear();
            plans = 0;
        } else if plans >= PLANS_MAX {
            return Ok(Ended::Again(engine.clock.now().plus_millis(STEP_BACK_MS)));
        }
    }
    Ok(match reason {
        None => Ended::Done,
        Some(reason) => {
            failed.truncate(NAMED_MESSAGES_MAX);
            Ended::Failed(format!("{}: {reason}", failure::NAMESPACE), failed)
        }
    })
}

/// The messages that a job would read next.
pub(super) async fn messages(engine: &Engine, job: &Job) -> Result<Vec<JobMessage>> {
    if job.kind != loci_model::job::JobKind::Extract {
        return Ok(Vec::new());
    }
    let place = Place::of(job)?;
    let now = engine.clock.now();
    let events = engine
        .store
        .read(move |tx| {
            let read = tx.events().progress(&place.memory, &place.strategy, &place.actor, &place.session)?;
            let (memory, actor, session) = (&place.memory, &place.actor, &place.session);
            tx.events().unprocessed(memory, actor, session, read, NAMED_EVENTS_MAX, now)
        })
        .await?;
    let mut messages: Vec<JobMessage> = events.iter().flat_map(round::messages_of).collect();
    messages.truncate(NAMED_MESSAGES_MAX);
    Ok(messages)
}
