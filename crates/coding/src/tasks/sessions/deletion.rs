//! Dependent deletions: with an event of the memory, its archived item; with an episode, the report
//! at the end of its task; with the end of a session, the events whose words the archive does not
//! keep.

use loci_model::event::Event;
use loci_model::ports::store::{SessionItemQuery, Tx};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordKind};
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::{Capture, SessionItem, ToldEnd};
use loci_model::{Result, TaskId, Timestamp, limits};

use super::{archive_rules, everything};

/// Deletes the archived item of a deleted event.
pub(crate) fn of_event(tx: &mut dyn Tx, event: &Event) -> Result<()> {
    // Any client may have written an event's metadata, so the event reference of the item decides.
    let task = event.metadata.get("task_id").and_then(|id| TaskId::parse(id.as_str()).ok());
    let seq = event.metadata.get("seq").and_then(|seq| seq.parse::<u64>().ok());
    let (Some(task), Some(seq)) = (task, seq) else { return Ok(()) };
    let item = tx.task_sessions().item(&event.memory, &task, seq)?;
    if item.is_some_and(|item| item.event.as_ref() == Some(&event.id)) {
        tx.task_sessions_mut().drop_item(&event.memory, &task, seq)?;
    }
    Ok(())
}

/// Deletes the report at the end of a task, if the deleted record is the task's episode.
pub(crate) fn of_record(tx: &mut dyn Tx, record: &Record, now: Timestamp) -> Result<()> {
    if record.kind != RecordKind::Episode {
        return Ok(());
    }
    let Some(MetadataValue::String(id)) = record.metadata.get("task_id") else { return Ok(()) };
    let Ok(id) = TaskId::parse(id.as_str()) else { return Ok(()) };
    let task = tx.tasks().get(&record.memory, &id)?;
    if task.is_none_or(|task| task.written.episode.as_ref() != Some(&record.id)) {
        return Ok(());
    }
    let Some(mut session) = tx.task_sessions().get(&record.memory, &id)? else { return Ok(()) };
    session.told = ToldEnd::default();
    session.updated_at = now;
    tx.task_sessions_mut().put(&session)
}

/// Deletes events of an ended session, up to a number of items: those whose words the archive does
/// not keep. If nothing is captured, their items are deleted as well, except tool calls. Returns
/// the number after which the next call continues.
pub(super) fn of_ended(
    tx: &mut dyn Tx,
    task: &Task,
    capture: Capture,
    after: Option<u64>,
    now: Timestamp,
) -> Result<Option<u64>> {
    if capture == Capture::Full {
        return Ok(None);
    }
    let most = limits::SESSION_EVENTS_PER_CALL_MAX;
    let items = tx.task_sessions().items(&SessionItemQuery { after, ..everything(task, now, most) })?;
    let next = items.last().map(|item| item.seq).filter(|_| items.len() == most);
    for item in items.into_iter().filter(|item| !archive_rules::keeps_words(capture, item.kind)) {
        let deleted = item.event.clone();
        if let Some(event) = &deleted {
            tx.events_mut().delete(&task.memory, &task.actor, &task.session, event, now)?;
        }
        if !archive_rules::keeps(capture, &item) {
            tx.task_sessions_mut().drop_item(&task.memory, &task.id, item.seq)?;
        } else if deleted.is_some() {
            tx.task_sessions_mut().put_item(&SessionItem { event: None, ..item })?;
        }
    }
    Ok(next)
}
