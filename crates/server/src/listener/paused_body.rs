//! A request body that fails when nothing arrives for too long: slow uploads are fine, silent ones are not. What a door
//! leaves of it unread is handed back, so that the listener can read it away.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;

/// Where what is left of a body goes when the door that had it drops it.
pub(super) type Left<B> = Arc<Mutex<Option<B>>>;

/// Wraps a body with a limit on its pauses.
pub(super) struct PausedBody<B: Body> {
    inner: Option<B>,
    left: Left<B>,
    clock: Arc<dyn Clock>,
    pause_ms_max: u64,
    pause: Option<BoxFuture<'static, ()>>,
}

impl<B: Body> PausedBody<B> {
    pub(super) fn new(inner: B, left: Left<B>, clock: Arc<dyn Clock>, pause_ms_max: u64) -> Self {
        Self { inner: Some(inner), left, clock, pause_ms_max, pause: None }
    }
}

impl<B: Body> Drop for PausedBody<B> {
    fn drop(&mut self) {
        let unread = self.inner.take().filter(|inner| !inner.is_end_stream());
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = unread;
    }
}

impl<B: Body + Unpin> Body for PausedBody<B>
where
    B::Error: std::error::Error + Send + Sync + 'static,
{
    type Data = B::Data;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let this = &mut *self;
        let Some(inner) = &mut this.inner else { return Poll::Ready(None) };
        if let Poll::Ready(frame) = Pin::new(inner).poll_frame(context) {
            this.pause = None;
            if !matches!(frame, Some(Ok(_))) {
                this.inner = None; // ended, or broken: nothing is left to read away
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let pause = this.pause.get_or_insert_with(|| this.clock.sleep(this.pause_ms_max));
        match pause.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => {
                this.inner = None;
                Poll::Ready(Some(Err("the body paused for too long".into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}
