//! The patience with a client: waiting uses it up, and bytes restore it. A client that transfers at
//! the minimum rate or faster never exhausts it; one that sends a byte now and then does. Pure:
//! time is an argument.

use loci_model::limits;

/// The time that a client may still keep the server waiting, in one direction of one connection.
#[derive(Debug, Clone)]
pub(super) struct Patience {
    left_us: u64,
    max_us: u64,
}

impl Patience {
    /// Creates a patience of which nothing is used up.
    pub(super) fn new(ms_max: u64) -> Self {
        let max_us = ms_max.saturating_mul(1000);
        Self { left_us: max_us, max_us }
    }

    /// Subtracts the time of a wait.
    pub(super) fn waited(&mut self, us: u64) {
        self.left_us = self.left_us.saturating_sub(us);
    }

    /// Adds the time that the bytes restore.
    pub(super) fn moved(&mut self, bytes: usize) {
        let paid_us = (bytes as u64).saturating_mul(1_000_000) / limits::TRANSFER_BYTES_PER_S_MIN;
        self.left_us = self.left_us.saturating_add(paid_us).min(self.max_us);
    }

    /// Returns true if the client has used up its waiting time.
    pub(super) fn is_spent(&self) -> bool {
        self.left_us == 0
    }

    /// Returns true if the client counts as slow by the time used up.
    pub(super) fn is_slow(&self) -> bool {
        self.max_us.saturating_sub(self.left_us) >= limits::SLOW_AFTER_MS.saturating_mul(1000)
    }

    /// Returns the milliseconds of waiting until [`Self::is_slow`] or [`Self::is_spent`] becomes
    /// true, at least 1.
    pub(super) fn next_change_ms(&self) -> u64 {
        let until_slow_us =
            (self.left_us + limits::SLOW_AFTER_MS.saturating_mul(1000)).saturating_sub(self.max_us);
        let us = if self.is_slow() { self.left_us } else { until_slow_us.min(self.left_us) };
        us.div_ceil(1000).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_uses_it_up_and_bytes_bring_it_back() {
        let mut patience = Patience::new(30_000);
        assert_eq!((patience.is_slow(), patience.next_change_ms()), (false, 1_000));
        patience.waited(999_999);
        assert_eq!((patience.is_slow(), patience.next_change_ms()), (false, 1));
        patience.waited(1);
        assert_eq!((patience.is_slow(), patience.next_change_ms()), (true, 29_000));
        patience.moved(4096);
        assert_eq!((patience.is_slow(), patience.next_change_ms()), (false, 1_000));
        patience.moved(1 << 30);
        patience.waited(29_999_999);
        assert!(!patience.is_spent(), "bytes bring back no more than there was");
        patience.waited(1);
        assert!(patience.is_spent());
    }

    #[test]
    fn a_byte_every_ten_seconds_is_not_enough_and_the_least_rate_is() {
        let rounds = |bytes: usize, wait_us: u64| {
            let mut patience = Patience::new(30_000);
            (0..100)
                .take_while(|_| {
                    patience.waited(wait_us);
                    let goes_on = !patience.is_spent();
                    patience.moved(bytes);
                    goes_on
                })
                .count()
        };
        assert_eq!(rounds(1, 10_000_000), 3);
        assert_eq!(rounds(40_960, 10_000_000), 100);
        assert!(rounds(36_864, 10_000_000) < 30);
    }
}
