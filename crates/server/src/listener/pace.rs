//! The pace of one direction of a connection: the time that its client may keep the server waiting,
//! and a slot for slow connections during that time. At most half of all connections may be slow,
//! so that slow ones never take the last slot.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::patience::Patience;

/// The error of a client that transfers too slowly.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TooSlow;

impl std::fmt::Display for TooSlow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the client transfers more slowly than it may")
    }
}

impl std::error::Error for TooSlow {}

/// The state that all connections of one listener share to limit slow clients.
#[derive(Clone)]
pub(super) struct PaceRules {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) patience_ms: u64,
    /// The slots for slow connections.
    pub(super) slow: Arc<Semaphore>,
}

/// The pace of one direction of a connection.
pub(super) struct Pace {
    rules: PaceRules,
    patience: Patience,
    place: Option<OwnedSemaphorePermit>,
    waiting: Option<ClientWait>,
}

/// A running wait for a client.
struct ClientWait {
    since_us: u64,
    alarm: BoxFuture<'static, ()>,
}

impl Pace {
    pub(super) fn new(rules: PaceRules) -> Self {
        let patience = Patience::new(rules.patience_ms);
        Self { rules, patience, place: None, waiting: None }
    }

    /// Polled while the client keeps the server waiting. Ready if it did so for too long.
    pub(super) fn poll_wait(&mut self, context: &mut Context<'_>) -> Poll<TooSlow> {
        loop {
            if self.patience.is_spent() || !self.has_place() {
                return Poll::Ready(TooSlow);
            }
            let (clock, ms) = (&self.rules.clock, self.patience.next_change_ms());
            let waiting = self
                .waiting
                .get_or_insert_with(|| ClientWait { since_us: clock.monotonic_us(), alarm: clock.sleep(ms) });
            ready!(waiting.alarm.as_mut().poll(context));
            self.count();
        }
    }

    /// Records that the client transferred bytes, or that the wait ended.
    pub(super) fn moved(&mut self, bytes: usize) {
        self.count();
        self.patience.moved(bytes);
        if !self.patience.is_slow() {
            self.place = None;
        }
    }

    /// Records that there is no wait until the next response. The slot for slow connections is free
    /// meanwhile.
    pub(super) fn settled(&mut self) {
        self.moved(0);
        self.place = None;
    }

    fn count(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            self.patience.waited(self.rules.clock.monotonic_us().saturating_sub(waiting.since_us));
        }
    }

    /// Returns false if the client is slow and no slot for slow connections is free.
    fn has_place(&mut self) -> bool {
        if self.place.is_none() && self.patience.is_slow() {
            self.place = Arc::clone(&self.rules.slow).try_acquire_owned().ok();
            return self.place.is_some();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use loci_testkit_ports::ManualClock;

    use super::*;

    #[test]
    fn a_client_for_whom_nothing_is_waited_has_no_place() {
        let clock = ManualClock::default();
        let slow = Arc::new(Semaphore::new(1));
        let rules =
            PaceRules { clock: Arc::new(clock.clone()), patience_ms: 30_000, slow: Arc::clone(&slow) };
        let mut pace = Pace::new(rules);
        let mut context = Context::from_waker(Waker::noop());
        let mut is_cut = |pace: &mut Pace| pace.poll_wait(&mut context).is_ready();
        assert!(!is_cut(&mut pace));
        clock.advance_ms(20_000);
        assert!(!is_cut(&mut pace));
        assert_eq!(slow.available_permits(), 0);
        pace.moved(1);
        assert_eq!(slow.available_permits(), 0, "a small piece does not make it fast");
        pace.settled();
        assert_eq!(slow.available_permits(), 1, "its answer is sent");
        assert!(!is_cut(&mut pace));
        assert_eq!(slow.available_permits(), 0, "it is still slow where it is waited for again");
        pace.settled();
        let _other = slow.try_acquire().unwrap();
        assert!(is_cut(&mut pace), "and has no right to a place");
    }

    #[test]
    fn there_are_so_many_places_for_slow_clients() {
        let clock = ManualClock::default();
        let slow = Arc::new(Semaphore::new(1));
        let rules = PaceRules { clock: Arc::new(clock.clone()), patience_ms: 30_000, slow };
        let (mut one, mut other) = (Pace::new(rules.clone()), Pace::new(rules));
        let mut context = Context::from_waker(Waker::noop());
        let mut is_cut = |pace: &mut Pace| pace.poll_wait(&mut context).is_ready();
        assert!(!is_cut(&mut one) && !is_cut(&mut other));
        clock.advance_ms(999);
        assert!(!is_cut(&mut one) && !is_cut(&mut other));
        clock.advance_ms(1);
        assert!(!is_cut(&mut one), "it has the place");
        assert!(is_cut(&mut other), "there is no other");
        one.moved(4096);
        assert!(!is_cut(&mut other), "the first is not slow any more");
        clock.advance_ms(28_999);
        assert!(!is_cut(&mut other));
        clock.advance_ms(1);
        assert!(is_cut(&mut other), "patience ends");
    }
}
