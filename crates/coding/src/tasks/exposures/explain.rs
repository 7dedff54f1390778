//! `task_explain`: what a task was shown, what it says it used, and where each of that comes from.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::access::{self, View};
use loci_engine::calls::standing::Standing;
use loci_engine::memories::existing;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::tasks::exposure::Exposure;
use loci_model::tasks::task::{MemoryArm, Task};
use loci_model::{RecordId, Result, TaskId, limits};

use crate::Coding;
use crate::tasks::reports::episode_record::existing_episode;
use crate::tasks::reports::episode_text::TaskEpisode;
use crate::tasks::task_namespaces;

/// A record that a task was shown, or says it used.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedRecord {
    /// The record.
    pub id: RecordId,
    /// As what it was shown; `None`: it was not.
    pub kind: Option<String>,
    /// The versions that were shown, the lowest first.
    pub versions: Vec<u32>,
    /// By how many calls.
    pub shown: u32,
    /// The record as it is now; `None`: it is gone, or not for the caller.
    pub record: Option<Box<Record>>,
}

/// A task, explained.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The task.
    pub task: TaskId,
    /// Which memory it is given.
    pub arm: MemoryArm,
    /// What each call showed, oldest first: of many the newest.
    pub exposures: Vec<Exposure>,
    /// There are more exposures, older ones, than are told of.
    pub is_cut: bool,
    /// What was shown or used, by id.
    pub records: Vec<ExplainedRecord>,
    /// What is said to have been used.
    pub used: Vec<String>,
    /// What is said to have helped.
    pub helpful: Vec<String>,
    /// What is said to have misled.
    pub harmful: Vec<String>,
}

impl Coding {
    /// Explains what a task was shown.
    ///
    /// # Errors
    /// `NotFound`; `Denied`.
    pub async fn task_explain(
        &self,
        caller: &Principal,
        standing: &Standing,
        id: &TaskId,
    ) -> Result<Explained> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let view = access::record_view(caller, &memory, Capability::Read)?;
        let (caller, id) = (caller.clone(), id.clone());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let task =
                    task_namespaces::visible(&caller, &id, tx.tasks().get(&memory, &id)?, Capability::Read)?;
                explained(tx, &view, task)
            })
            .await
    }
}

fn explained(tx: &dyn ReadTx, view: &View, task: Task) -> Result<Explained> {
    let most = limits::EXPLAINED_EXPOSURES_MAX;
    let mut exposures = tx.exposures().of_task(&task.memory, &task.id, None, most + 1)?;
    let is_cut = exposures.len() > most;
    exposures.truncate(most);
    exposures.reverse();
    let episode = existing_episode(tx, &task.memory, &task)?.filter(|record| view.admits(record));
    let report = episode.and_then(|record| TaskEpisode::read(&record.text)).unwrap_or_default().task;
    let mut shown: BTreeMap<RecordId, (String, BTreeSet<u32>, u32)> = BTreeMap::new();
    for record in exposures.iter().flat_map(|exposure| &exposure.records).filter(|one| one.is_shown()) {
        let of =
            shown.entry(record.record.clone()).or_insert_with(|| (record.kind.clone(), BTreeSet::new(), 0));
        of.1.insert(record.version);
        of.2 += 1;
    }
    let said = |reported: Vec<String>, noted: &mut dyn Iterator<Item = &RecordId>| -> Vec<String> {
        let all: BTreeSet<String> = reported.into_iter().chain(noted.map(ToString::to_string)).collect();
        all.into_iter().collect()
    };
    let used = said(report.used_memory_ids, &mut task.feedback.used.iter());
    let helpful = said(report.helpful_memory_ids, &mut task.feedback.helpful.iter());
    let harmful = said(report.harmful_memory_ids, &mut task.feedback.harmful.keys());
    let named = used.iter().chain(&helpful).chain(&harmful);
    let mut ids: BTreeSet<RecordId> = named.filter_map(|id| RecordId::parse(id.as_str()).ok()).collect();
    ids.extend(shown.keys().cloned());
    let ids: Vec<RecordId> = ids.into_iter().collect();
    let found = tx.records().get_many(&task.memory, &ids)?;
    let mut found: BTreeMap<RecordId, Record> = found
        .into_iter()
        .filter(|record| record.state != RecordState::Erased && view.admits(record))
        .map(|record| (record.id.clone(), record))
        .collect();
    let record = |id: RecordId| {
        let (kind, versions, times) = match shown.remove(&id) {
            Some((kind, versions, times)) => (Some(kind), versions.into_iter().collect(), times),
            None => (None, Vec::new(), 0),
        };
        ExplainedRecord { record: found.remove(&id).map(Box::new), id, kind, versions, shown: times }
    };
    Ok(Explained {
        task: task.id.clone(),
        arm: task.arm,
        records: ids.into_iter().map(record).collect(),
        exposures,
        is_cut,
        used,
        helpful,
        harmful,
    })
}
