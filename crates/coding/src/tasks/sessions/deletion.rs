//! What goes with what is deleted: with an event of the memory what the archive keeps of it, with an episode what was told at the end
//! of its task; and, when a session has ended, the events whose words the archive is not to keep.

use loci_model::event::Event;
use loci_model::ports::store::{SessionItemQuery, Tx};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordKind};
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::{Capture, SessionItem, ToldEnd};
use loci_model::{Result, TaskId, Timestamp, limits};

use super::{archive_rules, everything};

/// An event of the memory is deleted.
pub(crate) fn of_event(tx: &mut dyn Tx, event: &Event) -> Result<()> {
    // What anybody may have written into an event's metadata; what the item says of its event decides.
    let task = event.metadata.get("task_id").and_then(|id| TaskId::parse(id.as_str()).ok());
    let seq = event.metadata.get("seq").and_then(|seq| seq.parse::<u64>().ok());
    let (Some(task), Some(seq)) = (task, seq) else { return Ok(()) };
    let item = tx.task_sessions().item(&event.memory, &task, seq)?;
    if item.is_some_and(|item| item.event.as_ref() == Some(&event.id)) {
        tx.task_sessions_mut().drop_item(&event.memory, &task, seq)?;
    }
    Ok(())
}

/// A record is deleted; where it is the episode of a task, what was told at the task's end goes with it.
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

/// Deletes events of a session that has ended, of so many items at most: those whose words the archive does not keep. Where nothing
/// is captured, what is kept of them goes too, but for the use of tools. The number behind which the next call goes on.
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
