//! The exposures of a session, stored like those of tasks: later outcomes and searches use them.
//! The session takes the role of the task.

use loci_engine::access;
use loci_engine::memories::existing;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::services::knowledge::SreType;
use loci_model::tasks::exposure::{ExposedRecord, Exposure, ExposureCall, rounded};
use loci_model::tasks::task::MemoryArm;
use loci_model::{ActorId, ExposureId, MemoryId, RecordId, Result, SessionId, TaskId, Timestamp};
use sha2::{Digest, Sha256};

use super::context::Context;
use super::rendering::Rendered;
use super::start::InvestigationStart;
use crate::Operations;
use crate::records::namespace_rules;

/// The maximum number of exposures of a session that are read, newest first.
const EXPOSURES_MAX: usize = 100;

impl Operations {
    /// Records the exposure of records to a session.
    pub(super) async fn expose_to_session(
        &self,
        caller: &Principal,
        (memory, actor, session): (&MemoryId, &ActorId, &str),
        asked: &InvestigationStart,
        context: &Context,
        drawn: &Rendered,
        now: Timestamp,
    ) -> Result<ExposureId> {
        let session = namespace_rules::session(SreType::Investigations, Some(session))?;
        access::event_view(caller, memory, actor, Some(&session), Capability::Write, now)?;
        let id = ExposureId::parse(format!("exp_{}", uuid7(self.engine.ids().as_ref(), now.millis())))?;
        let mut rank = (0, "");
        let records: Vec<ExposedRecord> = drawn
            .looked
            .iter()
            .map(|one| {
                rank = if rank.1 == one.section { (rank.0 + 1, one.section) } else { (1, one.section) };
                ExposedRecord {
                    record: one.record.clone(),
                    version: one.version,
                    kind: one.section.to_owned(),
                    rank: rank.0,
                    similarity: rounded(one.similarity),
                    trust: rounded(one.confidence),
                    score: rounded(one.score),
                    tokens: one.tokens,
                    decision: one.decision.clone(),
                }
            })
            .collect();
        let shown = records.iter().filter(|one| one.is_shown());
        let seen: String = shown.map(|one| format!("{}@{}\n", one.record, one.version)).collect();
        let row = Exposure {
            memory: memory.clone(),
            id: id.clone(),
            task: task_of(&session)?,
            actor: actor.clone(),
            session,
            at: now,
            call: ExposureCall::Hydrate,
            snapshot: String::new(),
            arm: MemoryArm::On,
            query_sha256: Some(hex::encode(Sha256::digest(&asked.query))),
            estimator: asked.estimator.name().to_owned(),
            limit: asked.budget_tokens.unwrap_or(self.settings.of(memory).context_budget_tokens),
            used: drawn.used,
            memory_hash: hex::encode(Sha256::digest(seen)),
            degraded: context.is_degraded(),
            records,
        };
        let memory = memory.clone();
        self.engine
            .store()
            .write(move |tx| {
                existing(tx, &memory)?;
                tx.exposures_mut().put(&row)
            })
            .await?;
        Ok(id)
    }

    /// Returns the records that a session was shown, so that a search can exclude them.
    ///
    /// # Errors
    /// `Invalid` if the session id is malformed; `Denied` if the caller may not read the session.
    pub async fn sre_shown(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        session: &str,
    ) -> Result<Vec<RecordId>> {
        let session = namespace_rules::session(SreType::Investigations, Some(session))?;
        let (place, task, caller, now) =
            (memory.clone(), task_of(&session)?, caller.clone(), self.engine.now());
        self.engine
            .store()
            .read(move |tx| {
                let rows = tx.exposures().of_task(&place, &task, None, EXPOSURES_MAX)?;
                let may = |row: &Exposure| {
                    access::event_view(&caller, &place, &row.actor, Some(&row.session), Capability::Read, now)
                        .is_ok()
                };
                let shown = rows.iter().filter(|row| may(row)).flat_map(|row| &row.records);
                let mut ids: Vec<RecordId> =
                    shown.filter(|one| one.is_shown()).map(|one| one.record.clone()).collect();
                ids.sort();
                ids.dedup();
                Ok(ids)
            })
            .await
    }
}

/// True if the actor started or joined the investigation of a session, so that there is an
/// exposure.
pub(super) fn has_joined(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    session: &SessionId,
    actor: &ActorId,
) -> Result<bool> {
    let rows = tx.exposures().of_task(memory, &task_of(session)?, None, EXPOSURES_MAX)?;
    Ok(rows.iter().any(|row| row.actor == *actor))
}

/// True if a session has an exposure.
pub(super) fn was_shown(tx: &dyn ReadTx, memory: &MemoryId, session: &SessionId) -> Result<bool> {
    let rows = tx.exposures().of_task(memory, &task_of(session)?, None, EXPOSURES_MAX)?;
    Ok(rows.iter().flat_map(|row| &row.records).any(ExposedRecord::is_shown))
}

/// Returns the task id under which exposures of a session are stored.
fn task_of(session: &SessionId) -> Result<TaskId> {
    TaskId::parse(session.as_str())
}
