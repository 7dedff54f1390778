//! Reads one repository on a forge within the time limit of one call: names of commits, blobs,
//! comparisons, metadata. Immutable objects are read once. A name is requested again after its
//! cache time, and an unchanged one does not count against the rate limit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::stream::{self, StreamExt};
use http::HeaderValue;
use http::header::ETAG;
use loci_model::bounded_cache::BoundedCache;
use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeResult;
use loci_outbound::request::OutboundAnswer;

use crate::account::{Account, ObjectKey};
use crate::dialect::{Ask, Comparison, Dialect, Facts};
use crate::failure;

/// The maximum number of cached names per repository.
const TIPS_MAX: usize = 256;
/// The cache time of the repository's metadata in microseconds. The name of the default branch
/// rarely changes; its tip is still requested again.
const FACTS_TTL_US: u64 = 300_000_000;
/// The maximum number of blobs that one call prefetches.
const AHEAD_MAX: usize = 512;

/// A repository on a forge, with its cached data.
pub(crate) struct Repository {
    /// The requested path in lower case, because owners and names are case-insensitive.
    pub(crate) key: Arc<str>,
    state: Mutex<State>,
    tips: BoundedCache<String, Tip>,
    /// A lock for names and listings: one caller requests them, and the others find the cached
    /// result.
    pub(crate) turn: tokio::sync::Mutex<()>,
}

struct State {
    /// The current path of the repository in the API.
    at: String,
    facts: Option<TaggedAnswer<Facts>>,
    /// The time of the last successful response, in microseconds of the monotonic clock. `None`
    /// before the first.
    heard_us: Option<u64>,
}

/// A cached response, with the entity tag for asking whether it changed.
#[derive(Clone)]
struct TaggedAnswer<T> {
    what: T,
    etag: Option<HeaderValue>,
    checked_us: u64,
}

type Tip = TaggedAnswer<ObjectId>;

