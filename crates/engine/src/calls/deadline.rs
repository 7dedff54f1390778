//! The deadline of a hydration request, shared by all its steps. It starts when the request
//! arrives. Reads end shortly before the deadline, and processing of their results ends halfway
//! through the remaining time, so that there is time to build and store the response.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use futures::future::{Either, select};
use loci_model::Result;
use loci_model::ports::clock::Clock;

/// The time that is reserved to build the response, in milliseconds; a tenth of the timeout if
/// that is less.
const ASSEMBLY_MS_MAX: u64 = 250;
/// The time in microseconds after which a computation lets other tasks use its thread.
const TURN_US: u64 = 1_000;

/// The times at which the reads of a request and the whole request must end.
pub struct Deadline {
    clock: Arc<dyn Clock>,
    reads_end_us: u64,
    look_ends_us: u64,
    end_us: u64,
}

/// The result of a read that has a deadline.
pub enum DeadlineRead<T> {
    /// The read finished, with a value or an error.
    Done(Result<T>),
    /// The deadline passed before the read finished.
    Late,
}

impl Deadline {
    /// Creates a deadline that ends `timeout_ms` milliseconds from now.
    pub fn begin(clock: Arc<dyn Clock>, timeout_ms: u64) -> Self {
        let began_us = clock.monotonic_us();
        let assembly_ms = ASSEMBLY_MS_MAX.min(timeout_ms / 10);
        let before =
            |millis: u64| began_us.saturating_add(timeout_ms.saturating_sub(millis).saturating_mul(1_000));
        Self {
            reads_end_us: before(assembly_ms),
            look_ends_us: before(assembly_ms / 2),
            end_us: before(0),
            clock,
        }
    }

    /// Runs a read, until the time at which reads must end.
    pub async fn read<T>(&self, work: impl Future<Output = Result<T>>) -> DeadlineRead<T> {
        self.until(self.reads_end_us, work).await
    }

    /// Runs a step that builds the response, until the deadline.
    pub async fn assemble<T>(&self, work: impl Future<Output = Result<T>>) -> DeadlineRead<T> {
        self.until(self.end_us, work).await
    }

    /// Returns true if there is time for the next part of a computation. It also lets other tasks
    /// use the thread from time to time.
    pub async fn has_time(&self, turn: &mut Turn) -> bool {
        let now_us = self.clock.monotonic_us();
        let began_us = *turn.began_us.get_or_insert(now_us);
        if now_us.saturating_sub(began_us) >= TURN_US {
            step_aside().await;
            turn.began_us = Some(self.clock.monotonic_us());
        }
        self.clock.monotonic_us() < self.look_ends_us
    }

    async fn until<T>(&self, end_us: u64, work: impl Future<Output = Result<T>>) -> DeadlineRead<T> {
        let left_ms = end_us.saturating_sub(self.clock.monotonic_us()) / 1_000;
        // The work is polled first: a result counts even if the deadline has just passed.
        match select(pin!(work), self.clock.sleep(left_ms)).await {
            Either::Left((done, _)) => DeadlineRead::Done(done),
            Either::Right(_) => DeadlineRead::Late,
        }
    }
}

/// The time since which a computation has used its thread without a break.
#[derive(Debug, Default)]
pub struct Turn {
    began_us: Option<u64>,
}

/// Lets other tasks use the thread once.
async fn step_aside() {
    let mut was_aside = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut was_aside, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use loci_testkit_ports::{ManualClock, block_on};

    use super::*;

    #[test]
    fn late_is_late() {
        let clock = ManualClock::default();
        let deadline = Deadline::begin(Arc::new(clock.clone()), 1_000);
        let is_late = |read: DeadlineRead<u8>| matches!(read, DeadlineRead::Late);
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

    #[test]
    fn who_computes_ends_in_time_and_lets_others_in() {
        let clock = ManualClock::default();
        let deadline = Deadline::begin(Arc::new(clock.clone()), 1_000);
        let mut turn = Turn::default();
        clock.advance_ms(949);
        assert!(block_on(deadline.has_time(&mut turn)));
        // The first poll yields, the second continues.
        clock.advance_ms(1);
        let mut waits = pin!(deadline.has_time(&mut turn));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(waits.as_mut().poll(&mut context).is_pending());
        assert_eq!(waits.as_mut().poll(&mut context), Poll::Ready(false), "what is left is for the answer");
    }
}
