//! Outcomes of tasks: the grade of their pull requests, with all facts that the grade is based on.
//! This module holds the data types. The engine computes the grades.

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::words::closed_words;
use crate::{ActorId, MemoryId, RepositoryId, TaskId, Timestamp};

closed_words! {
    /// The grade of a task by the end of its pull request.
    OutcomeGrade {
        /// Merged without a round of revision and without commits of people.
        MergedAsIs = "merged_as_is",
        /// Merged after rounds of revision.
        MergedAfterRounds = "merged_after_rounds",
        /// Merged with commits that people wrote.
        MergedWithHumanCommits = "merged_with_human_commits",
        /// Closed without a merge.
        ClosedUnmerged = "closed_unmerged",
        /// Closed as a duplicate, or because something else superseded it.
        ClosedSuperseded = "closed_superseded",
        /// The pull request is open and has had no activity for a long time.
        Abandoned = "abandoned",
        /// Merged and reverted later.
        Reverted = "reverted",
        /// The task ended without a pull request.
        NoPr = "no_pr",
    }
}

closed_words! {
    /// The result of an earlier task, as guidance for an agent.
    #[derive(Default)]
    Polarity {
        /// The task succeeded.
        Positive = "positive",
        /// The task did not succeed.
        Negative = "negative",
        /// The result is unknown.
        #[default]
        Neutral = "neutral",
    }
}

closed_words! {
    /// The result of the first check suite that ran on the first push.
    #[derive(Default)]
    FirstPush {
        /// All checks passed.
        Pass = "pass",
        /// A check failed.
        Fail = "fail",
        /// The result is unknown.
        #[default]
        Unknown = "unknown",
    }
}

/// A commit that was at the head of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushedHead {
    /// The id of the commit.
    pub sha: String,
    /// The time at which it was first seen there.
    pub at: Timestamp,
}

/// The check suite that decided the result of the first push.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstChecks {
    /// The time at which the check suite ended.
    pub at: Timestamp,
    /// The forge's id of the suite.
    pub suite: u64,
}

/// A revert of a merge, or of another revert of that merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revert {
    /// Its names: a commit, or `#` and a pull request's number. Loci may learn of one revert under
    /// several names.
    pub names: Vec<String>,
    /// The names of the reverted change.
    pub of: Vec<String>,
    /// True if the reverted change is itself a revert.
    pub is_reland: bool,
    /// The time of the revert.
    pub at: Timestamp,
    /// The tip of the push that contained the revert, if a push reported it.
    #[serde(default)]
    pub tip: Option<String>,
}

/// A commit of a pull request that reverts something, under the names of [`Revert`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OwnRevert {
    /// The id of the commit.
    pub by: String,
    /// The reverted change.
    pub of: String,
}

/// The facts that a grade is based on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OutcomeFacts {
    /// The number of the pull request that the pull request belongs to.
    pub pr: Option<u64>,
    /// The URL of the pull request.
    pub pr_url: Option<String>,
    /// True if the pull request is open; `None` if nothing is known about it.
    pub is_open: Option<bool>,
    /// The time at which the pull request was opened.
    pub opened_at: Option<Timestamp>,
    /// The time of the pull request's last activity.
    pub active_at: Option<Timestamp>,
    /// The time at which the pull request was merged.
    pub merged_at: Option<Timestamp>,
    /// The login of the user who merged the pull request.
    pub merged_by: Option<String>,
    /// The commit that merged the pull request into its base branch.
    pub merge_commit_sha: Option<String>,
    /// The time at which the pull request was closed.
    pub closed_at: Option<Timestamp>,
    /// Number of revision rounds: pushes after a review.
    pub revision_count: u32,
    /// The result of the first checks of the first push.
    pub ci_first_push: FirstPush,
    /// The check suite of that result; none if a person specified the result.
    pub first_checks: Option<FirstChecks>,
    /// Number of review comments on lines of the pull request.
    pub review_comment_count: u32,
    /// Number of lines that the pull request adds.
    pub additions: u32,
    /// Number of lines that the pull request deletes.
    pub deletions: u32,
    /// Number of files that the pull request changes.
    pub changed_files: u32,
    /// Number of commits that neither a task nor an agent made; none if its commits were not
    /// examined.
    pub human_commits: Option<u32>,
    /// The revert in force: a commit, or `#` and a pull request's number.
    pub reverted_by: Option<String>,
    /// The time of the revert in `reverted_by`.
    pub reverted_at: Option<Timestamp>,
    /// All known reverts of it, and reverts of those, in order. The revert in force is computed
    /// from them each time.
    pub taken_back: Vec<Revert>,
    /// The reverts among its own commits: the pull request contained both changes.
    pub own_reverts: Vec<OwnRevert>,
    /// The evidence that the pull request was superseded: `label:` and the label, or `task:` and
    /// the id of the superseding task.
    pub superseded_by: Option<String>,
    /// The commits that were at the pull request's head, the oldest first.
    pub heads: Vec<PushedHead>,
    /// The time of the newest state from the forge. Older states change nothing.
    pub seen_at: Option<Timestamp>,
}

/// A grade that a caller set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GradedByHand {
    /// The grade that the caller set.
    pub grade: OutcomeGrade,
    /// The source of the grade, in the caller's words.
    pub source: String,
    /// The name of the caller who requested the grade.
    pub by: String,
    /// The time at which the caller set the grade.
    pub at: Timestamp,
}

/// A grade in the history of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GradeChange {
    /// The grade after the change; `None` if the task lost its grade.
    pub grade: Option<OutcomeGrade>,
    /// The value of the grade for measures, -1 to 1.
    pub value: f64,
    /// The reason of the change.
    pub why: String,
    /// The name of the principal that caused the change, or `loci` if a forge reported it.
    pub by: String,
    /// The time from which the grade applies.
    pub at: Timestamp,
}

/// The outcome of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The memory that the outcome belongs to.
    pub memory: MemoryId,
    /// The actor of the task that the outcome belongs to.
    pub actor: ActorId,
    /// The repository that the outcome belongs to.
    pub repository: Option<RepositoryId>,
    /// The task that the outcome belongs to.
    pub task: TaskId,
    /// The grade of the task; `None` while its pull request is open and active.
    pub grade: Option<OutcomeGrade>,
    /// The value of the grade, -1 to 1.
    pub value: f64,
    /// The polarity, as guidance for an agent.
    pub polarity: Polarity,
    /// The facts about the pull request from which the grade is computed.
    pub facts: OutcomeFacts,
    /// A grade that a caller set, until a forge reports more.
    #[serde(default)]
    pub by_hand: Option<GradedByHand>,
    /// The grades, the oldest first, the current one last.
    pub history: Vec<GradeChange>,
    /// The time of the first news of the pull request.
    pub created_at: Timestamp,
    /// The time at which the stored outcome was last changed.
    pub updated_at: Timestamp,
}

impl Outcome {
    /// Returns the subject under which the outcomes of a pull request are listed.
    pub fn subject_of(repository: &RepositoryId, pr: u64) -> String {
        format!("{repository}/{pr}")
    }
}

impl LedgerNoun for Outcome {
    const SHELF: Shelf = Shelf::named("outcome");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.task.to_string()
    }

    fn subject(&self) -> Option<String> {
        Some(Self::subject_of(self.repository.as_ref()?, self.facts.pr?))
    }

    fn at(&self) -> Timestamp {
        self.updated_at
    }
}
