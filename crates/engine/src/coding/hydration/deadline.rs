//! One clock for all that a hydration reads: it starts at receipt, and reads end a little before it, so that the answer is put
//! together in time (coding-agent-memory.md §4.3).

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use futures::future::{Either, select};
use loci_model::Result;
use loci_model::ports::clock::Clock;

/// The answer is put together in so much, or in a tenth of the time where that is less.
const ASSEMBLY_MS_MAX: u64 = 250;

/// When reads end.
pub(super) struct Deadline {
    clock: Arc<dyn Clock>,
    reads_end_us: u64,
    end_us: u64,
}

/// What came of a read.
pub(super) enum Read<T> {
    /// It is there, or it could not be read.
    Done(Result<T>),
    /// Time was over.
    Late,
}

impl Deadline {
    /// From now on.
    pub(super) fn begin(clock: Arc<dyn Clock>, timeout_ms: u64) -> Self {
        let began_us = clock.monotonic_us();
        let reads_ms = timeout_ms.saturating_sub(ASSEMBLY_MS_MAX.min(timeout_ms / 10));
        let after = |millis: u64| began_us.saturating_add(millis.saturating_mul(1_000));
        Self { reads_end_us: after(reads_ms), end_us: after(timeout_ms), clock }
    }

    /// Reads, until reads end.
    pub(super) async fn read<T>(&self, work: impl Future<Output = Result<T>>) -> Read<T> {
        self.until(self.reads_end_us, work).await
    }

    /// Something that belongs to the answer, until the end.
    pub(super) async fn assemble<T>(&self, work: impl Future<Output = Result<T>>) -> Read<T> {
        self.until(self.end_us, work).await
    }

    async fn until<T>(&self, end_us: u64, work: impl Future<Output = Result<T>>) -> Read<T> {
        let left_ms = end_us.saturating_sub(self.clock.monotonic_us()) / 1_000;
        // The work first: what is there in time counts, though the clock has just struck.
        match select(pin!(work), self.clock.sleep(left_ms)).await {
            Either::Left((done, _)) => Read::Done(done),
            Either::Right(_) => Read::Late,
        }
    }
}

#[cfg(test)]
mod tests {
    use loci_testkit::{ManualClock, block_on};

    use super::*;

    #[test]
    fn late_is_late() {
        let clock = ManualClock::default();
        let deadline = Deadline::begin(Arc::new(clock.clone()), 1_000);
        let is_late = |read: Read<u8>| matches!(read, Read::Late);
        assert!(!is_late(block_on(deadline.read(async { Ok(1) }))));
        let beside = clock.clone();
        let never = async move {
            // The reading end is a tenth before the deadline.
            beside.advance_ms(900);
            std::future::pending::<Result<u8>>().await
        };
        assert!(is_late(block_on(deadline.read(never))));
        let beside = clock.clone();
        let in_time = async move {
            beside.advance_ms(99);
            Ok(1)
        };
        assert!(!is_late(block_on(deadline.assemble(in_time))));
    }
}
