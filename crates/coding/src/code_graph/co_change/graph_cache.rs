//! A cache of the repositories' graphs. Each graph catches up with the changes written since its
//! last use, and is rebuilt if a report was withdrawn. All of it can be discarded: the ledger holds
//! the data to rebuild it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use loci_model::facts::repository::Repository;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx};
use loci_model::tasks::file_change::{HistoryPart, HistoryProgress, TaskFiles};
use loci_model::{MemoryId, RepositoryId, Result, Timestamp};

use super::counting_rules::CountingRules;
use super::graph::{Graph, TaskChange};
use super::measures::Set;

/// The maximum number of cached graphs.
const GRAPHS_MAX: usize = 32;
/// The number of tasks that one page reads.
const TASKS: usize = 1_000;
/// An upper bound for the clock difference between servers, in milliseconds. Each update reads
/// again the entries written within this time before the newest counted entry.
const SKEW_MS: i64 = 60_000;

/// A graph, and the state of the ledger that it counts.
#[derive(Debug, Clone, Default)]
pub(super) struct CountedGraph {
    pub(super) graph: Graph,
    /// Groups of files that always change together, computed on the first request.
    sets: OnceLock<Arc<Vec<Set>>>,
    epoch: String,
    revision: u64,
    reading: Option<String>,
    parts: u32,
    newest_task: Option<Timestamp>,
    patterns: Vec<String>,
}

impl CountedGraph {
    /// Returns the groups of files that always change together.
    pub(super) fn sets(&self) -> Arc<Vec<Set>> {
        Arc::clone(self.sets.get_or_init(|| Arc::new(self.graph.always())))
    }
}

type Slot = Arc<Mutex<Option<Arc<CountedGraph>>>>;

/// The cached graphs.
#[derive(Default)]
pub(crate) struct Graphs {
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    slots: HashMap<(MemoryId, RepositoryId), (Slot, u64)>,
    uses: u64,
}

impl Graphs {
    /// Returns the graph of a repository, with all changes written so far.
    pub(super) fn caught_up(
        &self,
        tx: &dyn ReadTx,
        repository: &Repository,
        progress: &HistoryProgress,
        patterns: &[String],
    ) -> Result<Arc<CountedGraph>> {
        let slot = self.slot(repository);
        let mut held = lock(&slot);
        let before = held.as_ref().filter(|before| is_begun(before, progress, patterns));
        if let Some(before) = before.filter(|before| before.revision == progress.revision) {
            return Ok(Arc::clone(before));
        }
        // A reader that still uses the earlier graph keeps its own copy.
        let mut counted = match before {
            Some(_) => held.take().map(Arc::unwrap_or_clone).unwrap_or_default(),
            None => CountedGraph {
                graph: Graph::new(CountingRules::without(patterns)),
                epoch: progress.epoch.clone(),
                reading: progress.shown.as_ref().map(|shown| shown.id.clone()),
                patterns: patterns.to_vec(),
                ..CountedGraph::default()
            },
        };
        counted.sets = OnceLock::new();
        catch_up(tx, repository, progress, &mut counted)?;
        let counted = Arc::new(counted);
        *held = Some(Arc::clone(&counted));
        Ok(counted)
    }

    fn slot(&self, repository: &Repository) -> Slot {
        let mut slots = lock(&self.slots);
        slots.uses += 1;
        let now = slots.uses;
        let key = (repository.memory.clone(), repository.id.clone());
        if !slots.slots.contains_key(&key) && slots.slots.len() >= GRAPHS_MAX {
            let oldest = slots.slots.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| key.clone());
            oldest.into_iter().for_each(|key| drop(slots.slots.remove(&key)));
        }
        let (slot, used) = slots.slots.entry(key).or_default();
        *used = now;
        Arc::clone(slot)
    }
}

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True if the counted data is a part of the data written so far.
fn is_begun(counted: &CountedGraph, progress: &HistoryProgress, patterns: &[String]) -> bool {
    counted.epoch == progress.epoch
        && counted.reading.as_deref() == progress.shown.as_ref().map(|shown| shown.id.as_str())
        && counted.patterns == patterns
        && counted.revision <= progress.revision
}

fn catch_up(
    tx: &dyn ReadTx,
    repository: &Repository,
    progress: &HistoryProgress,
    counted: &mut CountedGraph,
) -> Result<()> {
    if let Some(shown) = &progress.shown {
        for number in counted.parts..shown.parts {
            let key = HistoryPart::key_of(&repository.id, &shown.id, number);
            let Some(part) = tx.ledger().noun::<HistoryPart>(&repository.memory, &key)? else { continue };
            part.commits.iter().for_each(|commit| counted.graph.add_commit(commit, &part.paths));
        }
        counted.parts = shown.parts;
    }
    for told in tasks_since(tx, repository, counted.newest_task)? {
        counted.newest_task = counted.newest_task.max(Some(told.at));
        counted.graph.add_task(&TaskChange {
            task: &told.task,
            commits: &told.commits,
            pull_request: told.pull_request,
            files: &told.files,
            at_s: told.at.millis() / 1_000,
        });
    }
    counted.revision = progress.revision;
    Ok(())
}

/// Returns the changes that tasks reported since a time, the oldest first.
fn tasks_since(tx: &dyn ReadTx, repository: &Repository, since: Option<Timestamp>) -> Result<Vec<TaskFiles>> {
    let from = since.map(|since| since.plus_millis(-SKEW_MS));
    let mut page = LedgerPage {
        memory: repository.memory.clone(),
        shelf: TaskFiles::SHELF,
        actor: None,
        subject: Some(TaskFiles::subject_of(&repository.id)),
        after: None,
        limit: TASKS,
    };
    let mut all: Vec<TaskFiles> = Vec::new();
    loop {
        let found = tx.ledger().nouns::<TaskFiles>(&page)?;
        let Some(last) = found.last() else { break };
        page.after = Some((last.at, TaskFiles::key_of(&last.task)));
        let is_last = found.len() < TASKS || from.is_some_and(|from| last.at < from);
        all.extend(found.into_iter().filter(|told| from.is_none_or(|from| told.at >= from)));
        if is_last {
            break;
        }
    }
    all.sort_by(|a, b| a.at.cmp(&b.at).then_with(|| a.task.cmp(&b.task)));
    Ok(all)
}
