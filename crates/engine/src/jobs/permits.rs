//! Limits the number of jobs that compute at the same time. A job that waits for a model releases
//! its permit meanwhile, and afterwards gets one before jobs that have not started.
//!
//! Only a counter: it does not know which job holds a permit.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// A limited number of permits, and the jobs that wait for a permit.
#[derive(Debug)]
pub struct Permits {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The number of permits that are not in use. It is negative while an aborted job has
    /// released its permit twice.
    free: i64,
    /// The number of jobs that released their permit and now wait for one again.
    returning: u32,
    sleepers: Vec<Waker>,
}

impl Permits {
    /// Creates `places` permits, at least one.
    pub(crate) fn new(places: usize) -> Self {
        let free = i64::try_from(places.max(1)).unwrap_or(i64::MAX);
        Self { state: Mutex::new(State { free, returning: 0, sleepers: Vec::new() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, by: i64) {
        let mut state = self.state();
        state.free = state.free.saturating_add(by);
        let sleepers = std::mem::take(&mut state.sleepers);
        drop(state);
        sleepers.into_iter().for_each(Waker::wake);
    }

    /// Returns a future that resolves to a permit. Dropping the permit makes it available again.
    pub fn take(self: &Arc<Self>) -> PermitFuture {
        PermitFuture { permits: Arc::clone(self) }
    }

    /// Releases the permit of the calling job until [`Away::back`] is called.
    pub(crate) fn step_out(self: &Arc<Self>) -> Away {
        self.change(1);
        Away { permits: Arc::clone(self), is_back: false }
    }

    fn poll(&self, context: &mut Context<'_>, returns: bool) -> Poll<()> {
        let mut state = self.state();
        if state.free > 0 && (returns || state.returning == 0) {
            state.free -= 1;
            return Poll::Ready(());
        }
        if !state.sleepers.iter().any(|sleeper| sleeper.will_wake(context.waker())) {
            state.sleepers.push(context.waker().clone());
        }
        Poll::Pending
    }
}

/// The future that [`Permits::take`] returns.
#[derive(Debug)]
pub struct PermitFuture {
    permits: Arc<Permits>,
}

impl Future for PermitFuture {
    type Output = Permit;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Permit> {
        self.permits.poll(context, false).map(|()| Permit { permits: Arc::clone(&self.permits) })
    }
}

/// The right to compute, which is available to others when it is dropped.
#[derive(Debug)]
pub struct Permit {
    permits: Arc<Permits>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.permits.change(1);
    }
}

/// A job that released its permit while it waits for a model.
#[derive(Debug)]
pub(crate) struct Away {
    permits: Arc<Permits>,
    is_back: bool,
}

impl Away {
    /// Waits until the job has a permit again.
    pub(crate) async fn back(mut self) {
        let returning = Returning::of(&self.permits);
        std::future::poll_fn(|context| self.permits.poll(context, true)).await;
        drop(returning);
        self.is_back = true;
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        // The job was aborted while away: its permit will be returned, but was already released.
        if !self.is_back {
            self.permits.change(-1);
        }
    }
}

/// Counts a job among those that wait to return, as long as it lives.
struct Returning<'a>(&'a Permits);

impl<'a> Returning<'a> {
    fn of(permits: &'a Permits) -> Self {
        let mut state = permits.state();
        state.returning = state.returning.saturating_add(1);
        drop(state);
        Self(permits)
    }
}

impl Drop for Returning<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.returning = state.returning.saturating_sub(1);
        drop(state);
        // Jobs that let it pass may proceed now.
        self.0.change(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[test]
    fn places_are_taken_left_and_given_back() {
        let permits = Arc::new(Permits::new(1));
        let first = permits.take().now_or_never().unwrap();
        assert!(permits.take().now_or_never().is_none());
        // While the first waits for a model, another one computes.
        let away = permits.step_out();
        let second = permits.take().now_or_never().unwrap();
        let mut back = Box::pin(away.back());
        assert!((&mut back).now_or_never().is_none());
        drop(second);
        assert!(permits.take().now_or_never().is_none(), "who comes back goes first");
        assert!((&mut back).now_or_never().is_some());
        assert!(permits.take().now_or_never().is_none());
        drop(back);
        drop(first);
        assert!(permits.take().now_or_never().is_some());
    }

    #[test]
    fn a_job_that_is_cut_off_leaves_one_place() {
        let permits = Arc::new(Permits::new(1));
        let permit = permits.take().now_or_never().unwrap();
        let mut back = Box::pin(permits.step_out().back());
        let other = permits.take().now_or_never();
        assert!(other.is_none() || (&mut back).now_or_never().is_none());
        drop((back, permit, other));
        let one = permits.take().now_or_never();
        assert!(one.is_some() && permits.take().now_or_never().is_none());
    }
}
