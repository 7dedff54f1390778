//! Pull requests and reviews in GitHub's REST API: paths, and parsing of responses. Every list
//! requests the maximum page size.

use loci_model::Timestamp;
use loci_model::tasks::forge_notifications::{ForgeComment, ForgeReview};
use loci_model::tasks::pull_request::{CheckSuite, PullRequest, PullRequestCommit};
use loci_model::tasks::review::RepositoryRole;
use serde::Deserialize;
use serde_json::Value;

use crate::github_shapes::{Commented, Pull, Reviewed, Suite, User, time, user};
use crate::review_dialect::{ReviewDialect, ThreadPage};
use crate::url_part::part;

/// The part of GitHub's API that concerns reviews.
pub(crate) struct GitHubReviews;

#[derive(Deserialize)]
struct Committed {
    sha: String,
    commit: CommittedText,
    #[serde(default, deserialize_with = "user")]
    author: Option<User>,
}

#[derive(Deserialize)]
struct CommittedText {
    #[serde(default)]
    message: String,
    committer: Option<CommittedBy>,
}

#[derive(Deserialize)]
struct CommittedBy {
    date: Option<String>,
}

impl Committed {
    fn told(self) -> PullRequestCommit {
        PullRequestCommit {
            sha: self.sha,
            author: self.author.map(|author| User::told(Some(author))),
            message: self.commit.message,
        }
    }
}

#[derive(Deserialize)]
struct Permission {
    #[serde(default)]
    permission: String,
    #[serde(default)]
    role_name: String,
}

#[derive(Deserialize)]
struct Suites {
    check_suites: Vec<Suite>,
}

/// The query for the resolution of threads, which only GraphQL provides. The first comment
/// identifies a thread.
const THREADS: &str = "query($owner:String!,$name:String!,$pr:Int!,$after:String){repository(owner:$owner,name:$name){\
    pullRequest(number:$pr){reviewThreads(first:100,after:$after){pageInfo{hasNextPage endCursor} \
    nodes{isResolved comments(first:1){nodes{databaseId}}}}}}}";
/// The path of the REST API on an enterprise server; `GRAPH` is that of GraphQL.
const REST: &str = "/api/v3";
const GRAPH: &str = "/api/graphql";

#[derive(Deserialize)]
struct Threads {
    nodes: Vec<Thread>,
    #[serde(rename = "pageInfo")]
    page: PageInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thread {
    is_resolved: bool,
    comments: ThreadComments,
}

#[derive(Deserialize)]
struct ThreadComments {
    nodes: Vec<ThreadComment>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThreadComment {
    database_id: Option<u64>,
}

impl ReviewDialect for GitHubReviews {
    fn pull_request(&self, at: &str, number: u64) -> String {
        format!("{at}/pulls/{number}")
    }

    fn read_pull_request(&self, body: &[u8], commits: Vec<PullRequestCommit>) -> Option<PullRequest> {
        loci_json::from_slice::<Pull>(body).ok()?.told(commits)
    }

    fn commits(&self, at: &str, number: u64) -> String {
        format!("{at}/pulls/{number}/commits?per_page=100")
    }

    fn read_commits(&self, body: &[u8]) -> Option<Vec<PullRequestCommit>> {
        let read: Vec<Committed> = loci_json::from_slice(body).ok()?;
        Some(read.into_iter().map(Committed::told).collect())
    }

    fn reviews(&self, at: &str, pr: u64) -> String {
        format!("{at}/pulls/{pr}/reviews?per_page=100")
    }

    fn read_reviews(&self, body: &[u8]) -> Option<Vec<ForgeReview>> {
        let read: Vec<Reviewed> = loci_json::from_slice(body).ok()?;
        Some(read.into_iter().filter_map(Reviewed::told).collect())
    }

    fn review(&self, at: &str, pr: u64, id: u64) -> String {
        format!("{at}/pulls/{pr}/reviews/{id}")
    }

    fn read_review(&self, body: &[u8]) -> Option<Option<ForgeReview>> {
        Some(loci_json::from_slice::<Reviewed>(body).ok()?.told())
    }

    fn comments(&self, at: &str, pr: u64) -> String {
        format!("{at}/pulls/{pr}/comments?per_page=100")
    }

    fn read_comments(&self, body: &[u8]) -> Option<Vec<ForgeComment>> {
        let read: Vec<Commented> = loci_json::from_slice(body).ok()?;
        read.into_iter().map(Commented::told).collect()
    }

