//! The one runner: a process that is a host of the store runs due jobs, sends deliveries and sweeps; others only ask for
//! jobs. Of the embedded store one process is host, of one for many servers every process: what one of them does is leased
//! by rows (`lease.rs`), and none counts on being alone.
//!
//! A few workers side by side. The first looks at the table often enough for jobs that other processes asked for; a
//! call of [`Wake`](super::wake::Wake) wakes all at once. A few jobs compute at a time
//! ([`Permits`](super::permits::Permits)); those that wait for a model do not count, and hold nobody up.

use futures::future::{BoxFuture, Either, join_all, join4, select};
use futures::stream::{self, StreamExt};
use loci_api::job::ExtractionState;
use loci_model::MemoryId;
use loci_model::job::Job;
use loci_model::ports::store::{Hosts, StoreExt};
use loci_model::{Result, limits};

use super::deliverer;
use super::lease::{Chore, SWEEP};
use super::permits::Permit;
use super::wait::Part;
use crate::Engine;
use crate::hooks::RunnerState;

/// Jobs that run side by side: enough to fill the embedder while others wait for the store.
const WORKERS: usize = 4;
/// The first worker looks at the table this often; the host's place is asked for as often.
const LOOK_MS: u64 = 150;
/// The others are woken; they look by themselves only in case a call was missed.
const LOOK_RARELY_MS: u64 = 2_000;
/// A job whose runner died is not among those that are due: it is looked for this often.
const LOST_LOOK_US: u64 = 5_000_000;
/// Running jobs may end when the runner stops, for so long.
const STOP_MS: u64 = 10_000;
/// The outbox is looked at this often; whoever puts something there calls.
const DELIVER_LOOK_MS: u64 = 1_000;
/// Sweeps are this far apart.
const SWEEP_MS: u64 = 60_000;
/// A server that sweeps is the one that does so until it has not been heard of for so long: some sweeps are left out then.
const SWEEP_LEASE_MS: i64 = 180_000;

/// What the workers of one run share.
struct Run<'a> {
    engine: &'a Engine,
    /// Jobs of these memories; empty: of all.
    memories: &'a [MemoryId],
    state: RunnerState,
}

impl Engine {
    /// Runs jobs and sweeps while this process is a host, until `stop` resolves. Jobs that run then may end, for ten
    /// seconds; what is cut off is run again when its lease has run out.
    pub async fn run_jobs(&self, stop: BoxFuture<'static, ()>) {
        let run = Run::of(self, &[]);
        // What is seldom at work is boxed: the whole future lies on the stack of whoever polls it.
        let all = join4(run.workers(), Box::pin(run.sweeper()), run.deliverer(), Box::pin(run.loops()));
        run.until(stop, all).await;
        self.store.release_host();
    }

    /// Runs the jobs of some memories, due or not, until none is left or `timeout_ms` have passed. Where another process is
    /// the one host, it runs them, and this one waits. On a store of many hosts it works as one of the servers, and must be
    /// configured as they are: commands call [`Self::settle`].
    ///
    /// # Errors
    /// When the store fails; how jobs end is no error.
    pub async fn run_due(&self, memories: &[MemoryId], timeout_ms: u64) -> Result<ExtractionState> {
        let runs_elsewhere = self.is_hosting().await?;
        self.make_due(memories).await?;
        let part = Part { memories: memories.to_vec(), actor: None, session: None };
        if runs_elsewhere || memories.is_empty() || !self.store.try_host()? {
            return self.wait_for(&part, timeout_ms).await;
        }
        let run = Run::of(self, memories);
        let mut outcome = None;
        let waited = Box::pin(async {
            outcome = Some(self.wait_for(&part, timeout_ms).await);
        });
        run.until(waited, run.workers()).await;
        self.store.release_host();
        match outcome {
            Some(outcome) => outcome,
            None => self.wait_for(&part, 0).await,
        }
    }

