//! A wake-up signal for the loop of a lane. A signal that arrives while nobody waits is kept for
//! the next waiter.

use std::sync::{Mutex, PoisonError};
use std::task::{Poll, Waker};

use futures::future::poll_fn;

/// A wake-up signal that remembers at most one call.
#[derive(Default)]
pub(super) struct WakeSignal(Mutex<State>);

#[derive(Default)]
struct State {
    rung: bool,
    wakers: Vec<Waker>,
}

impl WakeSignal {
    pub(super) fn ring(&self) {
        let wakers = {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.rung = true;
            std::mem::take(&mut state.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    pub(super) async fn rung(&self) {
        poll_fn(|context| {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if std::mem::take(&mut state.rung) {
                return Poll::Ready(());
            }
            if !state.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                state.wakers.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}
