//! Wakes the job workers of this process when a write scheduled a job, and waiting calls when a
//! job ended. Changes by other processes are found only by reading the table of jobs.
//!
//! Only a hint: changes by other processes are found by polling the table.

use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// A signal to waiting futures that counts its calls.
#[derive(Debug, Default)]
pub struct Wake {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    calls: u64,
    sleepers: Vec<Waker>,
}

impl Wake {
    /// Wakes all futures that wait for the signal.
    pub fn call(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.calls = state.calls.wrapping_add(1);
        for sleeper in state.sleepers.drain(..) {
            sleeper.wake();
        }
    }

    /// Returns the number of calls so far. Read it before the table of jobs, so that no later
    /// call is missed.
    pub fn calls(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).calls
    }

    /// Returns a future that resolves when the number of calls exceeds `seen`.
    pub fn called_since(&self, seen: u64) -> WakeFuture<'_> {
        WakeFuture { wake: self, seen }
    }
}

/// The future that [`Wake::called_since`] returns.
#[derive(Debug)]
pub struct WakeFuture<'a> {
    wake: &'a Wake,
    seen: u64,
}

impl Future for WakeFuture<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.wake.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.calls != self.seen {
            return Poll::Ready(());
        }
        // A task that polls again is registered already.
        if !state.sleepers.iter().any(|sleeper| sleeper.will_wake(context.waker())) {
            state.sleepers.push(context.waker().clone());
        }
        Poll::Pending
    }
}
