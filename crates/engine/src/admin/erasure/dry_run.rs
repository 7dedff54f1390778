//! A write that may be a dry run: the same closure runs either way, and a dry run undoes it. What a dry run
//! counts is therefore what the write would do.

use std::sync::{Arc, Mutex, PoisonError};

use loci_model::ports::store::{StoreExt, Tx};
use loci_model::{Error, Result};

use crate::Engine;

/// Ends the write of a dry run.
const UNDONE: &str = "a dry run changes nothing";

impl Engine {
    /// Runs a write, or undoes it again; what it returned either way.
    ///
    /// # Errors
    /// Those of the work.
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
