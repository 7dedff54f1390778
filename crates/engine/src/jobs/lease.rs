//! Leases from the view of the process that holds them: names, durations, and renewal during the
//! work. The code that uses a lease handles its loss.
//!
//! A lease ends by the clock of the process that reads it. Clocks of servers may differ by less
//! than a sixth of a lease, ten seconds for jobs and deliveries: by then a holder that cannot renew
//! has stopped. A larger difference, up to two thirds of a lease, only matters to a server that
//! cannot reach the store. Beyond that, work is done twice. Writes check the holder of the lease,
//! so nothing is written twice, but deliveries may be sent twice or out of order.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::task::Poll;

use futures::future::{BoxFuture, Either, select};
use loci_model::job::Job;
use loci_model::ports::store::StoreExt;
use loci_model::{Result, Timestamp};

use crate::Engine;

/// The fraction of a lease's duration after which it is renewed: one third.
const PARTS: i64 = 3;
/// The fraction of a lease's duration before its end at which the holder gives it up if it could
/// not be renewed: one sixth.
const LEFT: i64 = 6;
/// The fraction of a lease's duration for which the holder waits before it tries to renew again,
/// after the store could not be reached: one twelfth.
const AGAIN: i64 = 12;
/// The time between two tries of a process that waits for a lease, in milliseconds.
const TURN_MS: u64 = 50;

/// Lease name of the chore that one server always holds while servers run.
pub(super) const SWEEP: &str = "sweep";

/// The names under which this process claims. Each claim has its own name, so that a lease that
/// expired and was claimed again by the same process counts as another one.
#[derive(Debug, Default)]
pub(crate) struct Claims(AtomicU64);

impl Claims {
    /// Returns the next name, which begins with the name of the process.
    pub(crate) fn next(&self, host: &str) -> String {
        format!("{host} {}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Returns the holder of a claimed job.
pub(crate) fn holder(job: &Job) -> &str {
    job.lease_host.as_deref().unwrap_or_default()
}

/// Renews a lease that ends at `until`, and returns when it is lost: `renew` returns false, or it
/// is about to expire because the store could not be reached. If polled before the work, it detects
/// by the clock that the lease expired while nothing was polled.
pub(super) async fn hold<'a>(
    engine: &'a Engine,
    lease_ms: i64,
    until: Timestamp,
    renew: impl Fn(Timestamp) -> BoxFuture<'a, Result<bool>>,
) {
    let ends = AtomicI64::new(until.millis().saturating_sub(lease_ms / LEFT));
    let left = || ends.load(Ordering::Relaxed).saturating_sub(engine.clock.now().millis());
    let mut prolonging = pin!(prolong(engine, lease_ms, &ends, renew));
    poll_fn(|context| if left() <= 0 { Poll::Ready(()) } else { prolonging.as_mut().poll(context) }).await;
}

/// Renews the lease and moves the time at which it is given up; returns when it cannot.
async fn prolong<'a>(
    engine: &'a Engine,
    lease_ms: i64,
    ends: &AtomicI64,
    renew: impl Fn(Timestamp) -> BoxFuture<'a, Result<bool>>,
) {
    let left = || ends.load(Ordering::Relaxed).saturating_sub(engine.clock.now().millis());
    let sleep = |millis: i64| engine.clock.sleep(u64::try_from(millis).unwrap_or(0));
    let mut pause = lease_ms / PARTS;
    loop {
        sleep(pause.min(left())).await;
        let next = engine.clock.now().plus_millis(lease_ms);
        match select(renew(next), sleep(left())).await {
            Either::Left((Ok(true), _)) => {
                ends.store(next.millis().saturating_sub(lease_ms / LEFT), Ordering::Relaxed);
                pause = lease_ms / PARTS;
            }
            Either::Left((Ok(false), _)) | Either::Right(_) => return,
            Either::Left((Err(error), _)) => {
                tracing::warn!(?error, "a lease was not prolonged");
                pause = lease_ms / AGAIN;
            }
        }
    }
}

/// Recurring work that only one server of a store does at a time. A named lease decides which
/// one: its holder keeps the work until it stops or dies.
#[derive(Clone)]
pub struct Chore<'a> {
    /// The engine whose store contains the lease.
    pub engine: &'a Engine,
    /// The name of the lease. At most one process holds it.
    pub name: String,
    /// The name of the holder: the process, or a unique name if two parts of one process must not
    /// both do the work.
    pub holder: String,
    /// The duration of the lease in milliseconds: the time after which another server takes over
    /// from a dead one.
    pub lease_ms: i64,
}

impl Chore<'_> {
    /// Does the work if this process holds the lease or gets it; returns false otherwise. The
    /// work is aborted if the lease is lost.
    pub(crate) async fn run(&self, work: impl Future<Output = Result<()>>) -> Result<bool> {
        self.run_within(0, work).await
    }

    /// Works like `run`, but waits up to `patience_ms` for another holder. Returns false if it does
    /// not become free.
    pub async fn run_within(&self, patience_ms: u64, work: impl Future<Output = Result<()>>) -> Result<bool> {
        let Some(until) = self.await_turn(patience_ms).await? else { return Ok(false) };
        let renew = |until| -> BoxFuture<'_, Result<bool>> { Box::pin(self.take(until)) };
        let held = pin!(hold(self.engine, self.lease_ms, until, renew));
        match select(pin!(work), held).await {
            Either::Left((done, _)) => done.map(|()| true),
            Either::Right(_) => {
                tracing::warn!(
                    name = self.name,
                    "the lease of a chore was lost: another server goes on with it"
                );
                Ok(false)
            }
        }
    }

    async fn await_turn(&self, patience_ms: u64) -> Result<Option<Timestamp>> {
        let mut waited_ms = 0;
        loop {
            let until = self.take_free().await?;
            if until.is_some() || waited_ms >= patience_ms {
                return Ok(until);
            }
            self.engine.clock.sleep(TURN_MS).await;
            waited_ms += TURN_MS;
        }
    }

    /// Returns the end of the lease if no other process holds it. The check is a read: a process
    /// that does not hold it writes nothing.
    async fn take_free(&self) -> Result<Option<Timestamp>> {
        let (name, now) = (self.name.clone(), self.engine.clock.now());
        let holder = self.engine.store.read(move |tx| tx.leases().holder(&name, now)).await?;
        if holder.is_some_and(|holder| holder != self.holder) {
            return Ok(None);
        }
        let until = now.plus_millis(self.lease_ms);
        Ok(self.take(until).await?.then_some(until))
    }

    async fn take(&self, until: Timestamp) -> Result<bool> {
        let (name, holder, now) = (self.name.clone(), self.holder.clone(), self.engine.clock.now());
        self.engine.store.write(move |tx| tx.leases_mut().take(&name, &holder, now, until)).await
    }

    /// Ends the lease, so that another process can take over immediately.
    pub async fn give_up(&self) {
        let (name, holder) = (self.name.clone(), self.holder.clone());
        if let Err(error) = self.engine.store.write(move |tx| tx.leases_mut().release(&name, &holder)).await {
            tracing::warn!(name = self.name, ?error, "the lease of a chore runs out by itself");
        }
    }
}
