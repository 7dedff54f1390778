//! Who else is at work: stores are moved while nobody works on them, and no store is moved into itself.

use loci_model::ports::store::{StoreExt, Tx};
use loci_model::{Error, Result};

use super::Transfer;

/// The chore of servers that would remove rows meanwhile, and under which name it is kept from them.
const SWEEPS: (&str, &str) = ("sweep", "loci migrate");
/// How long it is kept behind a write.
const SWEEPS_KEPT_MS: i64 = 60_000;
/// The lease by which two stores are told apart. It runs out at once.
const APART: &str = "loci migrate";
const APART_MS: i64 = 1;

impl Transfer {
    /// Refuses stores that somebody works on: rows would come and go meanwhile.
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

    /// Refuses a store that is given twice, however it is spelled: a lease taken in the target is not seen in the source.
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

    /// A write of the target. Sweeps are kept from it meanwhile, and for a while after.
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
