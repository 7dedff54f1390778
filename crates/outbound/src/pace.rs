//! Limits the requests to one provider: the number of concurrent requests, and no request before
//! the time at which the provider's limits are restored, as announced in its responses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::HeaderMap;
use loci_model::Timestamp;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use tokio::sync::Semaphore;

use crate::request::{OutboundAnswer, OutboundError, OutboundRequest, Transport};
use crate::retry::{asked_pause_ms, duration_ms};

/// The maximum wait for an announced limit, in milliseconds. After it the request is sent, and the
/// provider can reject it.
const WAIT_MS_MAX: u64 = 30_000;

/// Headers that announce the remainder of a limit, and the time at which it is restored.
const LIMITS: &[(&str, &str)] = &[
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
];

/// A transport that limits the requests to one provider.
pub struct PacedTransport {
    inner: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    at_once: Semaphore,
    /// The earliest time of the next request, in microseconds of the monotonic clock.
    not_before_us: AtomicU64,
}

impl PacedTransport {
    /// Creates a transport with at most `at_once` concurrent requests (at least one).
    pub fn new(inner: Arc<dyn Transport>, clock: Arc<dyn Clock>, at_once: usize) -> Self {
        let at_once = at_once.clamp(1, Semaphore::MAX_PERMITS);
        Self { inner, clock, at_once: Semaphore::new(at_once), not_before_us: AtomicU64::new(0) }
    }

    async fn take_turn(&self, request: OutboundRequest) -> Result<OutboundAnswer, OutboundError> {
        let _permit = self
            .at_once
            .acquire()
            .await
            .map_err(|_| OutboundError::Connect("the provider is being shut down".to_owned()))?;
        let ahead = self.not_before_us.load(Ordering::Relaxed).saturating_sub(self.clock.monotonic_us());
        if ahead > 0 {
            self.clock.sleep(ahead.div_ceil(1_000).min(WAIT_MS_MAX)).await;
        }
        let answer = self.inner.send(request).await?;
        let now = self.clock.now();
        let asked = matches!(answer.status, 429 | 503 | 529)
            .then(|| asked_pause_ms(&answer.headers, &answer.body, now))
            .flatten();
        if let Some(pause) = announced_pause_ms(&answer.headers, now).max(asked) {
            let until = self.clock.monotonic_us().saturating_add(pause.saturating_mul(1_000));
            self.not_before_us.fetch_max(until, Ordering::Relaxed);
        }
        Ok(answer)
    }
}

impl Transport for PacedTransport {
    fn send(&self, request: OutboundRequest) -> BoxFuture<'_, Result<OutboundAnswer, OutboundError>> {
        Box::pin(self.take_turn(request))
    }
}

