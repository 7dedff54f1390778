//! What comes in from outside: time, randomness, and who runs what nobody waits for.
#![expect(
    clippy::disallowed_methods,
    reason = "the system's clock is one of the arguments a caller may give"
)]

use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::future::{BoxFuture, FutureExt};
use tokio::runtime::Handle;

use super::off_thread::off_thread;

/// Time.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> i64;
    /// Resolves after so long.
    fn sleep(&self, for_ms: u64) -> BoxFuture<'static, ()>;
}

/// Chance: ids of runs, and the jitter of retries.
pub trait Randomness: Send + Sync {
    /// Sixty-four bits.
    fn bits(&self) -> u64;
}

/// Runs a future to its end beside its caller.
pub type Executor = Arc<dyn Fn(BoxFuture<'static, ()>) + Send + Sync>;

/// What comes in from outside.
#[derive(Clone)]
pub struct Surroundings {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Chance.
    pub randomness: Arc<dyn Randomness>,
    /// Who runs what nobody waits for. Without one the caller drives the coordinator.
    pub executor: Option<Executor>,
}

impl Surroundings {
    /// The machine's clock and randomness, without an executor. Outside of a runtime of tokio the clock sleeps on threads of its own.
    pub fn system() -> Self {
        Self { clock: Arc::new(SystemClock), randomness: Arc::new(SystemRandomness), executor: None }
    }

    /// The same with an executor.
    pub fn with_executor(
        mut self,
        executor: impl Fn(BoxFuture<'static, ()>) + Send + Sync + 'static,
    ) -> Self {
        self.executor = Some(Arc::new(executor));
        self
    }
}

impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings").field("executor", &self.executor.is_some()).finish_non_exhaustive()
    }
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    fn sleep(&self, for_ms: u64) -> BoxFuture<'static, ()> {
        let time = Duration::from_millis(for_ms);
        async move {
            if Handle::try_current().is_ok() {
                return tokio::time::sleep(time).await;
            }
            sleep_on_thread(time, ()).await;
        }
        .boxed()
    }
}

/// Resolves after so long, on a thread of its own, which ends at once where this is dropped: who races an answer against a limit of a
/// minute, many times a second, must not leave a minute's threads behind. The thread holds `held` until its end.
async fn sleep_on_thread(time: Duration, held: impl Send + 'static) {
    let (awaited, is_awaited) = mpsc::channel::<()>();
    let wait = move || {
        // Nothing is ever sent: this ends in time, or with the other end of the channel.
        let _ = is_awaited.recv_timeout(time);
        drop(held);
    };
    // Where the system gives no thread there is no wait: whoever asks again does so at once.
    drop(off_thread(wait).await);
    drop(awaited);
}

/// The machine's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    fn bits(&self) -> u64 {
        // Where the machine has none, ids of runs repeat only if two begin in the same millisecond: they hold the time, too.
        getrandom::u64().unwrap_or(0)
    }
}

/// An id of a run: the time, then chance, so that ids order by time.
pub(crate) fn run_id(surroundings: &Surroundings) -> String {
    let millis = u64::try_from(surroundings.clock.now_ms()).unwrap_or(0);
    format!("{millis:012x}{:016x}", surroundings.randomness.bits())
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use futures::executor::block_on;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);
    const BOUND: Duration = Duration::from_secs(30);

    /// Says on a channel that it is dropped.
    struct Told(mpsc::Sender<()>);

    impl Drop for Told {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }

    #[test]
    fn threads_of_sleeps_that_are_dropped_end() {
        let (tells, told) = mpsc::channel();
        let sleeping: Vec<_> = (0..20)
            .map(|_| {
                let mut sleep = Box::pin(sleep_on_thread(HOUR, Told(tells.clone())));
                assert!(sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
                sleep
            })
            .collect();
        assert!(told.try_recv().is_err(), "they wait");
        let count = sleeping.len();
        drop(sleeping);
        for ended in 0..count {
            assert!(told.recv_timeout(BOUND).is_ok(), "{ended} of {count} threads have ended");
        }
    }

    #[test]
    fn a_sleep_ends_in_time_with_and_without_a_runtime() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let check = |for_ms: u64| {
            block_on(SystemClock.sleep(for_ms));
            runtime.block_on(SystemClock.sleep(for_ms));
        };
        check(0);
        check(1);
    }
}
