//! The job that sends the new messages of a session to the client of a self-managed strategy. The
//! write that updates the strategy's progress also stores the delivery, so that each message is
//! sent once even after an interruption.

use loci_model::event::{Event, EventLoad};
use loci_model::job::Job;
use loci_model::memory::Memory;
use loci_model::memory::strategy::{Strategy, StrategyBase};
use loci_model::ports::ids::uuid7;
use loci_model::ports::observe::StepObservation;
use loci_model::ports::store::{EventsBefore, ReadTx, StoreExt, Tx};
use loci_model::{
    ActorId, DeliveryId, Document, Error, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp, limits,
};

use super::JobAttemptEnd;
use crate::Engine;
use crate::deliveries::{self, NewDelivery, OrderKey};
use crate::strategies::self_managed::payload::{self, HandoverData};
use crate::strategies::self_managed::trigger::{self, Conditions};

/// The number of events in one read: enough if each event has one message, plus some events
/// without messages.
const EVENTS_MAX: usize = 100;
/// The maximum number of earlier events from which the history of a delivery is taken; each of
/// its messages may be in an event of its own.
const HISTORY_EVENTS_MAX: usize = 50;
/// The total size of messages, in bytes, above which they are sent without waiting for more.
const WINDOW_BYTES_MAX: usize = 8 * 1024 * 1024;

#[derive(Clone)]
struct HandoverJob {
    job: JobId,
    /// The holder of the job's lease.
    holder: Option<String>,
    memory: MemoryId,
    strategy: StrategyId,
    actor: ActorId,
    session: SessionId,
}

/// The content of one handover.
#[derive(Clone)]
struct Window {
    memory: Memory,
    strategy: Strategy,
    progress: u64,
    /// Arrival number of the last event that was read.
    reached: u64,
    /// The row of the outbox with its topic; `None` if nothing is handed over.
    row: Option<(DeliveryId, String, Document)>,
}

/// The result of the search for a window.
enum WindowSearch {
    Nothing,
    /// Too few messages, and no pause yet.
    NotYet(Timestamp),
    Window(Box<Window>),
}

/// Hands over messages until too few are left. A memory, strategy or event that was removed
/// meanwhile is no failure.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<JobAttemptEnd> {
    let (Some(strategy), Some(actor), Some(session)) = (&job.strategy, &job.actor, &job.session) else {
        return Err(Error::bug("a hand-over without strategy, actor or session"));
    };
    let place = HandoverJob {
        job: job.id.clone(),
        holder: job.lease_host.clone(),
        memory: job.memory.clone(),
        strategy: strategy.clone(),
        actor: actor.clone(),
        session: session.clone(),
    };
    loop {
        let began = engine.clock.monotonic_us();
        let found = read(engine, &place).await?;
        match found {
            WindowSearch::Nothing => return Ok(JobAttemptEnd::Done),
            WindowSearch::NotYet(at) => return Ok(JobAttemptEnd::Again(at)),
            WindowSearch::Window(window) => {
                let place = place.clone();
                let at = engine.clock.now();
                engine.store.write(move |tx| write(tx, &place, &window, at)).await?;
            }
        }
        engine.observe.step(&StepObservation {
            step: "hand_over",
            strategy: Some(StrategyBase::SelfManaged),
            outcome: "ok",
            elapsed_us: engine.clock.monotonic_us().saturating_sub(began),
        });
        engine.wake.call();
    }
}

async fn read(engine: &Engine, place: &HandoverJob) -> Result<WindowSearch> {
    let (place, now) = (place.clone(), engine.clock.now());
    let (id, account) = (uuid7(engine.ids.as_ref(), now.millis()), engine.settings.account.clone());
    engine.store.read(move |tx| look(tx, &place, &id, &account, now)).await
}

