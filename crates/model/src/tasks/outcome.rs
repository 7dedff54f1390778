//! What came of tasks: how their pull requests ended, graded, with everything that the grade was
//! made of. Shapes only; grading is the engine's matter.

use serde::{Deserialize, Serialize};

use crate::ledger::{Shelf, Shelved};
use crate::words::closed_words;
use crate::{ActorId, MemoryId, RepositoryId, TaskId, Timestamp};

closed_words! {
    /// How the pull request of a task ended.
    OutcomeGrade {
        /// Merged, without a round of revision and without commits of people.
        MergedAsIs = "merged_as_is",
        /// Merged after rounds of revision.
        MergedAfterRounds = "merged_after_rounds",
        /// Merged, and people wrote commits of it.
        MergedWithHumanCommits = "merged_with_human_commits",
        /// Closed, not merged.
        ClosedUnmerged = "closed_unmerged",
        /// Closed as a duplicate, or since something else took its place.
        ClosedSuperseded = "closed_superseded",
        /// Open, and nobody cares.
        Abandoned = "abandoned",
        /// Merged, and taken back later.
        Reverted = "reverted",
        /// The task ended without one.
        NoPr = "no_pr",
    }
}

closed_words! {
    /// How an earlier task ended, as far as an agent may follow it.
    #[derive(Default)]
    Polarity {
        /// It worked.
        Positive = "positive",
        /// It did not.
        Negative = "negative",
        /// Neither is known.
        #[default]
        Neutral = "neutral",
    }
}

closed_words! {
    /// How the first suite of checks ended that ran on what was pushed first.
    #[derive(Default)]
    FirstPush {
        /// Everything passed.
        Pass = "pass",
        /// Something failed.
        Fail = "fail",
        /// Nobody said.
        #[default]
        Unknown = "unknown",
    }
}

/// A commit that was at the head of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushedHead {
    /// The commit.
    pub sha: String,
    /// When it was first seen there.
    pub at: Timestamp,
}

/// A suite of checks that decided about the first push.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstChecks {
    /// When it ended.
    pub at: Timestamp,
    /// The forge's number.
    pub suite: u64,
}

/// A revert: of what was merged, or of another revert of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revert {
    /// What it is called: a commit, or `#` and a pull request's number. One revert may be heard of by several names.
    pub names: Vec<String>,
    /// What it takes back, by such names.
    pub of: Vec<String>,
    /// That is another revert.
    pub is_reland: bool,
    /// When.
    pub at: Timestamp,
    /// The tip of the push that it came with, where it was heard of by one.
    #[serde(default)]
    pub tip: Option<String>,
}

/// A commit of a pull request that takes back something, by the names that [`Revert`] has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OwnRevert {
    /// The commit.
    pub by: String,
    /// What it takes back.
    pub of: String,
}

/// What a grade is made of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OutcomeFacts {
    /// The pull request.
    pub pr: Option<u64>,
    /// Where it is seen.
    pub pr_url: Option<String>,
    /// It is open; none where nothing was heard of it.
    pub is_open: Option<bool>,
    /// When it was opened.
    pub opened_at: Option<Timestamp>,
    /// When anything happened in it.
    pub active_at: Option<Timestamp>,
    /// When it was merged.
    pub merged_at: Option<Timestamp>,
    /// Who merged it, by login.
    pub merged_by: Option<String>,
    /// The commit by which it came onto its base.
    pub merge_commit_sha: Option<String>,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// Rounds: pushes after a review.
    pub revision_count: u32,
    /// How the first checks of the first push ended.
    pub ci_first_push: FirstPush,
    /// Which checks those were; none where somebody said it by hand.
    pub first_checks: Option<FirstChecks>,
    /// Comments on lines.
    pub review_comment_count: u32,
    /// Lines added.
    pub additions: u32,
    /// Lines deleted.
    pub deletions: u32,
    /// Files changed.
    pub changed_files: u32,
    /// Commits that neither a task nor an agent made; none where its commits were not looked at.
    pub human_commits: Option<u32>,
    /// What took it back and was not taken back itself: a commit, or `#` and a pull request's number.
    pub reverted_by: Option<String>,
    /// When.
    pub reverted_at: Option<Timestamp>,
    /// Everything that was heard to take it back, or to take that back, in order: what counts of it is worked out each time.
    pub taken_back: Vec<Revert>,
    /// What its own commits take back: its pull request brought both along.
    pub own_reverts: Vec<OwnRevert>,
    /// What took its place: `label:` and a label, or `task:` and a task.
    pub superseded_by: Option<String>,
    /// The commits that were at its head, the first first.
    pub heads: Vec<PushedHead>,
    /// How the forge says it stands: what is older than this changes nothing.
    pub seen_at: Option<Timestamp>,
}

/// A grade that somebody set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GradedByHand {
    /// The grade.
    pub grade: OutcomeGrade,
    /// Where it comes from, in their words.
    pub source: String,
    /// Who set it, by name.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// A grade that a task had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GradeChange {
    /// The grade; none: it has none any more.
    pub grade: Option<OutcomeGrade>,
    /// What it is worth.
    pub value: f64,
    /// What was heard.
    pub why: String,
    /// Of whom: a principal, or `loci` for what a forge said.
    pub by: String,
    /// Since when.
    pub at: Timestamp,
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The memory.
    pub memory: MemoryId,
    /// The task's actor.
    pub actor: ActorId,
    /// The repository.
    pub repository: Option<RepositoryId>,
    /// The task.
    pub task: TaskId,
    /// The grade; none while its pull request is open and somebody cares.
    pub grade: Option<OutcomeGrade>,
    /// What it is worth, -1 to 1.
    pub value: f64,
    /// Whether an agent may follow it.
    pub polarity: Polarity,
    /// What it is made of.
    pub facts: OutcomeFacts,
    /// Set by somebody, until a forge says more.
    #[serde(default)]
    pub by_hand: Option<GradedByHand>,
    /// The grades it had, the first first, the present one last.
    pub history: Vec<GradeChange>,
    /// When anything of the pull request was first heard.
    pub created_at: Timestamp,
    /// When this was last changed.
    pub updated_at: Timestamp,
}

impl Outcome {
    /// The subject under which the outcomes of a pull request are listed.
    pub fn subject_of(repository: &RepositoryId, pr: u64) -> String {
        format!("{repository}/{pr}")
    }
}

impl Shelved for Outcome {
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
