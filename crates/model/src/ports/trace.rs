//! The current position in a trace. The task that polls work carries it: new spans and outgoing
//! requests belong to the span that is open there (decision 0056).
//!
//! If no traces are sent, no span is open, and this costs one read of a thread-local variable.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::pin;

use crate::JobId;

thread_local! {
    static CURRENT: Cell<Option<SpanContext>> = const { Cell::new(None) };
    static ASKED_JOBS: RefCell<Option<Vec<JobId>>> = const { RefCell::new(None) };
}

/// The identity of a span: its trace and its own id, neither all zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanContext {
    /// The id of the trace that the span belongs to.
    pub trace: [u8; 16],
    /// The id of the span within the trace.
    pub span: [u8; 8],
}

/// Returns the span that is open at the call.
pub fn current() -> Option<SpanContext> {
    CURRENT.get()
}

/// Runs work under a span. Without a span, the current one stays open.
pub async fn under<T>(span: Option<SpanContext>, work: impl Future<Output = T>) -> T {
    let Some(span) = span else { return work.await };
    let mut work = pin!(work);
    poll_fn(|context| {
        let _before = Entered { before: CURRENT.replace(Some(span)) };
        work.as_mut().poll(context)
    })
    .await
}

/// Restores the previous span, even after a panic.
struct Entered {
    before: Option<SpanContext>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

/// Runs a closure of a write and returns the jobs that it requested.
pub fn with_asked_jobs<T>(work: impl FnOnce() -> T) -> (T, Vec<JobId>) {
    let _noted = Noted;
    ASKED_JOBS.set(Some(Vec::new()));
    let outcome = work();
    (outcome, ASKED_JOBS.take().unwrap_or_default())
}

/// Ends the record of a write's jobs, even after a panic.
struct Noted;

impl Drop for Noted {
    fn drop(&mut self) {
        ASKED_JOBS.set(None);
    }
}

/// Records a requested job for the write that runs on this thread.
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
            // Another task of this thread does not see the span.
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