fn look(
    tx: &dyn ReadTx,
    place: &HandoverJob,
    id: &str,
    account: &str,
    now: Timestamp,
) -> Result<WindowSearch> {
    let Some(memory) = tx.memories().get(&place.memory)? else { return Ok(WindowSearch::Nothing) };
    let Some(strategy) = memory.strategy(&place.strategy).cloned() else { return Ok(WindowSearch::Nothing) };
    let Some(own) = trigger::own(&strategy).cloned() else { return Ok(WindowSearch::Nothing) };
    let (actor, session) = (&place.actor, &place.session);
    let progress = tx.events().progress(&memory.id, &strategy.id, actor, session)?;
    let mut events = tx.events().unprocessed(&memory.id, actor, session, progress, EVENTS_MAX, now)?;
    let is_whole = events.len() < EVENTS_MAX;
    let Some(last) = events.last().map(|event| (event.arrival, event.arrived)) else {
        return Ok(WindowSearch::Nothing);
    };
    // Ingested data is for extraction only.
    events.retain(|event| !event.hidden);
    let conditions = Conditions::of(&own);
    let until = conditions.idle_until(last.1);
    if is_whole && until > now && !conditions.fired_by(load(&events)) {
        return Ok(WindowSearch::NotYet(until));
    }
    let reached = if cut(&mut events) { events.last().map_or(last.0, |event| event.arrival) } else { last.0 };
    let row = if events.iter().any(payload::brings_anything) {
        let before = before(tx, place, progress, own.history_messages, now)?;
        let row = payload::row(&HandoverData {
            id,
            account,
            memory: &memory,
            strategy: &strategy,
            bucket: &own.payload_bucket,
            actor,
            session,
            events: &events,
            before: &before,
            history_messages: own.history_messages as usize,
        })?;
        Some((DeliveryId::parse(id)?, own.topic_arn, row))
    } else {
        None
    };
    Ok(WindowSearch::Window(Box::new(Window { memory, strategy, progress, reached, row })))
}

fn load(events: &[Event]) -> EventLoad {
    events.iter().fold(EventLoad::default(), |sum, event| EventLoad {
        messages: sum.messages.saturating_add(event.load.messages),
        tokens: sum.tokens.saturating_add(event.load.tokens),
    })
}

/// Truncates to whole events that fill a window, at least one. Returns true if some were cut off.
fn cut(events: &mut Vec<Event>) -> bool {
    let (mut messages, mut bytes) = (0_usize, 0_usize);
    let over = events.iter().position(|event| {
        messages = messages.saturating_add(event.payload.len());
        bytes = bytes.saturating_add(event.payload.iter().map(payload::item_bytes).sum());
        messages > limits::WINDOW_MESSAGES_MAX as usize || bytes > WINDOW_BYTES_MAX
    });
    let Some(over) = over.map(|at| at.max(1)).filter(|at| *at < events.len()) else { return false };
    events.truncate(over);
    true
}

fn before(
    tx: &dyn ReadTx,
    place: &HandoverJob,
    progress: u64,
    messages: u32,
    now: Timestamp,
) -> Result<Vec<Event>> {
    if messages == 0 || progress == 0 {
        return Ok(Vec::new());
    }
    let mut events = tx.events().before(&EventsBefore {
        memory: place.memory.clone(),
        actor: place.actor.clone(),
        session: place.session.clone(),
        branches: None,
        arrival: progress,
        limit: (messages as usize).min(HISTORY_EVENTS_MAX),
        now,
    })?;
    events.retain(|event| !event.hidden);
    Ok(events)
}

/// Adds the row to the outbox and updates the progress. It does nothing if another process was
/// faster, the job was lost, or its memory or strategy was removed. Forgetting an actor cancels the
/// jobs that contain the actor's text.
fn write(tx: &mut dyn Tx, place: &HandoverJob, window: &Window, at: Timestamp) -> Result<()> {
    let Window { memory, strategy, progress, reached, row } = window;
    let (actor, session) = (&place.actor, &place.session);
    let is_there = tx.jobs().get(&memory.id, &place.job)?.is_some_and(|job| job.lease_host == place.holder)
        && tx.memories().get(&memory.id)?.is_some_and(|memory| memory.strategy(&strategy.id).is_some());
    if !is_there || tx.events().progress(&memory.id, &strategy.id, actor, session)? != *progress {
        return Ok(());
    }
    if let Some((id, topic, body)) = row {
        let new = NewDelivery {
            memory: &memory.id,
            id: id.clone(),
            target: topic,
            key: OrderKey::HandOver { actor, session, strategy: &strategy.id },
            body: body.clone(),
            at,
        };
        deliveries::put(tx, new)?;
    }
    tx.events_mut().set_progress(&memory.id, &strategy.id, actor, session, *reached)
}
