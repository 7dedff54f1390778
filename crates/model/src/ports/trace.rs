//! The place in a trace at which work is done. Work carries it by the task that polls it: a span that is
//! made meanwhile, and a request that leaves, belong to the span that is open there (decision 0056).
//!
//! Where no traces are sent no span is open, and this costs a look at a thread's own variable.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::pin;

use crate::JobId;

thread_local! {
    static CURRENT: Cell<Option<SpanContext>> = const { Cell::new(None) };
    static ASKED_JOBS: RefCell<Option<Vec<JobId>>> = const { RefCell::new(None) };
}

/// The name of a span: its trace and its own id, neither all zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanContext {
    /// The trace.
    pub trace: [u8; 16],
    /// The span in it.
    pub span: [u8; 8],
}

/// Returns the span that is open where this is called.
pub fn current() -> Option<SpanContext> {
    CURRENT.get()
}

/// Does work while a span is open; without one, what was open stays open.
pub async fn under<T>(span: Option<SpanContext>, work: impl Future<Output = T>) -> T {
    let Some(span) = span else { return work.await };
    let mut work = pin!(work);
    poll_fn(|context| {
        let _before = Entered { before: CURRENT.replace(Some(span)) };
        work.as_mut().poll(context)
    })
    .await
}

/// Puts back what was open, also after a panic.
struct Entered {
    before: Option<SpanContext>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

/// Runs a closure of a write and returns the jobs that it asked for.
pub fn with_asked_jobs<T>(work: impl FnOnce() -> T) -> (T, Vec<JobId>) {
    let _noted = Noted;
    ASKED_JOBS.set(Some(Vec::new()));
    let outcome = work();
    (outcome, ASKED_JOBS.take().unwrap_or_default())
}

/// Ends the notes of a write, also after a panic.
struct Noted;

impl Drop for Noted {
    fn drop(&mut self) {
        ASKED_JOBS.set(None);
    }
}

/// Notes that a job was asked for, for the write that runs on this thread.
pub(in crate::ports) fn note_asked_job(id: &JobId) {
    ASKED_JOBS.with_borrow_mut(|asked| asked.as_mut().map(|asked| asked.push(id.clone())));
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn span(number: u8) -> SpanContext {
        SpanContext { trace: [1; 16], span: [number; 8] }
    }

    /// Resolves at the second poll.
    async fn pause() {
        let mut is_polled = false;
        poll_fn(|_| if std::mem::replace(&mut is_polled, true) { Poll::Ready(()) } else { Poll::Pending })
            .await;
    }

    #[test]
    fn a_span_is_open_for_its_work_alone() {
        let mut seen = Vec::new();
        {
            let mut outer = pin!(under(Some(span(1)), async {
                seen.push(current());
                under(Some(span(2)), async {
                    pause().await;
                    seen.push(current());
                })
                .await;
                under(None, async { seen.push(current()) }).await;
            }));
            let mut context = Context::from_waker(Waker::noop());
            assert!(outer.as_mut().poll(&mut context).is_pending());
            // Another task of this thread sees nothing of it.
            assert_eq!(current(), None);
            assert!(outer.as_mut().poll(&mut context).is_ready());
        }
        assert_eq!(seen, [Some(span(1)), Some(span(2)), Some(span(1))]);
        assert_eq!(current(), None);
    }

    #[test]
    fn jobs_are_noted_for_the_write_that_asks() {
        let job = |name: &str| JobId::parse(name).unwrap();
        note_asked_job(&job("job-before"));
        let (outcome, asked) = with_asked_jobs(|| {
            note_asked_job(&job("job-one"));
            note_asked_job(&job("job-two"));
            7
        });
        assert_eq!((outcome, asked), (7, vec![job("job-one"), job("job-two")]));
        note_asked_job(&job("job-after"));
        assert_eq!(with_asked_jobs(|| ()).1, []);
    }
}
