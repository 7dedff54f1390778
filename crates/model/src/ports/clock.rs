//! The clock. Time is an argument, so that tests control it.

use super::BoxFuture;
use crate::Timestamp;

/// Returns the time and waits.
pub trait Clock: Send + Sync {
    /// Returns the current wall-clock time.
    fn now(&self) -> Timestamp;

    /// Returns microseconds since some fixed point, which never decrease. For durations only.
    fn monotonic_us(&self) -> u64;

    /// Resolves after `millis` milliseconds.
    fn sleep(&self, millis: u64) -> BoxFuture<'static, ()>;
}
