//! The outbox: deliveries that are due go out, in order per key, at least once. Beside the sweeper, on the host alone.
//!
//! A try is noted after it was made: a crash between the two sends the same delivery again, under the same id. What is
//! put into the outbox is others' matter (`streams.rs`, `handover.rs`, `job_news.rs`).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::StreamExt;
use futures::future::{Either, select};
use futures::stream::FuturesUnordered;
use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::ports::deliver::{Deliver, Delivered, Notice, NoticeKind};
use loci_model::ports::observe::DeliverySeen;
use loci_model::ports::store::{SetAside, StoreExt, Tx};
use loci_model::{DeliveryId, Error, MemoryId, Result, Timestamp, limits};

pub(crate) use super::job_news::job_ended;
use crate::self_managed::payload;
use crate::{Engine, deliveries};

/// The first pause; each later one is twice as long.
const FIRST_PAUSE_MS: i64 = 1_000;
/// The longest pause; a target that is not configured is looked for as rarely.
const LONGEST_PAUSE_MS: i64 = 300_000;
/// While tries are under way, others that have become due are looked for this often.
const LOOK_MS: u64 = 250;

/// Tries under way for one target: one that hangs must not take everybody's places.
const TARGET_AT_ONCE: usize = 4;
/// Deliveries of a target nobody knows that are put off in one write.
const ROWS: usize = 1_000;

/// What became of a try.
struct Verdict {
    state: DeliveryState,
    due: Timestamp,
    error: Option<String>,
    /// The word of metrics.
    word: &'static str,
}

impl Engine {
    /// Sends what is due now, once each, where this process is the host or can be: for one-shot commands. How many tries
    /// were made.
    ///
    /// # Errors
    /// When the store fails; what targets say is no error.
    pub async fn deliver_now(&self) -> Result<usize> {
        let was_host = self.store.info(false).await?.is_host;
        if was_host || self.deliver.is_none() || !self.store.try_host()? {
            return Ok(0);
        }
        let tried = deliver_due(self, &AtomicBool::new(false)).await;
        self.store.release_host();
        tried
    }
}

/// Deliveries under way: by memory and id, the target of each.
type Held = BTreeMap<(MemoryId, DeliveryId), String>;

/// Sends what is due, and what becomes due meanwhile, until nothing is under way; how many tries were made. A slow target
/// holds back its own deliveries: it never has more than [`TARGET_AT_ONCE`] under way. When it stops, nothing new is begun.
pub(crate) async fn deliver_due(engine: &Engine, stopping: &AtomicBool) -> Result<usize> {
    let Some(deliver) = engine.deliver.as_deref() else { return Ok(0) };
    let mut under_way = FuturesUnordered::new();
    let mut held = Held::new();
    let mut tried = 0;
    loop {
        let seen = engine.wake.calls();
        if !stopping.load(Ordering::Relaxed) && held.len() < limits::DELIVERIES_AT_ONCE {
            for delivery in due(engine, deliver, &held).await? {
                let place = (delivery.memory.clone(), delivery.id.clone());
                if held.len() < limits::DELIVERIES_AT_ONCE && !held.contains_key(&place) {
                    held.insert(place.clone(), delivery.target.clone());
                    tried += 1;
                    under_way.push(async move { (place, send(engine, deliver, delivery).await) });
                }
            }
        }
        if under_way.is_empty() {
            return Ok(tried);
        }
        let pause = std::pin::pin!(engine.pause(seen, LOOK_MS));
        if let Either::Left((Some((place, noted)), _)) = select(under_way.next(), pause).await {
            held.remove(&place);
            // Nothing is sent again and again whose end cannot be noted.
            noted?;
        }
    }
}

