//! Reads reviews on the configured forges. It reads all pages of a list. An unchanged page does not
//! count against the rate limit, and a forge with an exhausted rate limit receives no requests
//! until it resets.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use http::HeaderValue;
use http::header::{ETAG, LINK};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::BoxFuture;
use loci_model::ports::code::{CodeError, CodeResult};
use loci_model::ports::forge::{Forge, ForgePlace, ForgeRoom};
use loci_model::tasks::forge_notifications::{ForgeComment, ForgeReview};
use loci_model::tasks::pull_request::{CheckSuite, PullRequest, PullRequestCommit};
use loci_model::tasks::review::RepositoryRole;
use loci_model::{Timestamp, limits};

use crate::account::Account;
use crate::dialect::Ask;
use crate::failure;
use crate::forges::Forges;
use crate::review_dialect::ReviewDialect;
use crate::same_host;

/// The maximum total size of the pages of a list, in bytes.
const LIST_BYTES_MAX: usize = 128 << 20;

/// A cached page of a list, with the entity tag for asking whether it changed.
#[derive(Debug)]
pub(crate) struct Page {
    etag: HeaderValue,
    body: Vec<u8>,
    /// The path of the next page.
    next: Option<String>,
}

/// A reader of the reviews of one repository.
struct ReviewsReader {
    account: Arc<Account>,
    at: String,
}

impl ReviewsReader {
    fn dialect(&self) -> &'static dyn ReviewDialect {
        self.account.forge.dialect.reviews()
    }

    fn garbled(&self) -> CodeError {
        failure::garbled(&self.account.forge.host)
    }

    /// Returns one page of a list. `None` if the repository or pull request does not exist.
    async fn page(&self, path: &str) -> CodeResult<Option<Arc<Page>>> {
        let key: Arc<str> = path.into();
        let known = self.account.pages.get(&key);
        let ask = Ask { path: path.to_owned(), accept: self.account.forge.dialect.json() };
        let heard = self.account.ask(&ask, known.as_ref().map(|page| &page.etag)).await?;
        match (heard.answer.status, known) {
            (304, Some(page)) => Ok(Some(page)),
            (200..300, _) => {
                let next = next_page(&self.account.forge.api, heard.answer.headers.get(LINK));
                let etag = heard.answer.headers.get(ETAG).cloned();
                let bytes = heard.answer.body.len();
                let keep = etag.is_some();
                let etag = etag.unwrap_or_else(|| HeaderValue::from_static(""));
                let page = Arc::new(Page { etag, body: heard.answer.body, next });
                if keep {
                    self.account.pages.put(key, Arc::clone(&page), bytes + 256);
                }
                Ok(Some(page))
            }
            (404, _) => Ok(None),
            _ => Err(self.garbled()),
        }
    }

    /// Reads a list page by page, as long as `goes_on` returns true.
    async fn list<T>(
        &self,
        path: String,
        read: impl Fn(&dyn ReviewDialect, &[u8]) -> Option<Vec<T>>,
        goes_on: impl Fn(&[T]) -> bool,
    ) -> CodeResult<Vec<T>> {
        let (mut all, mut next) = (Vec::new(), Some(path));
        let (mut pages, mut bytes) = (0, 0);
        while let Some(path) = next {
            let page = self.page(&path).await?.ok_or_else(|| failure::hidden(&self.account.forge.host))?;
            bytes += page.body.len();
            if bytes > LIST_BYTES_MAX {
                return Err(failure::too_long(&self.account.forge.host, all.len()));
            }
            all.extend(read(self.dialect(), &page.body).ok_or_else(|| self.garbled())?);
            pages += 1;
            if pages >= limits::FORGE_PAGES_MAX && page.next.is_some() {
                return Err(failure::too_long(&self.account.forge.host, all.len()));
            }
            next = page.next.clone().filter(|_| goes_on(&all));
        }
        Ok(all)
    }
}

