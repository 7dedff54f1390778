//! The verb `task_explain`: the records that a task was shown, those that it reported as used, and
//! the source of each.

use std::collections::{BTreeMap, BTreeSet};

use loci_api::coding::hydration::{ExplainedRecord, TaskExplained};
use loci_engine::access::{self, View};
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordState};
use loci_model::tasks::task::Task;
use loci_model::{RecordId, Result, TaskId, limits};

use super::exposure_get::exposure_shown;
use crate::Coding;
use crate::hydration::shown_text;
use crate::tasks::reports::episode_record::existing_episode;
use crate::tasks::reports::episode_text::TaskEpisode;
use crate::tasks::task_namespaces;

impl Coding {
    /// Explains the exposures of a task.
    ///
    /// # Errors
    /// `NotFound`; `Denied`.
    pub async fn task_explain(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
    ) -> Result<TaskExplained> {
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

fn explained(tx: &dyn ReadTx, view: &View, task: Task) -> Result<TaskExplained> {
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
    let found: BTreeMap<RecordId, Record> = found
        .into_iter()
        .filter(|record| record.state != RecordState::Erased && view.admits(record))
        .map(|record| (record.id.clone(), record))
        .collect();
    let record = |id: RecordId| {
        let (kind, versions, times) = match shown.remove(&id) {
            Some((kind, versions, times)) => (Some(kind), versions.into_iter().collect(), times),
            None => (None, Vec::new(), 0),
        };
        let now = found.get(&id);
        let word = |key: &str| match now?.metadata.get(key) {
            Some(MetadataValue::String(text)) => Some(text.clone()),
            Some(_) | None => None,
        };
        ExplainedRecord {
            id: id.to_string(),
            kind,
            versions,
            shown: times,
            state: now.map(|record| record.state.as_str().to_owned()),
            version: now.map(|record| record.version),
            text: now.map(shown_text),
            source_type: word("source_type"),
            from_task: word("task_id"),
            created_at: now.map(|record| record.created_at.to_rfc3339()),
        }
    };
    Ok(TaskExplained {
        task_id: task.id.to_string(),
        arm: task.arm.as_str().to_owned(),
        records: ids.into_iter().map(record).collect(),
        exposures: exposures.into_iter().map(exposure_shown).collect(),
        more_exposures: is_cut,
        used,
        helpful,
        harmful,
    })
}
