//! The graph of files that changed together: files, transactions, and the files of each
//! transaction. Pure. Commits and tasks are added in the order of their arrival, and adding one
//! twice changes nothing. The graph does not store pairs: `measures` counts them on request, along
//! the transactions of one file.
//!
//! A file is identified by its present path. A rename gives it another path and keeps its counts.
//! The counts of a deleted file stay, but the graph shows it to no caller.

use std::collections::{BTreeSet, HashMap, HashSet};

use loci_model::TaskId;
use loci_model::facts::code::ObjectId;
use loci_model::tasks::file_change::HistoryChange;

use super::counting_rules::CountingRules;

/// The index of a file in the graph.
pub(super) type FileId = u32;
/// The index of a transaction in the graph.
pub(super) type TransactionId = u32;

/// A key of a transaction. Two reports that share a key describe the same change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Key {
    /// A commit of the default branch, or a commit that a task reported.
    Commit(ObjectId),
    /// The number of a pull request.
    PullRequest(u64),
    /// A task.
    Task(TaskId),
}

/// Files that changed together.
#[derive(Debug, Clone, Default)]
pub(super) struct Transaction {
    /// The files, sorted. Empty if the transaction has too many files to count.
    pub(super) files: Vec<FileId>,
    /// True if the transaction has too many files to count.
    pub(super) is_sweeping: bool,
    /// The newest commit.
    pub(super) commit: Option<ObjectId>,
    /// The tasks that reported the change.
    pub(super) tasks: BTreeSet<TaskId>,
    /// The time of the change, in seconds since 1970.
    pub(super) at_s: i64,
    /// True if the transaction was merged into another one.
    pub(super) is_void: bool,
}

impl Transaction {
    fn counts(&self) -> bool {
        !self.is_void && (self.is_sweeping || !self.files.is_empty())
    }
}

/// One change as a task reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TaskChange<'a> {
    pub(super) task: &'a TaskId,
    pub(super) commits: &'a [ObjectId],
    pub(super) pull_request: Option<u64>,
    pub(super) files: &'a [String],
    pub(super) at_s: i64,
}

/// The graph of one repository.
#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    counting: CountingRules,
    paths: Vec<String>,
    is_gone: Vec<bool>,
    present: HashMap<String, FileId>,
    /// Former paths of files, which no longer have these paths.
    former: HashMap<String, FileId>,
    /// The counted transactions of each file, in ascending order.
    pub(super) of_file: Vec<Vec<TransactionId>>,
    pub(super) transactions: Vec<Transaction>,
    by_key: HashMap<Key, TransactionId>,
    count: u32,
}

impl Graph {
    pub(super) fn new(counting: CountingRules) -> Self {
        Self { counting, ..Self::default() }
    }

    /// Returns the number of transactions that count.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Returns the file with this present or former path.
    pub(super) fn file(&self, path: &str) -> Option<FileId> {
        self.present.get(path).or_else(|| self.former.get(path)).copied()
    }

    /// Returns the present path of a file that still exists.
    pub(super) fn path(&self, file: FileId) -> Option<&str> {
        let is_gone = self.is_gone.get(file as usize).copied().unwrap_or(true);
        self.paths.get(file as usize).filter(|_| !is_gone).map(String::as_str)
    }

    /// Returns the files that still exist.
    pub(super) fn files(&self) -> impl Iterator<Item = (FileId, &str)> {
        (0..).zip(&self.paths).filter_map(|(file, _)| Some((file, self.path(file)?)))
    }

