//! Decides about a learning in comparison with known records, within the write. Records found
//! before the write are read again, and records written since, by the same report or another, are
//! compared here.

use loci_engine::consolidation::{Alike, Decision, Neighbourhood, Thresholds, Why, WordPairs, decide_alone};
use loci_model::facts::branch_fact::BranchFact;
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, RecordPage};
use loci_model::record::agreement::Agreement;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState, TrustTier};
use loci_model::{NamespaceFilter, NamespaceMatch, RecordId, Result, Timestamp};
use loci_text::similarity::jaccard;
use loci_text::terms;

use super::similar_records::{COSINE_MIN, JACCARD_MIN, SimilarRecords};
use crate::learnings::learning_write::SELF_FEEDBACK;

/// The maximum number of records written since that are compared: the newest.
const WRITTEN_SINCE_MAX: usize = 100;

/// The records that a learning is compared with.
pub(crate) struct ComparedRecords<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) around: &'a SimilarRecords,
    pub(crate) now: Timestamp,
    /// The branch to which the learning is limited; `None`: it holds on the default branch, or this
    /// is unknown.
    pub(crate) on_branch: Option<Option<&'a str>>,
}

/// The decision about a learning.
pub(crate) struct LearningDecision {
    pub(crate) decision: Decision,
    /// Records that it supersedes when its branch reaches the default branch.
    pub(crate) against: Vec<RecordId>,
    /// The branch fact that already states it, which holds on the default branch from now on.
    pub(crate) landed: Option<BranchFact>,
}

impl LearningDecision {
    fn of(decision: Decision) -> Self {
        Self { decision, against: Vec::new(), landed: None }
    }
}

