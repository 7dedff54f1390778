//! Data about a record in addition to its text: its task, the task's commits, and the paths that it
//! concerns. They are read only for the records that a filter is applied to.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::facts::fact::Fact;
use loci_model::ports::store::ReadTx;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordKind};
use loci_model::tasks::task::Task;
use loci_model::{ActorId, MemoryId, RecordId, Result, TaskId};

use super::search_request::SearchFilters;
use crate::tasks::reports::episode_text::TaskEpisode;

/// The maximum number of a task's commits that are read.
const COMMITS_MAX: usize = 1_000;

/// A record's values for the filters.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Facets {
    /// The task that it comes from, if known and of the same repository.
    pub(super) task: Option<Task>,
    /// Commit ids: the commit at which it was learned, and those of its task.
    pub(super) commits: BTreeSet<String>,
    /// Files that it cites, or that its task changed.
    pub(super) paths: BTreeSet<String>,
}

/// Reads facets, each task once.
pub(super) struct FacetReading<'a> {
    tx: &'a dyn ReadTx,
    memory: &'a MemoryId,
    actor: &'a ActorId,
    filters: &'a SearchFilters,
    tasks: BTreeMap<TaskId, (Option<Task>, BTreeSet<String>)>,
}

impl<'a> FacetReading<'a> {
    pub(super) fn new(
        tx: &'a dyn ReadTx,
        (memory, actor): (&'a MemoryId, &'a ActorId),
        filters: &'a SearchFilters,
    ) -> Self {
        Self { tx, memory, actor, filters, tasks: BTreeMap::new() }
    }

    /// Returns the facets of records, in their order.
    pub(super) fn of(&mut self, records: &[Record]) -> Result<Vec<Facets>> {
        let facts = self.facts(records)?;
        records.iter().map(|record| self.of_one(record, facts.get(&record.id))).collect()
    }

    fn facts(&self, records: &[Record]) -> Result<BTreeMap<RecordId, Fact>> {
        if self.filters.path.is_none() && self.filters.commit.is_none() {
            return Ok(BTreeMap::new());
        }
        let ids: Vec<RecordId> = records
            .iter()
            .filter(|record| record.kind == RecordKind::Fact)
            .map(|record| record.id.clone())
            .collect();
        let facts = self.tx.facts().get_many(self.memory, &ids)?;
        Ok(facts.into_iter().map(|fact| (fact.record.clone(), fact)).collect())
    }

    fn of_one(&mut self, record: &Record, fact: Option<&Fact>) -> Result<Facets> {
        let (task, mut commits) = match text(record, "task_id").map(TaskId::parse) {
            Some(Ok(id)) => self.task(&id)?,
            Some(Err(_)) | None => (None, BTreeSet::new()),
        };
        commits.extend(text(record, "commit").map(str::to_owned));
        let learned_at = fact.and_then(|fact| fact.detail.source.commit);
        commits.extend(learned_at.map(|commit| commit.to_string()));
        let mut paths: BTreeSet<String> = fact.map(Fact::paths).unwrap_or_default().into_iter().collect();
        if self.filters.path.is_some() && record.kind == RecordKind::Episode {
            let told = TaskEpisode::read(&record.text);
            paths.extend(told.into_iter().flat_map(|told| told.task.files_changed));
        }
        Ok(Facets { task, commits, paths })
    }

    fn task(&mut self, id: &TaskId) -> Result<(Option<Task>, BTreeSet<String>)> {
        if let Some(known) = self.tasks.get(id) {
            return Ok(known.clone());
        }
        let task = self.tx.tasks().get(self.memory, id)?.filter(|task| task.actor == *self.actor);
        let commits = match &task {
            Some(task) if self.filters.commit.is_some() => {
                let made = self.tx.commits().of_task(self.memory, &task.id, COMMITS_MAX)?;
                made.into_iter().map(|commit| commit.sha.to_string()).collect()
            }
            Some(_) | None => BTreeSet::new(),
        };
        self.tasks.insert(id.clone(), (task.clone(), commits.clone()));
        Ok((task, commits))
    }
}

fn text<'r>(record: &'r Record, key: &str) -> Option<&'r str> {
    match record.metadata.get(key) {
        Some(MetadataValue::String(text)) => Some(text),
        Some(_) | None => None,
    }
}