    /// Returns the transactions of a file.
    pub(super) fn transactions_of(&self, file: FileId) -> &[TransactionId] {
        self.of_file.get(file as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns the number of counted transactions of a file.
    pub(super) fn count_of(&self, file: FileId) -> u32 {
        u32::try_from(self.transactions_of(file).len()).unwrap_or(u32::MAX)
    }

    pub(super) fn transaction(&self, id: TransactionId) -> Option<&Transaction> {
        self.transactions.get(id as usize)
    }

    /// Adds a commit. The caller adds parents before their children.
    pub(super) fn add_commit(&mut self, commit: &HistoryChange, paths: &[String]) {
        let path = |place: &u32| paths.get(*place as usize).map(String::as_str);
        for (from, to) in &commit.renamed {
            if let (Some(from), Some(to)) = (path(from), path(to)) {
                self.rename(from, to);
            }
        }
        let mut files = BTreeSet::new();
        for place in commit.files.iter().chain(commit.renamed.iter().map(|(_, to)| to)) {
            files.extend(path(place).and_then(|path| self.seen(path)));
        }
        for place in &commit.gone {
            let Some(file) = path(place).and_then(|path| self.seen(path)) else { continue };
            files.insert(file);
            self.mark(file, true);
        }
        let mut keys = vec![Key::Commit(commit.id)];
        keys.extend(commit.merge.map(Key::Commit));
        keys.extend(commit.pull_request.map(Key::PullRequest));
        let said = Transaction {
            is_sweeping: commit.is_sweeping,
            commit: Some(commit.id),
            at_s: commit.at_s,
            ..Transaction::default()
        };
        self.join(keys, files, &said);
    }

    /// Adds a change that a task reports.
    pub(super) fn add_task(&mut self, told: &TaskChange<'_>) {
        let files: BTreeSet<FileId> = told
            .files
            .iter()
            .filter_map(|path| match self.file(path) {
                // A former path of a file identifies that file.
                Some(file) => self.path(file).is_some_and(|path| self.counting.holds(path)).then_some(file),
                None => self.seen(path),
            })
            .collect();
        let mut keys = vec![Key::Task(told.task.clone())];
        keys.extend(told.commits.iter().copied().map(Key::Commit));
        keys.extend(told.pull_request.map(Key::PullRequest));
        let said =
            Transaction { tasks: [told.task.clone()].into(), at_s: told.at_s, ..Transaction::default() };
        self.join(keys, files, &said);
    }

    /// Returns the file that is now at a path, if files at such paths count. Adds the file if it is
    /// new.
    fn seen(&mut self, path: &str) -> Option<FileId> {
        if !self.counting.holds(path) {
            return None;
        }
        if let Some(file) = self.present.get(path).copied() {
            self.mark(file, false);
            return Some(file);
        }
        let file = FileId::try_from(self.paths.len()).ok()?;
        self.paths.push(path.to_owned());
        self.is_gone.push(false);
        self.of_file.push(Vec::new());
        self.present.insert(path.to_owned(), file);
        self.former.remove(path);
        Some(file)
    }

    /// Gives a file its new path.
    fn rename(&mut self, from: &str, to: &str) {
        let Some(file) = self.present.remove(from) else { return };
        self.former.insert(from.to_owned(), file);
        if !self.counting.holds(to) {
            self.mark(file, true);
            return;
        }
        if let Some(other) = self.present.insert(to.to_owned(), file)
            && !self.is_gone.get(other as usize).copied().unwrap_or(true)
        {
            // A task reported the new path before the commit arrived. Both are this file.
            self.merge(other, file);
        }
        self.former.remove(to);
        if let Some(path) = self.paths.get_mut(file as usize) {
            to.clone_into(path);
        }
    }

    /// Moves the counts of one file to another one.
    fn merge(&mut self, from: FileId, to: FileId) {
        let moved = self.of_file.get_mut(from as usize).map(std::mem::take).unwrap_or_default();
        for id in moved {
            if let Some(transaction) = self.transactions.get_mut(id as usize) {
                transaction.files.retain(|file| *file != from);
                put(&mut transaction.files, to);
            }
            if let Some(of_file) = self.of_file.get_mut(to as usize) {
                put(of_file, id);
            }
        }
        self.mark(from, true);
    }

    fn mark(&mut self, file: FileId, gone: bool) {
        if let Some(is_gone) = self.is_gone.get_mut(file as usize) {
            *is_gone = gone;
        }
    }

    /// Adds files to the transaction of any of these keys. Transactions that the keys connect
    /// become one.
    fn join(&mut self, keys: Vec<Key>, files: BTreeSet<FileId>, said: &Transaction) {
        let known: BTreeSet<TransactionId> =
            keys.iter().filter_map(|key| self.by_key.get(key)).copied().collect();
        let mut known = known.into_iter();
        let Some(id) = known.next().or_else(|| self.begin()) else { return };
        let counted = self.counted(id);
        let mut files = files;
        let mut said = said.clone();
        for other in known {
            self.count -= u32::from(self.counted(other));
            let Some(one) = self.transactions.get_mut(other as usize).map(std::mem::take) else { continue };
            for file in &one.files {
                self.forget(*file, other);
            }
            files.extend(&one.files);
            said = newer(said, &one);
            if let Some(void) = self.transactions.get_mut(other as usize) {
                void.is_void = true;
            }
            self.by_key.values_mut().filter(|known| **known == other).for_each(|known| *known = id);
        }
        for key in keys {
            self.by_key.insert(key, id);
        }
        self.extend(id, files, said);
        self.count += u32::from(self.counted(id));
        self.count -= u32::from(counted);
    }

    fn begin(&mut self) -> Option<TransactionId> {
        let id = TransactionId::try_from(self.transactions.len()).ok()?;
        self.transactions.push(Transaction { at_s: i64::MIN, ..Transaction::default() });
        Some(id)
    }

    fn counted(&self, id: TransactionId) -> bool {
        self.transactions.get(id as usize).is_some_and(Transaction::counts)
    }

    fn forget(&mut self, file: FileId, id: TransactionId) {
        if let Some(of_file) = self.of_file.get_mut(file as usize) {
            of_file.retain(|known| *known != id);
        }
    }

    fn extend(&mut self, id: TransactionId, files: BTreeSet<FileId>, said: Transaction) {
        let Some(transaction) = self.transactions.get_mut(id as usize) else { return };
        let before: HashSet<FileId> = transaction.files.iter().copied().collect();
        let merged = newer(said, transaction);
        let is_sweeping = merged.is_sweeping
            || before.union(&files.iter().copied().collect()).count() > self.counting.files_max;
        *transaction = Transaction { files: std::mem::take(&mut transaction.files), is_sweeping, ..merged };
        if is_sweeping {
            transaction.files.clear();
            for file in before {
                self.forget(file, id);
            }
            return;
        }
        for file in files.into_iter().filter(|file| !before.contains(file)) {
            put(&mut transaction.files, file);
            if let Some(of_file) = self.of_file.get_mut(file as usize) {
                put(of_file, id);
            }
        }
    }
}

/// Combines the data of two transactions that are one.
fn newer(said: Transaction, before: &Transaction) -> Transaction {
    let is_newer = said.at_s >= before.at_s;
    Transaction {
        files: Vec::new(),
        is_sweeping: said.is_sweeping || before.is_sweeping,
        commit: if is_newer { said.commit.or(before.commit) } else { before.commit.or(said.commit) },
        tasks: said.tasks.union(&before.tasks).cloned().collect(),
        at_s: said.at_s.max(before.at_s),
        is_void: false,
    }
}

/// Inserts a value into a sorted list, unless the list contains it.
fn put(list: &mut Vec<u32>, one: u32) {
    if let Err(place) = list.binary_search(&one) {
        list.insert(place, one);
    }
}