    /// True where a runner of this process is the one host already. Of a store for many nobody is that.
    pub(super) async fn is_hosting(&self) -> Result<bool> {
        Ok(match self.store.hosts() {
            Hosts::One => self.store.info(false).await?.is_host,
            Hosts::Many => false,
        })
    }
}

impl<'a> Run<'a> {
    fn of(engine: &'a Engine, memories: &'a [MemoryId]) -> Self {
        Self { engine, memories, state: RunnerState::default() }
    }

    /// Lets the workers work until `stop` resolves, then lets them end what they have.
    async fn until<T>(&self, stop: BoxFuture<'_, ()>, workers: impl Future<Output = T>) {
        let workers = std::pin::pin!(workers);
        match select(stop, workers).await {
            Either::Left(((), workers)) => {
                self.state.stop();
                self.engine.wake.call();
                match select(workers, self.engine.clock.sleep(STOP_MS)).await {
                    Either::Left(_) => {}
                    Either::Right(_) => tracing::warn!("jobs were cut off; they are run again"),
                }
            }
            Either::Right(_) => {}
        }
    }

    async fn workers(&self) {
        join_all((0..WORKERS).map(|number| self.worker(number))).await;
    }

    /// Runs what it takes, one job after another, and further ones while those wait for a model.
    async fn worker(&self, number: usize) {
        let jobs = stream::unfold(None, |looked_us| self.next(number, looked_us));
        let at_once = self.engine.settings.pipeline.jobs_at_once.clamp(1, limits::JOBS_AT_ONCE_MAX);
        jobs.for_each_concurrent(at_once.div_ceil(WORKERS), |(job, permit)| async move {
            self.engine.run_one(job).await;
            drop(permit);
        })
        .await;
    }

    /// The next job, with the place in which it computes; `None` when the runner stops.
    async fn next(&self, number: usize, mut looked_us: Option<u64>) -> Option<((Job, Permit), Option<u64>)> {
        let pause = if number == 0 { LOOK_MS } else { LOOK_RARELY_MS };
        while !self.state.is_stopping() {
            let seen = self.engine.wake.calls();
            if number == 0 {
                self.take_place().await;
            }
            let found = match self.state.is_hosting() {
                true => self.next_job(number == 0, &mut looked_us).await,
                false => Ok(None),
            };
            match found {
                Ok(Some(found)) => {
                    // There may be more: the others look too.
                    if number == 0 {
                        self.engine.wake.call();
                    }
                    return Some((found, looked_us));
                }
                Ok(None) => self.engine.pause(seen, pause).await,
                Err(error) => {
                    tracing::error!(?error, "no job could be taken");
                    self.engine.clock.sleep(LOOK_RARELY_MS).await;
                }
            }
        }
        None
    }

    /// Becomes, or stays, a host where that is possible.
    async fn take_place(&self) {
        let hosting = match self.engine.store.try_host() {
            Ok(hosting) => hosting,
            Err(error) => {
                tracing::error!(?error, "the host's place cannot be asked for");
                false
            }
        };
        if self.state.is_hosting() == hosting {
            return;
        }
        tracing::info!(hosting, "host of the store");
        if hosting && let Err(error) = self.begin_hosting().await {
            tracing::error!(?error, "what the last host left cannot be freed; its leases run out");
        }
        self.state.set_hosting(hosting);
    }

    /// The one new host frees what the one before left behind: that one is gone. Where there are many, leases run out.
    /// Who waits is woken by either: the last host, or this server before it was started, may have been set to let others
    /// read. Who still must wait asks again, finds the question, and waits again, whoever else looks. A command does not
    /// wake the jobs of everybody else.
    async fn begin_hosting(&self) -> Result<()> {
        let (host, now) = (self.engine.settings.host.clone(), self.engine.clock.now());
        let (frees, wakes) = match self.engine.store.hosts() {
            Hosts::One => (true, true),
            Hosts::Many => (false, self.memories.is_empty()),
        };
        if !frees && !wakes {
            return Ok(());
        }
        let (woken, freed, sent) = self
            .engine
            .store
            .write(move |tx| {
                let woken = if wakes { tx.jobs_mut().wake_all(None, now)? } else { 0 };
                if !frees {
                    return Ok((woken, 0, 0));
                }
                let sent = tx.deliveries_mut().free_leases(&host)?;
                Ok((woken, tx.jobs_mut().free_leases(&host, now)?, sent))
            })
            .await?;
        if freed > 0 || woken > 0 || sent > 0 {
            tracing::info!(freed, woken, sent, "jobs and deliveries of the last host are pending again");
        }
        Ok(())
    }

