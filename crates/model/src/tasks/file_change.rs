//! Which files changed together, as it is kept: parts of a repository's history, and what tasks say
//! that they changed. Derived data: it can be thrown away and read again. What is counted of it is
//! the engine's matter.

use serde::{Deserialize, Serialize};

use crate::facts::code::ObjectId;
use crate::ledger::{Shelf, Shelved};
use crate::{ActorId, MemoryId, RepositoryId, TaskId, Timestamp};

/// The shelf of files that were changed together: parts of histories, and files of tasks.
const FILE_CHANGES: Shelf = Shelf::named("file_change");

/// Some commits of a history, one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryPart {
    /// The memory.
    pub memory: MemoryId,
    /// Whose it is: the repository's.
    pub actor: ActorId,
    /// The repository.
    pub repository: RepositoryId,
    /// The reading that it belongs to.
    pub reading: String,
    /// Its place, from 0.
    pub number: u32,
    /// When it was read.
    pub at: Timestamp,
    /// Paths, which commits name by their place.
    pub paths: Vec<String>,
    /// Parents before their children.
    pub commits: Vec<HistoryChange>,
}

/// What one commit changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryChange {
    /// The commit.
    pub id: ObjectId,
    /// Seconds since 1970.
    pub at_s: i64,
    /// The pull request that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
    /// The merge by which it came with others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<ObjectId>,
    /// New and changed files, by the places of their paths; none where there are too many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<u32>,
    /// Files that have another path, which are changed by it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<(u32, u32)>,
    /// Files that are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<u32>,
    /// It changed too many files to say anything of each.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_sweeping: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl HistoryPart {
    /// The name of a part.
    pub fn key_of(repository: &RepositoryId, reading: &str, number: u32) -> String {
        format!("history/{repository}/{reading}/{number:06}")
    }

    /// By what the parts of a reading are listed.
    pub fn subject_of(repository: &RepositoryId, reading: &str) -> String {
        format!("history/{repository}/{reading}")
    }
}

impl Shelved for HistoryPart {
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

/// What a task says that it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskFiles {
    /// The memory.
    pub memory: MemoryId,
    /// Whose it is: the repository's.
    pub actor: ActorId,
    /// The repository.
    pub repository: RepositoryId,
    /// The task.
    pub task: TaskId,
    /// When it was said.
    pub at: Timestamp,
    /// The files.
    pub files: Vec<String>,
    /// Commits that the task made, and the one by which they came onto their base.
    pub commits: Vec<ObjectId>,
    /// The pull request.
    pub pull_request: Option<u64>,
}

impl TaskFiles {
    /// By what those of a repository are listed.
    pub fn subject_of(repository: &RepositoryId) -> String {
        format!("tasks/{repository}")
    }

    /// The name of that of a task.
    pub fn key_of(task: &TaskId) -> String {
        format!("task/{task}")
    }
}

impl Shelved for TaskFiles {
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

/// How far a repository's history is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryProgress {
    /// The memory.
    pub memory: MemoryId,
    /// Whose it is: the repository's.
    pub actor: ActorId,
    /// The repository.
    pub repository: RepositoryId,
    /// Changes where something that was counted is taken back: whoever counted begins anew.
    pub epoch: String,
    /// Grows with every part and every task that is written: by this whoever has counted them sees that there is more.
    pub revision: u64,
    /// Somebody wants it read anew, so much of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<HistoryWindow>,
    /// What is counted.
    #[serde(default)]
    pub shown: Option<HistoryReading>,
    /// What takes its place when it is read to its end.
    #[serde(default)]
    pub next: Option<HistoryReading>,
    /// Why the history could not be read the last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// When this was last changed.
    pub updated_at: Timestamp,
}

/// How much of a history is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryWindow {
    /// So many commits at most, merges not counted.
    pub commits_max: u32,
    /// So many months at most before the tip; 0: however old.
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
    /// Its name.
    pub id: String,
    /// How much of the history it is of.
    pub window: HistoryWindow,
    /// The tip up to which everything is read; `None`: the first reading is under way.
    pub tip: Option<ObjectId>,
    /// The tip up to which it reads.
    pub target: ObjectId,
    /// Commits on the way from the one to the other.
    pub on_the_way: u32,
    /// How many of them are read.
    pub done: u32,
    /// Parts that are written.
    pub parts: u32,
    /// Commits in them.
    pub commits: u32,
    /// The history goes on behind the oldest commit.
    pub is_cut: bool,
}

impl HistoryReading {
    /// Whether there is nothing to read up to its target.
    pub fn is_done(&self) -> bool {
        self.tip == Some(self.target)
    }
}

impl HistoryProgress {
    /// The name of that of a repository.
    pub fn key_of(repository: &RepositoryId) -> String {
        format!("co_change/{repository}")
    }
}

impl Shelved for HistoryProgress {
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
