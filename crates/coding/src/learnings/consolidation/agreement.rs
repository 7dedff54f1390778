//! Agreement of further tasks with a known record. Each task counts once, and resets the age of the
//! record.

use loci_model::ports::store::{Confirmation, Tx};
use loci_model::record::Record;
use loci_model::record::agreement::Agreement;
use loci_model::record::metadata::MetadataValue;
use loci_model::tasks::task::Task;
use loci_model::{Result, Timestamp};

/// Records that a task states the content of a record. The first task that stated it does not count
/// as an agreement.
pub(crate) fn agree(tx: &mut dyn Tx, record: &Record, task: &Task, at: Timestamp) -> Result<()> {
    let first = match record.metadata.get("task_id") {
        Some(MetadataValue::String(id)) => Some(id.as_str()),
        Some(_) | None => None,
    };
    if first == Some(task.id.as_str()) {
        return Ok(());
    }
    let known = tx.ledger().noun::<Agreement>(&record.memory, record.id.as_str())?;
    let mut agreement = known
        .unwrap_or_else(|| Agreement::none(record.memory.clone(), task.actor.clone(), record.id.clone(), at));
    agreement.add(task.id.as_str(), at);
    tx.records_mut().confirm(&record.memory, &record.id, &Confirmation::at(at))?;
    tx.ledger_mut().put_noun(&agreement)
}
