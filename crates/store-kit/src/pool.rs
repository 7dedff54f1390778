//! A bounded pool of threads, each with its own connection. Work waits in one queue, first come first served.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use futures::channel::oneshot;
use loci_model::ports::BoxFuture;
use loci_model::{Error, ErrorKind, Result};

/// Work that waits at most; more is refused, so that a flood shows as an error and not as memory.
const WAITING_MAX: usize = 4_096;

type Task<C> = Box<dyn FnOnce(&mut C) + Send>;

struct Waiting<C> {
    tasks: VecDeque<Task<C>>,
    closing: bool,
}

struct Queue<C> {
    waiting: Mutex<Waiting<C>>,
    ready: Condvar,
}

impl<C> Queue<C> {
    fn lock(&self) -> MutexGuard<'_, Waiting<C>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task; `None` when the pool closes.
    fn next(&self) -> Option<Task<C>> {
        let mut waiting = self.lock();
        loop {
            if let Some(task) = waiting.tasks.pop_front() {
                return Some(task);
            }
            if waiting.closing {
                return None;
            }
            waiting = self.ready.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The threads and their queue.
pub struct Pool<C> {
    queue: Arc<Queue<C>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl<C: Send + 'static> Pool<C> {
    /// Starts `size` threads (at least one), each with a connection that `connect` makes.
    ///
    /// # Errors
    /// When a connection or a thread cannot be made.
    pub fn start(name: &str, size: usize, mut connect: impl FnMut() -> Result<C>) -> Result<Self> {
        let queue = Arc::new(Queue {
            waiting: Mutex::new(Waiting { tasks: VecDeque::new(), closing: false }),
            ready: Condvar::new(),
        });
        let pool = Self { queue: Arc::clone(&queue), threads: Mutex::new(Vec::new()) };
        for _ in 0..size.max(1) {
            let mut connection = connect()?;
            let queue = Arc::clone(&queue);
            let thread = std::thread::Builder::new()
                .name(name.to_owned())
                .spawn(move || serve(&queue, &mut connection))
                .map_err(|error| {
                    Error::unavailable(
                        "a thread of the store cannot be started: check the limit of processes",
                    )
                    .caused_by(error)
                })?;
            pool.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        }
        Ok(pool)
    }

    /// Runs `work` on one of the threads, unless the answer is given up before it begins.
    pub fn run<T, F>(&self, work: F) -> BoxFuture<'static, Result<T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut C) -> Result<T> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let task: Task<C> = Box::new(move |connection| {
            // Nobody waits for it any more: nothing is begun.
            if sender.is_canceled() {
                return;
            }
            let outcome = catch_unwind(AssertUnwindSafe(|| work(connection)))
                .unwrap_or_else(|_| Err(Error::bug("work of the store panicked")));
            let _ = sender.send(outcome);
        });
        if let Err(error) = self.submit(task) {
            return Box::pin(std::future::ready(Err(error)));
        }
        Box::pin(async move { receiver.await.unwrap_or_else(|_| Err(closed())) })
    }

    /// Runs `work` on one of the threads, with nobody waiting; dropped where the pool is full or closing.
    pub fn spawn(&self, work: impl FnOnce(&mut C) + Send + 'static) {
        let task: Task<C> = Box::new(move |connection| {
            if catch_unwind(AssertUnwindSafe(|| work(connection))).is_err() {
                tracing::error!("background work of the store panicked");
            }
        });
        if let Err(error) = self.submit(task) {
            tracing::debug!(%error, "background work of the store was dropped");
        }
    }

    fn submit(&self, task: Task<C>) -> Result<()> {
        let mut waiting = self.queue.lock();
        if waiting.closing {
            return Err(closed());
        }
        if waiting.tasks.len() >= WAITING_MAX {
            return Err(Error::new(
                ErrorKind::Throttled,
                "too many reads wait for the store: try again later",
            ));
        }
        waiting.tasks.push_back(task);
        drop(waiting);
        self.queue.ready.notify_one();
        Ok(())
    }

    /// Finishes what waits and ends the threads.
    pub fn close(&self) {
        self.queue.lock().closing = true;
        self.queue.ready.notify_all();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            if join(thread).is_err() {
                tracing::error!("a reading thread of the store died");
            }
        }
    }
}

fn serve<C>(queue: &Queue<C>, connection: &mut C) {
    while let Some(task) = queue.next() {
        task(connection);
    }
}

/// Waits for a thread to end, unless it is this one: the last handle of a store may be dropped by its own work.
///
/// # Errors
/// When the thread panicked.
pub fn join(thread: JoinHandle<()>) -> std::thread::Result<()> {
    if thread.thread().id() == std::thread::current().id() { Ok(()) } else { thread.join() }
}

/// What a store that is closing answers.
pub fn closed() -> Error {
    Error::unavailable("the store is closed: the process is ending")
}
