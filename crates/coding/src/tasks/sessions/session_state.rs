//! The verb `session_state`: state that an agent stores so that a crashed run can resume in its
//! session. Only callers who may write the task can read it. It is returned byte for byte, except
//! for masked secrets in its texts, and is removed at the end of the session.

use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::safety::{SafetyPolicy, json_secrets};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{Document, Error, ErrorKind, Reason, Result, TaskId, limits};

use super::{ended, session_of};
use crate::Coding;
use crate::tasks::log_fields::Call;
use crate::tasks::task_namespaces;

impl Coding {
    /// Returns the state of a session and its version, for a caller who may write the task: the
    /// state belongs to the agent, and is kept as sent.
    ///
    /// # Errors
    /// `NotFound` if there is no state; `Denied`.
    pub async fn session_state(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
    ) -> Result<(Document, u64)> {
        Call::load("session_state", Some(id))
            .told(async {
                let memory = self.verified.code_memory(caller, standing).await?;
                let caller = &self.acting(caller, &memory, id).await?;
                let (caller, id, now) = (caller.clone(), id.clone(), self.engine.now());
                self.engine
                    .store()
                    .read(move |tx| {
                        existing(tx, &memory)?;
                        let task = task_namespaces::visible(
                            &caller,
                            &id,
                            tx.tasks().get(&memory, &id)?,
                            Capability::Write,
                        )?;
                        let session = session_of(tx, &task, now)?;
                        let none = || Error::not_found(format!("the session of task {id} keeps no state"));
                        Ok((session.state.ok_or_else(none)?, session.state_version))
                    })
                    .await
            })
            .await
    }

    /// Replaces the state of `version` (0 for the first one). Returns the new version.
    ///
    /// # Errors
    /// `TooLarge`; `Conflict` if the stored version differs, or if the session has ended;
    /// `NotFound`; `Denied`.
    pub async fn session_state_put(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &TaskId,
        state: Document,
        version: u64,
    ) -> Result<u64> {
        Call::write("session_state_put", Some(id))
            .told(async {
                if state.as_str().len() > limits::SESSION_STATE_BYTES_MAX {
                    let max = limits::SESSION_STATE_BYTES_MAX;
                    let rule = format!("state must have at most {max} bytes as JSON");
                    return Err(Error::new(ErrorKind::TooLarge, rule).on("state"));
                }
                let memory = self.verified.code_memory(caller, standing).await?;
                let caller = &self.acting(caller, &memory, id).await?;
                let (caller, id, now) = (caller.clone(), id.clone(), self.engine.now());
                let settings = self.engine.settings().clone();
                self.engine
                    .store()
                    .write(move |tx| {
                        let memory = existing(tx, &memory)?;
                        let task = tx.tasks().get(&memory.id, &id)?;
                        let task = task_namespaces::visible(&caller, &id, task, Capability::Write)?;
                        let mut session = session_of(tx, &task, now)?;
                        if session.ended_at.is_some() {
                            return Err(ended("it keeps no state any more"));
                        }
                        if session.state_version != version {
                            let is = session.state_version;
                            let rule =
                                format!("version must be {is}, of the state that is there: read it again");
                            return Err(Error::conflict(rule).on("version").because(Reason::StaleVersion));
                        }
                        let policy = SafetyPolicy::of(&settings, &memory.settings);
                        session.state = Some(json_secrets::redact_document(&state, policy.secrets)?);
                        session.state_version = version.saturating_add(1);
                        session.updated_at = now;
                        tx.task_sessions_mut().put(&session)?;
                        Ok(session.state_version)
                    })
                    .await
            })
            .await
    }
}
