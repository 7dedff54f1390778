//! One thread per location: it processes requests in order, so that callers do not block their own
//! threads.

use futures::channel::oneshot;
use loci_model::ports::BoxFuture;
use loci_model::{Error, Result};

use crate::pool::Pool;

/// The thread of a location.
pub(super) struct LocationThread<T> {
    place: std::sync::Arc<T>,
    pool: Pool,
}

impl<T: Send + Sync + 'static> LocationThread<T> {
    pub(super) fn new(place: T) -> Result<Self> {
        let failed = |error| Error::unavailable("a thread for files could not be started").caused_by(error);
        Ok(Self { place: std::sync::Arc::new(place), pool: Pool::start(1).map_err(failed)? })
    }

    /// Runs work on the thread.
    pub(super) fn ask<A: Send + 'static>(
        &self,
        work: impl FnOnce(&T) -> Result<A> + Send + 'static,
    ) -> BoxFuture<'_, Result<A>> {
        let (told, heard) = oneshot::channel();
        let place = std::sync::Arc::clone(&self.place);
        let is_taken = self.pool.run(Box::new(move || drop(told.send(work(&place)))));
        Box::pin(async move {
            if !is_taken {
                return Err(Error::unavailable("too much waits for this place of files: try again"));
            }
            heard.await.unwrap_or_else(|_| Err(Error::bug("work on files ended without an answer")))
        })
    }
}