/// Returns the time until an exhausted limit is restored, in milliseconds; `None` if none is
/// exhausted.
fn announced_pause_ms(headers: &HeaderMap, now: Timestamp) -> Option<u64> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    LIMITS
        .iter()
        .filter(|(left, _)| text(left) == Some("0"))
        .filter_map(|(_, reset)| {
            let reset = text(reset)?;
            duration_ms(reset).or_else(|| {
                let at = Timestamp::parse(reset).ok()?;
                u64::try_from(at.millis().saturating_sub(now.millis())).ok()
            })
        })
        .max()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use http::{HeaderName, HeaderValue, Method};
    use loci_testkit_ports::{JumpingClock, ManualClock, block_on};

    use super::*;
    use crate::request::{AddressOrigin, Retry};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(n, v)| (HeaderName::from_static(n), HeaderValue::from_static(v))).collect()
    }

    #[test]
    fn announcements() {
        let now = Timestamp::parse("2026-11-22T08:00:00Z").unwrap();
        let check = |pairs: &[(&'static str, &'static str)], expect: Option<u64>| {
            assert_eq!(announced_pause_ms(&headers(pairs), now), expect, "{pairs:?}");
        };
        check(&[], None);
        check(&[("x-ratelimit-remaining-requests", "3"), ("x-ratelimit-reset-requests", "6m0s")], None);
        check(
            &[("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "6m0s")],
            Some(360_000),
        );
        check(
            &[
                ("x-ratelimit-remaining-requests", "0"),
                ("x-ratelimit-reset-requests", "1s"),
                ("anthropic-ratelimit-tokens-remaining", "0"),
                ("anthropic-ratelimit-tokens-reset", "2026-11-22T08:00:05Z"),
            ],
            Some(5_000),
        );
        check(&[("x-ratelimit-remaining-tokens", "0")], None);
    }

    /// A transport that counts concurrent requests and announces an exhausted limit.
    struct Slow {
        clock: ManualClock,
        now: AtomicUsize,
        most: AtomicUsize,
    }

    impl Transport for Slow {
        fn send(&self, _: OutboundRequest) -> BoxFuture<'_, Result<OutboundAnswer, OutboundError>> {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            let wait = self.clock.sleep(10);
            Box::pin(async move {
                wait.await;
                self.now.fetch_sub(1, Ordering::SeqCst);
                let limits = [("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "2s")];
                Ok(OutboundAnswer {
                    status: 200,
                    headers: headers(&limits),
                    body: Vec::new(),
                    tries: 1,
                    elapsed_ms: 0,
                })
            })
        }
    }

    /// A transport that answers with status 429 and requests a pause.
    struct Refusing;

    impl Transport for Refusing {
        fn send(&self, _: OutboundRequest) -> BoxFuture<'_, Result<OutboundAnswer, OutboundError>> {
            let answer = OutboundAnswer {
                status: 429,
                headers: headers(&[("retry-after", "5")]),
                body: Vec::new(),
                tries: 1,
                elapsed_ms: 0,
            };
            Box::pin(std::future::ready(Ok(answer)))
        }
    }

    #[test]
    fn a_pause_that_is_asked_for_holds_for_whoever_comes_next() {
        let clock = JumpingClock::default();
        let paced = PacedTransport::new(Arc::new(Refusing), Arc::new(clock.clone()), 2);
        for _ in 0..2 {
            assert_eq!(block_on(paced.send(request())).unwrap().status, 429);
        }
        assert_eq!(clock.slept_ms(), [5_000]);
    }

    fn request() -> OutboundRequest {
        OutboundRequest {
            method: Method::GET,
            url: "http://127.0.0.1/".to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            reach: AddressOrigin::Configured,
            retry: Retry::Safe,
            timeout_ms: None,
            signing: None,
        }
    }

    #[test]
    fn so_many_at_once_and_a_pause_when_it_was_announced() {
        let clock = ManualClock::default();
        let slow =
            Arc::new(Slow { clock: clock.clone(), now: AtomicUsize::new(0), most: AtomicUsize::new(0) });
        let paced = PacedTransport::new(slow.clone(), Arc::new(clock.clone()), 2);
        let began = clock.monotonic_us();
        let moving = async {
            let (mut done, calls) = (0, 5);
            let mut calls: Vec<_> = (0..calls).map(|_| paced.send(request())).collect();
            while !calls.is_empty() {
                let before = calls.len();
                let mut left = Vec::new();
                for mut call in calls {
                    match std::future::poll_fn(|cx| std::task::Poll::Ready(call.as_mut().poll(cx))).await {
                        std::task::Poll::Ready(answer) => assert_eq!(answer.unwrap().status, 200),
                        std::task::Poll::Pending => left.push(call),
                    }
                }
                done += before - left.len();
                calls = left;
                clock.advance_ms(1);
            }
            done
        };
        assert_eq!(block_on(moving), 5);
        assert_eq!(slow.most.load(Ordering::SeqCst), 2);
        let took = (clock.monotonic_us() - began) / 1_000;
        assert!((4_000..4_200).contains(&took), "two pauses of two seconds: {took} ms");
    }
}
