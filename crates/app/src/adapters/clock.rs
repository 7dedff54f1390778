//! The clock of the machine.
#![expect(clippy::disallowed_methods, reason = "this is the one place where time comes in")]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use loci_model::Timestamp;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// A clock with the machine's wall-clock time, and a monotonic counter that starts when the value
/// is created.
#[derive(Debug)]
pub struct SystemClock {
    began: Instant,
    ahead: Duration,
}

impl SystemClock {
    /// Returns a clock whose durations count from now.
    pub fn new() -> Self {
        Self::ahead_by_days(0)
    }

    /// Returns a clock that runs this many days ahead of the machine's wall clock, for rehearsals.
    pub fn ahead_by_days(days: u32) -> Self {
        Self { began: Instant::now(), ahead: DAY * days }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO) + self.ahead;
        Timestamp::clamped(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn monotonic_us(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn sleep(&self, millis: u64) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(millis)))
    }
}
