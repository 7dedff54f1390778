//! The requests for pull requests and reviews to a forge's API, and the parsing of responses. Pure:
//! this module sends and stores nothing. Paths are below the API's address. A response that does
//! not follow the API is parsed as `None`.

use loci_model::Timestamp;
use loci_model::tasks::forge_notifications::{ForgeComment, ForgeReview};
use loci_model::tasks::pull_request::{CheckSuite, PullRequest, PullRequestCommit};
use loci_model::tasks::review::RepositoryRole;

/// A page of review threads (the id of the first comment, and true if the thread is resolved), and
/// the cursor of the next page.
pub(crate) type ThreadPage = (Vec<(u64, bool)>, Option<String>);

/// The part of a forge's API for reviews. The argument `at` of its methods is a path returned by
/// `Dialect::locate`.
pub(crate) trait ReviewDialect: Send + Sync {
    fn pull_request(&self, at: &str, number: u64) -> String;
    fn read_pull_request(&self, body: &[u8], commits: Vec<PullRequestCommit>) -> Option<PullRequest>;

    fn commits(&self, at: &str, number: u64) -> String;
    fn read_commits(&self, body: &[u8]) -> Option<Vec<PullRequestCommit>>;

    fn reviews(&self, at: &str, pr: u64) -> String;
    fn read_reviews(&self, body: &[u8]) -> Option<Vec<ForgeReview>>;

    fn review(&self, at: &str, pr: u64, id: u64) -> String;
    /// Parses a review. The inner `None` means that the review is not submitted yet.
    fn read_review(&self, body: &[u8]) -> Option<Option<ForgeReview>>;

    fn comments(&self, at: &str, pr: u64) -> String;
    fn read_comments(&self, body: &[u8]) -> Option<Vec<ForgeComment>>;

    /// Returns the URL and body of the query for threads. `after` is the cursor from the previous
    /// page.
    fn threads(&self, api: &str, path: &str, pr: u64, after: Option<&str>) -> (String, Vec<u8>);
    /// Parses the first comments with the resolution of their threads, and the cursor of the next
    /// page.
    fn read_threads(&self, body: &[u8]) -> Option<ThreadPage>;

    /// Returns the path of a user's role; `None` if the text is not a login.
    fn role(&self, at: &str, login: &str) -> Option<String>;
    fn read_role(&self, body: &[u8]) -> Option<RepositoryRole>;

    /// Returns the path of the pull requests, the most recently changed first.
    fn changed(&self, at: &str) -> String;
    fn read_changed(&self, body: &[u8]) -> Option<Vec<(u64, Timestamp)>>;

    /// Returns the path of the commits of the default branch, the newest first.
    fn landed(&self, at: &str, since: Timestamp) -> String;
    fn read_landed(&self, body: &[u8]) -> Option<Vec<(PullRequestCommit, Timestamp)>>;

    fn checks(&self, at: &str, sha: &str) -> Option<String>;
    fn read_checks(&self, body: &[u8]) -> Option<Vec<CheckSuite>>;
}
