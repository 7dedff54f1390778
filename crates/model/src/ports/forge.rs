//! Forges: pull requests and their reviews, roles of people, and bodies of hooks. Reads only.
//! [`CodeSources`](super::code::CodeSources) reads the code of repositories at forges.

use crate::ports::BoxFuture;
use crate::ports::code::CodeResult;
use crate::tasks::forge_notifications::{ForgeComment, ForgeNotice, ForgeReview};
use crate::tasks::pull_request::{CheckSuite, PullRequest, PullRequestCommit};
use crate::tasks::review::RepositoryRole;
use crate::{Result, Timestamp};

/// A repository at a forge.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ForgePlace {
    /// The host of the forge, such as `github.com`.
    pub host: String,
    /// The path of the repository at the forge, `owner/name`.
    pub path: String,
}

/// The rate limit of a forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForgeRoom {
    /// Number of requests in a period.
    pub limit: u64,
    /// Number of remaining requests.
    pub left: u64,
    /// The time at which the full number of requests is available again.
    pub whole_at: Timestamp,
}

/// Reads pull requests and reviews. Lists are complete, because every page is read. An error is no
/// evidence that something does not exist.
pub trait Forge: Send + Sync {
    /// True if the configuration allows requests to this forge.
    fn reads(&self, host: &str) -> bool;
    /// Returns the current state of a pull request, with its commits.
    fn pull_request<'a>(
        &'a self,
        place: &'a ForgePlace,
        number: u64,
    ) -> BoxFuture<'a, CodeResult<Option<PullRequest>>>;
    /// Returns submitted reviews, ordered by id.
    fn reviews<'a>(&'a self, place: &'a ForgePlace, pr: u64) -> BoxFuture<'a, CodeResult<Vec<ForgeReview>>>;
    /// Returns one review; `None` if it does not exist (any more).
    fn review<'a>(
        &'a self,
        place: &'a ForgePlace,
        pr: u64,
        id: u64,
    ) -> BoxFuture<'a, CodeResult<Option<ForgeReview>>>;
    /// Returns comments on lines of a pull request, ordered by id.
    fn comments<'a>(&'a self, place: &'a ForgePlace, pr: u64)
    -> BoxFuture<'a, CodeResult<Vec<ForgeComment>>>;
    /// Returns the threads of a pull request: the id of the first comment of each, and true if it
    /// is resolved.
    fn threads<'a>(&'a self, place: &'a ForgePlace, pr: u64) -> BoxFuture<'a, CodeResult<Vec<(u64, bool)>>>;
    /// Returns the role of an account there; `RepositoryRole::None` for an account without a role.
    fn role<'a>(&'a self, place: &'a ForgePlace, login: &'a str)
    -> BoxFuture<'a, CodeResult<RepositoryRole>>;
    /// Returns at most `count` pull requests with the times of their last change, the latest first.
    /// With `since`, the list starts there and holds the oldest ones if there are more than
    /// `count`, so that a caller who continues after them misses none. Without `since`, it holds
    /// the latest ones.
    fn changed<'a>(
        &'a self,
        place: &'a ForgePlace,
        since: Option<Timestamp>,
        count: usize,
    ) -> BoxFuture<'a, CodeResult<Vec<(u64, Timestamp)>>>;
    /// Returns commits of the default branch by commit time, the latest first: at most `count`, and
    /// none from before `since`.
    fn landed<'a>(
        &'a self,
        place: &'a ForgePlace,
        since: Timestamp,
        count: usize,
    ) -> BoxFuture<'a, CodeResult<Vec<(PullRequestCommit, Timestamp)>>>;
    /// Returns finished check suites of a commit.
    fn checks<'a>(
        &'a self,
        place: &'a ForgePlace,
        sha: &'a str,
    ) -> BoxFuture<'a, CodeResult<Vec<CheckSuite>>>;
    /// Returns the rate limit, as far as the last response states it.
    fn room(&self, host: &str) -> Option<ForgeRoom>;
}

/// Reads bodies of hooks.
pub trait NoticeReader: Send + Sync {
    /// Parses the news of a body, by the event's name. An event without effect has no news, and
    /// `None` is one of no repository.
    ///
    /// # Errors
    /// `Invalid` if the body does not have the form of that event.
    fn read(&self, event: &str, body: &[u8]) -> Result<Option<ForgeNotice>>;
}