impl ComparedRecords<'_> {
    /// Decides about a record that is not written yet. `said` is the text of its similarity search.
    /// `pairs` is the remaining number of comparisons for all records of the write.
    pub(crate) fn decide(
        &self,
        tx: &dyn ReadTx,
        (record, said): (&Record, &str),
        pairs: &mut WordPairs,
    ) -> Result<LearningDecision> {
        let limits = Thresholds::read(self.memory.settings.consolidation.thresholds.as_deref())?;
        let near = self.near(tx, record, said)?;
        let (elsewhere, here): (Vec<Met>, Vec<Met>) =
            near.into_iter().partition(|met| self.is_elsewhere(met));
        let beside: Vec<Neighbourhood> = here.iter().map(|met| met.neighbourhood.clone()).collect();
        let decision = decide_alone(record, &beside, &limits, pairs);
        let found = match decision {
            Decision::Supersede { old, why } => self.in_the_place_of(old, why, &here),
            Decision::Add { why } if self.on_branch.is_none() => {
                // A branch fact may already state it, which now holds here.
                let others: Vec<Neighbourhood> =
                    elsewhere.iter().map(|met| met.neighbourhood.clone()).collect();
                match decide_alone(record, &others, &limits, pairs) {
                    Decision::Skip { of, why } => {
                        let landed = elsewhere.into_iter().find(|met| met.neighbourhood.record.id == of);
                        LearningDecision {
                            landed: landed.and_then(|met| met.branch),
                            ..LearningDecision::of(Decision::Skip { of, why })
                        }
                    }
                    _ => LearningDecision::of(Decision::Add { why }),
                }
            }
            // A learning of a branch raises no doubt on the default branch yet.
            Decision::Doubt { why, .. } if self.on_branch.is_some() => {
                LearningDecision::of(Decision::Add { why })
            }
            other => LearningDecision::of(other),
        };
        Ok(found)
    }

    /// Decides about a branch fact that reaches the default branch, in comparison with the records
    /// there and regardless of the earlier decision. `seen_at` is the time of its latest
    /// observation. Facts of other branches are ignored.
    pub(crate) fn decide_landed(
        &self,
        tx: &dyn ReadTx,
        record: &Record,
        (said, seen_at): (&str, Timestamp),
    ) -> Result<Decision> {
        let limits = Thresholds::read(self.memory.settings.consolidation.thresholds.as_deref())?;
        let near = self.near(tx, record, said)?;
        let here: Vec<Neighbourhood> =
            near.into_iter().filter(|met| met.branch.is_none()).map(|met| met.neighbourhood).collect();
        let landed = Record { tier: tier(tx, record)?, timestamp: seen_at, ..record.clone() };
        Ok(decide_alone(&landed, &here, &limits, &mut WordPairs::of_a_write()))
    }

    /// Limits the replacement to facts of the same branch, if the learning holds only on a branch.
    /// Other records stay until the branch reaches the default branch.
    fn in_the_place_of(&self, old: Vec<RecordId>, why: Why, here: &[Met]) -> LearningDecision {
        if self.on_branch.is_none() {
            return LearningDecision::of(Decision::Supersede { old, why });
        }
        let is_of_branch =
            |id: &RecordId| here.iter().any(|met| met.neighbourhood.record.id == *id && met.branch.is_some());
        let (old, against): (Vec<RecordId>, Vec<RecordId>) = old.into_iter().partition(is_of_branch);
        let decision = if old.is_empty() { Decision::Add { why } } else { Decision::Supersede { old, why } };
        LearningDecision { against, ..LearningDecision::of(decision) }
    }

    /// True if the record holds only on a branch other than that of the learning.
    fn is_elsewhere(&self, met: &Met) -> bool {
        let Some(fact) = &met.branch else { return false };
        match self.on_branch {
            None => true,
            Some(branch) => branch.is_none() || fact.branch.as_deref() != branch,
        }
    }

    fn near(&self, tx: &dyn ReadTx, record: &Record, said: &str) -> Result<Vec<Met>> {
        let mut alike: Vec<(RecordId, Alike)> = self.around.of(said).to_vec();
        alike.extend(self.written_since(tx, record, said)?);
        let mut near: Vec<Met> = Vec::with_capacity(alike.len());
        for (id, alike) in alike {
            let is_known = near.iter().any(|met| met.neighbourhood.record.id == id);
            let Some(other) = tx.records().get(&self.memory.id, &id)?.filter(|_| !is_known) else { continue };
            if !may_meet(record, &other) {
                continue;
            }
            let branch = tx.ledger().noun::<BranchFact>(&self.memory.id, id.as_str())?;
            let other = Record { tier: tier(tx, &other)?, ..other };
            near.push(Met { neighbourhood: Neighbourhood { of: 0, record: other, alike }, branch });
        }
        Ok(near)
    }

    /// Returns the records of the namespace that were written since the index search: those of the
    /// same report compared by words and vectors, others by words.
    fn written_since(&self, tx: &dyn ReadTx, record: &Record, said: &str) -> Result<Vec<(RecordId, Alike)>> {
        if tx.memories().sequence(&self.memory.id)? <= self.around.sequence {
            return Ok(Vec::new());
        }
        let scope = RecordScope {
            namespaces: vec![NamespaceFilter::new(&record.namespace, NamespaceMatch::Exact)],
            kinds: vec![RecordKind::Fact],
            ..RecordScope::whole(self.memory.id.clone(), self.now)
        };
        let newest = tx.records().list(&RecordPage { scope, after: None, limit: WRITTEN_SINCE_MAX })?;
        let own = terms(record.indexed());
        let since = newest.into_iter().filter(|other| other.sequence > self.around.sequence);
        let alike = |other: &Record| Alike {
            jaccard: jaccard(&terms(other.indexed()), &own),
            cosine: self.around.cosine(said, &other.text),
        };
        let is_near = |alike: &Alike| {
            alike.jaccard >= JACCARD_MIN || alike.cosine.is_some_and(|cosine| cosine >= COSINE_MIN)
        };
        let found = since.map(|other| (alike(&other), other.id)).filter(|(alike, _)| is_near(alike));
        Ok(found.map(|(alike, id)| (id, alike)).collect())
    }
}

/// A record to compare with, and the branch to which it is limited.
struct Met {
    neighbourhood: Neighbourhood,
    branch: Option<BranchFact>,
}

fn may_meet(new: &Record, other: &Record) -> bool {
    other.state == RecordState::Active
        && other.id != new.id
        && other.kind == new.kind
        && other.namespace == new.namespace
        && other.subtype.as_deref() != Some(SELF_FEEDBACK)
        && !other.provenance.verbatim
}

/// Returns the trust tier that counts in a contradiction. A record that a client wrote explicitly,
/// that a person wrote or approved, or that was stored with citations, is never superseded
/// automatically.
pub(super) fn tier(tx: &dyn ReadTx, record: &Record) -> Result<TrustTier> {
    let is_human = matches!(
        record.metadata.get("source_type"),
        Some(MetadataValue::String(source)) if source == "human"
    );
    let is_written = record.origin == RecordOrigin::BatchCreated && record.tier == TrustTier::Agent;
    if is_human || is_written {
        return Ok(TrustTier::Confirmed);
    }
    let approved = tx.ledger().noun::<Agreement>(&record.memory, record.id.as_str())?;
    let is_approved = approved.is_some_and(|agreement| agreement.approved_by.is_some());
    let is_stored_fact = || {
        Ok::<_, loci_model::Error>(
            tx.facts().get(&record.memory, &record.id)?.is_some_and(|fact| !fact.proposed),
        )
    };
    Ok(if is_approved || is_stored_fact()? { TrustTier::Confirmed } else { record.tier })
}
