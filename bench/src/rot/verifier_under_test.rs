//! The verifier under test, called as in the product: code sources on their own threads, with a
//! verifier there. It gets an anchor from the first revision and the repository at the second, and
//! no data of the tracer.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow};
use loci_git::{GitOptions, GitSources};
use loci_model::Timestamp;
use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::claim::Claim;
use loci_model::facts::code::{ObjectId, Revision};
use loci_model::facts::verdict::{CitationVerdict, Verification};
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::{CodePlace, CodeSource, CodeSources};
use loci_verified::verifier::{
    AnchorError, Information, LineCache, Quorum, Verifier, VerifierLimits, information,
};

use super::item::Item;
use super::score::VerifierResult;
use super::tracer::Window;

/// The size of the cache of parsed files in bytes, as in the product.
const CACHE_BYTES: usize = 64 << 20;
/// The number of blocks whose anchors are made at once.
const AT_ONCE: usize = 256;

/// The clock of this machine.
struct Machine(Instant);

impl Clock for Machine {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Timestamp::clamped(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn monotonic_us(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn sleep(&self, millis: u64) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(millis)))
    }
}

/// One repository, and the data that a process of the product keeps between calls.
pub(super) struct TestedRepository {
    sources: GitSources,
    place: CodePlace,
    kept: Arc<VerifierState>,
}

struct VerifierState {
    cache: LineCache,
    clock: Machine,
}

impl TestedRepository {
    pub(super) fn open(repository: &Path) -> Result<Self> {
        let options = GitOptions { threads: 1, roots: Vec::new() };
        let sources = GitSources::start(options).map_err(|error| anyhow!("{error}"))?;
        let path = repository.canonicalize().with_context(|| repository.display().to_string())?;
        let kept = VerifierState { cache: LineCache::new(CACHE_BYTES), clock: Machine(Instant::now()) };
        Ok(Self { sources, place: CodePlace::Local(path), kept: Arc::new(kept) })
    }

    /// Runs work with a verifier of the revision. It fails if the repository cannot be opened.
    async fn with<T: Send + 'static>(
        &self,
        at: Revision,
        work: impl FnOnce(&Verifier<'_>) -> T + Send + 'static,
    ) -> Result<T> {
        let (kept, slot) = (Arc::clone(&self.kept), Arc::new(Mutex::new(None)));
        let answer = Arc::clone(&slot);
        let job = move |source: &dyn CodeSource| {
            let limits = VerifierLimits::default();
            let verifier = Verifier::new(source, at, &kept.cache, "bench/rot", &kept.clock, limits);
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(work(&verifier));
        };
        let read = self.sources.read(&self.place, Box::new(job)).await;
        read.map_err(|error| anyhow!("the repository cannot be read: {}", error.detail))?;
        slot.lock().unwrap_or_else(PoisonError::into_inner).take().context("the work gave no answer")
    }

    /// Returns the anchor of each place at a commit, or the reason why it cannot be cited.
    pub(super) async fn anchors(
        &self,
        commit: &str,
        cited: Vec<(LineRange, String)>,
    ) -> Result<Vec<std::result::Result<Citation, AnchorError>>> {
        let at = revision(commit)?;
        let made = move |verifier: &Verifier<'_>| {
            let one = |(place, fact): &(LineRange, String)| {
                let anchor = verifier.anchor(place, fact, true)?.anchor;
                Ok(Citation { anchor, current: None, earlier_paths: Vec::new() })
            };
            cited.iter().map(one).collect::<Vec<_>>()
        };
        self.with(at, made).await
    }

    /// Verifies one citation at a commit, in a separate call. Returns the verdict and the duration.
    pub(super) async fn check(
        &self,
        commit: &str,
        citation: Citation,
    ) -> Result<(CitationVerdict, Duration)> {
        let at = revision(commit)?;
        let began = Instant::now();
        let verdict = self.with(at, move |verifier| verifier.check(&citation)).await?;
        Ok((verdict, began.elapsed()))
    }

    /// Creates an anchor and judges it as the store call does.
    pub(super) async fn cite(
        &self,
        commit: &str,
        place: LineRange,
        fact: &str,
        claims: Vec<Claim>,
    ) -> Result<std::result::Result<(Citation, Information), AnchorError>> {
        let fact = fact.to_owned();
        let made = move |verifier: &Verifier<'_>| {
            let made = verifier.anchor(&place, &fact, true)?;
            let says = information(&made, 0, &fact, &claims);
            Ok((Citation { anchor: made.anchor, current: None, earlier_paths: Vec::new() }, says))
        };
        self.with(revision(commit)?, made).await
    }

    /// Verifies a record with claims.
    pub(super) async fn verify(
        &self,
        commit: &str,
        citations: Vec<Citation>,
        claims: Vec<Claim>,
    ) -> Result<Verification> {
        self.with(revision(commit)?, move |verifier| verifier.verify(&citations, &claims, Quorum::All)).await
    }
}

fn revision(commit: &str) -> Result<Revision> {
    ObjectId::parse(commit).map(Revision::Commit).context("a full commit id")
}

/// Returns the place of a block.
pub(super) fn place(item: &Item) -> LineRange {
    LineRange { path: item.path.clone(), line_start: item.start, line_end: item.end() }
}

/// Returns the verdict on every item, in their order, and `None` for those that cannot be cited.
pub(super) async fn verdicts(
    repository: &Path,
    window: &Window,
    items: &[Item],
) -> Result<Vec<Option<VerifierResult>>> {
    let under = TestedRepository::open(repository)?;
    let mut all = Vec::with_capacity(items.len());
    for some in items.chunks(AT_ONCE) {
        let cited = some.iter().map(|item| (place(item), String::new())).collect();
        for citation in under.anchors(&window.from, cited).await? {
            let Ok(citation) = citation else {
                all.push(None);
                continue;
            };
            let (verdict, took) = under.check(&window.to, citation).await?;
            all.push(Some(found(verdict, took)));
        }
    }
    Ok(all)
}

fn found(verdict: CitationVerdict, took: Duration) -> VerifierResult {
    VerifierResult {
        verdict: verdict.verdict,
        method: verdict.method,
        unverifiable: verdict.unverifiable,
        at: verdict.found.map(|place| (place.path, place.line_start, place.line_end)),
        took,
    }
}
