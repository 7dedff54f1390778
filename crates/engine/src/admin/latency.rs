//! Measures the read and write latency of the store with a few tries, for `loci doctor`.

use loci_model::Result;
use loci_model::ports::store::{StoreCheck, StoreExt};

use crate::Engine;

/// The number of reads, and of writes, that are measured.
const TRIES: usize = 7;
/// The maximum median time of a read, in microseconds. A slower store is far away or busy, and
/// every request is slow.
const READ_MAX_US: u64 = 20_000;
const WRITE_MAX_US: u64 = 100_000;
/// The memory name that the tries look up; no memory has it.
const NAME: &str = "loci doctor";

impl Engine {
    /// Measures the medians of a one-row read and of a durable write.
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
