//! Execution of blocking work off the caller's thread: on a blocking thread of a tokio runtime if
//! there is one, else on a new thread. Work that has begun runs to its end, even if its future is
//! dropped.

use std::io;
use std::thread;

use futures::channel::oneshot;
use tokio::runtime::Handle;

/// Runs blocking work and returns its result. An error means that the work did not finish: it
/// panicked, the runtime is shutting down, or the system cannot create a thread.
pub(crate) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let broke_off = || io::Error::other("work on the disk broke off");
    match Handle::try_current() {
        Ok(runtime) => runtime.spawn_blocking(work).await.map_err(|_| broke_off()),
        Err(_) => {
            let (tells, told) = oneshot::channel();
            let work = move || drop(tells.send(work()));
            thread::Builder::new().name("loci-client".to_owned()).spawn(work)?;
            told.await.map_err(|_| broke_off())
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use futures::executor::block_on;

    use super::*;

    #[test]
    fn with_and_without_a_runtime() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let own = thread::current().id();
        for on_tokio in [true, false] {
            let run = |work: fn() -> thread::ThreadId| {
                if on_tokio { runtime.block_on(off_thread(work)) } else { block_on(off_thread(work)) }
            };
            assert_ne!(run(|| thread::current().id()).unwrap(), own);
            assert_eq!(run(|| panic!("work")).unwrap_err().to_string(), "work on the disk broke off");
        }
    }

    #[test]
    fn work_that_is_begun_goes_on() {
        let (begin, begun) = std::sync::mpsc::channel::<()>();
        let (end, ended) = std::sync::mpsc::channel();
        let work = move || {
            begun.recv().unwrap();
            end.send(7).unwrap();
        };
        assert!(off_thread(work).now_or_never().is_none(), "the caller goes away");
        begin.send(()).unwrap();
        assert_eq!(ended.recv().unwrap(), 7);
    }
}
