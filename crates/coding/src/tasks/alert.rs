//! `task_alert`: a task is not trusted any more. What it wrote is held back at once, and whatever it writes from then on; a person decides
//! about each record as about others that are held.

use loci_engine::calls::standing::Standing;
use loci_engine::memories::existing;
use loci_engine::records::changing::Changing;
use loci_engine::safety::{RedactionMode, secrets};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task::{Task, TaskAlert};
use loci_model::{Error, RecordId, Result, TaskId, limits};

use super::log_fields::Call;
use super::{alert_hold, task_namespaces};
use crate::Coding;
use crate::code_graph::co_change::task_files;

/// The reason of an earlier alert, to a caller who may not read the task.
const UNREADABLE: &str = "raised before: its reason is shown to those who may read the task";

/// A task that is not trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskAlerted {
    /// The task, with its alert: the first that was raised.
    pub task: Task,
    /// The alert was raised by this call.
    pub raised: bool,
    /// What is held back since.
    pub quarantined: Vec<RecordId>,
}

impl Coding {
    /// Raises the alert of a task. Raised again it is as it is: what a person released since stays released.
    ///
    /// # Errors
    /// `Invalid` without a reason; `NotFound`; `Denied` for whoever may not write all of the task's actor, such as its own agent.
    pub async fn task_alert(
        &self,
        caller: &Principal,
        standing: &Standing,
        id: &TaskId,
        reason: &str,
    ) -> Result<TaskAlerted> {
        Call::write("task_alert", Some(id))
            .told(async {
                let most = limits::REASON_CHARS_MAX;
                if !(1..=most).contains(&reason.chars().count()) {
                    let rule =
                        format!("reason must have 1 to {most} characters: it is kept with each record");
                    return Err(Error::invalid("reason", rule));
                }
                let memory = self.verified.code_memory(caller, standing).await?;
                self.known_task(&memory, id).await?;
                let alert = TaskAlert {
                    // Whatever the settings are: a reason is kept with each record.
                    reason: secrets::redact(reason.to_owned(), RedactionMode::Mask).0,
                    by: caller.name.clone(),
                    at: self.engine.now(),
                };
                let (caller, id) = (caller.clone(), id.clone());
                let alerted = self
                    .engine
                    .store()
                    .write(move |tx| {
                        let memory = existing(tx, &memory)?;
                        let task = tx.tasks().get(&memory.id, &id)?;
                        let mut task = task_namespaces::visible(&caller, &id, task, Capability::Write)?;
                        task_namespaces::require_all(&caller, &memory.id, &task.actor, Capability::Write)?;
                        let may_read = task_namespaces::may(&caller, &task, Capability::Read);
                        if let Some(first) = &mut task.security_alert {
                            if !may_read {
                                (first.reason, first.by) = (UNREADABLE.to_owned(), String::new());
                            }
                            return Ok(TaskAlerted { task, raised: false, quarantined: Vec::new() });
                        }
                        let changing = Changing { memory: &memory, by: &caller.name, at: alert.at };
                        let quarantined = alert_hold::sweep(tx, &changing, &task, &alert)?;
                        task.updated_at = alert.at;
                        task.security_alert = Some(alert.clone());
                        tx.tasks_mut().put(&task)?;
                        task_files::take_back(tx, &task, alert.at)?;
                        Ok(TaskAlerted { task, raised: true, quarantined })
                    })
                    .await?;
                let held = alerted.quarantined.len();
                tracing::warn!(held, raised = alerted.raised, "a security alert of a task");
                Ok(alerted)
            })
            .await
    }
}
