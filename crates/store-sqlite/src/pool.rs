//! A bounded pool of threads, each with its own read-only connection. Work waits in one queue, first come first served.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use futures::channel::oneshot;
use loci_model::ports::BoxFuture;
use loci_model::{Error, ErrorKind, Result};
use rusqlite::Connection;

use crate::errors::folder_error;
use crate::open;

/// Work that waits at most; more is refused, so that a flood shows as an error and not as memory.
const WAITING_MAX: usize = 4_096;

type Task = Box<dyn FnOnce(&Connection) + Send>;

struct Waiting {
    tasks: VecDeque<Task>,
    closing: bool,
}

struct Queue {
    waiting: Mutex<Waiting>,
    ready: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task; `None` when the pool closes.
    fn next(&self) -> Option<Task> {
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
pub(crate) struct Pool {
    queue: Arc<Queue>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Pool {
    /// Starts `size` threads (at least one) over the database in `folder`.
    pub(crate) fn start(name: &str, folder: &Path, size: usize) -> Result<Self> {
        let queue = Arc::new(Queue {
            waiting: Mutex::new(Waiting { tasks: VecDeque::new(), closing: false }),
            ready: Condvar::new(),
        });
        let pool = Self { queue: Arc::clone(&queue), threads: Mutex::new(Vec::new()) };
        for _ in 0..size.max(1) {
            let connection = open::reading(folder)?;
            let queue = Arc::clone(&queue);
            let thread = std::thread::Builder::new()
                .name(name.to_owned())
                .spawn(move || serve(&queue, &connection))
                .map_err(|error| folder_error("starting a thread of the store", error))?;
            pool.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        }
        Ok(pool)
    }

    /// Runs `work` on one of the threads.
    pub(crate) fn run<T, F>(&self, work: F) -> BoxFuture<'static, Result<T>>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let task: Task = Box::new(move |connection| {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(connection)))
                .unwrap_or_else(|_| Err(Error::bug("a read of the store panicked")));
            let _ = sender.send(outcome);
        });
        if let Err(error) = self.submit(task) {
            return Box::pin(std::future::ready(Err(error)));
        }
        Box::pin(async move { receiver.await.unwrap_or_else(|_| Err(closed())) })
    }

    /// Runs `work` on one of the threads, with nobody waiting; dropped where the pool is full or closing.
    pub(crate) fn spawn(&self, work: impl FnOnce(&Connection) + Send + 'static) {
        let task: Task = Box::new(move |connection| {
            if catch_unwind(AssertUnwindSafe(|| work(connection))).is_err() {
                tracing::error!("background work of the store panicked");
            }
        });
        if let Err(error) = self.submit(task) {
            tracing::debug!(%error, "background work of the store was dropped");
        }
    }

    fn submit(&self, task: Task) -> Result<()> {
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
    pub(crate) fn close(&self) {
        self.queue.lock().closing = true;
        self.queue.ready.notify_all();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            if crate::writer::join(thread).is_err() {
                tracing::error!("a reading thread of the store died");
            }
        }
    }
}

fn serve(queue: &Queue, connection: &Connection) {
    while let Some(task) = queue.next() {
        task(connection);
    }
}

/// What a store that is closing answers.
pub(crate) fn closed() -> Error {
    Error::unavailable("the store is closed: the process is ending")
}