/// Returns the path of the next page, only if it is below the API's address.
pub(crate) fn next_page(api: &str, link: Option<&HeaderValue>) -> Option<String> {
    link?.to_str().ok()?.split(',').find_map(|one| {
        let (address, rest) = one.trim().strip_prefix('<')?.split_once('>')?;
        let is_next = rest.split(';').any(|part| matches!(part.trim(), "rel=\"next\"" | "rel=next"));
        if is_next { same_host::below(api, address).map(str::to_owned) } else { None }
    })
}

fn always<T>(_: &[T]) -> bool {
    true
}

impl Forges {
    fn reading(&self, place: &ForgePlace) -> CodeResult<ReviewsReader> {
        let missing = |detail: &str| CodeError::new(Unverifiable::Auth, detail);
        let account = self
            .account(&place.host)
            .ok_or_else(|| missing("the configuration has no [[forge]] with the repository's host"))?;
        let at = account
            .forge
            .dialect
            .locate(&place.path)
            .ok_or_else(|| missing("the repository's path on its forge must be owner/name"))?;
        Ok(ReviewsReader { account, at })
    }
}

impl Forge for Forges {
    fn reads(&self, host: &str) -> bool {
        self.account(host).is_some()
    }

    fn pull_request<'a>(
        &'a self,
        place: &'a ForgePlace,
        number: u64,
    ) -> BoxFuture<'a, CodeResult<Option<PullRequest>>> {
        Box::pin(async move {
            let reading = self.reading(place)?;
            let dialect = reading.dialect();
            let Some(page) = reading.page(&dialect.pull_request(&reading.at, number)).await? else {
                return Ok(None);
            };
            let path = dialect.commits(&reading.at, number);
            let commits = reading.list(path, |dialect, body| dialect.read_commits(body), always).await?;
            dialect.read_pull_request(&page.body, commits).map(Some).ok_or_else(|| reading.garbled())
        })
    }

    fn reviews<'a>(&'a self, place: &'a ForgePlace, pr: u64) -> BoxFuture<'a, CodeResult<Vec<ForgeReview>>> {
        Box::pin(async move {
            let reading = self.reading(place)?;
            let path = reading.dialect().reviews(&reading.at, pr);
            let mut all = reading.list(path, |dialect, body| dialect.read_reviews(body), always).await?;
            all.sort_by_key(|review| review.id);
            Ok(all)
        })
    }

    fn review<'a>(
        &'a self,
        place: &'a ForgePlace,
        pr: u64,
        id: u64,
    ) -> BoxFuture<'a, CodeResult<Option<ForgeReview>>> {
        Box::pin(async move {
            let reading = self.reading(place)?;
            let Some(page) = reading.page(&reading.dialect().review(&reading.at, pr, id)).await? else {
                return Ok(None);
            };
            reading.dialect().read_review(&page.body).ok_or_else(|| reading.garbled())
        })
    }

    fn comments<'a>(
        &'a self,
        place: &'a ForgePlace,
        pr: u64,
    ) -> BoxFuture<'a, CodeResult<Vec<ForgeComment>>> {
        Box::pin(async move {
            let reading = self.reading(place)?;
            let path = reading.dialect().comments(&reading.at, pr);
            let mut all = reading.list(path, |dialect, body| dialect.read_comments(body), always).await?;
            all.sort_by_key(|told| told.comment.id);
            Ok(all)
        })
    }

    fn threads<'a>(&'a self, place: &'a ForgePlace, pr: u64) -> BoxFuture<'a, CodeResult<Vec<(u64, bool)>>> {
        Box::pin(async move {
            let reading = self.reading(place)?;
            let (mut all, mut after) = (Vec::new(), None);
            for _ in 0..limits::FORGE_PAGES_MAX {
                let api = &reading.account.forge.api;
                let (url, question) = reading.dialect().threads(api, &place.path, pr, after.as_deref());
                let answer = reading.account.post(url, question).await?;
                let (threads, next) =
                    reading.dialect().read_threads(&answer.body).ok_or_else(|| reading.garbled())?;
                all.extend(threads);
                after = next;
                if after.is_none() {
                    return Ok(all);
                }
            }
            Err(failure::too_long(&reading.account.forge.host, all.len()))
        })
    }

    fn role<'a>(
        &'a self,
        place: &'a ForgePlace,
        login: &'a str,
    ) -> BoxFuture<'a, CodeResult<RepositoryRole>> {
        Box::pin(async move {
            let reading = self.reading(place)?;
            let Some(path) = reading.dialect().role(&reading.at, login) else {
                return Ok(RepositoryRole::None);
            };
            let Some(page) = reading.page(&path).await? else { return Ok(RepositoryRole::None) };
            reading.dialect().read_role(&page.body).ok_or_else(|| reading.garbled())
        })
    }

    fn changed<'a>(
        &'a self,
        place: &'a ForgePlace,
        since: Option<Timestamp>,
        count: usize,
    ) -> BoxFuture<'a, CodeResult<Vec<(u64, Timestamp)>>> {
        Box::pin(async move {
            let reading = self.reading(place)?;
            let path = reading.dialect().changed(&reading.at);
            let goes_on = |all: &[(u64, Timestamp)]| match since {
                Some(since) => all.last().is_none_or(|(_, at)| *at >= since),
                None => all.len() < count,
            };
            let all = reading.list(path, |dialect, body| dialect.read_changed(body), goes_on).await?;
            Ok(wanted(all, since, count))
        })
    }

    fn landed<'a>(
        &'a self,
        place: &'a ForgePlace,
        since: Timestamp,
        count: usize,
    ) -> BoxFuture<'a, CodeResult<Vec<(PullRequestCommit, Timestamp)>>> {
        Box::pin(async move {
            let reading = self.reading(place)?;
            let path = reading.dialect().landed(&reading.at, since);
            let goes_on = |all: &[(PullRequestCommit, Timestamp)]| all.len() < count;
            let mut all = reading.list(path, |dialect, body| dialect.read_landed(body), goes_on).await?;
            all.truncate(count);
            Ok(all)
        })
    }

    fn checks<'a>(
        &'a self,
        place: &'a ForgePlace,
        sha: &'a str,
    ) -> BoxFuture<'a, CodeResult<Vec<CheckSuite>>> {
        Box::pin(async move {
            let reading = self.reading(place)?;
            let Some(path) = reading.dialect().checks(&reading.at, sha) else { return Ok(Vec::new()) };
            reading.list(path, |dialect, body| dialect.read_checks(body), always).await
        })
    }

    fn room(&self, host: &str) -> Option<ForgeRoom> {
        self.account(host)?.room()
    }
}

