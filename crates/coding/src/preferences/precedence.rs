//! Stores preferences: one is in force for each dimension and scope. A newer one supersedes an
//! older one, and a statement takes precedence over an inferred preference. Nothing is overwritten.

use loci_engine::records::NewRecord;
use loci_engine::records::record_builder::{Building, Origin};
use loci_engine::records::state_transition::StateTransition;
use loci_engine::records::text_digest::digest;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::{ReadTx, RecordPage, Tx};
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::provenance::Provenance;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::tasks::preference::{PreferenceDimension, PreferenceOrigin};
use loci_model::{NamespaceFilter, NamespaceMatch, RecordId, Result, TaskId, Timestamp};
use loci_text::normalise_exact;

use super::owner::{PreferenceOwner, preferences_at};
use crate::learnings::learning_write::SCHEMA_VERSION;

/// Metadata keys of a preference: its origin, and the repository to which it is restricted.
const ORIGIN: &str = "origin";
const REPOSITORY: &str = "repo_id";
/// Metadata keys of an inferred preference: its digest, and the number of pull requests as
/// evidence.
pub(super) const CONCLUSION: &str = "conclusion";
const EVIDENCE: &str = "evidence_prs";
/// The number of days after its latest evidence at which an inferred preference expires.
pub(super) const CONCLUSION_DAYS: u32 = 30;
/// The trust of an inferred preference.
const CONCLUSION_TRUST: f64 = 0.5;
/// States of an inferred preference that was decided on, or that waits for a decision.
const SET_ASIDE: &[RecordState] =
    &[RecordState::Candidate, RecordState::Quarantined, RecordState::Invalid, RecordState::RolledBack];

/// A preference to store.
pub(crate) struct NewPreference<'a> {
    pub(crate) whose: &'a PreferenceOwner,
    pub(crate) dimension: PreferenceDimension,
    pub(crate) text: &'a str,
    /// The only repository in which it holds.
    pub(crate) repository: Option<&'a Repository>,
    /// The task whose description states it.
    pub(crate) task: Option<&'a TaskId>,
    /// Its evidence; `None` if a person stated it.
    pub(crate) concluded: Option<InferenceEvidence<'a>>,
}

/// The evidence of an inferred preference.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InferenceEvidence<'a> {
    /// The digest of the statements.
    pub(crate) digest: &'a str,
    /// The number of pull requests.
    pub(crate) prs: usize,
    /// The time of the latest statement.
    pub(crate) at: Timestamp,
}

/// The result of storing a preference.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PreferenceWriteResult {
    /// It is new.
    Added(Box<Record>),
    /// It exists already.
    Known(Box<Record>),
    /// Another preference takes precedence; or it is an inferred one that expired, or was
    /// quarantined, declared invalid or rolled back before.
    Outranked,
}

/// Returns the origin of a preference; `None` for a record without one, such as those that clients
/// write.
pub(crate) fn origin_of(record: &Record) -> Option<PreferenceOrigin> {
    PreferenceOrigin::parse(word(record, ORIGIN)?)
}

/// Returns the repository to which a preference is restricted, by its id.
pub(crate) fn restricted_to(record: &Record) -> Option<&str> {
    word(record, REPOSITORY)
}

pub(super) fn word<'a>(record: &'a Record, key: &str) -> Option<&'a str> {
    match record.metadata.get(key) {
        Some(MetadataValue::String(word)) => Some(word),
        Some(_) | None => None,
    }
}

/// Stores a preference under an id, unless it exists or another one takes precedence.
pub(crate) fn keep(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    new: &NewPreference<'_>,
    id: &RecordId,
) -> Result<PreferenceWriteResult> {
    let (memory, now) = (&building.memory.id, building.now);
    let repository = new.repository.map(|repository| repository.id.as_str());
    let mut rivals = preferences_at(tx, memory, &new.whose.place, &[RecordState::Active], now)?;
    rivals.retain(|record| {
        record.subtype.as_deref() == Some(new.dimension.as_str())
            && restricted_to(record) == repository
            && origin_of(record).is_some()
    });
    let is_explicit = |record: &Record| origin_of(record) == Some(PreferenceOrigin::Explicit);
    match &new.concluded {
        None => {
            let same = |record: &&Record| is_explicit(record) && same_text(&record.text, new.text);
            if let Some(known) = rivals.iter().find(same) {
                return Ok(PreferenceWriteResult::Known(Box::new(known.clone())));
            }
        }
        Some(_) if rivals.iter().any(is_explicit) => return Ok(PreferenceWriteResult::Outranked),
        Some(concluded) => {
            if let Some(known) = rivals.iter().find(|one| word(one, CONCLUSION) == Some(concluded.digest)) {
                return renewed(tx, building, known, new, concluded);
            }
            // One with later evidence stays, and an expired one is not written.
            let is_over = concluded.at.plus_days(CONCLUSION_DAYS) <= now;
            let is_later = |other: &Record| other.timestamp > concluded.at;
            if is_over || rivals.iter().any(is_later) || was_set_aside(tx, building, new, concluded)? {
                return Ok(PreferenceWriteResult::Outranked);
            }
        }
    }
    let record = built(building, new, id)?;
    building.insert(tx, &record)?;
    let changing = StateTransition { memory: building.memory, by: building.by, at: now };
    for rival in &rivals {
        changing.supersede(tx, rival, &record, "a newer preference of the same dimension")?;
    }
    Ok(PreferenceWriteResult::Added(Box::new(record)))
}

