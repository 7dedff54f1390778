//! Sessions of tasks: the statements and actions of an agent while it works, numbered by the agent.
//! Each becomes an event of the memory in the session of the task, and an item of the archive,
//! which keeps the configured part for the configured time. After the end of the session, only the
//! archive is read.
//!
//! `archive_rules`: the archived part, and the end of a session; `deletion`: dependent deletions;
//! one file for each verb.

pub(crate) mod archive_rules;
pub(crate) mod deletion;
mod session_append;
mod session_events;
mod session_promote;
mod session_state;

pub use session_append::{NewSessionItem, of_event};
pub use session_events::{SessionEvents, SessionListing};
pub use session_promote::{Promoted, SessionPromoted};

use loci_model::ports::store::{ReadTx, SessionItemQuery};
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::{SessionItem, TaskSession};
use loci_model::{Error, Reason, Result, Timestamp};

/// Returns the session of a task, existing or new.
pub(super) fn session_of(tx: &dyn ReadTx, task: &Task, now: Timestamp) -> Result<TaskSession> {
    let (memory, actor) = (task.memory.clone(), task.actor.clone());
    let begun = || TaskSession::begun(memory, actor, task.id.clone(), task.session.clone(), now);
    Ok(tx.task_sessions().get(&task.memory, &task.id)?.unwrap_or_else(begun))
}

/// Returns the query for all items in the session of a task.
pub(crate) fn everything(task: &Task, now: Timestamp, limit: usize) -> SessionItemQuery {
    SessionItemQuery {
        memory: task.memory.clone(),
        task: task.id.clone(),
        after: None,
        kinds: Vec::new(),
        words: Vec::new(),
        now,
        limit,
    }
}

/// Adds the words of an item from its event, if the archive keeps less. After the end of a session,
/// only the archived words remain.
fn read_in_full(tx: &dyn ReadTx, task: &Task, item: &mut SessionItem, now: Timestamp) -> Result<()> {
    let Some(event) = item.event.as_ref().filter(|_| item.text.is_none()) else { return Ok(()) };
    let event = tx.events().get(&task.memory, &task.actor, &task.session, event, now)?;
    item.text = event.and_then(|event| archive_rules::said_in(&event));
    Ok(())
}

fn ended(what: &str) -> Error {
    Error::conflict(format!("the session has ended: {what}")).because(Reason::ResourceConflict)
}