    /// Takes a job that is due, when there is a place for it. Looking is a read; only where something is due, or lost jobs
    /// are to be looked for, a write takes it.
    async fn next_job(
        &self,
        looks_for_lost: bool,
        looked_us: &mut Option<u64>,
    ) -> Result<Option<(Job, Permit)>> {
        let now = self.engine.clock.now();
        let now_us = self.engine.clock.monotonic_us();
        let lost =
            looks_for_lost && looked_us.is_none_or(|looked| now_us.saturating_sub(looked) >= LOST_LOOK_US);
        if lost {
            *looked_us = Some(now_us);
        } else {
            let memories = self.memories.to_vec();
            let due = self.engine.store.read(move |tx| tx.jobs().next_due(&memories)).await?;
            if due.is_none_or(|due| due > now) {
                return Ok(None);
            }
        }
        let permit = self.engine.permits.take().await;
        if self.state.is_stopping() {
            return Ok(None);
        }
        let now = self.engine.clock.now();
        let memories = self.memories.to_vec();
        let holder = self.engine.next_claim();
        let claimed = self
            .engine
            .store
            .write(move |tx| tx.jobs_mut().claim(&holder, &memories, now, limits::JOB_LEASE_MS))
            .await?;
        Ok(claimed.map(|job| (job, permit)))
    }

    /// Sends what is in the outbox, where anything can be sent.
    async fn deliverer(&self) {
        while self.engine.deliver.is_some() && !self.state.is_stopping() {
            let seen = self.engine.wake.calls();
            let tried = match self.state.is_hosting() {
                true => deliverer::deliver_due(self.engine, &self.state).await,
                false => Ok(0),
            };
            match tried {
                Ok(0) => self.engine.pause(seen, DELIVER_LOOK_MS).await,
                Ok(_) => {}
                Err(error) => {
                    tracing::error!(?error, "the outbox cannot be read");
                    self.engine.clock.sleep(LOOK_RARELY_MS).await;
                }
            }
        }
    }

    /// The loops of all products.
    async fn loops(&self) {
        join_all(self.engine.products.loops().map(|one| one.run(self.engine, &self.state))).await;
    }

    /// Sweeps, where no other server does. Who begins to sweep goes on with it, so that all of them together sweep as often
    /// as one.
    async fn sweeper(&self) {
        let (name, holder) = (SWEEP.to_owned(), self.engine.settings.host.clone());
        let chore = Chore { engine: self.engine, name, holder, lease_ms: SWEEP_LEASE_MS };
        let (mut looked_us, mut sweeps) = (self.engine.clock.monotonic_us(), false);
        while !self.state.is_stopping() {
            let seen = self.engine.wake.calls();
            let now_us = self.engine.clock.monotonic_us();
            if self.state.is_hosting() && now_us.saturating_sub(looked_us) >= SWEEP_MS * 1000 {
                looked_us = now_us;
                sweeps = match Box::pin(chore.run(Box::pin(self.engine.sweep()))).await {
                    Ok(sweeps) => sweeps,
                    Err(error) => {
                        tracing::error!(?error, "a sweep failed; the next one goes on");
                        sweeps
                    }
                };
            }
            self.engine.pause(seen, SWEEP_MS / 10).await;
        }
        if sweeps {
            chore.give_up().await;
        }
    }
}
