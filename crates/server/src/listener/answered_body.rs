//! The body of a response. It notifies the slot of its connection when it ends: sent completely, or
//! dropped.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};

use super::slots::Slot;

/// Wraps the body of a response. Connections of the unix socket have no slot.
pub(super) struct AnsweredBody<B> {
    inner: B,
    slot: Option<Arc<Slot>>,
}

impl<B> AnsweredBody<B> {
    pub(super) fn new(inner: B, slot: Option<Arc<Slot>>) -> Self {
        Self { inner, slot }
    }
}

impl<B> Drop for AnsweredBody<B> {
    fn drop(&mut self) {
        if let Some(slot) = &self.slot {
            slot.answered();
        }
    }
}

impl<B: Body + Unpin> Body for AnsweredBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
