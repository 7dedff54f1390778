//! The clock: time is given, so that tests own it.

use super::BoxFuture;
use crate::Timestamp;

/// Tells the time and waits.
pub trait Clock: Send + Sync {
    /// Now, wall-clock time.
    fn now(&self) -> Timestamp;

    /// Microseconds since some fixed point; never goes back. For durations only.
    fn monotonic_us(&self) -> u64;

    /// Resolves after `millis` milliseconds.
    fn sleep(&self, millis: u64) -> BoxFuture<'static, ()>;
}
