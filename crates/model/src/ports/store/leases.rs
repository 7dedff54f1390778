//! Access to leases by name, for work that one of many processes does for all.

use crate::{Result, Timestamp};

/// The table of leases, across memories. Holders compare times of their own clocks: a lease must be
/// much longer than the difference of clocks, and is prolonged long before it expires.
pub trait Leases {
    /// Returns the holder of a lease that has not expired at `now`.
    fn holder(&self, name: &str, now: Timestamp) -> Result<Option<String>>;
    /// Takes a lease, or prolongs the holder's own, until `until`; false while it is another
    /// holder's and has not expired at `now`.
    fn take(&mut self, name: &str, holder: &str, now: Timestamp, until: Timestamp) -> Result<bool>;
    /// Releases a lease; another holder's stays. False if `holder` does not have it.
    fn release(&mut self, name: &str, holder: &str) -> Result<bool>;
}
