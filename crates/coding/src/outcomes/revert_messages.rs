//! Parses the reverts in a message, in the wording of git and of forges: `This reverts commit
//! <sha>` and `Reverts owner/repo#N`. Pure.

use loci_model::facts::code::ObjectId;
use loci_model::tasks::outcome::OwnRevert;
use loci_model::tasks::pull_request::PullRequestCommit;

const COMMIT: &str = "This reverts commit ";
const PULL_REQUEST: &str = "Reverts ";
const MERGE: &str = "Merge pull request #";

/// Returns the names of all subjects that a message reverts: commits, and `#` with a number.
pub(super) fn names(message: &str, is_it: impl Fn(&str) -> bool) -> Vec<String> {
    let commits = commits(message).into_iter().map(|sha| sha.to_string());
    commits.chain(pull_requests(message, is_it).into_iter().map(named)).collect()
}

/// Returns the name of a pull request.
pub(super) fn named(number: u64) -> String {
    format!("#{number}")
}

/// Returns the number of a pull request's name.
pub(super) fn number(name: &str) -> Option<u64> {
    name.strip_prefix('#')?.parse().ok()
}

/// Returns the pull request that a commit merges, in the wording of its forge. All commits of the
/// same push belong to it.
pub(super) fn merged(message: &str) -> Option<u64> {
    let (number, rest) = message.strip_prefix(MERGE)?.split_once(' ')?;
    rest.starts_with("from ").then(|| number.parse().ok()).flatten()
}

/// Returns the commits that revert something, each with its subject.
pub(super) fn within(commits: &[PullRequestCommit], is_it: impl Fn(&str) -> bool) -> Vec<OwnRevert> {
    let of = |commit: &PullRequestCommit| {
        let by = commit.sha.to_ascii_lowercase();
        names(&commit.message, &is_it).into_iter().map(move |of| OwnRevert { by: by.clone(), of })
    };
    let mut found: Vec<OwnRevert> = commits.iter().flat_map(of).collect();
    found.sort();
    found.dedup();
    found
}

/// Returns the commits that a message reverts.
fn commits(message: &str) -> Vec<ObjectId> {
    let behind = message.split(COMMIT).skip(1);
    let id = |text: &str| {
        let digits: String = text.chars().take_while(char::is_ascii_hexdigit).collect();
        ObjectId::parse(&digits.to_ascii_lowercase())
    };
    behind.filter_map(id).collect()
}

/// Returns the pull requests that a message reverts, in a repository with one of these names
/// `owner/repo`.
pub(super) fn pull_requests(message: &str, is_it: impl Fn(&str) -> bool) -> Vec<u64> {
    message.lines().filter_map(|line| pull_request(line.trim(), &is_it)).collect()
}

fn pull_request(line: &str, is_it: impl Fn(&str) -> bool) -> Option<u64> {
    let (repository, number) = line.strip_prefix(PULL_REQUEST)?.split_once('#')?;
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    let rest = number.get(digits.len()..)?;
    let is_alone = rest.is_empty() || rest.starts_with(['.', ',', ' ']);
    (is_alone && is_it(repository)).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a68_what_a_message_takes_back() {
        let sha = "0123456789abcdef0123456789abcdef01234567";
        let check = |message: &str, shas: usize, prs: &[u64]| {
            assert_eq!(commits(message).len(), shas, "{message}");
            let is_it = |name: &str| name.eq_ignore_ascii_case("acme/shop");
            assert_eq!(pull_requests(message, is_it), prs, "{message}");
        };
        check(&format!("Revert \"Add pagination\"\n\nThis reverts commit {sha}."), 1, &[]);
        check(&format!("This reverts commit {sha}, reversing\nchanges made to 0123."), 1, &[]);
        check(&format!("This reverts commit {}", sha.to_uppercase()), 1, &[]);
        check("This reverts commit 0123456.", 0, &[]);
        check("Reverts acme/shop#57", 0, &[57]);
        check("Revert \"x\" (#58)\n\nReverts ACME/Shop#57\n", 0, &[57]);
        check("Reverts acme/shop#57.", 0, &[57]);
        check("Reverts acme/shop-web#57", 0, &[]);
        check("Reverts #57", 0, &[]);
        check("It Reverts acme/shop#57", 0, &[]);
        check("Reverts acme/shop#57abc", 0, &[]);
        check("Reverts acme/shop#", 0, &[]);
    }

    #[test]
    fn which_pull_request_a_commit_merges() {
        for (message, expect) in [
            ("Merge pull request #60 from acme/revert-57\n\nRevert", Some(60)),
            ("Merge pull request #60", None),
            ("Merge pull request #x from acme/revert-57", None),
            ("Revert \"Merge pull request #60 from acme/x\"", None),
            ("Add pages (#60)", None),
        ] {
            assert_eq!(merged(message), expect, "{message}");
        }
    }

    #[test]
    fn what_commits_take_back() {
        let sha = "0123456789abcdef0123456789abcdef01234567";
        let commit =
            |by: &str, message: String| PullRequestCommit { sha: by.to_owned(), author: None, message };
        let commits = [
            commit("B", format!("This reverts commit {sha}.\n\nThis reverts commit {sha}.")),
            commit("C", "Reverts acme/shop#57".to_owned()),
            commit("D", "Add pages".to_owned()),
        ];
        let found = within(&commits, |name| name == "acme/shop");
        let found: Vec<(&str, &str)> = found.iter().map(|one| (one.by.as_str(), one.of.as_str())).collect();
        assert_eq!(found, [("b", sha), ("c", "#57")]);
        assert_eq!((number("#57"), number(sha)), (Some(57), None));
    }
}
