//! The outbox: sends due deliveries in order per key, at least once. It runs on every host, in
//! parallel to the sweeper.
//!
//! A delivery is leased before it is sent, so that no other server sends it or a later one with its
//! order key. A try is recorded after it was made. A crash between the two sends the same delivery
//! again, under the same id, after its lease has expired. Other modules fill the outbox
//! (`record_streams.rs`, `handover.rs`, `job_notifications.rs`).

use futures::future::{BoxFuture, Either, select};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::ports::deliver::{Deliver, DeliveryResult, Notice, NoticeKind};
use loci_model::ports::observe::DeliveryObservation;
use loci_model::ports::store::{DeliveryClaim, DeliveryOutcome, DeliveryPostponement, StoreExt, Tx};
use loci_model::ports::trace;
use loci_model::{Error, Result, Timestamp, limits};
use std::collections::BTreeMap;
use std::pin::pin;

pub(crate) use super::job_notifications::job_ended;
use super::lease;
use crate::hooks::RunnerState;
use crate::strategies::self_managed::payload;
use crate::{Engine, deliveries};

/// The pause after the first failed try of a delivery, in milliseconds. Each later pause is twice
/// as long.
const FIRST_PAUSE_MS: i64 = 1_000;
/// The maximum pause between two tries of a delivery, in milliseconds. It also applies to targets
/// that are not configured.
const LONGEST_PAUSE_MS: i64 = 300_000;
/// The time between two searches for deliveries that became due while others are being sent, in
/// milliseconds.
const LOOK_MS: u64 = 250;

/// The maximum number of deliveries that this process sends to one target at the same time, so
/// that a hanging target does not delay others.
const TARGET_AT_ONCE: usize = 4;
/// Duration of a delivery's lease in milliseconds. The sender renews it during a try, so it may be
/// shorter than a try, and it limits the delay after the death of a server. If a renewal is late,
/// the try is aborted: a send without a lease could be overtaken by later deliveries.
const LEASE_MS: i64 = 60_000;
/// The maximum number of deliveries to targets that are not configured that one write postpones.
const ROWS: usize = 1_000;

/// The result of trying to send a delivery.
struct Verdict {
    state: DeliveryState,
    due: Timestamp,
    error: Option<String>,
    /// The label of the result in metrics.
    word: &'static str,
}

impl Engine {
    /// Sends deliveries that are due, if this process may do so for the store. Returns the number
    /// of tries. On a store with several servers it sends deliveries for all of them, and must
    /// therefore be configured like them; commands call [`Self::settle`] instead.
    ///
    /// # Errors
    /// Errors of the store; failure responses of targets are no errors.
    pub async fn deliver_now(&self) -> Result<usize> {
        if self.deliver.is_none() || self.is_hosting().await? || !self.store.try_host()? {
            return Ok(0);
        }
        let tried = deliver_due(self, &RunnerState::default()).await;
        self.store.release_host();
        tried
    }
}

/// Running deliveries: the target of each try.
type RunningDeliveries = BTreeMap<u64, String>;

/// A delivery on which this process has a lease.
struct Claimed {
    delivery: Delivery,
    holder: String,
    until: Timestamp,
}

/// Sends deliveries that are due or become due meanwhile, until no try is running. Returns the
/// number of tries. A slow target delays only its own deliveries: it never has more than
/// [`TARGET_AT_ONCE`] running tries. It starts no further tries while the runner stops, or after
/// the end of a try could not be recorded. Tries and their lease renewals continue during reads of
/// the store, so an unresponsive store does not block them.
pub(crate) async fn deliver_due(engine: &Engine, runner: &RunnerState) -> Result<usize> {
    let Some(deliver) = engine.deliver.as_deref() else { return Ok(0) };
    let mut tries = FuturesUnordered::new();
    let (mut under_way, mut begun) = (RunningDeliveries::new(), 0_u64);
    let (mut failed, mut seen) = (None, 0);
    let (mut is_to_look, mut looking) = (true, None);
    loop {
        let may_begin = failed.is_none() && !runner.is_stopping();
        if is_to_look && looking.is_none() && may_begin {
            (is_to_look, seen) = (false, engine.wake.calls());
            looking = Some(claim(engine, deliver, under_way.clone()).boxed());
        }
        if looking.is_none() && tries.is_empty() {
            return match failed {
                Some(error) => Err(error),
                None => Ok(usize::try_from(begun).unwrap_or(usize::MAX)),
            };
        }
        let next: BoxFuture<'_, Option<Result<Vec<Claimed>>>> = match looking.as_mut() {
            Some(looking) => looking.map(Some).boxed(),
            None if may_begin => engine.pause(seen, LOOK_MS).map(|()| None).boxed(),
            // Only running tries are awaited.
            None => std::future::pending().boxed(),
        };
        let came = match select(pin!(ended(&mut tries)), next).await {
            Either::Left((ended, _)) => Either::Left(ended),
            Either::Right((looked, _)) => Either::Right(looked),
        };
        match came {
            Either::Left((number, noted)) => {
                under_way.remove(&number);
                is_to_look = true;
                // If the end of a try cannot be recorded, nothing new is started, which avoids
                // repeated sends. Running tries may end.
                failed = failed.or(noted.err());
            }
            Either::Right(None) => is_to_look = true,
            Either::Right(Some(Err(error))) => (looking, failed) = (None, failed.or(Some(error))),
            Either::Right(Some(Ok(claimed))) => {
                looking = None;
                for claimed in claimed {
                    let number = begun;
                    begun += 1;
                    under_way.insert(number, claimed.delivery.target.clone());
                    tries.push(async move { (number, send(engine, deliver, claimed).await) });
                }
            }
        }
    }
}

