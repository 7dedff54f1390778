//! A limited number of threads that read repositories: reading waits for disks, and decoding takes
//! time.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// The maximum number of queued tasks; more are rejected.
const WAITING_MAX: usize = 4_096;

type Task = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct QueuedTask {
    tasks: VecDeque<Task>,
    closing: bool,
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<QueuedTask>,
    ready: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueuedTask> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

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

/// The threads that read repositories. When this value is dropped, they stop after the queued
/// tasks.
pub(crate) struct Pool {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts at least one thread.
    pub(crate) fn start(threads: usize) -> std::io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let mut pool = Self { queue: Arc::clone(&queue), threads: Vec::new() };
        for _ in 0..threads.max(1) {
            let queue = Arc::clone(&queue);
            let serve = move || {
                while let Some(task) = queue.next() {
                    // A task that panics loses its own result, and not the thread.
                    drop(catch_unwind(AssertUnwindSafe(task)));
                }
            };
            pool.threads.push(std::thread::Builder::new().name("code".to_owned()).spawn(serve)?);
        }
        Ok(pool)
    }

    /// Queues a task. Returns false if too many tasks are queued.
    pub(crate) fn run(&self, task: Task) -> bool {
        let mut waiting = self.queue.lock();
        if waiting.tasks.len() >= WAITING_MAX {
            return false;
        }
        waiting.tasks.push_back(task);
        self.queue.ready.notify_one();
        true
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.lock().closing = true;
        self.queue.ready.notify_all();
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}
