//! Quarantines the records of a task with a security alert until a person decides. This module
//! determines these records, and uses the same quarantine as all other doubtful records.

use loci_engine::records::state_transition::StateTransition;
use loci_model::ports::store::{ReadTx, RecordPage, TaskQuery, Tx};
use loci_model::record::scope::{AccessClause, RecordScope};
use loci_model::record::{Record, RecordState};
use loci_model::tasks::task::{Task, TaskAlert};
use loci_model::{ActorId, MemoryId, RecordId, Result, SessionId, TaskId, limits};

use super::task_namespaces;

/// The number of records that one page reads.
const ROWS: usize = 1_000;
/// The number of tasks that one page reads.
const TASKS: usize = 1_000;

/// Returns the reason for the quarantine of a record.
fn reason(task: &TaskId, alert: &TaskAlert) -> String {
    let whole = format!("security alert of task {task}: {}", alert.reason);
    whole.chars().take(limits::REASON_CHARS_MAX).collect()
}

/// Quarantines the records that a task has written, identified by its session. Returns them.
pub(super) fn sweep(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    task: &Task,
    alert: &TaskAlert,
) -> Result<Vec<RecordId>> {
    let written = AccessClause {
        actor: Some(task.actor.clone()),
        session: Some(task.session.clone()),
        ..AccessClause::default()
    };
    let scope = RecordScope {
        view: vec![written],
        states: vec![RecordState::Active, RecordState::Candidate],
        ..RecordScope::whole(task.memory.clone(), changing.at)
    };
    let reason = reason(&task.id, alert);
    let mut held = Vec::new();
    let mut after = None;
    loop {
        let page = RecordPage { scope: scope.clone(), after, limit: ROWS };
        let found = tx.records().list(&page)?;
        let Some(last) = found.last() else { return Ok(held) };
        after = Some((last.created_at, last.id.clone()));
        for record in &found {
            if changing.set_state(tx, record, RecordState::Quarantined, &reason)? {
                held.push(record.id.clone());
            }
        }
    }
}

/// Quarantines a record that its task is about to write. True if it was active.
pub(crate) fn hold_back(task: &Task, record: &mut Record) -> bool {
    let Some(alert) = task.security_alert.as_ref().filter(|_| record.state == RecordState::Active) else {
        return false;
    };
    record.state = RecordState::Quarantined;
    record.state_reason = Some(reason(&task.id, alert));
    true
}

/// Returns the reason to quarantine records written under a session label, if the label belongs to
/// a task with an alert; `None` otherwise.
pub(crate) fn held_by_label(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    actor: Option<&ActorId>,
    label: Option<&str>,
) -> Result<Option<String>> {
    let (Some(actor), Some(label)) = (actor, label) else { return Ok(None) };
    let task = labelled(tx, memory, actor, label)?;
    Ok(task.and_then(|task| task.security_alert.as_ref().map(|alert| reason(&task.id, alert))))
}

/// Returns the session of the task with this id.
pub(crate) fn session_of_label(label: &str) -> Option<SessionId> {
    TaskId::parse(label).ok().and_then(|id| task_namespaces::session_of(&id).ok())
}

/// Returns the task with this id or session.
fn labelled(tx: &dyn ReadTx, memory: &MemoryId, actor: &ActorId, label: &str) -> Result<Option<Task>> {
    if let Ok(id) = TaskId::parse(label) {
        let task = tx.tasks().get(memory, &id)?.filter(|task| task.actor == *actor);
        if let Some(task) = task {
            return Ok(Some(task));
        }
    }
    let Some(session) = SessionId::parse(label).ok().filter(task_namespaces::is_made) else {
        return Ok(None);
    };
    let mut query = TaskQuery { actors: vec![actor.clone()], ..TaskQuery::all(memory.clone(), TASKS) };
    loop {
        let tasks = tx.tasks().list(&query)?;
        let Some(last) = tasks.last() else { return Ok(None) };
        query.after = Some((last.created_at, last.id.clone()));
        if let Some(task) = tasks.into_iter().find(|task| task.session == session) {
            return Ok(Some(task));
        }
    }
}