/// Returns the next try that ends; never returns if none is running.
async fn ended<F>(tries: &mut FuturesUnordered<F>) -> (u64, Result<()>)
where
    F: Future<Output = (u64, Result<()>)>,
{
    match tries.next().await {
        Some(ended) => ended,
        None => std::future::pending().await,
    }
}

/// Leases due deliveries, target by target, up to the limit of each target. Deliveries for
/// unconfigured targets are postponed. The search is a read; a write follows only if something is
/// due.
async fn claim(engine: &Engine, deliver: &dyn Deliver, under_way: RunningDeliveries) -> Result<Vec<Claimed>> {
    let free = limits::DELIVERIES_AT_ONCE.saturating_sub(under_way.len());
    if free == 0 {
        return Ok(Vec::new());
    }
    let (now, direction) = (engine.clock.now(), DeliveryDirection::Out);
    let targets = engine.store.read(move |tx| tx.deliveries().targets(direction, now)).await?;
    let (reached, unknown): (Vec<String>, Vec<String>) =
        targets.into_iter().partition(|target| deliveries::is_nobody(target) || deliver.reaches(target));
    for target in unknown {
        set_aside(engine, target, now).await?;
    }
    let room_of = |target: String| {
        let known = under_way.values().filter(|known| **known == target).count();
        let room = TARGET_AT_ONCE.saturating_sub(known);
        (room > 0).then_some((target, room))
    };
    let rooms: Vec<(String, usize)> = reached.into_iter().filter_map(room_of).collect();
    if rooms.is_empty() {
        return Ok(Vec::new());
    }
    let (until, name) = (now.plus_millis(LEASE_MS), engine.next_claim());
    let holder = name.clone();
    let claimed = engine
        .store
        .write(move |tx| {
            let mut claimed = Vec::new();
            for (target, room) in &rooms {
                let claim = DeliveryClaim { direction, target, holder: &name, now, until };
                let room = (*room).min(free.saturating_sub(claimed.len()));
                claimed.extend(tx.deliveries_mut().claim(&claim, room)?);
            }
            Ok(claimed)
        })
        .await?;
    let of = |delivery| Claimed { delivery, holder: holder.clone(), until };
    Ok(claimed.into_iter().map(of).collect())
}