/// What is due, target by target. What is for a target that the configuration does not know is set aside.
async fn due(engine: &Engine, deliver: &dyn Deliver, held: &Held) -> Result<Vec<Delivery>> {
    let (now, out) = (engine.clock.now(), DeliveryDirection::Out);
    let targets = engine.store.read(move |tx| tx.deliveries().targets(out, now)).await?;
    let (reached, unknown): (Vec<String>, Vec<String>) =
        targets.into_iter().partition(|target| deliver.reaches(target));
    for target in unknown {
        set_aside(engine, target, now).await?;
    }
    // What is under way is still pending in the table: room for it, too.
    let rooms: Vec<(String, usize)> = reached
        .into_iter()
        .map(|target| {
            let under_way = held.values().filter(|known| **known == target).count();
            (target, under_way)
        })
        .filter(|(_, under_way)| *under_way < TARGET_AT_ONCE)
        .map(|(target, under_way)| (target, TARGET_AT_ONCE + under_way))
        .collect();
    let found = engine
        .store
        .read(move |tx| {
            let of = |(target, limit): &(String, usize)| tx.deliveries().due(out, target, now, *limit);
            rooms.iter().map(of).collect::<Result<Vec<_>>>()
        })
        .await?;
    Ok(found.into_iter().flat_map(|found| new_of(found, held)).collect())
}

/// Of one target's, those that are not under way, as far as it may have more.
fn new_of(found: Vec<Delivery>, held: &Held) -> Vec<Delivery> {
    let place = |delivery: &Delivery| (delivery.memory.clone(), delivery.id.clone());
    let Some(target) = found.first().map(|delivery| delivery.target.clone()) else { return found };
    let room = TARGET_AT_ONCE.saturating_sub(held.values().filter(|known| **known == target).count());
    found.into_iter().filter(|delivery| !held.contains_key(&place(delivery))).take(room).collect()
}

async fn set_aside(engine: &Engine, target: String, now: Timestamp) -> Result<()> {
    let aside = engine
        .store
        .write(move |tx| {
            let why = format!("no target is configured for {target}");
            let aside = SetAside {
                why: &why,
                now,
                until: now.plus_millis(LONGEST_PAUSE_MS),
                given_up: now.plus_millis(-limits::UNDELIVERED_KEPT_MS),
            };
            tx.deliveries_mut().set_aside(&target, &aside, ROWS)
        })
        .await?;
    tracing::debug!(aside, "deliveries without a target wait");
    Ok(())
}

/// One try, and its note.
async fn send(engine: &Engine, deliver: &dyn Deliver, delivery: Delivery) -> Result<()> {
    let began = engine.clock.monotonic_us();
    let kind = deliveries::kind_of(&delivery.order_key);
    let attempt = delivery.attempts.saturating_add(1);
    let outcome = attempt_of(engine, deliver, &delivery, kind, attempt).await;
    let verdict = verdict(engine, &delivery, kind, attempt, outcome);
    let elapsed_ms = engine.clock.monotonic_us().saturating_sub(began) / 1000;
    engine.observe.delivery(&DeliverySeen { kind, outcome: verdict.word, attempt, elapsed_ms });
    let Delivery { memory, id, .. } = delivery;
    engine
        .store
        .write(move |tx| {
            let (state, due, error) = (verdict.state, verdict.due, verdict.error.as_deref());
            tx.deliveries_mut().set_state(&memory, DeliveryDirection::Out, &id, state, due, error).map(drop)
        })
        .await
}

async fn attempt_of(
    engine: &Engine,
    deliver: &dyn Deliver,
    delivery: &Delivery,
    kind: NoticeKind,
    attempt: u32,
) -> Result<Delivered> {
    // Read only now: lists are without what is said. Who was forgotten meanwhile is not told of.
    let (memory, id) = (delivery.memory.clone(), delivery.id.clone());
    let stored =
        engine.store.read(move |tx| tx.deliveries().get(&memory, DeliveryDirection::Out, &id)).await?;
    let stored = stored.ok_or_else(|| Error::not_found("the delivery is gone"))?;
    let body = match kind {
        NoticeKind::SelfManaged => match payload::store(engine, &stored.body).await? {
            Some(notification) => notification,
            None => return Ok(Delivered::NoMapping),
        },
        NoticeKind::RecordStream | NoticeKind::JobEnded | NoticeKind::Test => stored.body,
    };
    let notice = Notice {
        target: delivery.target.clone(),
        id: delivery.id.clone(),
        kind,
        order_key: delivery.order_key.clone(),
        body,
        attempt,
        created_at: delivery.created_at,
        at: engine.clock.now(),
    };
    deliver.deliver(notice).await
}

