//! A forge as accessed with one token: sends requests to it, and caches the responses. Cached data
//! belongs to the account, so data that was read with one token is never shown to another.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use http::header::{ACCEPT, IF_NONE_MATCH, LOCATION, RETRY_AFTER};
use http::{HeaderValue, Method};
use loci_model::bounded_cache::BoundedCache;
use loci_model::facts::code::ObjectId;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::{CodeError, CodeResult};
use loci_model::ports::forge::ForgeRoom;
use loci_outbound::request::{
    AddressOrigin, OutboundAnswer, OutboundError, OutboundRequest, Retry, Transport,
};
use loci_outbound::retry::asked_pause_ms;
use tokio::sync::Semaphore;

use crate::config::Checked;
use crate::dialect::{Ask, Comparison, Refusal};
use crate::failure;
use crate::listing::Listing;
use crate::remote::Repository;
use crate::reviews::Page;
use crate::same_host;

/// The first pause after a forge rejects a request because of a rate limit without stating a time,
/// in milliseconds. GitHub's documentation requires one minute, and longer pauses after repeated
/// rejections.
const PAUSE_MS: u64 = 60_000;
/// The maximum number of times that the pause after rejections doubles.
const DOUBLINGS_MAX: u32 = 5;
/// The maximum total size of the cached pages of review lists, in bytes.
const PAGES_BYTES: usize = 16 * 1024 * 1024;
/// The maximum number of redirects that one request follows.
const HOPS_MAX: usize = 2;
/// The pause before the one repeat after a temporary failure, in milliseconds.
const REPEAT_AFTER_MS: u64 = 100;
/// The maximum weight of cached comparisons; each weighs the size of its renames.
const COMPARISONS_WEIGHT: usize = 4 * 1024 * 1024;
/// The maximum number of repositories whose branch tips are cached.
const REPOSITORIES_MAX: usize = 1_024;

/// The key of a cached object: the repository's path in lower case, and the object's id. The id
/// alone would reveal to readers of one repository the content of another.
pub(crate) type ObjectKey = (Arc<str>, ObjectId);

/// A forge that is accessed with one token.
pub(crate) struct Account {
    pub(crate) forge: Checked,
    transport: Arc<dyn Transport>,
    pub(crate) clock: Arc<dyn Clock>,
    at_once: Semaphore,
    /// The time before which no requests are sent because the forge's rate limit is exhausted, in
    /// milliseconds since 1970.
    closed_until: AtomicI64,
    /// The number of consecutive rejections by a rate limit without a stated time.
    refusals: AtomicU32,
    /// The remaining rate limit according to the last response. `None` if no response has reported
    /// it.
    room: Mutex<Option<ForgeRoom>>,
    /// Cached pages of lists of reviews, by path.
    pub(crate) pages: BoundedCache<Arc<str>, Arc<Page>>,
    pub(crate) repositories: BoundedCache<Arc<str>, Arc<Repository>>,
    pub(crate) blobs: BoundedCache<ObjectKey, Arc<[u8]>>,
    /// Cached listings: the key states whether a listing is recursive.
    pub(crate) listings: BoundedCache<(ObjectKey, bool), Arc<Listing>>,
    pub(crate) comparisons: BoundedCache<(ObjectKey, ObjectId), Arc<Comparison>>,
}

/// A response of a forge that the caller can use: success, not modified, not found, or conflict.
pub(crate) struct ForgeReply {
    pub(crate) answer: OutboundAnswer,
    /// True if the forge reported a permanent redirect.
    pub(crate) has_moved: bool,
}

impl Account {
    pub(crate) fn new(
        forge: Checked,
        transport: Arc<dyn Transport>,
        clock: Arc<dyn Clock>,
        concurrency: usize,
        cache_bytes: usize,
    ) -> Self {
        Self {
            forge,
            transport,
            clock,
            at_once: Semaphore::new(concurrency.clamp(1, Semaphore::MAX_PERMITS)),
            closed_until: AtomicI64::new(0),
            refusals: AtomicU32::new(0),
            room: Mutex::new(None),
            pages: BoundedCache::new(PAGES_BYTES),
            repositories: BoundedCache::new(REPOSITORIES_MAX * 256),
            blobs: BoundedCache::new(cache_bytes),
            listings: BoundedCache::new(cache_bytes),
            comparisons: BoundedCache::new(COMPARISONS_WEIGHT),
        }
    }

