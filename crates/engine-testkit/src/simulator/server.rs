//! One server of a simulation: an engine on its own store handle, until it dies.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use loci_products::Loci;

use super::InvariantViolation;
use super::serial_store::SerialStore;
use loci_testkit_ports::ManualClock;

/// The step, in milliseconds, by which the clock advances when no call makes progress. It grows
/// while nothing is written.
const STEP_MS: u64 = 20;
const STEP_MS_MAX: u64 = 2_000;
/// The maximum number of steps for one call; more mean that the call hangs.
const STEPS_MAX: u64 = 200_000;

/// A server of a simulation.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) store: Arc<SerialStore>,
    pub(super) engine: Loci,
}

/// Runs two calls concurrently to their ends; `None` for a call whose server died meanwhile. The
/// clock advances only when nothing else runs.
pub(super) fn drive<A, B>(
    clock: &ManualClock,
    (one, first): (&Server, impl Future<Output = A>),
    (other, second): (&Server, impl Future<Output = B>),
) -> Result<(Option<A>, Option<B>), InvariantViolation> {
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(bell.clone());
    let mut context = Context::from_waker(&waker);
    let (mut first, mut second) = (pin!(first), pin!(second));
    let (mut ends, mut other_ends) = (None, None);
    let (mut step_ms, mut writes) = (STEP_MS, 0);
    for _ in 0..STEPS_MAX {
        if ends.is_none() {
            ends = polled(one, first.as_mut().poll(&mut context));
        }
        if other_ends.is_none() {
            other_ends = polled(other, second.as_mut().poll(&mut context));
        }
        if let (Some(_), Some(_)) = (&ends, &other_ends) {
            return Ok((ends.flatten(), other_ends.flatten()));
        }
        if !bell.0.swap(false, Ordering::Relaxed) {
            let now = one.store.writes() + other.store.writes();
            let written = std::mem::replace(&mut writes, now);
            step_ms = if written == now { (step_ms * 2).min(STEP_MS_MAX) } else { STEP_MS };
            clock.advance_ms(step_ms);
        }
    }
    Err(InvariantViolation::new("a call never ends, however much time passes"))
}

/// Returns the end of a call, if it has ended.
fn polled<T>(server: &Server, polled: Poll<T>) -> Option<Option<T>> {
    match polled {
        _ if server.store.is_dead() => Some(None),
        Poll::Ready(output) => Some(Some(output)),
        Poll::Pending => None,
    }
}

/// Records that a future must be polled again.
#[derive(Default)]
struct Bell(AtomicBool);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