    fn threads(&self, api: &str, path: &str, pr: u64, after: Option<&str>) -> (String, Vec<u8>) {
        let url = match api.strip_suffix(REST) {
            Some(host) => format!("{host}{GRAPH}"),
            None => format!("{api}/graphql"),
        };
        let (owner, name) = path.split_once('/').unwrap_or_default();
        let variables = serde_json::json!({"owner": owner, "name": name, "pr": pr, "after": after});
        let question = serde_json::json!({"query": THREADS, "variables": variables});
        (url, question.to_string().into_bytes())
    }

    fn read_threads(&self, body: &[u8]) -> Option<ThreadPage> {
        let mut read: Value = loci_json::from_slice(body).ok()?;
        let threads = read.pointer_mut("/data/repository/pullRequest/reviewThreads")?.take();
        let Threads { nodes, page } = loci_json::from_value(&threads).ok()?;
        let first = |thread: Thread| {
            let first = thread.comments.nodes.first()?.database_id?;
            Some((first, thread.is_resolved))
        };
        let next = page.end_cursor.filter(|_| page.has_next_page);
        Some((nodes.into_iter().filter_map(first).collect(), next))
    }

    fn role(&self, at: &str, login: &str) -> Option<String> {
        Some(format!("{at}/collaborators/{}/permission", part(login)?))
    }

    /// Parses a role. `role_name` distinguishes maintain and triage, which `permission` reports as
    /// write and read. For a custom role it contains the custom name, and `permission` its base.
    fn read_role(&self, body: &[u8]) -> Option<RepositoryRole> {
        let read: Permission = loci_json::from_slice(body).ok()?;
        RepositoryRole::parse(&read.role_name).or_else(|| RepositoryRole::parse(&read.permission))
    }

    fn changed(&self, at: &str) -> String {
        format!("{at}/pulls?state=all&sort=updated&direction=desc&per_page=100")
    }

    fn read_changed(&self, body: &[u8]) -> Option<Vec<(u64, Timestamp)>> {
        let read: Vec<Pull> = loci_json::from_slice(body).ok()?;
        read.into_iter().map(|pr| Some((pr.number, time(pr.updated_at.as_deref())?))).collect()
    }

    fn landed(&self, at: &str, since: Timestamp) -> String {
        let since = since.civil().strftime("%Y-%m-%dT%H:%M:%SZ");
        format!("{at}/commits?since={since}&per_page=100")
    }

    fn read_landed(&self, body: &[u8]) -> Option<Vec<(PullRequestCommit, Timestamp)>> {
        let read: Vec<Committed> = loci_json::from_slice(body).ok()?;
        let told = |one: Committed| {
            let at = time(one.commit.committer.as_ref()?.date.as_deref())?;
            Some((one.told(), at))
        };
        read.into_iter().map(told).collect()
    }

    fn checks(&self, at: &str, sha: &str) -> Option<String> {
        Some(format!("{at}/commits/{}/check-suites?per_page=100", part(sha)?))
    }

    fn read_checks(&self, body: &[u8]) -> Option<Vec<CheckSuite>> {
        let read: Suites = loci_json::from_slice(body).ok()?;
        Some(read.check_suites.into_iter().filter_map(Suite::told).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_threads_are_asked_for() {
        let url = |api: &str| GitHubReviews.threads(api, "o/r", 7, None).0;
        assert_eq!(url("https://api.github.com"), "https://api.github.com/graphql");
        assert_eq!(url("https://git.example.org/api/v3"), "https://git.example.org/api/graphql");
        assert_eq!(GitHubReviews.read_threads(br#"{"errors":[{"type":"NOT_FOUND"}],"data":null}"#), None);
    }

    #[test]
    fn roles() {
        let check = |permission: &str, role_name: &str, expect: Option<RepositoryRole>| {
            let body = format!(r#"{{"permission":"{permission}","role_name":"{role_name}","user":{{}}}}"#);
            assert_eq!(GitHubReviews.read_role(body.as_bytes()), expect, "{permission} {role_name}");
        };
        check("admin", "admin", Some(RepositoryRole::Admin));
        check("write", "maintain", Some(RepositoryRole::Maintain));
        check("read", "triage", Some(RepositoryRole::Triage));
        check("write", "release-captain", Some(RepositoryRole::Write));
        check("none", "none", Some(RepositoryRole::None));
        check("sudo", "sudo", None);
    }
}
