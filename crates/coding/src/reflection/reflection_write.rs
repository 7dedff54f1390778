//! Writes reflections over a repository: a known subject gets a next version if its counts changed,
//! one without enough evidence expires, and a new one is added. Equal tasks change nothing. A
//! reflection that was quarantined, declared invalid or rolled back is not written again.

use std::collections::BTreeSet;

use loci_engine::access;
use loci_engine::records::NewRecord;
use loci_engine::records::batch;
use loci_engine::records::record_builder::{Building, Origin};
use loci_engine::records::state_transition::StateTransition;
use loci_engine::records::text_digest::digest;
use loci_engine::safety::SafetyPolicy;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::derivation::RecordDerivation;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::provenance::Provenance;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState, TrustTier};
use loci_model::{JobId, RecordId, Result, Timestamp};

use super::SUBTYPE;
use super::evidence_count::VerifiedFinding;
use super::evidence_read::{RepositoryLook, namespace, of_subject};
use crate::Coding;
use crate::learnings::learning_write::SCHEMA_VERSION;

/// The author of these records, in telemetry.
const BY: &str = "loci";
/// The prefix of subjects in reviewers' words, which count as external.
const IN_OTHERS_WORDS: &str = "comment/";
/// States of a reflection whose subject was decided on, or waits for a decision.
const SET_ASIDE: &[RecordState] =
    &[RecordState::Candidate, RecordState::Quarantined, RecordState::Invalid, RecordState::RolledBack];

impl Coding {
    /// Writes counted findings. Known reflections without a count stay unchanged.
    pub(super) async fn reflections_write(
        &self,
        look: &RepositoryLook,
        counted: Vec<VerifiedFinding>,
        making: RecordDerivation,
    ) -> Result<Vec<RecordId>> {
        let now = self.engine.now();
        let fresh = |_: &VerifiedFinding| RecordId::compose(&uuid7(self.engine.ids().as_ref(), now.millis()));
        let ids = counted.iter().map(fresh).collect::<Result<Vec<_>>>()?;
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let policy = SafetyPolicy::of(self.engine.settings(), &look.memory.settings).of_model_text();
        let (memory, actor) = (look.memory.clone(), look.actor.clone());
        let written = self
            .engine
            .store()
            .write(move |tx| {
                let view = access::record_view(&Principal::engine(), &memory.id, Capability::Write)?;
                let mut written = Vec::new();
                for (one, id) in counted.iter().zip(&ids) {
                    let policy = policy.from_tier(tier_of(one));
                    let building =
                        Building { memory: &memory, view: &view, policy, expiry: None, by: BY, now };
                    written.extend(put(tx, &building, (one, id), &actor, &making)?);
                }
                if !written.is_empty() {
                    batch::ask_for_vectors(tx, &memory.id, &job, now)?;
                }
                Ok(written)
            })
            .await?;
        self.engine.wake().call();
        Ok(written)
    }
}

fn tier_of(one: &VerifiedFinding) -> TrustTier {
    if one.key.starts_with(IN_OTHERS_WORDS) { TrustTier::External } else { TrustTier::default() }
}

/// Writes one finding. Returns the written record, if any.
fn put(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    (one, id): (&VerifiedFinding, &RecordId),
    actor: &loci_model::ActorId,
    making: &RecordDerivation,
) -> Result<Option<RecordId>> {
    let Building { memory, by, now: at, .. } = *building;
    let changing = StateTransition { memory, by, at };
    let (place, subtype) = ((&memory.id, actor), format!("{SUBTYPE}{}", one.key));
    let before = of_subject(tx, place, &subtype, &[RecordState::Active], at)?;
    let before = before.as_ref();
    if before.is_none() && of_subject(tx, place, &subtype, SET_ASIDE, at)?.is_some() {
        return Ok(None);
    }
    if !one.is_enough {
        if let Some(before) = before {
            let (hits, of) = (one.evidence.hits, one.evidence.of);
            let reason = format!("borne out by {hits} of {of} tasks by now");
            changing.set_state(tx, before, RecordState::Expired, &reason)?;
        }
        return Ok(None);
    }
    let evidence = Some(one.evidence.clone());
    let is_same = |before: &Record| {
        let counted = before.making.as_ref().map(|making| making.evidence.clone());
        counted.is_some_and(|counted| counted == evidence) && before.derived_from == one.episodes
    };
    if before.is_some_and(is_same) {
        return Ok(None);
    }
    let record = built(building, one, id, actor, RecordDerivation { evidence, ..making.clone() })?;
    match before {
        // A quarantined text replaces nothing: the existing reflection stays.
        Some(_) if record.state != RecordState::Active => Ok(None),
        Some(before) => Ok(Some(building.replace(tx, before, record, "counted again")?.id)),
        None => {
            building.insert(tx, &record)?;
            Ok(Some(record.id))
        }
    }
}

fn built(
    building: &Building<'_>,
    one: &VerifiedFinding,
    id: &RecordId,
    actor: &loci_model::ActorId,
    making: RecordDerivation,
) -> Result<Record> {
    let text = |text: &str| MetadataValue::String(text.to_owned());
    let metadata = Metadata::from([
        ("schema_version".to_owned(), text(SCHEMA_VERSION)),
        ("type".to_owned(), text("reflection")),
        ("source_type".to_owned(), text("reflection")),
        ("repo".to_owned(), text(actor.as_str())),
        ("hits".to_owned(), MetadataValue::Number(f64::from(one.evidence.hits))),
        ("of".to_owned(), MetadataValue::Number(f64::from(one.evidence.of))),
        ("predicate".to_owned(), text(&one.evidence.predicate)),
    ]);
    let asked = NewRecord {
        subtype: Some(format!("{SUBTYPE}{}", one.key)),
        metadata,
        kind: RecordKind::Reflection,
        ..NewRecord::fact(String::new(), vec![namespace(actor)?], one.text.clone(), building.now)
    };
    let provenance = Provenance { actor: Some(actor.clone()), ..Provenance::default() };
    let from = Origin { provenance, origin: RecordOrigin::Extracted, index_text: None };
    let (mut record, _) = building.build(&asked, id, from)?;
    record.metadata.insert("content_sha256".to_owned(), text(&digest(&record.text)));
    record.making = Some(Box::new(making));
    record.derived_from.clone_from(&one.episodes);
    Ok(record)
}

/// Returns the subjects that were counted.
pub(super) fn keys(counted: &[VerifiedFinding]) -> BTreeSet<String> {
    counted.iter().map(|one| format!("{SUBTYPE}{}", one.key)).collect()
}

/// True if a record changed since a time. Used for the answers of a caller's model.
pub(super) fn is_newer(record: &Record, since: Timestamp) -> bool {
    record.updated_at >= since
}
