//! The clock, the randomness and the executor of background work, which programs pass as
//! arguments.
#![expect(
    clippy::disallowed_methods,
    reason = "the system's clock is one of the arguments a caller may give"
)]

use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::future::{BoxFuture, FutureExt};
use tokio::runtime::Handle;

use super::blocking_task::off_thread;

/// A clock.
pub trait Clock: Send + Sync {
    /// Returns the time in milliseconds since 1970.
    fn now_ms(&self) -> i64;
    /// Resolves after this many milliseconds.
    fn sleep(&self, for_ms: u64) -> BoxFuture<'static, ()>;
}

/// A source of randomness, for the ids of runs and the jitter of retries.
pub trait Randomness: Send + Sync {
    /// Returns 64 random bits.
    fn bits(&self) -> u64;
}

/// A function that runs a future to its end in the background.
pub type Executor = Arc<dyn Fn(BoxFuture<'static, ()>) + Send + Sync>;

/// The clock, the randomness and the executor for memory of agents.
#[derive(Clone)]
pub struct RuntimeContext {
    /// The clock for times and waits.
    pub clock: Arc<dyn Clock>,
    /// The source of randomness for ids and jitter.
    pub randomness: Arc<dyn Randomness>,
    /// The executor of background work. If it is `None`, the caller must drive the coordinator.
    pub executor: Option<Executor>,
}

impl RuntimeContext {
    /// Returns a context with the clock and the randomness of the system, without an executor.
    /// Outside of a tokio runtime the clock sleeps on threads of its own.
    pub fn system() -> Self {
        Self { clock: Arc::new(SystemClock), randomness: Arc::new(SystemRandomness), executor: None }
    }

    /// Returns the context with this executor.
    pub fn with_executor(
        mut self,
        executor: impl Fn(BoxFuture<'static, ()>) + Send + Sync + 'static,
    ) -> Self {
        self.executor = Some(Arc::new(executor));
        self
    }
}

impl std::fmt::Debug for RuntimeContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings").field("executor", &self.executor.is_some()).finish_non_exhaustive()
    }
}

/// The clock of the operating system.
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

/// Resolves after a time, on a separate thread that ends at once if the future is dropped. Thus
/// callers that often race a call against a long limit leave no sleeping threads behind. The thread
/// holds `held` until it ends.
async fn sleep_on_thread(time: Duration, held: impl Send + 'static) {
    let (awaited, is_awaited) = mpsc::channel::<()>();
    let wait = move || {
        // Nothing is ever sent: this ends by the timeout, or when the other end of the channel is
        // dropped.
        let _ = is_awaited.recv_timeout(time);
        drop(held);
    };
    // Without a thread there is no wait, and the next call retries at once.
    drop(off_thread(wait).await);
    drop(awaited);
}

/// The randomness of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    fn bits(&self) -> u64 {
        // Without system randomness, ids of runs repeat only if two begin in the same millisecond,
        // because they contain the time.
        getrandom::u64().unwrap_or(0)
    }
}

/// Returns a new id of a run: the time followed by random bits, so that ids sort by time.
pub(crate) fn run_id(surroundings: &RuntimeContext) -> String {
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

    /// A guard that sends on a channel when it is dropped.
    struct DropSignal(mpsc::Sender<()>);

    impl Drop for DropSignal {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }

    #[test]
    fn threads_of_sleeps_that_are_dropped_end() {
        let (tells, told) = mpsc::channel();
        let sleeping: Vec<_> = (0..20)
            .map(|_| {
                let mut sleep = Box::pin(sleep_on_thread(HOUR, DropSignal(tells.clone())));
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
