//! The verb `task_finalize`: the orchestrator reports the end of a task, in every case and any
//! number of times. Without an agent's report, a minimal episode is written; an existing episode is
//! kept, and its missing parts are filled in.

use std::sync::Arc;

use loci_api::coding::task::end::{TaskFinalize, TaskFinalized};
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::records::record_builder::Building;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::{SafetyPolicy, Tally, secrets};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::Record;
use loci_model::tasks::task::{Task, TaskStatus};
use loci_model::{RecordId, Result, TaskId};

use super::completion::not_an_end;
use super::episode_record::{existing_episode, put_episode};
use super::episode_text::TaskEpisode;
use crate::Coding;
use crate::tasks::log_fields::Call;
use crate::tasks::patch::move_on;
use crate::tasks::sessions::archive_rules;
use crate::tasks::{field_checks, task_namespaces};
use crate::{reflection, rules};

impl Coding {
    /// Ends a task.
    ///
    /// # Errors
    /// `Invalid` if the status is not terminal; `NotFound`; `Denied`.
    pub async fn task_finalize(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        end: TaskFinalize,
    ) -> Result<TaskFinalized> {
        let status = TaskStatus::read("status", Some(&end.status))?;
        Call::write("task_finalize", Some(id))
            .told(async {
                let Some(status) = status.filter(|status| status.is_terminal()) else {
                    return Err(not_an_end());
                };
                field_checks::name("reason", end.reason.as_ref())?;
                let memory = self.verified.code_memory(caller, standing).await?;
                self.known_task(&memory, id).await?;
                let view = access::record_view(caller, &memory, Capability::Write)?;
                let now = self.engine.now();
                let fresh = RecordId::compose(&uuid7(self.engine.ids().as_ref(), now.millis()))?;
                let [job, reflection] = self.two_jobs(now)?;
                let (of, ended) = (memory.clone(), id.clone());
                let own = Arc::clone(&self.parts.settings);
                let (caller, id, settings) = (caller.clone(), id.clone(), self.engine.settings().clone());
                let (finalized, found) = self
                    .engine
                    .store()
                    .write(move |tx| {
                        let memory = existing(tx, &memory)?;
                        let task = tx.tasks().get(&memory.id, &id)?;
                        let mut task = task_namespaces::visible(&caller, &id, task, Capability::Write)?;
                        let policy = SafetyPolicy::of(&settings, &memory.settings);
                        let by = caller.name.as_str();
                        let building =
                            Building { memory: &memory, view: &view, policy, expiry: None, by, now };
                        let mut found = Tally::default();
                        let before = task.clone();
                        let had_ended = task.status.is_terminal();
                        let warnings = note(&mut task, &building, &end, status)?;
                        if !had_ended && task.status.is_terminal() {
                            reflection::finished(tx, &memory, &task, &reflection, now)?;
                        }
                        let (episode, wrote) = match existing_episode(tx, &memory.id, &task)? {
                            Some(old) => (fill(tx, &building, &mut task, old, &mut found)?, false),
                            None => {
                                let reason = end.reason.clone();
                                let reason = reason.map(|text| secrets::redact(text, policy.secrets).0);
                                let told = TaskEpisode::minimal(&task, reason);
                                (put_episode(tx, &building, &mut task, &told, &fresh, &mut found)?, true)
                            }
                        };
                        tx.tasks_mut().put(&task)?;
                        let changing = StateTransition { memory: &memory, by, at: now };
                        rules::told(tx, &changing, &own, (&before, &task))?;
                        let capture = own.of_task(tx, &task)?.capture;
                        archive_rules::end(tx, &task, &capture, now)?;
                        // The session has ended, so its remaining events are processed now.
                        tx.jobs_mut().make_due(&memory.id, Some(&task.actor), Some(&task.session), now)?;
                        batch::ask_for_vectors(tx, &memory.id, &job, now)?;
                        Ok((finalized(wrote, &episode, warnings), found))
                    })
                    .await?;
                found.tell(self.engine.observe().as_ref());
                self.engine.wake().call();
                self.forget_said(of, ended).await?;
                Ok(finalized)
            })
            .await
    }
}

/// Returns the answer to a finalization.
fn finalized(wrote: bool, episode: &RecordId, warnings: Option<String>) -> TaskFinalized {
    TaskFinalized {
        wrote,
        kind: if wrote { "minimal" } else { "kept_existing" }.to_owned(),
        episode_id: episode.to_string(),
        warnings: warnings.into_iter().collect(),
    }
}

/// Stores the data of the end on the task. The agent's data stays.
fn note(
    task: &mut Task,
    building: &Building<'_>,
    end: &TaskFinalize,
    status: TaskStatus,
) -> Result<Option<String>> {
    let before = task.clone();
    task.cost_usd = task.cost_usd.or(field_checks::dollars(end.cost_usd));
    task.duration_s = task.duration_s.or(field_checks::amount(end.duration_s));
    let error = end.error_message.clone().map(field_checks::error_message);
    let error = error.map(|error| secrets::redact(error, building.policy.secrets).0);
    task.error_message = task.error_message.take().or(error);
    let warning = move_on(task, status, building.now)?;
    if *task != before {
        task.updated_at = building.now;
    }
    Ok(warning)
}

/// Fills in the missing parts of the existing episode. If a person replaced its text, it stays
/// unchanged.
fn fill(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    task: &mut Task,
    old: Record,
    found: &mut Tally,
) -> Result<RecordId> {
    let Some(mut told) = TaskEpisode::read(&old.text) else { return Ok(old.id) };
    if told.fill(task) { put_episode(tx, building, task, &told, &old.id, found) } else { Ok(old.id) }
}
