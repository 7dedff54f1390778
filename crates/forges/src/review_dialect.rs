//! What a forge's API is asked about pull requests and reviews, and how its answers are read. Pure: nothing here sends or remembers.
//! Paths are below the API's address; what cannot be read as the API's answer is `None`.

use loci_model::Timestamp;
use loci_model::tasks::forge_news::{ToldComment, ToldReview};
use loci_model::tasks::pull_request::{CheckSuite, PullRequest, PullRequestCommit};
use loci_model::tasks::review::RepositoryRole;

/// A page of threads, and where the next one starts.
pub(crate) type ThreadPage = (Vec<(u64, bool)>, Option<String>);

/// The part of a forge's API that is about reviews. `at` is a path as `Dialect::locate` gives it.
pub(crate) trait ReviewDialect: Send + Sync {
    fn pull_request(&self, at: &str, number: u64) -> String;
    fn read_pull_request(&self, body: &[u8], commits: Vec<PullRequestCommit>) -> Option<PullRequest>;

    fn commits(&self, at: &str, number: u64) -> String;
    fn read_commits(&self, body: &[u8]) -> Option<Vec<PullRequestCommit>>;

    fn reviews(&self, at: &str, pr: u64) -> String;
    fn read_reviews(&self, body: &[u8]) -> Option<Vec<ToldReview>>;

    fn review(&self, at: &str, pr: u64, id: u64) -> String;
    /// Within: none for one that was not handed in.
    fn read_review(&self, body: &[u8]) -> Option<Option<ToldReview>>;

    fn comments(&self, at: &str, pr: u64) -> String;
    fn read_comments(&self, body: &[u8]) -> Option<Vec<ToldComment>>;

    /// Where questions about threads go, and the question; behind `after`, where a page before told that.
    fn threads(&self, api: &str, path: &str, pr: u64, after: Option<&str>) -> (String, Vec<u8>);
    /// First comments with whether their threads are resolved, and where the next page starts.
    fn read_threads(&self, body: &[u8]) -> Option<ThreadPage>;

    /// `None` for what is no login.
    fn role(&self, at: &str, login: &str) -> Option<String>;
    fn read_role(&self, body: &[u8]) -> Option<RepositoryRole>;

    /// Pull requests, the latest changed first.
    fn changed(&self, at: &str) -> String;
    fn read_changed(&self, body: &[u8]) -> Option<Vec<(u64, Timestamp)>>;

    /// Commits of the default branch, the latest first.
    fn landed(&self, at: &str, since: Timestamp) -> String;
    fn read_landed(&self, body: &[u8]) -> Option<Vec<(PullRequestCommit, Timestamp)>>;

    fn checks(&self, at: &str, sha: &str) -> Option<String>;
    fn read_checks(&self, body: &[u8]) -> Option<Vec<CheckSuite>>;
}
