//! A manual clock and counting randomness, for tests.

use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use futures::FutureExt;
use futures::future::{BoxFuture, poll_fn};

use crate::agent::runtime::{Clock, Randomness, RuntimeContext};

/// A manual clock and the surroundings with it.
pub(crate) struct ManualRuntime {
    pub(crate) clock: Arc<StandingClock>,
    pub(crate) outside: RuntimeContext,
}

pub(crate) fn surroundings() -> ManualRuntime {
    let clock = Arc::new(StandingClock::default());
    let randomness = Arc::new(Counting(Mutex::new(0)));
    ManualRuntime { clock: Arc::clone(&clock), outside: RuntimeContext { clock, randomness, executor: None } }
}

#[derive(Default)]
pub(crate) struct StandingClock(Arc<Mutex<(i64, Vec<Waker>)>>);

impl StandingClock {
    pub(crate) fn advance(&self, by_ms: i64) {
        let mut state = self.0.lock().unwrap();
        state.0 += by_ms;
        state.1.drain(..).for_each(Waker::wake);
    }

    /// Returns the number of pending sleeps.
    pub(crate) fn sleepers(&self) -> usize {
        self.0.lock().unwrap().1.len()
    }
}

impl Clock for StandingClock {
    fn now_ms(&self) -> i64 {
        self.0.lock().unwrap().0
    }

    fn sleep(&self, for_ms: u64) -> BoxFuture<'static, ()> {
        let state = Arc::clone(&self.0);
        let until = self.now_ms() + i64::try_from(for_ms).unwrap();
        poll_fn(move |context| {
            let mut state = state.lock().unwrap();
            if state.0 >= until {
                return Poll::Ready(());
            }
            state.1.push(context.waker().clone());
            Poll::Pending
        })
        .boxed()
    }
}

struct Counting(Mutex<u64>);

impl Randomness for Counting {
    fn bits(&self) -> u64 {
        let mut next = self.0.lock().unwrap();
        *next += 1;
        *next
    }
}
