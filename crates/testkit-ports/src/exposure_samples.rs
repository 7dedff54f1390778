//! Exposures with all members filled in, so that tests change only the relevant ones.

use loci_model::tasks::exposure::{ExposedRecord, Exposure, ExposureCall, SHOWN};
use loci_model::tasks::task::MemoryArm;
use loci_model::{ActorId, ExposureId, MemoryId, Result, SessionId, TaskId};

use crate::samples::{record_id, time};

/// Returns the `number`th exposure, of the task with that number, `number` seconds after the start.
///
/// # Errors
/// None: the ids are valid.
pub fn exposure(memory: &MemoryId, number: u32) -> Result<Exposure> {
    let of = |rank: u32, decision: &str| -> Result<ExposedRecord> {
        Ok(ExposedRecord {
            record: record_id(rank)?,
            version: 2,
            kind: "knowledge".to_owned(),
            rank,
            similarity: 0.71,
            trust: 0.62,
            score: 0.44,
            tokens: 40,
            decision: decision.to_owned(),
        })
    };
    Ok(Exposure {
        memory: memory.clone(),
        id: ExposureId::parse(format!("exp_{number:04}"))?,
        task: TaskId::parse(format!("t-{number:03}"))?,
        actor: ActorId::parse("acme/shop")?,
        session: SessionId::parse(format!("t-{number:03}"))?,
        at: time(i64::from(number)),
        call: ExposureCall::Hydrate,
        snapshot: "snap_7".to_owned(),
        arm: MemoryArm::On,
        query_sha256: Some("c".repeat(64)),
        estimator: "mixed".to_owned(),
        limit: 2_000,
        used: 1_740,
        memory_hash: "d".repeat(64),
        degraded: false,
        records: vec![of(1, SHOWN)?, of(2, "dropped:budget")?],
    })
}
