//! A request body that fails when nothing arrives for too long: slow uploads are fine, silent ones are not.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;

/// Wraps a body with a limit on its pauses.
pub(super) struct PausedBody<B> {
    inner: B,
    clock: Arc<dyn Clock>,
    pause_ms_max: u64,
    pause: Option<BoxFuture<'static, ()>>,
}

impl<B> PausedBody<B> {
    pub(super) fn new(inner: B, clock: Arc<dyn Clock>, pause_ms_max: u64) -> Self {
        Self { inner, clock, pause_ms_max, pause: None }
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
        if let Poll::Ready(frame) = Pin::new(&mut self.inner).poll_frame(context) {
            self.pause = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let this = &mut *self;
        let pause = this.pause.get_or_insert_with(|| this.clock.sleep(this.pause_ms_max));
        match pause.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => Poll::Ready(Some(Err("the body paused for too long".into()))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