async fn set_aside(engine: &Engine, target: String, now: Timestamp) -> Result<()> {
    let aside = engine
        .store
        .write(move |tx| {
            let why = format!("no target is configured for {target}");
            let aside = DeliveryPostponement {
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

/// Makes one try and records it. If the lease is lost meanwhile, another server sends the delivery
/// again.
async fn send(engine: &Engine, deliver: &dyn Deliver, claimed: Claimed) -> Result<()> {
    let Claimed { delivery, holder, until } = claimed;
    let began = engine.clock.monotonic_us();
    let kind = deliveries::kind_of(&delivery.order_key);
    let attempt = delivery.attempts.saturating_add(1);
    let span = engine.observe.open_span();
    let trying = pin!(trace::under(span, attempt_of(engine, deliver, &delivery, kind, attempt)));
    // The lease is polled first: without a lease nothing is started.
    let held = pin!(hold(engine, &delivery, &holder, until));
    let outcome = match select(held, trying).await {
        Either::Right((outcome, _)) => outcome,
        Either::Left(_) => {
            tracing::warn!(id = %delivery.id, memory = %delivery.memory, "the lease of a delivery was lost");
            return Ok(());
        }
    };
    let verdict = verdict(engine, &delivery, kind, attempt, outcome);
    let elapsed_ms = engine.clock.monotonic_us().saturating_sub(began) / 1000;
    engine.observe.delivery(&DeliveryObservation { kind, outcome: verdict.word, attempt, elapsed_ms, span });
    let (memory, id, direction) = (delivery.memory.clone(), delivery.id.clone(), delivery.direction);
    let holder = holder.clone();
    engine
        .store
        .write(move |tx| {
            let Verdict { state, due, error, .. } = &verdict;
            let outcome = DeliveryOutcome { state: *state, due: *due, error: error.as_deref() };
            tx.deliveries_mut().set_state(&memory, direction, &id, &holder, &outcome).map(drop)
        })
        .await
}

/// Renews the lease of a delivery; returns when it is lost.
async fn hold(engine: &Engine, delivery: &Delivery, holder: &str, until: Timestamp) {
    let renew = |until| -> BoxFuture<'_, Result<bool>> {
        let (memory, id, holder) = (delivery.memory.clone(), delivery.id.clone(), holder.to_owned());
        let direction = delivery.direction;
        Box::pin(
            engine.store.write(move |tx| tx.deliveries_mut().renew(&memory, direction, &id, &holder, until)),
        )
    };
    lease::hold(engine, LEASE_MS, until, renew).await;
}

async fn attempt_of(
    engine: &Engine,
    deliver: &dyn Deliver,
    delivery: &Delivery,
    kind: NoticeKind,
    attempt: u32,
) -> Result<DeliveryResult> {
    // Earlier versions queued handovers of strategies without a topic, which no one can receive.
    if deliveries::is_nobody(&delivery.target) {
        return Ok(DeliveryResult::Accepted);
    }
    // The content is read only now, because lists omit it. It no longer contains people forgotten
    // meanwhile.
    let (memory, id) = (delivery.memory.clone(), delivery.id.clone());
    let stored =
        engine.store.read(move |tx| tx.deliveries().get(&memory, DeliveryDirection::Out, &id)).await?;
    let stored = stored.ok_or_else(|| Error::not_found("the delivery is gone"))?;
    let body = match kind {
        NoticeKind::SelfManaged => match payload::store(engine, &stored.body).await? {
            Some(notification) => notification,
            None => return Ok(DeliveryResult::NoMapping),
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
    outcome: Result<DeliveryResult>,
) -> Verdict {
    let now = engine.clock.now();
    let error = match outcome {
        Ok(DeliveryResult::Accepted) => {
            return Verdict { state: DeliveryState::Done, due: now, error: None, word: "accepted" };
        }
        Ok(DeliveryResult::NoMapping) => {
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

/// Returns true if the tries of a job notification are used up. Receivers of other deliveries may
/// be absent for long.
fn tried_enough(kind: NoticeKind, attempt: u32) -> bool {
    kind == NoticeKind::JobEnded && attempt >= limits::WEBHOOK_TRIES_MAX
}

/// Returns true if the delivery is too old: the outbox must not grow for ever for a dead target.
fn waited_too_long(delivery: &Delivery, now: Timestamp) -> bool {
    now.millis().saturating_sub(delivery.created_at.millis()) >= limits::UNDELIVERED_KEPT_MS
}

/// Logs a failure with the target but without content.
fn note_failure(delivery: &Delivery, attempt: u32, error: &Error, again: bool) {
    let (id, memory, target) = (&delivery.id, &delivery.memory, &delivery.target);
    if again {
        tracing::info!(%id, %memory, target, attempt, ?error, "a delivery is tried again");
    } else {
        tracing::warn!(%id, %memory, target, attempt, ?error, "a delivery was given up");
    }
}

/// Returns the pause after a failed try. It doubles each time and varies by a quarter, so that
/// simultaneous failures are not retried simultaneously.
fn pause_ms(attempt: u32, random: u8) -> i64 {
    let steps = attempt.saturating_sub(1).min(20);
    let pause = FIRST_PAUSE_MS.saturating_mul(1 << steps).min(LONGEST_PAUSE_MS);
    pause * 3 / 4 + pause / 2 * i64::from(random) / 255
}

/// Removes deliveries that were sent, or given up, long enough ago. Returns their number.
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
