//! Stored reviews of pull requests, with their authors and lines. This module holds the data types.
//! The engine decides which reviews count, and derives the rules.

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::words::closed_words;
use crate::{ActorId, MemoryId, RepositoryId, TaskId, Timestamp};

closed_words! {
    /// The decision of a reviewer.
    ReviewState {
        /// The reviewer commented.
        Commented = "commented",
        /// The reviewer requests changes.
        ChangesRequested = "changes_requested",
        /// The reviewer approves.
        Approved = "approved",
        /// The review was dismissed.
        Dismissed = "dismissed",
    }
}

closed_words! {
    /// The role of a person in a repository, the lowest first. A custom role counts as its base
    /// permission.
    #[derive(Default)]
    RepositoryRole {
        /// The person has no known permission.
        #[default]
        None = "none",
        /// Permission to read.
        Read = "read",
        /// Permission to triage issues and pull requests.
        Triage = "triage",
        /// Permission to write.
        Write = "write",
        /// Permission to change settings, except destructive ones.
        Maintain = "maintain",
        /// All permissions.
        Admin = "admin",
    }
}

/// An account of a forge. `id` identifies a person, because logins change and others may take them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ForgeUser {
    /// The forge's number; 0 if it is unknown, and then only the login identifies the person.
    pub id: u64,
    /// The current login.
    pub login: String,
    /// True if the account belongs to a program.
    #[serde(default)]
    pub is_bot: bool,
}

/// The authority of a person in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Authority {
    /// The role of the person in the repository.
    pub role: RepositoryRole,
    /// True if the forge could not be reached: the role is an estimate from the payload, and counts
    /// half at most.
    #[serde(default)]
    pub is_provisional: bool,
    /// True if the person has merged pull requests of their own in this repository.
    #[serde(default)]
    pub has_merged: bool,
    /// True if the person owns a reviewed file, by the code owners' file of the base branch.
    #[serde(default)]
    pub is_code_owner: bool,
    /// The weight from the repository's settings in millionths, which overrides the weight of the
    /// role.
    #[serde(default)]
    pub overridden: Option<u32>,
}

/// A comment of a review, on lines or on the whole. Its replies follow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewComment {
    /// The forge's id of the comment.
    pub id: u64,
    /// The author of the comment.
    pub author: ForgeUser,
    /// The path of the file; `None` for a comment on the whole pull request.
    #[serde(default)]
    pub path: Option<String>,
    /// The number of the last line that the comment is about.
    #[serde(default)]
    pub line: Option<u32>,
    /// The surrounding lines as a diff.
    #[serde(default)]
    pub diff_hunk: Option<String>,
    /// The text, with secrets masked.
    pub body: String,
    /// The comment that it replies to.
    #[serde(default)]
    pub in_reply_to: Option<u64>,
    /// True if the comment's thread was resolved; none if that is unknown.
    #[serde(default)]
    pub is_resolved: Option<bool>,
    /// True if the lines changed after the comment; none if that is unknown.
    #[serde(default)]
    pub is_outdated: Option<bool>,
    /// The authority of its author, if it was requested: for authors of replies to a reviewer.
    #[serde(default)]
    pub authority: Option<Authority>,
    /// The URL of the comment.
    #[serde(default)]
    pub url: Option<String>,
    /// The time of the comment.
    pub created_at: Timestamp,
    /// The time at which the comment was last changed.
    pub updated_at: Timestamp,
}

/// A complete review of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The memory that the review belongs to.
    pub memory: MemoryId,
    /// The repository's actor, `owner/name`.
    pub actor: ActorId,
    /// The repository that the review belongs to.
    pub repository: RepositoryId,
    /// The number of the pull request that the review belongs to.
    pub pr: u64,
    /// The forge's id of the review.
    pub id: u64,
    /// The reviewer who wrote the review.
    pub reviewer: ForgeUser,
    /// The authority of the reviewer.
    pub authority: Authority,
    /// The author of the pull request.
    pub pr_author: ForgeUser,
    /// The decision of the review.
    pub state: ReviewState,
    /// The text of the review, with secrets masked; empty if there is none.
    pub body: String,
    /// Comments on lines, ordered by id, including replies of others.
    #[serde(default)]
    pub comments: Vec<ReviewComment>,
    /// The reviewed commit.
    #[serde(default)]
    pub commit: Option<String>,
    /// The URL of the review.
    #[serde(default)]
    pub url: Option<String>,
    /// The task of the pull request.
    #[serde(default)]
    pub task: Option<TaskId>,
    /// The reason why Loci learns nothing from it: a word (`bot`, `pr_author`, `agent`, `draft`,
    /// `unmapped`); none if it may learn something.
    #[serde(default)]
    pub left_out: Option<String>,
    /// True if a backfill imported the review: the rules from it are at most candidates.
    #[serde(default)]
    pub is_past: bool,
    /// The time at which the review was submitted.
    pub submitted_at: Timestamp,
    /// The time of the last change of the review or one of its comments.
    pub updated_at: Timestamp,
    /// The time at which the review was read from the forge.
    pub read_at: Timestamp,
}

impl Review {
    /// Returns the key of a review on its shelf.
    pub fn key_of(repository: &RepositoryId, pr: u64, id: u64) -> String {
        format!("{repository}/{pr}/{id}")
    }

    /// Returns the subject under which the reviews of a pull request are listed.
    pub fn subject_of(repository: &RepositoryId, pr: u64) -> String {
        format!("{repository}/{pr}")
    }
}

impl LedgerNoun for Review {
    const SHELF: Shelf = Shelf::named("review");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.repository, self.pr, self.id)
    }

    fn subject(&self) -> Option<String> {
        Some(Self::subject_of(&self.repository, self.pr))
    }

    fn at(&self) -> Timestamp {
        self.submitted_at
    }
}