/// True if the same inferred preference was decided on, or waits for a decision.
fn was_set_aside(
    tx: &dyn ReadTx,
    building: &Building<'_>,
    new: &NewPreference<'_>,
    concluded: &InferenceEvidence<'_>,
) -> Result<bool> {
    let scope = RecordScope {
        namespaces: vec![NamespaceFilter::new(&new.whose.namespace()?, NamespaceMatch::Exact)],
        kinds: vec![RecordKind::Preference],
        states: SET_ASIDE.to_vec(),
        metadata: vec![MetadataFilter {
            key: CONCLUSION.to_owned(),
            operator: FilterOperator::EqualsTo,
            right: Some(MetadataValue::String(concluded.digest.to_owned())),
        }],
        // Expiry is ignored.
        now: Timestamp::EPOCH,
        ..RecordScope::whole(building.memory.id.clone(), building.now)
    };
    Ok(!tx.records().list(&RecordPage { scope, after: None, limit: 1 })?.is_empty())
}

/// Writes the next version of an inferred preference with further evidence. Without new evidence
/// nothing changes.
fn renewed(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    known: &Record,
    new: &NewPreference<'_>,
    concluded: &InferenceEvidence<'_>,
) -> Result<PreferenceWriteResult> {
    if concluded.at <= known.timestamp {
        return Ok(PreferenceWriteResult::Known(Box::new(known.clone())));
    }
    let record = built(building, new, &known.id)?;
    building
        .replace(tx, known, record, "borne out again")
        .map(|record| PreferenceWriteResult::Known(Box::new(record)))
}

fn built(building: &Building<'_>, new: &NewPreference<'_>, id: &RecordId) -> Result<Record> {
    let text = |text: &str| MetadataValue::String(text.to_owned());
    let origin = match new.concluded {
        None => PreferenceOrigin::Explicit,
        Some(_) => PreferenceOrigin::Implicit,
    };
    let source = format!("preference_{}", origin.as_str());
    let mut metadata = Metadata::from([
        ("schema_version".to_owned(), text(SCHEMA_VERSION)),
        ("type".to_owned(), text("preference")),
        ("source_type".to_owned(), text(&source)),
        ("dimension".to_owned(), text(new.dimension.as_str())),
        (ORIGIN.to_owned(), text(origin.as_str())),
    ]);
    let mut add = |key: &str, value: Option<&str>| {
        metadata.extend(value.map(|value| (key.to_owned(), text(value))));
    };
    add("user_id", new.whose.user_id());
    add(REPOSITORY, new.repository.map(|repository| repository.id.as_str()));
    add("repo", new.repository.map(|repository| repository.key.as_str()));
    add("task_id", new.task.map(TaskId::as_str));
    add(CONCLUSION, new.concluded.as_ref().map(|concluded| concluded.digest));
    if let Some(concluded) = &new.concluded {
        metadata.insert(EVIDENCE.to_owned(), MetadataValue::Number(concluded.prs as f64));
    }
    let timestamp = new.concluded.as_ref().map_or(building.now, |concluded| concluded.at);
    let asked = NewRecord {
        subtype: Some(new.dimension.as_str().to_owned()),
        metadata,
        kind: RecordKind::Preference,
        ..NewRecord::fact(String::new(), vec![new.whose.namespace()?], new.text.to_owned(), timestamp)
    };
    let provenance = Provenance { actor: Some(new.whose.place.clone()), ..Provenance::default() };
    let from = Origin { provenance, origin: RecordOrigin::Extracted, index_text: None };
    let (mut record, _) = building.build(&asked, id, from)?;
    record.metadata.insert("content_sha256".to_owned(), text(&digest(&record.text)));
    if new.concluded.is_some() {
        record.trust = record.trust.min(CONCLUSION_TRUST);
        record.expires_at = Some(timestamp.plus_days(CONCLUSION_DAYS));
        record.expiry_days = Some(CONCLUSION_DAYS);
    }
    Ok(record)
}

fn same_text(a: &str, b: &str) -> bool {
    let plain = |text: &str| normalise_exact(text).trim_end_matches(['.', '!']).to_lowercase();
    plain(a) == plain(b)
}
