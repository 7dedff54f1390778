//! Reviews of pull requests, as they are kept: who said what of which lines. Shapes only: what
//! counts, and which rules follow, is the engine's matter.

use serde::{Deserialize, Serialize};

use crate::ledger::{Shelf, Shelved};
use crate::words::closed_words;
use crate::{ActorId, MemoryId, RepositoryId, TaskId, Timestamp};

closed_words! {
    /// What a reviewer decided.
    ReviewState {
        /// They said something.
        Commented = "commented",
        /// They want changes.
        ChangesRequested = "changes_requested",
        /// They agree.
        Approved = "approved",
        /// It counts no more.
        Dismissed = "dismissed",
    }
}

closed_words! {
    /// What a person may do in a repository, the least first. A custom role is its base permission.
    #[derive(Default)]
    RepositoryRole {
        /// Nothing that is known.
        #[default]
        None = "none",
        /// Read.
        Read = "read",
        /// Sort issues and pull requests.
        Triage = "triage",
        /// Write.
        Write = "write",
        /// Settings, but those that cannot be taken back.
        Maintain = "maintain",
        /// Everything.
        Admin = "admin",
    }
}

/// An account of a forge. People are who they are by `id`: logins are changed, and taken by others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ForgeUser {
    /// The forge's number; 0 where none was told, and then the login is all there is.
    pub id: u64,
    /// The name it has now.
    pub login: String,
    /// It is a program.
    #[serde(default)]
    pub is_bot: bool,
}

/// Whether what a person may do is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Authority {
    /// What they may do.
    pub role: RepositoryRole,
    /// The forge could not be asked: the role is a guess by what the payload said, and counts half at most.
    #[serde(default)]
    pub is_provisional: bool,
    /// They had pull requests of their own merged here.
    #[serde(default)]
    pub has_merged: bool,
    /// They own a file that the review is about, by the owners' file of the base branch.
    #[serde(default)]
    pub is_code_owner: bool,
    /// What the repository's settings say they weigh, in millionths, in the place of what their role does.
    #[serde(default)]
    pub overridden: Option<u32>,
}

/// Something that was said of lines, or of the whole: a comment of a review, with those that answer it behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewComment {
    /// The forge's number.
    pub id: u64,
    /// Who said it.
    pub author: ForgeUser,
    /// The file; none for what is said of the whole.
    #[serde(default)]
    pub path: Option<String>,
    /// The last line it is about.
    #[serde(default)]
    pub line: Option<u32>,
    /// The lines around, as a diff.
    #[serde(default)]
    pub diff_hunk: Option<String>,
    /// What was said, secrets masked.
    pub body: String,
    /// The comment that it answers.
    #[serde(default)]
    pub in_reply_to: Option<u64>,
    /// Its thread was resolved; none where that is not known.
    #[serde(default)]
    pub is_resolved: Option<bool>,
    /// The lines were changed after it was said; none where that is not known.
    #[serde(default)]
    pub is_outdated: Option<bool>,
    /// What its author may do here, where that was asked: of those who answer a reviewer.
    #[serde(default)]
    pub authority: Option<Authority>,
    /// Where it is seen.
    #[serde(default)]
    pub url: Option<String>,
    /// When it was said.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// A review of a pull request, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The memory.
    pub memory: MemoryId,
    /// The repository's actor, `owner/name`.
    pub actor: ActorId,
    /// The repository.
    pub repository: RepositoryId,
    /// The pull request.
    pub pr: u64,
    /// The forge's number for the review.
    pub id: u64,
    /// Who reviewed.
    pub reviewer: ForgeUser,
    /// What they may do here.
    pub authority: Authority,
    /// Who opened the pull request.
    pub pr_author: ForgeUser,
    /// What they decided.
    pub state: ReviewState,
    /// What they said of the whole, secrets masked; empty where they said nothing.
    pub body: String,
    /// What was said of lines, in the order of their numbers; answers of others too.
    #[serde(default)]
    pub comments: Vec<ReviewComment>,
    /// The commit that was looked at.
    #[serde(default)]
    pub commit: Option<String>,
    /// Where it is seen.
    #[serde(default)]
    pub url: Option<String>,
    /// The task that the pull request is of.
    #[serde(default)]
    pub task: Option<TaskId>,
    /// Why nothing is learned from it: a word (`bot`, `pr_author`, `agent`, `draft`, `unmapped`); none where something may be.
    #[serde(default)]
    pub left_out: Option<String>,
    /// It came from the past, by a backfill: what follows from it is a candidate at most.
    #[serde(default)]
    pub is_past: bool,
    /// When it was handed in.
    pub submitted_at: Timestamp,
    /// When anything in it was last changed.
    pub updated_at: Timestamp,
    /// When it was read from the forge.
    pub read_at: Timestamp,
}

impl Review {
    /// The name of a review on its shelf.
    pub fn key_of(repository: &RepositoryId, pr: u64, id: u64) -> String {
        format!("{repository}/{pr}/{id}")
    }

    /// The subject under which the reviews of a pull request are listed.
    pub fn subject_of(repository: &RepositoryId, pr: u64) -> String {
        format!("{repository}/{pr}")
    }
}

impl Shelved for Review {
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
