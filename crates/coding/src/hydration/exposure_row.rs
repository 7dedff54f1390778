//! Builds the exposure of a task: the row that lists the records shown to it. Pure.

use loci_model::tasks::exposure::{ExposedRecord, Exposure, ExposureCall, SHADOW, SHOWN, rounded};
use loci_model::tasks::task::Task;
use loci_model::{ExposureId, Timestamp};
use sha2::{Digest, Sha256};

use super::block_plan::{BlockLimits, BlockPlan};
use super::candidate::Candidate;

/// The data of an exposure.
pub(super) struct ExposureInput<'a> {
    pub(super) call: ExposureCall,
    pub(super) query: Option<&'a str>,
    pub(super) snapshot: &'a str,
    pub(super) limits: &'a BlockLimits,
    pub(super) plan: &'a BlockPlan,
    /// True if the block was built only for comparison and the task did not see it.
    pub(super) is_shadow: bool,
    pub(super) degraded: bool,
    pub(super) at: Timestamp,
}

impl ExposureInput<'_> {
    /// Returns the digest of the records that the task saw. Empty input if the block was built only
    /// for comparison.
    pub(super) fn seen_hash(&self) -> String {
        if self.is_shadow { hex::encode(Sha256::digest([])) } else { self.plan.memory_hash() }
    }
}

/// Returns the exposure.
pub(super) fn exposure(id: ExposureId, task: &Task, shown: &ExposureInput<'_>) -> Exposure {
    let ExposureInput { plan, limits, .. } = shown;
    let decision = if shown.is_shadow { SHADOW } else { SHOWN };
    let taken = plan.shown.iter().map(|one| row(&one.candidate, one.tokens, decision.to_owned()));
    let left = plan.left.iter().map(|one| row(&one.candidate, one.tokens, format!("dropped:{}", one.reason)));
    let mut records: Vec<(u8, ExposedRecord)> = taken.chain(left).collect();
    records.sort_by(|(kind, a), (other, b)| {
        (kind, a.rank).cmp(&(other, b.rank)).then_with(|| a.record.cmp(&b.record))
    });
    Exposure {
        memory: task.memory.clone(),
        id,
        task: task.id.clone(),
        actor: task.actor.clone(),
        session: task.session.clone(),
        at: shown.at,
        call: shown.call,
        snapshot: shown.snapshot.to_owned(),
        arm: task.arm,
        query_sha256: shown.query.map(|query| hex::encode(Sha256::digest(query))),
        estimator: limits.estimator.name().to_owned(),
        limit: limits.tokens,
        used: plan.used,
        memory_hash: plan.memory_hash(),
        degraded: shown.degraded,
        records: records.into_iter().map(|(_, record)| record).collect(),
    }
}

fn row(candidate: &Candidate, tokens: u32, decision: String) -> (u8, ExposedRecord) {
    let record = ExposedRecord {
        record: candidate.record.id.clone(),
        version: candidate.record.version,
        kind: candidate.kind.as_str().to_owned(),
        rank: candidate.rank,
        similarity: rounded(candidate.similarity),
        trust: rounded(candidate.trust),
        score: rounded(candidate.score),
        tokens,
        decision,
    };
    (candidate.kind as u8, record)
}
