//! A request body that fails if its client is too slow. The part that the handler leaves unread is
//! handed back, so that the listener can discard it.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Buf;
use hyper::body::{Body, Frame, SizeHint};

use super::pace::{Pace, PaceRules};

/// The place for the rest of a body when the handler drops it.
pub(super) type UnreadBody<B> = Arc<Mutex<Option<B>>>;

/// Wraps a body with a limit on its pace.
pub(super) struct PacedBody<B: Body> {
    inner: Option<B>,
    left: UnreadBody<B>,
    pace: Pace,
}

impl<B: Body> PacedBody<B> {
    pub(super) fn new(inner: B, left: UnreadBody<B>, rules: PaceRules) -> Self {
        Self { inner: Some(inner), left, pace: Pace::new(rules) }
    }
}

impl<B: Body> Drop for PacedBody<B> {
    fn drop(&mut self) {
        let unread = self.inner.take().filter(|inner| !inner.is_end_stream());
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = unread;
    }
}

impl<B: Body + Unpin> Body for PacedBody<B>
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
            match &frame {
                Some(Ok(frame)) => this.pace.moved(frame.data_ref().map_or(0, Buf::remaining)),
                Some(Err(_)) | None => this.inner = None, // ended, or broken: nothing is left to read away
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        match this.pace.poll_wait(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(too_slow) => {
                this.inner = None;
                Poll::Ready(Some(Err(too_slow.into())))
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
