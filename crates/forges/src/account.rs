//! One forge as one token sees it: sends to it, and holds what was read there. Nothing that was read with one token is
//! shown to another: what is held belongs to the account.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use http::header::{ACCEPT, IF_NONE_MATCH, LOCATION, RETRY_AFTER};
use http::{HeaderValue, Method};
use loci_model::bounded_cache::BoundedCache;
use loci_model::facts::code::ObjectId;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::{CodeError, CodeResult};
use loci_model::ports::forge::ForgeRoom;
use loci_outbound::request::{Answer, OutboundError, Reach, Request, Retry, Transport};
use loci_outbound::retry::asked_pause_ms;
use tokio::sync::Semaphore;

use crate::config::Checked;
use crate::dialect::{Ask, Comparison, Refusal};
use crate::failure;
use crate::listing::Listing;
use crate::remote::Repository;
use crate::reviews::Page;
use crate::same_host;

/// Where a refusal names no time, the documentation asks for a minute, and for longer each time.
const PAUSE_MS: u64 = 60_000;
/// So often it doubles.
const DOUBLINGS_MAX: u32 = 5;
/// Bytes of lists of reviews that are held.
const PAGES_BYTES: usize = 16 * 1024 * 1024;
/// Redirects that are followed, one after the other.
const HOPS_MAX: usize = 2;
/// What failed in passing is asked for once more, after this long.
const REPEAT_AFTER_MS: u64 = 100;
/// Comparisons that are remembered; each weighs its renames.
const COMPARISONS_WEIGHT: usize = 4 * 1024 * 1024;
/// Repositories whose tips are remembered.
const REPOSITORIES_MAX: usize = 1_024;

/// Whose object it is: the repository's path in lower case, and the id. An id alone would tell one repository's readers
/// what stands in another.
pub(crate) type ObjectKey = (Arc<str>, ObjectId);

/// The account.
pub(crate) struct Account {
    pub(crate) forge: Checked,
    transport: Arc<dyn Transport>,
    pub(crate) clock: Arc<dyn Clock>,
    at_once: Semaphore,
    /// Milliseconds of wall-clock time before which the forge wants no requests.
    closed_until: AtomicI64,
    /// How often in a row the forge refused for its limits without saying until when.
    refusals: AtomicU32,
    /// What is left of the limit, as the last answer told.
    room: Mutex<Option<ForgeRoom>>,
    /// Pages of lists of reviews, by their paths.
    pub(crate) pages: BoundedCache<Arc<str>, Arc<Page>>,
    pub(crate) repositories: BoundedCache<Arc<str>, Arc<Repository>>,
    pub(crate) blobs: BoundedCache<ObjectKey, Arc<[u8]>>,
    /// Listings, of all that is below a tree or of its own entries.
    pub(crate) listings: BoundedCache<(ObjectKey, bool), Arc<Listing>>,
    pub(crate) comparisons: BoundedCache<(ObjectKey, ObjectId), Arc<Comparison>>,
}

/// An answer that says something: success, not modified, or that there is no such thing.
pub(crate) struct Heard {
    pub(crate) answer: Answer,
    /// The forge says that what was asked for is elsewhere for good.
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

    /// Asks, and follows redirects on the same host. 2xx, 304, 404, 409 and 422 are answers, all else an error.
    pub(crate) async fn ask(&self, ask: &Ask, etag: Option<&HeaderValue>) -> CodeResult<Heard> {
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
                    return Ok(Heard { answer, has_moved });
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

    /// Asks what takes a body, at an address that the dialect makes of the API's; it reads, and may be asked again.
    pub(crate) async fn post(&self, url: String, body: Vec<u8>) -> CodeResult<Answer> {
        self.is_open()?;
        let json = self.forge.dialect.json();
        let request = Request { method: Method::POST, url, body, ..self.request("", json, None) };
        let _permit = self.at_once.acquire().await.map_err(|_| failure::late())?;
        let sent = self.transport.send(request).await;
        let answer = sent.map_err(|error| failure::unanswered(&self.forge.host, &error))?;
        match answer.status {
            200..=299 => Ok(answer),
            _ => Err(self.refused(&answer)),
        }
    }

    /// What is left of the limit, as far as an answer told.
    pub(crate) fn room(&self) -> Option<ForgeRoom> {
        *self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One request; once more where it failed in passing.
    async fn send(&self, path: &str, accept: &'static str, etag: Option<&HeaderValue>) -> CodeResult<Answer> {
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

    fn request(&self, path: &str, accept: &'static str, etag: Option<&HeaderValue>) -> Request {
        let mut headers = self.forge.headers.clone();
        headers.push((ACCEPT, HeaderValue::from_static(accept)));
        if let Some(etag) = etag {
            headers.push((IF_NONE_MATCH, etag.clone()));
        }
        Request {
            method: Method::GET,
            url: format!("{}/{path}", self.forge.api),
            headers,
            body: Vec::new(),
            reach: Reach::Configured,
            // The policy would sleep through a rate limit, and through the time of the call.
            retry: Retry::Never,
            timeout_ms: None,
            signing: None,
        }
    }

    /// A forge that has refused for its limits is left alone until they are whole again.
    fn is_open(&self) -> CodeResult<()> {
        let ahead = self.closed_until.load(Ordering::Relaxed).saturating_sub(self.clock.now().millis());
        match u64::try_from(ahead) {
            Ok(ahead @ 1..) => Err(failure::rate(&self.forge.host, ahead)),
            Ok(0) | Err(_) => Ok(()),
        }
    }

    fn refused(&self, answer: &Answer) -> CodeError {
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

/// A gateway that hiccups, a connection that breaks.
fn is_passing(outcome: &Result<Answer, OutboundError>) -> bool {
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
