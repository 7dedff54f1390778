//! A write that may be a dry run. Both run the same closure, and a dry run rolls it back. The
//! counts of a dry run are therefore those of the write.

use std::sync::{Arc, Mutex, PoisonError};

use loci_model::ports::store::{StoreExt, Tx};
use loci_model::{Error, Result};

use crate::Engine;

/// The error text with which a dry run rolls back its write.
const UNDONE: &str = "a dry run changes nothing";

impl Engine {
    /// Runs a write, or rolls it back in a dry run. Returns the result of the closure in both
    /// cases.
    ///
    /// # Errors
    /// Errors of the closure.
    pub(crate) async fn write_or_undo<T>(
        &self,
        dry_run: bool,
        mut work: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
    ) -> Result<T>
    where
        T: Send + 'static,
    {
        if !dry_run {
            return self.store.write(work).await;
        }
        let slot: Arc<Mutex<Option<T>>> = Arc::default();
        let filled = slot.clone();
        let undone = self.store.write(move |tx| -> Result<()> {
            let found = work(tx)?;
            *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
            Err(Error::conflict(UNDONE))
        });
        let undone = undone.await;
        let found = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (undone, found) {
            (Err(error), Some(found)) if error.message == UNDONE => Ok(found),
            (Err(error), _) => Err(error),
            (Ok(()), _) => Err(Error::bug("a dry run was committed")),
        }
    }
}
