//! Runs work on long texts on a thread of its own, so that it delays neither other writes nor
//! other requests. There is only one such thread, so long texts are handled one after another.
//! Short texts do not need it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use futures::channel::oneshot;
use loci_model::{Error, Result};

type Task = Box<dyn FnOnce() + Send>;

/// The number of long texts that are being processed or wait for it. All clones share the number.
/// The clock of a test stands still while the number is not 0.
#[derive(Debug, Clone, Default)]
pub struct LongWorkCount(Arc<AtomicUsize>);

impl LongWorkCount {
    /// Returns the number of texts that are being processed or wait.
    pub fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    fn enter(&self) -> PendingWork<'_> {
        self.0.fetch_add(1, Ordering::SeqCst);
        PendingWork(self)
    }
}

/// A guard that counts one piece of work until its result was taken or its caller gave up.
struct PendingWork<'a>(&'a LongWorkCount);

impl Drop for PendingWork<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The thread for long texts. It starts at its first use and ends with the engine.
#[derive(Debug, Default)]
pub struct LongWork {
    sender: Mutex<Option<mpsc::Sender<Task>>>,
    count: LongWorkCount,
}

impl LongWork {
    /// Creates the thread's handle, which counts work in `count`.
    pub fn counted(count: LongWorkCount) -> Arc<Self> {
        Arc::new(Self { sender: Mutex::default(), count })
    }

    /// Runs `work` on the thread for long texts. It does not run if its caller has given up
    /// before it starts.
    ///
    /// # Errors
    /// `Unavailable` if the thread cannot be started.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let _under_way = self.count.enter();
        let (done, outcome) = oneshot::channel();
        self.send(Box::new(move || {
            if !done.is_canceled() {
                let _ = done.send(work());
            }
        }))?;
        outcome.await.map_err(|_| Error::bug("work on a long text ended without an outcome"))
    }

    fn send(&self, task: Task) -> Result<()> {
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let there = match sender.take() {
            Some(there) => there,
            None => started()?,
        };
        let sent = there.send(task);
        *sender = Some(there);
        sent.map_err(|_| Error::bug("the thread for long texts ended"))
    }
}

fn started() -> Result<mpsc::Sender<Task>> {
    let (sender, tasks) = mpsc::channel::<Task>();
    let serve = move || {
        for task in tasks {
            if catch_unwind(AssertUnwindSafe(task)).is_err() {
                tracing::error!("work on a long text panicked");
            }
        }
    };
    let thread = std::thread::Builder::new().name("loci-text".to_owned()).spawn(serve);
    thread.map(|_| sender).map_err(|error| {
        Error::unavailable("a thread for long texts cannot be started: check the limit of processes")
            .caused_by(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use futures::executor::block_on;

    #[test]
    fn work_runs_on_the_one_thread_and_survives_a_panic() {
        let work = LongWork::default();
        let name = || std::thread::current().name().map(str::to_owned);
        assert_eq!(block_on(work.run(name)).unwrap().as_deref(), Some("loci-text"));
        assert!(block_on(work.run(|| panic!("a reader that fails"))).is_err());
        let thread = || std::thread::current().id();
        let first = block_on(work.run(thread)).unwrap();
        assert_eq!(block_on(work.run(thread)).unwrap(), first);
        assert_ne!(first, thread());
    }

    #[test]
    fn work_is_counted_until_its_outcome_is_taken() {
        let count = LongWorkCount::default();
        let (work, other) = (LongWork::counted(count.clone()), LongWork::counted(count.clone()));
        let (hold, held) = mpsc::channel::<()>();
        let mut first = Box::pin(work.run(move || held.recv().is_err()));
        let mut second = Box::pin(other.run(|| ()));
        assert_eq!(count.get(), 0);
        assert!((&mut first).now_or_never().is_none());
        assert_eq!(count.get(), 1);
        let second_is_done = (&mut second).now_or_never().is_some();
        assert_eq!(count.get(), if second_is_done { 1 } else { 2 });
        drop(hold);
        assert!(block_on(first).unwrap());
        drop(second);
        assert_eq!(count.get(), 0);
    }
}
