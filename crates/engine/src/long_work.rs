//! Work on long texts, on a thread of its own: neither inside a write, where everybody else's would wait for
//! it, nor on a thread of the runtime. One thread, so that many long texts wait for each other and not
//! everybody for them; what is short is not worth the way.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError, mpsc};

use futures::channel::oneshot;
use loci_model::{Error, Result};

type Task = Box<dyn FnOnce() + Send>;

/// The thread, which is started when it is first needed. It ends with the engine.
#[derive(Debug, Default)]
pub(crate) struct LongWork(Mutex<Option<mpsc::Sender<Task>>>);

impl LongWork {
    /// Runs `work` on the thread, unless nobody waits for it any more when its turn comes.
    ///
    /// # Errors
    /// `Unavailable` where the thread cannot be started.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let (done, outcome) = oneshot::channel();
        self.send(Box::new(move || {
            if !done.is_canceled() {
                let _ = done.send(work());
            }
        }))?;
        outcome.await.map_err(|_| Error::bug("work on a long text ended without an outcome"))
    }

    fn send(&self, task: Task) -> Result<()> {
        let mut sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
}
