//! Checks that no other process works on the stores, and that no store is moved into itself.

use loci_model::ports::store::{StoreExt, Tx};
use loci_model::{Error, Result};

use super::Transfer;

/// Lease name of the sweep, which would remove rows during a move, and the holder that blocks it.
const SWEEPS: (&str, &str) = ("sweep", "loci migrate");
/// Milliseconds for which a write blocks the sweep.
const SWEEPS_KEPT_MS: i64 = 60_000;
/// The lease that distinguishes two stores. It expires immediately.
const APART: &str = "loci migrate";
const APART_MS: i64 = 1;

impl Transfer {
    /// Rejects stores that are in use, because their rows would change during the move.
    pub(super) async fn at_rest(&self) -> Result<()> {
        for (store, which) in [(&self.from, "source"), (&self.to, "target")] {
            let (name, own) = SWEEPS;
            let now = self.clock.now();
            let holder = store.read(move |tx| tx.leases().holder(name, now)).await?;
            if !store.try_host()? || holder.is_some_and(|holder| holder != own) {
                return Err(Error::conflict(format!(
                    "a server runs on the {which}: stop it, and wait three minutes if it was killed"
                )));
            }
        }
        Ok(())
    }

    /// Rejects a store that is given twice under any spelling: the source must not see a lease
    /// taken in the target.
    pub(super) async fn are_two(&self) -> Result<()> {
        let now = self.clock.now();
        let own = format!("{} {}", now.millis(), self.clock.monotonic_us());
        let taker = own.clone();
        let until = now.plus_millis(APART_MS);
        self.to.write(move |tx| tx.leases_mut().take(APART, &taker, now, until).map(drop)).await?;
        let seen = self.from.read(move |tx| tx.leases().holder(APART, now)).await;
        let taker = own.clone();
        self.to.write(move |tx| tx.leases_mut().release(APART, &taker).map(drop)).await?;
        if seen? == Some(own) {
            return Err(Error::invalid("to", "the source and the target are the same store"));
        }
        Ok(())
    }

    /// Runs a write in the target. It blocks sweeps until some time after the write.
    pub(super) async fn write<T, F>(&self, mut work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
    {
        let (name, own) = SWEEPS;
        let now = self.clock.now();
        self.to
            .write(move |tx| {
                if !tx.leases_mut().take(name, own, now, now.plus_millis(SWEEPS_KEPT_MS))? {
                    return Err(Error::conflict(
                        "a server began to work on the target: stop it, and run this again",
                    ));
                }
                work(tx)
            })
            .await
    }

    /// Lets servers of the target sweep again.
    pub(super) async fn let_sweeps_go(&self) -> Result<()> {
        let (name, own) = SWEEPS;
        self.to.write(move |tx| tx.leases_mut().release(name, own)).await?;
        Ok(())
    }
}
