//! The single episode of a task: the first report creates it, later ones change it in place. Its
//! record's id stays the same for the life of the task.

use loci_engine::records::NewRecord;
use loci_engine::records::record_builder::{Building, Origin};
use loci_engine::records::text_digest::digest;
use loci_engine::safety::Tally;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::tasks::task::{Task, TaskStatus};
use loci_model::{MemoryId, Namespace, RecordId, Result};

use super::episode_text::TaskEpisode;
use crate::learnings::learning_write::{SCHEMA_VERSION, provenance};
use crate::outcomes::noted_on;
use crate::tasks::alert_hold;
use crate::tasks::sessions::archive_rules;

/// Subtypes of an episode's record.
const BY_AGENT: &str = "task_episode";
const FALLBACK: &str = "orchestrator_fallback_episode";

/// Returns the record of a task's episode, if it exists and was not deleted.
pub(crate) fn existing_episode(tx: &dyn ReadTx, memory: &MemoryId, task: &Task) -> Result<Option<Record>> {
    let Some(id) = &task.written.episode else { return Ok(None) };
    Ok(tx.records().get(memory, id)?.filter(|record| record.state != RecordState::Erased))
}

/// Writes the episode under `id`, or as the next version of the existing one. Returns its id, and
/// stores it on the task.
pub(super) fn put_episode(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    task: &mut Task,
    told: &TaskEpisode,
    id: &RecordId,
    found: &mut Tally,
) -> Result<RecordId> {
    let is_minimal = told.is_fallback();
    let old = existing_episode(tx, &building.memory.id, task)?;
    let from = Origin {
        provenance: provenance(task),
        origin: RecordOrigin::Extracted,
        index_text: Some(told.index_text()),
    };
    let (mut record, safe) = building.build(&new(task, told, building)?, id, from)?;
    record.metadata.insert("content_sha256".to_owned(), MetadataValue::String(digest(&record.text)));
    noted_on(tx, task, &mut record.metadata)?;
    alert_hold::hold_back(task, &mut record);
    let id = match old {
        Some(old) if old.text == record.text => old.id,
        Some(old) => {
            found.add(&safe);
            if old.state != RecordState::Active {
                // A person or a check keeps the record out of use. A further report does not change
                // that.
                record.state = old.state;
                record.state_reason.clone_from(&old.state_reason);
            }
            let reason = if is_minimal { "filled in" } else { "reported by the agent" };
            building.replace(tx, &old, record, reason)?.id
        }
        None => {
            found.add(&safe);
            building.insert(tx, &record)?;
            record.id
        }
    };
    archive_rules::note_told(tx, task, told, building.now)?;
    task.written.episode = Some(id.clone());
    task.written.is_minimal = is_minimal;
    Ok(id)
}

fn new(task: &Task, told: &TaskEpisode, building: &Building<'_>) -> Result<NewRecord> {
    let report = &told.task;
    let text = |text: &str| MetadataValue::String(text.to_owned());
    let mut metadata = Metadata::from([
        ("schema_version".to_owned(), text(SCHEMA_VERSION)),
        ("task_id".to_owned(), text(task.id.as_str())),
        ("repo".to_owned(), text(task.actor.as_str())),
        ("type".to_owned(), text(told.subtype())),
        ("source_type".to_owned(), text(&report.source_type)),
        ("memory_arm".to_owned(), text(&report.memory_arm)),
    ]);
    let mut add = |key: &str, value: Option<MetadataValue>| {
        if let Some(value) = value {
            metadata.insert(key.to_owned(), value);
        }
    };
    add("status", report.status.map(TaskStatus::as_str).map(text));
    add("claimed_status", report.claimed_status.map(TaskStatus::as_str).map(text));
    add("pr_url", report.pr.as_ref().and_then(|pr| pr.url.as_deref()).map(text));
    add("branch", report.branch.as_deref().map(text));
    add("prompt_version", report.prompt_version.as_deref().map(text));
    add("failure_category", report.failure_category.as_deref().map(text));
    add("cost_usd", report.cost_usd.map(MetadataValue::Number));
    add("duration_s", report.duration_s.map(MetadataValue::Number));
    let namespace = Namespace::parse(format!("/{}/episodes/{}/", task.actor, task.session))?;
    Ok(NewRecord {
        subtype: Some(told.subtype().to_owned()),
        description: Some(told.summary(task)),
        metadata,
        kind: RecordKind::Episode,
        ..NewRecord::fact(String::new(), vec![namespace], told.write()?, building.now)
    })
}

impl TaskEpisode {
    fn subtype(&self) -> &'static str {
        if self.is_fallback() { FALLBACK } else { BY_AGENT }
    }
}
