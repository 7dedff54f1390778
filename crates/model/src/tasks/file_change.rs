//! Stored data about files that change together: parts of a repository's history, and the files
//! that tasks report as changed. This data is derived: it can be deleted and read again. The engine
//! counts it.

use serde::{Deserialize, Serialize};

use crate::facts::code::ObjectId;
use crate::ledger::{LedgerNoun, Shelf};
use crate::{ActorId, MemoryId, RepositoryId, TaskId, Timestamp};

/// The shelf of files that change together: parts of histories, and files of tasks.
const FILE_CHANGES: Shelf = Shelf::named("file_change");

/// Consecutive commits of a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryPart {
    /// The memory that the part of the history belongs to.
    pub memory: MemoryId,
    /// The actor of the repository, which owns the part of the history.
    pub actor: ActorId,
    /// The repository that the part of the history belongs to.
    pub repository: RepositoryId,
    /// The id of the reading that wrote this part.
    pub reading: String,
    /// The index of the part of the history, from 0.
    pub number: u32,
    /// The time of the reading.
    pub at: Timestamp,
    /// Paths, which commits refer to by index.
    pub paths: Vec<String>,
    /// The commits, parents before their children.
    pub commits: Vec<HistoryChange>,
}

/// The changes of one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryChange {
    /// The id of the commit.
    pub id: ObjectId,
    /// The commit time in seconds since 1970.
    pub at_s: i64,
    /// The pull request that the commit belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
    /// The merge that included the commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<ObjectId>,
    /// New and changed files, by the indexes of their paths; empty if there are too many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<u32>,
    /// Renamed files as pairs of indexes, which also count as changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<(u32, u32)>,
    /// The removed files, by the indexes of their paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<u32>,
    /// True if it changed too many files to be evidence for any of them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_sweeping: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl HistoryPart {
    /// Returns the key of a part.
    pub fn key_of(repository: &RepositoryId, reading: &str, number: u32) -> String {
        format!("history/{repository}/{reading}/{number:06}")
    }

    /// Returns the subject that lists the parts of a reading.
    pub fn subject_of(repository: &RepositoryId, reading: &str) -> String {
        format!("history/{repository}/{reading}")
    }
}

impl LedgerNoun for HistoryPart {
    const SHELF: Shelf = FILE_CHANGES;

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.repository, &self.reading, self.number)
    }

    fn subject(&self) -> Option<String> {
        Some(Self::subject_of(&self.repository, &self.reading))
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}

/// The files that a task reports as changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFiles {
    /// The memory that the report belongs to.
    pub memory: MemoryId,
    /// The actor of the repository, which owns the report.
    pub actor: ActorId,
    /// The repository that the report belongs to.
    pub repository: RepositoryId,
    /// The task that the report belongs to.
    pub task: TaskId,
    /// The time at which the report was reported.
    pub at: Timestamp,
    /// The paths of the files.
    pub files: Vec<String>,
    /// Commits that the task made, and the commit that merged them.
    pub commits: Vec<ObjectId>,
    /// The number of the pull request that the report belongs to.
    pub pull_request: Option<u64>,
}

impl TaskFiles {
    /// Returns the subject that lists the task files of a repository.
    pub fn subject_of(repository: &RepositoryId) -> String {
        format!("tasks/{repository}")
    }

    /// Returns the key of a task's files.
    pub fn key_of(task: &TaskId) -> String {
        format!("task/{task}")
    }
}

impl LedgerNoun for TaskFiles {
    const SHELF: Shelf = FILE_CHANGES;

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.task)
    }

    fn subject(&self) -> Option<String> {
        Some(Self::subject_of(&self.repository))
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}

/// The progress of reading a repository's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryProgress {
    /// The memory that the history belongs to.
    pub memory: MemoryId,
    /// The actor of the repository, which owns the history.
    pub actor: ActorId,
    /// The repository that the history belongs to.
    pub repository: RepositoryId,
    /// An id that changes when counted data is withdrawn. Counts of another epoch must start again.
    pub epoch: String,
    /// A number that grows with every written part and task. It shows a counter that there is more
    /// to count.
    pub revision: u64,
    /// A requested new reading of the history, with its window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<HistoryWindow>,
    /// The complete reading whose commits are counted now.
    #[serde(default)]
    pub shown: Option<HistoryReading>,
    /// The reading in progress, which replaces the one in `shown` when it is complete.
    #[serde(default)]
    pub next: Option<HistoryReading>,
    /// The error of the last failure to read the history; `None` if reading works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The time at which the stored history was last changed.
    pub updated_at: Timestamp,
}

/// The part of a history to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryWindow {
    /// Maximum number of commits, without merges.
    pub commits_max: u32,
    /// Maximum age relative to the tip, in months; 0: unlimited.
    pub months: u32,
}

impl Default for HistoryWindow {
    fn default() -> Self {
        Self { commits_max: 5_000, months: 24 }
    }
}

/// One reading of a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryReading {
    /// The id of the reading.
    pub id: String,
    /// The window that the reading covers.
    pub window: HistoryWindow,
    /// The tip up to which everything is read; `None`: the first reading is in progress.
    pub tip: Option<ObjectId>,
    /// The commit up to which the history is to be read.
    pub target: ObjectId,
    /// Number of commits between the two tips.
    pub on_the_way: u32,
    /// Number of them that are read.
    pub done: u32,
    /// Number of written parts.
    pub parts: u32,
    /// Number of commits in the parts.
    pub commits: u32,
    /// True if the history continues before the oldest commit.
    pub is_cut: bool,
}

impl HistoryReading {
    /// True if everything up to the target is read.
    pub fn is_done(&self) -> bool {
        self.tip == Some(self.target)
    }
}

impl HistoryProgress {
    /// Returns the key of a repository's progress.
    pub fn key_of(repository: &RepositoryId) -> String {
        format!("co_change/{repository}")
    }
}

impl LedgerNoun for HistoryProgress {
    const SHELF: Shelf = Shelf::PROGRESS;

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        Self::key_of(&self.repository)
    }

    fn at(&self) -> Timestamp {
        self.updated_at
    }
}