/// Selects from pull requests with their times of change: the oldest at or after `since`; without
/// `since`, the latest.
fn wanted(mut all: Vec<(u64, Timestamp)>, since: Option<Timestamp>, count: usize) -> Vec<(u64, Timestamp)> {
    // A pull request that changes meanwhile moves up, and shifts others onto the next page.
    let mut seen = BTreeSet::new();
    all.retain(|(pr, at)| since.is_none_or(|since| *at >= since) && seen.insert(*pr));
    all.sort_by_key(|(pr, at)| Reverse((*at, *pr)));
    match since {
        Some(_) => drop(all.drain(..all.len().saturating_sub(count))),
        None => all.truncate(count),
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_below_the_api_or_none() {
        let check = |link: &str, expect: Option<&str>| {
            let value = HeaderValue::from_str(link).unwrap();
            assert_eq!(next_page("https://api.github.com", Some(&value)).as_deref(), expect, "{link}");
        };
        check(
            "<https://api.github.com/repositories/7/pulls?page=1>; rel=\"prev\", <https://api.github.com/repositories/7/pulls?page=3>; rel=\"next\"",
            Some("repositories/7/pulls?page=3"),
        );
        check("<https://api.github.com/repositories/7/pulls?page=3>; rel=\"last\"", None);
        check("<https://evil.example.org/repositories/7/pulls?page=3>; rel=\"next\"", None);
        check("nonsense", None);
    }
}
