//! Access to leases by name: what one of many processes does for all.

use crate::{Result, Timestamp};

/// The table of leases, across memories. Holders compare times of their own clocks: a lease must be much longer than clocks
/// differ, and is prolonged long before it runs out.
pub trait Leases {
    /// Who holds a lease that has not run out at `now`.
    fn holder(&self, name: &str, now: Timestamp) -> Result<Option<String>>;
    /// Takes a lease, or prolongs one's own, until `until`; false while it is another's and has not run out at `now`.
    fn take(&mut self, name: &str, holder: &str, now: Timestamp, until: Timestamp) -> Result<bool>;
    /// Gives a lease up; another's stays. False if `holder` does not have it.
    fn release(&mut self, name: &str, holder: &str) -> Result<bool>;
}
