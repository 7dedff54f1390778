//! The repository as its forge knows it: people, pull requests, reviews, comments, and a clock that goes on with each change. What it is
//! told in is `shapes`, what happens in it `story`.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// Somebody with an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Person {
    pub(super) id: u64,
    pub(super) login: &'static str,
    /// What they may do in the repository.
    pub(super) role: &'static str,
}

const fn person(id: u64, login: &'static str, role: &'static str) -> Person {
    Person { id, login, role }
}

/// Who reviews.
pub(super) const PEOPLE: &[Person] = &[
    person(5, "alice", "maintain"),
    person(6, "bob", "write"),
    person(7, "carol", "write"),
    person(8, "dave", "read"),
    person(11, "erin", "triage"),
    person(12, "frank", "admin"),
    LINTER,
];
/// A program that reviews, from which nothing is learned.
pub(super) const LINTER: Person = person(13, "linter[bot]", "write");
/// Who opens pull requests.
pub(super) const AGENT: Person = person(9, "shop-agent[bot]", "write");

impl Person {
    pub(super) fn is_bot(self) -> bool {
        self.login.ends_with("[bot]")
    }
}

/// How far a pull request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its task is known, and it is not there yet.
    Planned,
    Open,
    /// Closed without a merge.
    Closed,
    Merged,
    /// What it brought was taken back.
    Reverted,
    /// And brought back.
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
    /// The last is its head.
    pub(super) commits: Vec<Commit>,
    /// Heads that were pushed, oldest first.
    pub(super) heads: Vec<String>,
    pub(super) merge_sha: Option<String>,
    pub(super) revert_sha: Option<String>,
    pub(super) created_s: i64,
    pub(super) updated_s: i64,
    pub(super) closed_s: Option<i64>,
    /// The round in which it was last moved on: nothing follows in the same.
    pub(super) moved_in: Option<u32>,
    /// The round in which it was last reviewed.
    pub(super) reviewed_in: Option<u32>,
}

impl Pull {
    /// Its task.
    pub(super) fn task(&self) -> String {
        format!("t-{:05}", self.number)
    }

    /// Two after each other are for one issue.
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
    /// In small letters.
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

/// All of it.
#[derive(Debug)]
pub(super) struct World {
    pub(super) pulls: BTreeMap<u64, Pull>,
    pub(super) reviews: BTreeMap<u64, Review>,
    pub(super) comments: BTreeMap<u64, Comment>,
    now_s: i64,
    next: u64,
}

impl World {
    /// Empty, at a time.
    pub(super) fn new(now_s: i64) -> Self {
        let (pulls, reviews, comments) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { pulls, reviews, comments, now_s, next: 100 }
    }

    /// A second later: no two changes have one time.
    pub(super) fn tick(&mut self) -> i64 {
        self.now_s += 1;
        self.now_s
    }

    /// A number that nothing has yet.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// A commit that is not there yet.
    pub(super) fn sha(&mut self) -> String {
        let digest = hex::encode(Sha256::digest(format!("commit {}", self.number())));
        digest.chars().take(40).collect()
    }

    /// Comments of a review, by number.
    pub(super) fn comments_of(&self, review: u64) -> impl Iterator<Item = &Comment> {
        self.comments.values().filter(move |comment| comment.review == review)
    }

    /// True for the review that a forge makes of an answer in a thread: it is none of its own.
    pub(super) fn is_answer(&self, review: &Review) -> bool {
        let mut own = self.comments_of(review.id).peekable();
        review.body.is_empty() && own.peek().is_some() && own.all(|comment| comment.answers.is_some())
    }

    /// What a review says, and who answers: as it is kept.
    pub(super) fn thread_of(&self, review: u64) -> Vec<&Comment> {
        let is_own = |id: u64| self.comments.get(&id).is_some_and(|comment| comment.review == review);
        let belongs = |comment: &&Comment| comment.review == review || comment.answers.is_some_and(is_own);
        self.comments.values().filter(belongs).collect()
    }
}
