//! A pool with a maximum number of threads, each with its own database connection. Work waits in
//! one first-in, first-out queue, and threads start when work needs them.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use futures::channel::oneshot;
use loci_model::ports::BoxFuture;
use loci_model::{Error, ErrorKind, Result};

/// The maximum number of queued tasks. The pool rejects further tasks with an error, so that an
/// overload cannot use all memory.
const WAITING_MAX: usize = 4_096;
/// The number of tasks that run after a failed connection before the pool tries to connect again.
/// Each attempt costs a thread and a log line.
const PAUSE_TASKS: usize = 1_000;

/// A task that runs on a connection. It returns a function that sends the result to the caller,
/// so that the thread counts as free before the caller receives the result.
type Task<C> = Box<dyn FnOnce(&mut C) -> Reply + Send>;
type Reply = Box<dyn FnOnce()>;

/// A function that opens the connection of a thread.
type Connect<C> = Box<dyn Fn() -> Result<C> + Send + Sync>;

struct WaitingTask<C> {
    tasks: VecDeque<Task<C>>,
    threads: Vec<JoinHandle<()>>,
    /// The number of threads that have a connection or are opening one.
    running_count: usize,
    /// The number of threads without a task, including those that are opening a connection.
    free_count: usize,
    /// The number of tasks that must still run before the pool tries again to start a thread,
    /// after a failed connection.
    pause_tasks: usize,
    is_closing: bool,
}

struct Queue<C> {
    waiting: Mutex<WaitingTask<C>>,
    ready: Condvar,
    name: String,
    size: usize,
    connect: Connect<C>,
}

impl<C: Send + 'static> Queue<C> {
    fn lock(&self) -> MutexGuard<'_, WaitingTask<C>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next task in the queue; `None` when the pool closes.
    fn next(&self) -> Option<Task<C>> {
        let mut waiting = self.lock();
        loop {
            if let Some(task) = waiting.tasks.pop_front() {
                waiting.free_count -= 1;
                return Some(task);
            }
            if waiting.is_closing {
                return None;
            }
            waiting = self.ready.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn connection(&self) -> Result<C> {
        catch_unwind(AssertUnwindSafe(|| (self.connect)()))
            .unwrap_or_else(|_| Err(Error::bug("connecting to the store panicked")))
    }

    /// Ends the current thread, which could not open a connection. Other threads run its tasks.
    fn end_thread(&self, error: &Error) {
        let own = std::thread::current().id();
        let mut waiting = self.lock();
        waiting.threads.retain(|thread| thread.thread().id() != own);
        waiting.running_count -= 1;
        waiting.free_count -= 1;
        waiting.pause_tasks = PAUSE_TASKS;
        tracing::warn!(%error, name = self.name, "a further connection to the store cannot be made");
    }

    /// Starts a thread with the given connection, or with a connection that the thread opens
    /// itself.
    fn add_thread(
        self: &Arc<Self>,
        waiting: &mut WaitingTask<C>,
        connection: Option<C>,
    ) -> std::io::Result<()> {
        let queue = Arc::clone(self);
        let work = move || match connection.map_or_else(|| queue.connection(), Ok) {
            Ok(mut connection) => serve(&queue, &mut connection),
            Err(error) => queue.end_thread(&error),
        };
        let thread = std::thread::Builder::new().name(self.name.clone()).spawn(work)?;
        waiting.threads.push(thread);
        waiting.running_count += 1;
        waiting.free_count += 1;
        Ok(())
    }
}

/// The threads of a store and their queue.
pub struct Pool<C>(Arc<Queue<C>>);

impl<C: Send + 'static> Pool<C> {
    /// Creates a pool with one thread, whose connection `connect` opens. Up to `size` threads
    /// start when tasks wait and all threads are busy, so that a process that reads little opens
    /// only one connection.
    ///
    /// # Errors
    /// An error if the first connection or thread cannot be created.
    pub fn start(
        name: &str,
        size: usize,
        connect: impl Fn() -> Result<C> + Send + Sync + 'static,
    ) -> Result<Self> {
        let first = connect()?;
        let queue = Arc::new(Queue {
            waiting: Mutex::new(WaitingTask {
                tasks: VecDeque::new(),
                threads: Vec::new(),
                running_count: 0,
                free_count: 0,
                pause_tasks: 0,
                is_closing: false,
            }),
            ready: Condvar::new(),
            name: name.to_owned(),
            size: size.max(1),
            connect: Box::new(connect),
        });
        queue.add_thread(&mut queue.lock(), Some(first)).map_err(|error| {
            Error::unavailable("a thread of the store cannot be started: check the limit of processes")
                .caused_by(error)
        })?;
        Ok(Self(queue))
    }

    /// Runs `work` on one of the threads and returns its result. If the caller drops the future
    /// before the work starts, it does not run.
    pub fn run<T, F>(&self, work: F) -> BoxFuture<'static, Result<T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut C) -> Result<T> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let task: Task<C> = Box::new(move |connection| {
            // The caller has dropped the future: do not start.
            if sender.is_canceled() {
                return Box::new(|| ());
            }
            let outcome = catch_unwind(AssertUnwindSafe(|| work(connection)))
                .unwrap_or_else(|_| Err(Error::bug("work of the store panicked")));
            Box::new(move || {
                let _ = sender.send(outcome);
            })
        });
        if let Err(error) = self.submit(task) {
            return Box::pin(std::future::ready(Err(error)));
        }
        Box::pin(async move { receiver.await.unwrap_or_else(|_| Err(closed())) })
    }

    /// Runs `work` on one of the threads without returning a result. The work is discarded if the
    /// queue is full or the pool is closing.
    pub fn spawn(&self, work: impl FnOnce(&mut C) + Send + 'static) {
        let task: Task<C> = Box::new(move |connection| {
            if catch_unwind(AssertUnwindSafe(|| work(connection))).is_err() {
                tracing::error!("background work of the store panicked");
            }
            Box::new(|| ())
        });
        if let Err(error) = self.submit(task) {
            tracing::debug!(%error, "background work of the store was dropped");
        }
    }

    fn submit(&self, task: Task<C>) -> Result<()> {
        let mut waiting = self.0.lock();
        if waiting.is_closing {
            return Err(closed());
        }
        if waiting.tasks.len() >= WAITING_MAX {
            return Err(Error::new(
                ErrorKind::Throttled,
                "too many reads wait for the store: try again later",
            ));
        }
        waiting.tasks.push_back(task);
        if waiting.pause_tasks > 0 {
            waiting.pause_tasks -= 1;
        } else if waiting.tasks.len() > waiting.free_count && waiting.running_count < self.0.size {
            // If no thread can be started, the running ones take the task later.
            if let Err(error) = self.0.add_thread(&mut waiting, None) {
                waiting.pause_tasks = PAUSE_TASKS;
                tracing::warn!(%error, name = self.0.name, "a further thread of the store cannot be started");
            }
        }
        drop(waiting);
        self.0.ready.notify_one();
        Ok(())
    }

    /// Completes the queued tasks and then stops the threads.
    pub fn close(&self) {
        let threads = {
            let mut waiting = self.0.lock();
            waiting.is_closing = true;
            std::mem::take(&mut waiting.threads)
        };
        self.0.ready.notify_all();
        for thread in threads {
            if join(thread).is_err() {
                tracing::error!("a reading thread of the store died");
            }
        }
    }
}