fn verdict(
    engine: &Engine,
    delivery: &Delivery,
    kind: NoticeKind,
    attempt: u32,
    outcome: Result<Delivered>,
) -> Verdict {
    let now = engine.clock.now();
    let error = match outcome {
        Ok(Delivered::Accepted) => {
            return Verdict { state: DeliveryState::Done, due: now, error: None, word: "accepted" };
        }
        Ok(Delivered::NoMapping) => {
            let error = format!("no target is configured for the payload of {}", delivery.target);
            if waited_too_long(delivery, now) {
                tracing::warn!(id = %delivery.id, memory = %delivery.memory, "a delivery without a target was given up");
                return Verdict {
                    state: DeliveryState::Failed,
                    due: now,
                    error: Some(error),
                    word: "failed",
                };
            }
            let due = now.plus_millis(LONGEST_PAUSE_MS);
            return Verdict { state: DeliveryState::Pending, due, error: Some(error), word: "no_mapping" };
        }
        Err(error) => error,
    };
    let again = error.is_retryable() && !tried_enough(kind, attempt) && !waited_too_long(delivery, now);
    note_failure(delivery, attempt, &error, again);
    if again {
        let [random, ..] = engine.ids.random();
        let due = now.plus_millis(pause_ms(attempt, random));
        Verdict { state: DeliveryState::Pending, due, error: Some(error.message), word: "again" }
    } else {
        Verdict { state: DeliveryState::Failed, due: now, error: Some(error.message), word: "failed" }
    }
}

/// Ends of jobs are news; who is told everything else may be away for long.
fn tried_enough(kind: NoticeKind, attempt: u32) -> bool {
    kind == NoticeKind::JobEnded && attempt >= limits::WEBHOOK_TRIES_MAX
}

/// The outbox must not grow for ever for a target that nobody brings back.
fn waited_too_long(delivery: &Delivery, now: Timestamp) -> bool {
    now.millis().saturating_sub(delivery.created_at.millis()) >= limits::UNDELIVERED_KEPT_MS
}

/// The target is named, what is said is not.
fn note_failure(delivery: &Delivery, attempt: u32, error: &Error, again: bool) {
    let (id, memory, target) = (&delivery.id, &delivery.memory, &delivery.target);
    if again {
        tracing::info!(%id, %memory, target, attempt, ?error, "a delivery is tried again");
    } else {
        tracing::warn!(%id, %memory, target, attempt, ?error, "a delivery was given up");
    }
}

/// The pause after a failed try: twice as long each time, a quarter more or less, so that what failed together does not
/// come back together.
fn pause_ms(attempt: u32, random: u8) -> i64 {
    let steps = attempt.saturating_sub(1).min(20);
    let pause = FIRST_PAUSE_MS.saturating_mul(1 << steps).min(LONGEST_PAUSE_MS);
    pause * 3 / 4 + pause / 2 * i64::from(random) / 255
}

/// Removes deliveries that were made, or given up, long enough ago; how many.
pub(crate) fn sweep(tx: &mut dyn Tx, now: Timestamp, rows: usize) -> Result<usize> {
    let made = now.plus_millis(-limits::DELIVERED_KEPT_MS);
    tx.deliveries_mut().sweep(made, now.plus_millis(-limits::DEAD_DELIVERY_KEPT_MS), rows)
}

#[cfg(test)]
mod tests {
    use super::pause_ms;

    #[test]
    fn pauses_grow_to_five_minutes() {
        let check = |attempt, low, high| {
            assert_eq!((pause_ms(attempt, 0), pause_ms(attempt, 255)), (low, high), "{attempt}");
        };
        check(1, 750, 1_250);
        check(2, 1_500, 2_500);
        check(5, 12_000, 20_000);
        check(9, 192_000, 320_000);
        check(10, 225_000, 375_000);
        check(u32::MAX, 225_000, 375_000);
    }
}
