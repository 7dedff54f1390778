//! The repository as its forge knows it: people, pull requests, reviews, comments, and a clock that
//! advances with each change. `shapes` has its JSON, and `story` its events.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// A user with an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) id: u64,
    pub(super) login: &'static str,
    /// The role in the repository.
    pub(super) role: &'static str,
}

const fn person(id: u64, login: &'static str, role: &'static str) -> Person {
    Person { id, login, role }
}

/// The reviewers.
pub(super) const PEOPLE: &[Person] = &[
    person(5, "alice", "maintain"),
    person(6, "bob", "write"),
    person(7, "carol", "write"),
    person(8, "dave", "read"),
    person(11, "erin", "triage"),
    person(12, "frank", "admin"),
    LINTER,
];
/// A program that reviews. Its reviews support no rule.
pub(super) const LINTER: Person = person(13, "linter[bot]", "write");
/// The author of pull requests.
pub(super) const AGENT: Person = person(9, "shop-agent[bot]", "write");

impl Person {
    pub(super) fn is_bot(self) -> bool {
        self.login.ends_with("[bot]")
    }
}

/// The stage of a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The task exists, but the pull request does not.
    Planned,
    Open,
    /// Closed without a merge.
    Closed,
    Merged,
    /// Merged and then reverted.
    Reverted,
    /// Reverted and then merged again.
    Relanded,
}

/// A commit of a pull request.
#[derive(Debug, Clone)]
pub(super) struct Commit {
    pub(super) sha: String,
    pub(super) author: Person,
}

/// A pull request.
#[derive(Debug, Clone)]
pub(super) struct Pull {
    pub(super) number: u64,
    pub(super) stage: Stage,
    pub(super) is_draft: bool,
    pub(super) label: Option<&'static str>,
    /// Its commits. The last is its head.
    pub(super) commits: Vec<Commit>,
    /// Heads that were pushed, oldest first.
    pub(super) heads: Vec<String>,
    pub(super) merge_sha: Option<String>,
    pub(super) revert_sha: Option<String>,
    pub(super) created_s: i64,
    pub(super) updated_s: i64,
    pub(super) closed_s: Option<i64>,
    /// The round of its last step. It makes no further step in that round.
    pub(super) moved_in: Option<u32>,
    /// The round of its last review.
    pub(super) reviewed_in: Option<u32>,
}

impl Pull {
    /// Returns the id of its task.
    pub(super) fn task(&self) -> String {
        format!("t-{:05}", self.number)
    }

    /// Returns the number of its issue. Two consecutive pull requests share one issue.
    pub(super) fn issue(&self) -> u64 {
        self.number / 2
    }

    pub(super) fn head(&self) -> &str {
        self.heads.last().map_or("", String::as_str)
    }
}

/// A review.
#[derive(Debug, Clone)]
pub(super) struct Review {
    pub(super) id: u64,
    pub(super) pr: u64,
    pub(super) reviewer: Person,
    /// The state in lower case.
    pub(super) state: &'static str,
    pub(super) body: String,
    pub(super) commit: String,
    pub(super) submitted_s: i64,
}

/// A comment on a line.
#[derive(Debug, Clone)]
pub(super) struct Comment {
    pub(super) id: u64,
    pub(super) pr: u64,
    pub(super) review: u64,
    pub(super) author: Person,
    pub(super) answers: Option<u64>,
    pub(super) body: String,
    pub(super) path: &'static str,
    pub(super) is_resolved: bool,
    pub(super) created_s: i64,
    pub(super) updated_s: i64,
}

/// The whole repository.
#[derive(Debug)]
pub(super) struct World {
    pub(super) pulls: BTreeMap<u64, Pull>,
    pub(super) reviews: BTreeMap<u64, Review>,
    pub(super) comments: BTreeMap<u64, Comment>,
    now_s: i64,
    next: u64,
}

impl World {
    /// Creates an empty repository at a time.
    pub(super) fn new(now_s: i64) -> Self {
        let (pulls, reviews, comments) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { pulls, reviews, comments, now_s, next: 100 }
    }

    /// Advances the clock by a second, so that no two changes have the same time.
    pub(super) fn tick(&mut self) -> i64 {
        self.now_s += 1;
        self.now_s
    }

    /// Returns an unused number.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Returns an unused commit id.
    pub(super) fn sha(&mut self) -> String {
        let digest = hex::encode(Sha256::digest(format!("commit {}", self.number())));
        digest.chars().take(40).collect()
    }

    /// Returns the comments of a review, by number.
    pub(super) fn comments_of(&self, review: u64) -> impl Iterator<Item = &Comment> {
        self.comments.values().filter(move |comment| comment.review == review)
    }

    /// Returns true for a review that a forge creates for a reply in a thread. It does not count as
    /// a review of its own.
    pub(super) fn is_answer(&self, review: &Review) -> bool {
        let mut own = self.comments_of(review.id).peekable();
        review.body.is_empty() && own.peek().is_some() && own.all(|comment| comment.answers.is_some())
    }

    /// Returns the comments of a review and the replies to them, as the server stores them.
    pub(super) fn thread_of(&self, review: u64) -> Vec<&Comment> {
        let is_own = |id: u64| self.comments.get(&id).is_some_and(|comment| comment.review == review);
        let belongs = |comment: &&Comment| comment.review == review || comment.answers.is_some_and(is_own);
        self.comments.values().filter(belongs).collect()
    }
}