fn serve<C: Send + 'static>(queue: &Queue<C>, connection: &mut C) {
    while let Some(task) = queue.next() {
        let reply = task(connection);
        queue.lock().free_count += 1;
        reply();
    }
}

/// Waits for a thread to end. Does nothing for the current thread, because a task on that thread
/// may drop the last handle of the store.
///
/// # Errors
/// An error if the thread panicked.
pub fn join(thread: JoinHandle<()>) -> std::thread::Result<()> {
    if thread.thread().id() == std::thread::current().id() { Ok(()) } else { thread.join() }
}

/// Returns the error for work on a store that is closing.
pub fn closed() -> Error {
    Error::unavailable("the store is closed: the process is ending")
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::executor::block_on;
    use futures::future::join_all;

    use super::*;

    /// Returns a connect function without a connection, which counts its calls.
    fn counted(
        count: &Arc<AtomicUsize>,
        allowed_count: usize,
    ) -> impl Fn() -> Result<()> + Send + Sync + 'static {
        let count = Arc::clone(count);
        move || {
            let before = count.fetch_add(1, Ordering::SeqCst);
            if before < allowed_count { Ok(()) } else { Err(Error::unavailable("no more connections")) }
        }
    }

    #[test]
    fn threads_follow_the_work() {
        let count = Arc::new(AtomicUsize::new(0));
        let pool = Pool::start("test", 3, counted(&count, 9)).unwrap();
        for _ in 0..20 {
            block_on(pool.run(|()| Ok(()))).unwrap();
        }
        assert_eq!(count.load(Ordering::SeqCst), 1, "one task at a time needs one connection");
        let meeting = Arc::new(Barrier::new(3));
        // Each waits for two others: with fewer threads none would end.
        let meet = || {
            let meeting = Arc::clone(&meeting);
            pool.run(move |()| {
                meeting.wait();
                Ok(())
            })
        };
        let ended = block_on(join_all((0..9).map(|_| meet())));
        assert!(ended.iter().all(Result::is_ok), "{ended:?}");
        assert_eq!(count.load(Ordering::SeqCst), 3, "no more than its size");
        pool.close();
        assert!(block_on(pool.run(|()| Ok(()))).is_err(), "a closed pool does nothing");
    }

    #[test]
    fn a_further_connection_that_fails_costs_no_task() {
        let count = Arc::new(AtomicUsize::new(0));
        let pool = Pool::start("test", 4, counted(&count, 1)).unwrap();
        for _ in 0..20 {
            let ended = block_on(join_all((0..50).map(|number| pool.run(move |()| Ok(number)))));
            assert_eq!(ended.into_iter().collect::<Result<Vec<_>>>().unwrap(), (0..50).collect::<Vec<_>>());
        }
        // Three may be started before the first of them fails.
        assert!((2..=4).contains(&count.load(Ordering::SeqCst)), "{count:?}");
        pool.close();
        assert!(Pool::start("test", 1, counted(&count, 0)).is_err(), "without a first one there is no pool");
    }
}
