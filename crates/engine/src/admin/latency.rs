//! How long the store takes to answer and to commit, for `doctor`. Not a benchmark: a handful of tries.

use loci_model::Result;
use loci_model::ports::store::{StoreCheck, StoreExt};

use crate::Engine;

/// Tries of each kind.
const TRIES: usize = 7;
/// Slower medians than these make every request slow: the store is far away, or busy.
const READ_MAX_US: u64 = 20_000;
const WRITE_MAX_US: u64 = 100_000;
/// What the tries ask for: nothing has this name.
const NAME: &str = "loci doctor";

impl Engine {
    /// Medians of a read of one row and of a durable write.
    pub(super) async fn store_latency(&self) -> Result<StoreCheck> {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for _ in 0..TRIES {
            let began = self.clock.monotonic_us();
            self.store.read(|tx| tx.memories().by_name(NAME).map(drop)).await?;
            let read = self.clock.monotonic_us();
            let (host, now) = (self.settings.host.clone(), self.clock.now());
            self.store.write(move |tx| tx.leases_mut().take(NAME, &host, now, now).map(drop)).await?;
            reads.push(read.saturating_sub(began));
            writes.push(self.clock.monotonic_us().saturating_sub(read));
        }
        let host = self.settings.host.clone();
        self.store.write(move |tx| tx.leases_mut().release(NAME, &host).map(drop)).await?;
        let (read, write) = (median(reads), median(writes));
        let ok = read <= READ_MAX_US && write <= WRITE_MAX_US;
        let mut detail = format!(
            "a read takes {:.1} ms, a durable write {:.1} ms (medians of {TRIES})",
            read as f64 / 1000.0,
            write as f64 / 1000.0
        );
        if !ok {
            detail += ": bring servers and store nearer to each other, or see what keeps the store busy";
        }
        Ok(StoreCheck { name: "latency", ok, detail })
    }
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}