impl Repository {
    pub(crate) fn new(key: Arc<str>, at: String) -> Self {
        let state = State { at, facts: None, heard_us: None };
        Self {
            key,
            state: Mutex::new(state),
            tips: BoundedCache::new(TIPS_MAX * 256),
            turn: tokio::sync::Mutex::new(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The limits of one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    /// The deadline of the call, in microseconds of the monotonic clock.
    pub(crate) until_us: u64,
    /// The time for which a name is cached, in microseconds.
    pub(crate) tip_ttl_us: u64,
    /// The maximum number of concurrent requests.
    pub(crate) concurrency: usize,
}

/// A repository with its account and the limits of a call.
#[derive(Clone)]
pub(crate) struct Remote {
    pub(crate) account: Arc<Account>,
    pub(crate) repository: Arc<Repository>,
    pub(crate) terms: Terms,
}

impl Remote {
    /// Returns the commit that a branch, tag or id resolves to. `None` if there is none.
    pub(crate) async fn tip(&self, name: &str) -> CodeResult<Option<ObjectId>> {
        if self.dialect().tip("", name).is_none() {
            return Ok(None);
        }
        let _turn = self.repository.turn.lock().await;
        let known = self.repository.tips.get(&name.to_owned());
        if let Some(tip) = known.as_ref().filter(|tip| self.still_holds(name, tip)) {
            return Ok(Some(tip.what));
        }
        let etag = known.as_ref().and_then(|tip| tip.etag.clone());
        let asked =
            |dialect: &dyn Dialect, at: &str| dialect.tip(at, name).unwrap_or_else(|| dialect.repository(at));
        let answer = self.ask(&asked, etag.as_ref()).await?;
        let commit = match (answer.status, known) {
            (304, Some(tip)) => tip.what,
            (200..300, _) => self.dialect().read_tip(&answer).ok_or_else(|| self.garbled())?,
            (404, _) => {
                self.is_there().await?;
                return Ok(None);
            }
            // The commit does not exist, or the repository is empty.
            (409 | 422, _) => return Ok(None),
            _ => return Err(self.garbled()),
        };
        let etag = answer.headers.get(ETAG).cloned().or(etag);
        let tip = Tip { what: commit, etag, checked_us: self.now_us() };
        self.repository.tips.put(name.to_owned(), tip, 128);
        Ok(Some(commit).filter(|commit| !is_too_short(name, commit)))
    }

    /// True if a cached tip is still valid. A commit's own id is always valid, as long as the token
    /// still has access.
    fn still_holds(&self, name: &str, tip: &Tip) -> bool {
        let is_own_id = ObjectId::parse(name) == Some(tip.what);
        let checked = if is_own_id { self.repository.state().heard_us } else { Some(tip.checked_us) };
        checked.is_some_and(|at| self.now_us() < at.saturating_add(self.terms.tip_ttl_us))
            && !is_too_short(name, &tip.what)
    }

    /// Returns the default branch and its tip.
    pub(crate) async fn default_branch(&self) -> CodeResult<Option<(String, ObjectId)>> {
        let Some(tip) = self.tip("HEAD").await? else { return Ok(None) };
        let name = self.facts(FACTS_TTL_US).await?.default_branch;
        Ok(name.map(|name| (name, tip)))
    }

    /// Returns the metadata, at most `age_us_max` microseconds old.
    pub(crate) async fn facts(&self, age_us_max: u64) -> CodeResult<Facts> {
        let known = self.repository.state().facts.clone();
        if let Some(facts) =
            known.as_ref().filter(|facts| self.now_us() < facts.checked_us.saturating_add(age_us_max))
        {
            return Ok(facts.what.clone());
        }
        let etag = known.as_ref().and_then(|facts| facts.etag.clone());
        let at = self.repository.state().at.clone();
        let heard = self.account.ask(&self.dialect().repository(&at), etag.as_ref()).await?;
        let facts = match (heard.answer.status, known) {
            (304, Some(facts)) => facts.what,
            (200..300, _) => self.dialect().read_repository(&heard.answer).ok_or_else(|| self.garbled())?,
            (404, _) => return Err(failure::hidden(&self.account.forge.host)),
            _ => return Err(self.garbled()),
        };
        let etag = heard.answer.headers.get(ETAG).cloned().or(etag);
        self.heard();
        let mut state = self.repository.state();
        if heard.has_moved
            && let Some(at) = self.dialect().locate(&facts.path)
        {
            state.at = at;
        }
        state.facts = Some(TaggedAnswer { what: facts.clone(), etag, checked_us: self.now_us() });
        Ok(facts)
    }

    /// Checks that the token can see the repository. Only then a "not found" response means that an
    /// object does not exist.
    pub(crate) async fn is_there(&self) -> CodeResult<()> {
        self.facts(0).await.map(|_| ())
    }

    /// Returns the content of a git blob by its id.
    pub(crate) async fn blob(&self, id: &ObjectId) -> CodeResult<Arc<[u8]>> {
        let key = self.key(id);
        if let Some(content) = self.account.blobs.get(&key) {
            return Ok(content);
        }
        let answer = self.ask(&|dialect, at| dialect.blob(at, id), None).await?;
        match answer.status {
            200..300 => {
                let content: Arc<[u8]> = answer.body.into();
                self.account.blobs.put(key, Arc::clone(&content), content.len());
                Ok(content)
            }
            _ => {
                self.is_there().await?;
                Err(failure::missing(Unverifiable::PartialClone, "object"))
            }
        }
    }

    /// Fetches blobs concurrently that are not cached yet. A blob that cannot be fetched causes an
    /// error only when it is read.
    pub(crate) async fn fetch_ahead(&self, ids: Vec<ObjectId>) -> CodeResult<()> {
        let absent =
            ids.into_iter().filter(|id| self.account.blobs.get(&self.key(id)).is_none()).take(AHEAD_MAX);
        let fetched = stream::iter(absent.map(|id| async move { self.blob(&id).await.map(|_| ()) }));
        let mut fetched = std::pin::pin!(fetched.buffer_unordered(self.terms.concurrency));
        while let Some(outcome) = fetched.next().await {
            // A single blob may be missing; an error of the forge affects the other blobs too.
            if let Err(error) = outcome
                && !matches!(error.why, Unverifiable::PartialClone | Unverifiable::TooLarge)
            {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Compares two commits. `None` if the forge cannot compare them.
    pub(crate) async fn comparison(
        &self,
        older: &ObjectId,
        newer: &ObjectId,
    ) -> CodeResult<Option<Arc<Comparison>>> {
        let key = (self.key(older), *newer);
        if let Some(comparison) = self.account.comparisons.get(&key) {
            return Ok(Some(comparison));
        }
        let answer = self.ask(&|dialect, at| dialect.comparison(at, older, newer), None).await?;
        match answer.status {
            200..300 => {
                let read = self.dialect().read_comparison(&answer).ok_or_else(|| self.garbled())?;
                let read = Arc::new(read);
                let weight = read.renames.iter().map(|rename| rename.from.len() + rename.to.len() + 96).sum();
                self.account.comparisons.put(key, Arc::clone(&read), weight);
                Ok(Some(read))
            }
            _ => {
                self.is_there().await?;
                Ok(None)
            }
        }
    }

    /// Sends a request to the repository's current path, and updates the path if the repository has
    /// moved.
    pub(crate) async fn ask(
        &self,
        make: &(dyn Fn(&dyn Dialect, &str) -> Ask + Sync),
        etag: Option<&HeaderValue>,
    ) -> CodeResult<OutboundAnswer> {
        if self.now_us() >= self.terms.until_us {
            return Err(failure::late());
        }
        let at = self.repository.state().at.clone();
        let heard = self.account.ask(&make(self.dialect(), &at), etag).await?;
        if matches!(heard.answer.status, 200..=304) {
            self.heard();
        }
        if heard.has_moved {
            self.facts(0).await?;
            tracing::info!(
                host = self.account.forge.host,
                "a repository has moved: its new name is one of its aliases"
            );
        }
        Ok(heard.answer)
    }

    pub(crate) fn dialect(&self) -> &'static dyn Dialect {
        self.account.forge.dialect
    }

    pub(crate) fn key(&self, id: &ObjectId) -> ObjectKey {
        (Arc::clone(&self.repository.key), *id)
    }

    pub(crate) fn garbled(&self) -> loci_model::ports::code::CodeError {
        failure::garbled(&self.account.forge.host)
    }

    pub(crate) fn now_us(&self) -> u64 {
        self.account.clock.monotonic_us()
    }

    fn heard(&self) {
        self.repository.state().heard_us = Some(self.now_us());
    }
}

/// True if a name resolves as an abbreviated id of fewer than seven digits. Such a name is accepted
/// only as a branch or tag.
fn is_too_short(name: &str, commit: &ObjectId) -> bool {
    name.len() < 7 && commit.to_string().starts_with(&name.to_ascii_lowercase())
}
