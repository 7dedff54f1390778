//! The verb `task_alert`: marks a task as untrusted. Its records are quarantined at once, and so
//! are its later ones. A person decides about each, as for other quarantined records.

use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::{RedactionMode, secrets};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::task::{Task, TaskAlert};
use loci_model::{Error, RecordId, Result, TaskId, limits};

use super::log_fields::Call;
use super::{alert_hold, task_namespaces};
use crate::Coding;
use crate::code_graph::co_change::task_files;

/// The reason of an earlier alert, for a caller who may not read the task.
const UNREADABLE: &str = "raised before: its reason is shown to those who may read the task";

/// The result of an alert.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskAlerted {
    /// The task, with its first alert.
    pub task: Task,
    /// True if this call raised the alert.
    pub raised: bool,
    /// The records that were quarantined.
    pub quarantined: Vec<RecordId>,
}

impl Coding {
    /// Raises the alert of a task. A repetition changes nothing: records that a person released
    /// since stay released.
    ///
    /// # Errors
    /// `Invalid` without a reason; `NotFound`; `Denied` if the caller may not write all data of the
    /// task's actor, such as the task's own agent.
    pub async fn task_alert(
        &self,
        caller: &Principal,
        standing: &CallContext,
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
                    // Masked under all settings, because the reason is stored with each record.
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
                        let changing = StateTransition { memory: &memory, by: &caller.name, at: alert.at };
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
