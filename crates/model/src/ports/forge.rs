//! Forges: pull requests and their reviews, what people may do, and what a hook's body says. Reads only. Code of repositories at
//! forges is [`CodeSources`](super::code::CodeSources)' matter.

use crate::ports::BoxFuture;
use crate::ports::code::CodeResult;
use crate::tasks::forge_news::{ForgeNotice, ToldComment, ToldReview};
use crate::tasks::pull_request::{CheckSuite, PullRequest, PullRequestCommit};
use crate::tasks::review::RepositoryRole;
use crate::{Result, Timestamp};

/// A repository at a forge.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ForgePlace {
    /// The forge's host.
    pub host: String,
    /// `owner/name`.
    pub path: String,
}

/// How much of a forge's limit is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForgeRoom {
    /// Requests in a span.
    pub limit: u64,
    /// What is left of them.
    pub left: u64,
    /// When they are whole again.
    pub whole_at: Timestamp,
}

/// Reads pull requests and reviews. Lists are whole: every page is read. An error is no evidence that something is not there.
pub trait Forge: Send + Sync {
    /// This forge may be asked.
    fn reads(&self, host: &str) -> bool;
    /// A pull request as it stands, with its commits.
    fn pull_request<'a>(
        &'a self,
        place: &'a ForgePlace,
        number: u64,
    ) -> BoxFuture<'a, CodeResult<Option<PullRequest>>>;
    /// Reviews that were handed in, in the order of their numbers.
    fn reviews<'a>(&'a self, place: &'a ForgePlace, pr: u64) -> BoxFuture<'a, CodeResult<Vec<ToldReview>>>;
    /// One of them; `None` where it is not there (any more).
    fn review<'a>(
        &'a self,
        place: &'a ForgePlace,
        pr: u64,
        id: u64,
    ) -> BoxFuture<'a, CodeResult<Option<ToldReview>>>;
    /// Comments on lines of a pull request, in the order of their numbers.
    fn comments<'a>(&'a self, place: &'a ForgePlace, pr: u64) -> BoxFuture<'a, CodeResult<Vec<ToldComment>>>;
    /// Threads of a pull request: the number of the first comment of each, and whether it is resolved.
    fn threads<'a>(&'a self, place: &'a ForgePlace, pr: u64) -> BoxFuture<'a, CodeResult<Vec<(u64, bool)>>>;
    /// What an account may do there; `RepositoryRole::None` for whoever may do nothing.
    fn role<'a>(&'a self, place: &'a ForgePlace, login: &'a str)
    -> BoxFuture<'a, CodeResult<RepositoryRole>>;
    /// Pull requests by when they were last changed, the latest first: numbers and times, `count` at most. Those from `since` on, of
    /// more than `count` the oldest, so that whoever goes on behind them misses none; without `since` the latest.
    fn changed<'a>(
        &'a self,
        place: &'a ForgePlace,
        since: Option<Timestamp>,
        count: usize,
    ) -> BoxFuture<'a, CodeResult<Vec<(u64, Timestamp)>>>;
    /// Commits of the default branch by when they were made, the latest first: `count` at most, and none from before `since`.
    fn landed<'a>(
        &'a self,
        place: &'a ForgePlace,
        since: Timestamp,
        count: usize,
    ) -> BoxFuture<'a, CodeResult<Vec<(PullRequestCommit, Timestamp)>>>;
    /// Suites of checks of a commit that ended.
    fn checks<'a>(
        &'a self,
        place: &'a ForgePlace,
        sha: &'a str,
    ) -> BoxFuture<'a, CodeResult<Vec<CheckSuite>>>;
    /// What is left of the limit, as far as the last answer told.
    fn room(&self, host: &str) -> Option<ForgeRoom>;
}

/// Reads bodies of hooks.
pub trait NoticeReader: Send + Sync {
    /// The news of a body, by the event's name; an event of no use has no news, and `None` is one of no
    /// repository.
    ///
    /// # Errors
    /// `Invalid` where it is not what that event's bodies are.
    fn read(&self, event: &str, body: &[u8]) -> Result<Option<ForgeNotice>>;
}
