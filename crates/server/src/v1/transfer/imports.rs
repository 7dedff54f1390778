//! The running imports. A server that stops ends them, and waits until they have erased their
//! written parts. The module imports nothing itself.

use std::sync::Arc;

use loci_model::{Error, Result};
use tokio::sync::{OwnedRwLockReadGuard, RwLock, watch};

/// The imports of a server.
#[derive(Debug)]
pub struct Imports {
    stopping: watch::Sender<bool>,
    /// Each import holds a read lock; the shutdown takes the write lock.
    open: Arc<RwLock<()>>,
}

/// A running import, until it is dropped.
pub(super) struct RunningImport {
    stopping: watch::Receiver<bool>,
    _open: OwnedRwLockReadGuard<()>,
}

impl Default for Imports {
    fn default() -> Self {
        Self { stopping: watch::Sender::new(false), open: Arc::default() }
    }
}

impl Imports {
    /// Registers an import.
    ///
    /// # Errors
    /// `Unavailable` if the server is stopping.
    pub(super) fn begin(&self) -> Result<RunningImport> {
        let stopping = self.stopping.subscribe();
        let open = Arc::clone(&self.open).try_read_owned().ok().filter(|_| !*stopping.borrow());
        Ok(RunningImport { stopping, _open: open.ok_or_else(stopped)? })
    }

    /// Stops all imports. Each erases its written part.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Resolves when no import is running, after they were stopped.
    pub async fn ended(&self) {
        drop(self.open.write().await);
    }
}

impl RunningImport {
    /// Returns the result of `work`, unless the server stops first.
    ///
    /// # Errors
    /// `Unavailable` if the server stops.
    pub(super) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        let mut stopping = self.stopping.clone();
        tokio::select! {
            biased;
            // If the sender is gone, nothing can stop the import and nothing waits for it.
            Ok(_) = stopping.wait_for(|stop| *stop) => Err(stopped()),
            result = work => Ok(result),
        }
    }
}

fn stopped() -> Error {
    Error::unavailable(
        "the server stops: nothing of this import is left, send it again when the server is back",
    )
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn imports_are_stopped_and_waited_for() {
        let imports = Imports::default();
        let one = imports.begin().unwrap();
        assert_eq!(one.unless_stopped(std::future::ready(7)).now_or_never().unwrap().unwrap(), 7);
        let mut waits = Box::pin(one.unless_stopped(std::future::pending::<()>()));
        assert!((&mut waits).now_or_never().is_none());
        imports.stop();
        assert!(waits.now_or_never().unwrap().unwrap_err().message.contains("send it again"));
        assert!(one.unless_stopped(std::future::ready(7)).now_or_never().unwrap().is_err());
        assert!(imports.begin().is_err(), "none begins any more");
        let mut ended = Box::pin(imports.ended());
        assert!((&mut ended).now_or_never().is_none(), "one is under way");
        drop(one);
        assert!(ended.now_or_never().is_some());
    }
}