    /// Sends a request, and follows redirects on the same host. Statuses 2xx, 304, 404, 409 and 422
    /// are returned as responses; all others are errors.
    pub(crate) async fn ask(&self, ask: &Ask, etag: Option<&HeaderValue>) -> CodeResult<ForgeReply> {
        let mut has_moved = false;
        let mut path = ask.path.clone();
        for _ in 0..=HOPS_MAX {
            let answer = self.send(&path, ask.accept, etag).await?;
            if let Some(room) = self.forge.dialect.room(&answer) {
                *self.room.lock().unwrap_or_else(PoisonError::into_inner) = Some(room);
            }
            match answer.status {
                200..=299 | 304 | 404 | 409 | 422 => {
                    self.refusals.store(0, Ordering::Relaxed);
                    return Ok(ForgeReply { answer, has_moved });
                }
                301 | 302 | 307 | 308 => {
                    let location = answer.headers.get(LOCATION).and_then(|value| value.to_str().ok());
                    let Some(below) = location.and_then(|to| same_host::below(&self.forge.api, to)) else {
                        return Err(self.refused(&answer));
                    };
                    has_moved |= matches!(answer.status, 301 | 308);
                    path = below.to_owned();
                }
                _ => return Err(self.refused(&answer)),
            }
        }
        Err(failure::garbled(&self.forge.host))
    }

    /// Sends a request with a body to a URL that the dialect derives from the API's address. It
    /// only reads, so it may be repeated.
    pub(crate) async fn post(&self, url: String, body: Vec<u8>) -> CodeResult<OutboundAnswer> {
        self.is_open()?;
        let json = self.forge.dialect.json();
        let request = OutboundRequest { method: Method::POST, url, body, ..self.request("", json, None) };
        let _permit = self.at_once.acquire().await.map_err(|_| failure::late())?;
        let sent = self.transport.send(request).await;
        let answer = sent.map_err(|error| failure::unanswered(&self.forge.host, &error))?;
        match answer.status {
            200..=299 => Ok(answer),
            _ => Err(self.refused(&answer)),
        }
    }

    /// Returns the remaining rate limit, if a response has reported it.
    pub(crate) fn room(&self) -> Option<ForgeRoom> {
        *self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends one request, and repeats it once after a temporary failure.
    async fn send(
        &self,
        path: &str,
        accept: &'static str,
        etag: Option<&HeaderValue>,
    ) -> CodeResult<OutboundAnswer> {
        let mut is_repeat = false;
        loop {
            self.is_open()?;
            let outcome = {
                let _permit = self.at_once.acquire().await.map_err(|_| failure::late())?;
                self.transport.send(self.request(path, accept, etag)).await
            };
            if !is_repeat && is_passing(&outcome) {
                is_repeat = true;
                self.clock.sleep(REPEAT_AFTER_MS).await;
                continue;
            }
            return outcome.map_err(|error| failure::unanswered(&self.forge.host, &error));
        }
    }

    fn request(&self, path: &str, accept: &'static str, etag: Option<&HeaderValue>) -> OutboundRequest {
        let mut headers = self.forge.headers.clone();
        headers.push((ACCEPT, HeaderValue::from_static(accept)));
        if let Some(etag) = etag {
            headers.push((IF_NONE_MATCH, etag.clone()));
        }
        OutboundRequest {
            method: Method::GET,
            url: format!("{}/{path}", self.forge.api),
            headers,
            body: Vec::new(),
            reach: AddressOrigin::Configured,
            // The repeats of the outbound policy would wait for a rate limit, and exceed the time
            // of the call.
            retry: Retry::Never,
            timeout_ms: None,
            signing: None,
        }
    }

    /// Fails while the forge's rate limit is exhausted, so that no request is sent.
    fn is_open(&self) -> CodeResult<()> {
        let ahead = self.closed_until.load(Ordering::Relaxed).saturating_sub(self.clock.now().millis());
        match u64::try_from(ahead) {
            Ok(ahead @ 1..) => Err(failure::rate(&self.forge.host, ahead)),
            Ok(0) | Err(_) => Ok(()),
        }
    }

    fn refused(&self, answer: &OutboundAnswer) -> CodeError {
        let (host, now) = (self.forge.host.as_str(), self.clock.now());
        match self.forge.dialect.refusal(answer, now) {
            Refusal::Rate(said) => {
                let pause_ms = said.unwrap_or_else(|| {
                    let before = self.refusals.fetch_add(1, Ordering::Relaxed).min(DOUBLINGS_MAX);
                    PAUSE_MS << before
                });
                let until = now.plus_millis(i64::try_from(pause_ms).unwrap_or(i64::MAX)).millis();
                self.closed_until.fetch_max(until, Ordering::Relaxed);
                failure::rate(host, pause_ms)
            }
            Refusal::TooLarge => failure::too_large("the object"),
            Refusal::Other => failure::refused(host, answer, asked_pause_ms(&answer.headers, &[], now)),
        }
    }
}

/// True for temporary failures: a gateway error or a broken connection.
fn is_passing(outcome: &Result<OutboundAnswer, OutboundError>) -> bool {
    match outcome {
        Ok(answer) => matches!(answer.status, 500 | 502..=504) && !answer.headers.contains_key(RETRY_AFTER),
        Err(OutboundError::Connect(_) | OutboundError::Protocol(_)) => true,
        Err(
            OutboundError::Refused(_)
            | OutboundError::Timeout
            | OutboundError::TooLarge
            | OutboundError::Unsignable(_),
        ) => false,
    }
}
