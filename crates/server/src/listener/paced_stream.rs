//! A connection that ends if its client reads responses too slowly, and that notifies its slot when
//! a response is sent. Reads pass through, because heads have their own time limit and bodies their
//! own pace.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::pace::{Pace, PaceRules};
use super::slots::Slot;

/// Wraps a connection with a limit on the pace of its responses.
pub(super) struct PacedStream<S> {
    inner: S,
    pace: Pace,
    slot: Arc<Slot>,
}

impl<S> PacedStream<S> {
    pub(super) fn new(inner: S, rules: PaceRules, slot: Arc<Slot>) -> Self {
        Self { inner, pace: Pace::new(rules), slot }
    }
}

impl<S: AsyncWrite + Unpin> PacedStream<S> {
    fn watched<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
        bytes: impl Fn(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        match written {
            Poll::Ready(done) => {
                self.pace.moved(done.as_ref().map_or(0, bytes));
                Poll::Ready(done)
            }
            Poll::Pending => self
                .pace
                .poll_wait(context)
                .map(|too_slow| Err(io::Error::new(io::ErrorKind::TimedOut, too_slow))),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PacedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PacedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.watched(context, written, |bytes| *bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, pieces);
        self.watched(context, written, |bytes| *bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        let flushed = self.watched(context, flushed, |()| 0);
        // Otherwise a keep-alive connection would hold its slot until it closes, because small
        // responses extend its time only a little.
        if matches!(flushed, Poll::Ready(Ok(()))) {
            self.pace.settled();
            self.slot.sent();
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.inner).poll_shutdown(context);
        self.watched(context, shut, |()| 0)
    }
}
