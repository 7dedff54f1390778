//! The one runner: a process that hosts the store runs due jobs, sends deliveries and sweeps; other
//! processes only schedule jobs. One process hosts an embedded store. Every process hosts a store
//! for many servers: their work is leased by rows (`lease.rs`), and no process relies on being
//! alone.
//!
//! A few workers run concurrently. The first one polls the table often enough for jobs that other
//! processes scheduled; a call of [`Wake`](super::wake::Wake) wakes all at once. A limited number
//! of jobs compute at a time ([`Permits`](super::permits::Permits)). Jobs that wait for a model do
//! not count and block no others.

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
use super::wait::WaitScope;
use crate::Engine;
use crate::hooks::RunnerState;

/// The number of workers, which is enough to keep the embedding model busy while some of them
/// wait for the store.
const WORKERS: usize = 4;
/// The time between two searches for jobs by the first worker, in milliseconds. This worker also
/// tries to become the host of the store.
const LOOK_MS: u64 = 150;
/// The time between two searches for jobs by the other workers, in milliseconds, in case they
/// missed a signal.
const LOOK_RARELY_MS: u64 = 2_000;
/// The time between two searches for jobs whose process died, in microseconds.
const LOST_LOOK_US: u64 = 5_000_000;
/// The time that running jobs have to end when the server stops, in milliseconds.
const STOP_MS: u64 = 10_000;
/// The time between two searches for due deliveries, in milliseconds. A write of this process
/// that stores a delivery also starts a search.
const DELIVER_LOOK_MS: u64 = 1_000;
/// The time between two sweeps, in milliseconds.
const SWEEP_MS: u64 = 60_000;
/// Duration of the sweep lease in milliseconds. A server that sweeps keeps sweeping until it has
/// been silent for this time; some sweeps are skipped then.
const SWEEP_LEASE_MS: i64 = 180_000;

/// The shared state of the workers of one run.
struct RunnerShared<'a> {
    engine: &'a Engine,
    /// The memories whose jobs run; empty means all.
    memories: &'a [MemoryId],
    state: RunnerState,
}

impl Engine {
    /// Runs jobs and sweeps while this process is a host, until `stop` resolves. Running jobs then
    /// have ten seconds to end; an aborted job runs again after its lease has expired.
    pub async fn run_jobs(&self, stop: BoxFuture<'static, ()>) {
        let run = RunnerShared::of(self, &[]);
        // Rarely active futures are boxed, because the whole future lies on the stack of its
        // poller.
        let all = join4(run.workers(), Box::pin(run.sweeper()), run.deliverer(), Box::pin(run.loops()));
        run.until(stop, all).await;
        self.store.release_host();
    }

    /// Runs the jobs of some memories, due or not, until none is left or `timeout_ms` have passed.
    /// If another process is the only host, that one runs them and this one waits. On a store with
    /// many hosts it works as one of the servers and must be configured like them; commands call
    /// [`Self::settle`].
    ///
    /// # Errors
    /// Errors of the store; failed jobs are no errors.
    pub async fn run_due(&self, memories: &[MemoryId], timeout_ms: u64) -> Result<ExtractionState> {
        let runs_elsewhere = self.is_hosting().await?;
        self.make_due(memories).await?;
        let part = WaitScope { memories: memories.to_vec(), actor: None, session: None };
        if runs_elsewhere || memories.is_empty() || !self.store.try_host()? {
            return self.wait_for(&part, timeout_ms).await;
        }
        let run = RunnerShared::of(self, memories);
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

    /// Returns true if a runner of this process is already the only host. For a store with many
    /// hosts it returns false.
    pub(super) async fn is_hosting(&self) -> Result<bool> {
        Ok(match self.store.hosts() {
            Hosts::One => self.store.info(false).await?.is_host,
            Hosts::Many => false,
        })
    }
}

impl<'a> RunnerShared<'a> {
    fn of(engine: &'a Engine, memories: &'a [MemoryId]) -> Self {
        Self { engine, memories, state: RunnerState::default() }
    }

    /// Runs the workers until `stop` resolves, then lets them finish their jobs.
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

    /// Runs its jobs one after another, and further ones while those wait for a model.
    async fn worker(&self, number: usize) {
        let jobs = stream::unfold(None, |looked_us| self.next(number, looked_us));
        let at_once = self.engine.settings.pipeline.jobs_at_once.clamp(1, limits::JOBS_AT_ONCE_MAX);
        jobs.for_each_concurrent(at_once.div_ceil(WORKERS), |(job, permit)| async move {
            self.engine.run_one(job).await;
            drop(permit);
        })
        .await;
    }

    /// Returns the next job with its permit; `None` when the runner stops.
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
                    // There may be more jobs: wake the other workers.
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

    /// Becomes or remains a host, if possible.
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

    /// Prepares a new host. A single host releases the jobs of the previous one, which no longer
    /// exists. With several hosts, leases expire instead. It also wakes waiting jobs, because the
    /// previous host, or this server before its start, may have been configured to let clients
    /// answer questions. A job that must still wait asks again, finds its question, and waits
    /// again. A command does not wake the jobs of other processes.
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

    /// Claims a due job when a permit is free. The search is a read; a write follows only if a job
    /// is due, or if lost jobs must be searched.
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

    /// Sends the deliveries of the outbox, if the engine can send any.
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

    /// Runs the loops of all products.
    async fn loops(&self) {
        join_all(self.engine.products.loops().map(|one| one.run(self.engine, &self.state))).await;
    }

    /// Sweeps if no other server does. A server that starts to sweep continues, so that all servers
    /// together sweep as often as one.
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
