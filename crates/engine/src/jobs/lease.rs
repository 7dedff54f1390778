//! Leases, as their holder sees them: whose names they bear, how long they last, and how they are prolonged while work goes
//! on. What a lost lease means is its owner's matter.
//!
//! A lease ends by the clock of whoever looks at it. Clocks of servers may differ by less than a sixth of a lease, ten
//! seconds for jobs and deliveries: by then a holder that cannot prolong it has stopped. Where they differ by more, but less
//! than two thirds of it, that matters only to a server that cannot reach the store; beyond that, work is done twice. Nothing is
//! written twice even then, for writes ask whose the lease is; but what is sent may be sent twice, or out of its order.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::task::Poll;

use futures::future::{BoxFuture, Either, select};
use loci_model::job::Job;
use loci_model::ports::store::StoreExt;
use loci_model::{Result, Timestamp};

use crate::Engine;

/// A lease is prolonged after this share of it.
const PARTS: i64 = 3;
/// So much of it is left when its holder gives up what could not be prolonged: before anybody else may begin.
const LEFT: i64 = 6;
/// After this share the store is asked again where it could not be reached.
const AGAIN: i64 = 12;
/// Whoever waits for a chore looks this often.
const TURN_MS: u64 = 50;

/// The chore that some server always has, where servers run.
pub(super) const SWEEP: &str = "sweep";

/// The names under which this process claims: no two claims have one, so that a lease which ran out and was taken again by
/// the same process is another's all the same.
#[derive(Debug, Default)]
pub(crate) struct Claims(AtomicU64);

impl Claims {
    /// The next name; it begins with that of the process.
    pub(crate) fn next(&self, host: &str) -> String {
        format!("{host} {}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Who holds a claimed job.
pub(crate) fn holder(job: &Job) -> &str {
    job.lease_host.as_deref().unwrap_or_default()
}

/// Prolongs a lease that ends at `until` again and again; resolves when it is lost: `renew` says so, or it is about to run
/// out because the store could not be reached. Whoever polls it before the work finds a lease lost that ran out while
/// nothing was polled, by the clock, before any sleep has ended.
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

/// Moves the time at which a lease is given up; resolves when it cannot.
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

/// Something that one server does for all, again and again: the one that has the lease, until it stops or dies.
#[derive(Clone)]
pub struct Chore<'a> {
    /// The engine whose store has the lease.
    pub engine: &'a Engine,
    /// Its name; one process has it at a time.
    pub name: String,
    /// Who has it: the process, or one claim of it where two of one process must not both do it.
    pub holder: String,
    /// How long a server that died keeps it.
    pub lease_ms: i64,
}

impl Chore<'_> {
    /// Does the work if it is this server's; false if it is another's. Where the lease is lost, the work breaks off.
    pub(crate) async fn run(&self, work: impl Future<Output = Result<()>>) -> Result<bool> {
        self.run_within(0, work).await
    }

    /// The same, as soon as nobody else has it; false where that lasts longer than `patience_ms`, too.
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

    /// Until when it is this server's, if nobody else has it. Looking is a read; whose it is not writes nothing.
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

    /// Leaves it to others.
    pub async fn give_up(&self) {
        let (name, holder) = (self.name.clone(), self.holder.clone());
        if let Err(error) = self.engine.store.write(move |tx| tx.leases_mut().release(&name, &holder)).await {
            tracing::warn!(name = self.name, ?error, "the lease of a chore runs out by itself");
        }
    }
}
