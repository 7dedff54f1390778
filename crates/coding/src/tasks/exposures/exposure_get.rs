//! The verb `exposure_get`: the records that one call showed a task.

use loci_api::coding::hydration as shape;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::exposure::{ExposedRecord, Exposure};
use loci_model::{Error, ExposureId, Result};

use crate::Coding;
use crate::tasks::task_namespaces;

impl Coding {
    /// Returns the exposure with an id.
    ///
    /// # Errors
    /// `NotFound` if it does not exist, or if the caller may not see it.
    pub async fn exposure_get(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &ExposureId,
    ) -> Result<Exposure> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, id) = (caller.clone(), id.clone());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = tx.exposures().get(&memory, &id)?.filter(|exposure| {
                    let of = (&exposure.actor, &exposure.session);
                    task_namespaces::require(&caller, &memory, of, Capability::Read).is_ok()
                });
                let missing = || Error::not_found(format!("there is no exposure {id} here"));
                found.ok_or_else(|| missing().on("exposure_id"))
            })
            .await
    }
}

/// Returns an exposure as the native API shows it.
pub fn exposure_shown(found: Exposure) -> shape::Exposure {
    let record = |one: ExposedRecord| shape::ExposedRecord {
        id: one.record.to_string(),
        version: one.version,
        kind: one.kind,
        rank: one.rank,
        similarity: one.similarity,
        trust: one.trust,
        score: one.score,
        tokens: one.tokens,
        decision: one.decision,
    };
    shape::Exposure {
        exposure_id: found.id.to_string(),
        task_id: found.task.to_string(),
        at: found.at.to_rfc3339(),
        call: found.call.as_str().to_owned(),
        snapshot_id: found.snapshot,
        arm: found.arm.as_str().to_owned(),
        query_sha256: found.query_sha256,
        estimator: found.estimator,
        limit: found.limit,
        used: found.used,
        memory_hash: found.memory_hash,
        degraded: found.degraded,
        records: found.records.into_iter().map(record).collect(),
    }
}
