//! Times of events: the time of the message, but later than that of every earlier event, because
//! AgentCore orders the events of a session by time.

use std::sync::atomic::{AtomicI64, Ordering};

/// The time of the latest event of a session, in milliseconds since 1970.
#[derive(Debug)]
pub(super) struct EventTimes(AtomicI64);

impl Default for EventTimes {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }
}

impl EventTimes {
    /// Returns the time of the next event, in milliseconds since 1970: the wanted one, or the first
    /// that is later than all used ones.
    pub(super) fn next(&self, wanted_ms: i64) -> i64 {
        let later = |latest: i64| wanted_ms.max(latest.saturating_add(1));
        let latest = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |latest| Some(later(latest)));
        later(latest.unwrap_or(wanted_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_a_session_increase() {
        let times = EventTimes::default();
        let got: Vec<i64> = [100, 100, 50, 103, 200].map(|wanted| times.next(wanted)).to_vec();
        assert_eq!(got, [100, 101, 102, 103, 200]);
    }
}
