//! Precedence of statements about one thing. A newer statement supersedes an older one key by key.
//! A statement of higher rank is not superseded; a lower one is marked as conflicting. Superseded
//! records are kept as history.

use std::cmp::Ordering;

use loci_engine::records::record_builder::Building;
use loci_engine::records::state_transition::StateTransition;
use loci_model::ports::store::{ReadTx, RecordPage, Tx};
use loci_model::record::metadata::{Metadata, MetadataValue, SYSTEM_PREFIX};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::services::knowledge::{KnowledgeType, SreSource};
use loci_model::{RecordId, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::repetition;
use super::save::{OWNER, SCOPE};
use crate::investigations::{carry, is_hidden};

/// Metadata keys of records of operations memory.
const SOURCE: &str = "source";
pub(crate) const DIGEST: &str = "said_sha256";
/// The keys that a record is about, and those of them that are superseded.
pub(super) const KEYS: &str = "keys";
pub(crate) const GONE: &str = "superseded_keys";
/// The record of higher rank with which a record conflicts.
pub(crate) const CONFLICT: &str = "conflict_with";
/// The source of a statement, with a digest of its text and namespace. Clients cannot write system
/// keys, and a text that was changed later loses its source.
const SEAL: &str = "x-amz-agentcore-memory-saidBy";
const PAGE: usize = 200;
/// The maximum number of patterns of a service that a new one is compared with, newest first.
/// Patterns supersede nothing, so the comparison need not be complete.
const PATTERNS_COMPARED: usize = 1_000;

/// The result of saving a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SreAction {
    /// It repeats a known record, which it confirms.
    Duplicate,
    /// It is new.
    Added,
    /// It is new and supersedes an older record, or it is older than a known record.
    Superseded,
    /// It conflicts with a record of higher rank. Both are kept.
    Conflict,
    /// A person must confirm it before it becomes active.
    PendingConfirmation,
    /// It was rejected.
    Rejected,
}

impl SreAction {
    /// Returns the name used in responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Added => "added",
            Self::Superseded => "superseded",
            Self::Conflict => "conflict",
            Self::PendingConfirmation => "pending_confirmation",
            Self::Rejected => "rejected",
        }
    }
}

/// Saves a built, unwritten record. `scope` selects records about the same thing, by the record's
/// subtype, among those that the caller may write. Records hidden from the caller are neither
/// superseded nor reported.
pub(crate) fn keep(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    record: Record,
    scope: RecordScope,
) -> Result<(RecordId, SreAction)> {
    let mut rivals = said_of_it(tx, scope, record.subtype.as_deref().unwrap_or_default())?;
    // A record private to one user neither supersedes a shared record nor counts as its repetition.
    let kept_to = |one: &Record| (word(one, SCOPE).map(str::to_owned), word(one, OWNER).map(str::to_owned));
    rivals.retain(|one| kept_to(one) == kept_to(&record));
    if let Some(known) = known_again(&rivals, &record) {
        repetition::note(tx, building, known, &record)?;
        let is_in_force = known.state == RecordState::Active;
        let action = if is_in_force { SreAction::Duplicate } else { SreAction::PendingConfirmation };
        return Ok((known.id.clone(), action));
    }
    if record.state != RecordState::Active {
        // It is pending or quarantined: the known record stays active.
        building.insert(tx, &record)?;
        return Ok((record.id, SreAction::PendingConfirmation));
    }
    let before = versioned(&rivals, &record).or_else(|| waiting(&rivals, &record)).cloned();
    put_in_force(tx, building, record, &rivals, before.as_ref())
}

/// Returns the record with the same statement, from a source of equal or higher rank, or in the
/// same pending or quarantined state as the new one.
fn known_again<'a>(rivals: &'a [Record], record: &Record) -> Option<&'a Record> {
    let says_it = |one: &&Record| {
        let is_same = word(one, DIGEST) == word(record, DIGEST);
        words(one, GONE).is_empty() && (is_same || repetition::is_like(one, record))
    };
    let in_force = |one: &&Record| one.state == RecordState::Active && rank(one) >= rank(record);
    let same: Vec<&Record> = rivals.iter().filter(says_it).collect();
    let alike =
        || same.iter().copied().find(|one| one.state == record.state && one.state != RecordState::Active);
    same.iter().copied().find(in_force).or_else(alike)
}

/// Returns the record whose next version an investigation is. Each incident has one record.
fn versioned<'a>(rivals: &'a [Record], record: &Record) -> Option<&'a Record> {
    let is_before = |one: &&Record| {
        one.state == RecordState::Active && rank(one) <= rank(record) && one.timestamp <= record.timestamp
    };
    rivals.iter().filter(|_| record.kind == RecordKind::Investigation).find(is_before)
}

/// Returns the pending record that this statement of a person confirms.
fn waiting<'a>(rivals: &'a [Record], record: &Record) -> Option<&'a Record> {
    let waits = |one: &&Record| {
        one.state == RecordState::Candidate
            && word(one, DIGEST) == word(record, DIGEST)
            && rank(one) < rank(record)
    };
    rivals.iter().find(waits)
}

/// Known records with the same keys, by their relation to a new one.
#[derive(Default)]
struct SameKeyRecords<'a> {
    /// Higher rank, older: the new record conflicts with them.
    greater: Vec<&'a Record>,
    /// Equal or higher rank, newer: the new record is late.
    newer: Vec<&'a Record>,
    /// Lower rank, newer: they conflict with the new record.
    lesser: Vec<&'a Record>,
    /// Equal or lower rank, older: they are superseded.
    older: Vec<&'a Record>,
}

impl<'a> SameKeyRecords<'a> {
    fn of(record: &Record, rivals: &'a [Record]) -> Self {
        let keys = words(record, KEYS);
        let shares =
            |one: &&Record| one.state == RecordState::Active && current(one).any(|key| keys.contains(key));
        let mut standing = Self::default();
        for one in rivals.iter().filter(shares) {
            let is_newer = one.timestamp > record.timestamp;
            let place = match (rank(one).cmp(&rank(record)), is_newer) {
                (Ordering::Greater | Ordering::Equal, true) => &mut standing.newer,
                (Ordering::Less, true) => &mut standing.lesser,
                (Ordering::Greater, false) => &mut standing.greater,
                (Ordering::Equal | Ordering::Less, false) => &mut standing.older,
            };
            place.push(one);
        }
        standing
    }
}

/// Writes an active record, as the next version of `before` if given, and supersedes older ones.
pub(crate) fn put_in_force(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    mut record: Record,
    rivals: &[Record],
    before: Option<&Record>,
) -> Result<(RecordId, SreAction)> {
    let mut standing = SameKeyRecords::of(&record, rivals);
    let keys = words(&record, KEYS).to_vec();
    let is_late = |key: &&String| standing.newer.iter().any(|one| current(one).any(|other| other == *key));
    let late: Vec<String> = keys.iter().filter(is_late).cloned().collect();
    set_gone(&mut record, late.clone());
    if let Some(greater) = standing.greater.first() {
        contradicts(&mut record, &greater.id);
    }
    let record = match before {
        None => {
            building.insert(tx, &record)?;
            record
        }
        Some(old) => {
            if old.kind == RecordKind::Investigation {
                carry(old, &mut record, building.now);
            }
            building.replace(tx, old, record, "more is known of it")?
        }
    };
    standing.older.retain(|one| one.id != record.id);
    let changing = StateTransition { memory: building.memory, by: building.by, at: building.now };
    for one in &standing.older {
        give_way(tx, building, &changing, one, &record)?;
    }
    for one in &standing.lesser {
        let mut marked = (*one).clone();
        contradicts(&mut marked, &record.id);
        marked.updated_at = building.now;
        building.replace(tx, one, marked, "what counts more was said of it before")?;
    }
    if let Some(newer) = standing.newer.first().filter(|_| late.len() == keys.len()) {
        changing.supersede(tx, &record, newer, "something newer was known")?;
    }
    let is_first = before.is_none_or(|old| old.state != RecordState::Active);
    let is_alone = is_first && standing.older.is_empty() && standing.newer.is_empty();
    let action = match (record.metadata.contains_key(CONFLICT), is_alone) {
        (true, _) => SreAction::Conflict,
        (false, true) => SreAction::Added,
        (false, false) => SreAction::Superseded,
    };
    Ok((record.id, action))
}

fn contradicts(record: &mut Record, greater: &RecordId) {
    record.metadata.insert(CONFLICT.to_owned(), MetadataValue::String(greater.to_string()));
}

/// Supersedes an older record: as a whole, or only the keys that the new record covers.
fn give_way(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    changing: &StateTransition<'_>,
    old: &Record,
    by: &Record,
) -> Result<()> {
    let keys = words(by, KEYS);
    if current(old).all(|key| keys.contains(key)) {
        changing.supersede(tx, old, by, "something newer is known of it")?;
        return Ok(());
    }
    let mut left = old.clone();
    let mut gone = words(old, GONE).to_vec();
    gone.extend(current(old).filter(|key| keys.contains(key)).cloned());
    gone.sort();
    set_gone(&mut left, gone);
    left.updated_at = building.now;
    building.replace(tx, old, left, "something newer is known of a part").map(drop)
}

fn set_gone(record: &mut Record, keys: Vec<String>) {
    if !keys.is_empty() {
        record.metadata.insert(GONE.to_owned(), MetadataValue::StringList(keys));
    }
}

/// Returns the active, pending and quarantined records of a subtype, newest first.
pub(crate) fn said_of_it(tx: &dyn ReadTx, scope: RecordScope, subtype: &str) -> Result<Vec<Record>> {
    let states = vec![RecordState::Active, RecordState::Candidate, RecordState::Quarantined];
    let mut page = RecordPage { scope: RecordScope { states, ..scope }, after: None, limit: PAGE };
    let is_of_patterns = subtype.starts_with(KnowledgeType::Pattern.as_str());
    let mut all = Vec::new();
    loop {
        let some = tx.records().of_subtype(&page, subtype)?;
        page.after = some.last().map(|record| (record.created_at, record.id.clone()));
        let is_last = some.len() < PAGE;
        all.extend(some);
        if is_last || (is_of_patterns && all.len() >= PATTERNS_COMPARED) {
            return Ok(all);
        }
    }
}

/// Returns the keys of a record that are not superseded.
pub(crate) fn current(record: &Record) -> impl Iterator<Item = &String> {
    let gone = words(record, GONE);
    words(record, KEYS).iter().filter(move |key| !gone.contains(key))
}

/// Returns all keys that a record is about.
pub(crate) fn keys(record: &Record) -> &[String] {
    words(record, KEYS)
}

/// Returns the superseded keys of a record.
pub(crate) fn gone(record: &Record) -> &[String] {
    words(record, GONE)
}

/// Returns the record of higher rank with which a record conflicts.
pub(crate) fn contradicted(record: &Record) -> Option<RecordId> {
    RecordId::parse(word(record, CONFLICT)?).ok()
}

/// Returns the rank of a record's source. An investigation opened by a notice has the rank of an
/// agent, so that agents can update it.
pub(crate) fn rank(record: &Record) -> u8 {
    match source(record) {
        SreSource::Webhook if record.kind == RecordKind::Investigation => SreSource::Agent.rank(),
        source => source.rank(),
    }
}

/// Returns the source of a record. A record without a valid seal counts as imported.
pub(crate) fn source(record: &Record) -> SreSource {
    let sealed = word(record, SEAL).and_then(|seal| seal.split_once(' '));
    let whole = sealed.filter(|(_, digest)| *digest == said_digest(record));
    whole.and_then(|(word, _)| SreSource::parse(word)).unwrap_or(SreSource::Imported)
}

/// True if operations memory hides the record from this user. The seal distinguishes such records
/// from those of other programs that use the same metadata names.
pub(crate) fn is_kept_from(record: &Record, reader: &str) -> bool {
    is_sealed(record) && is_hidden(record, reader)
}

/// True if Loci wrote the record for operations memory, regardless of later changes to its text.
pub(crate) fn is_sealed(record: &Record) -> bool {
    record.metadata.contains_key(SEAL)
}

/// Returns the metadata that a client cannot change: system keys, and the owner of a private
/// record. Empty for other records.
pub(crate) fn lasting(record: &Record) -> Metadata {
    let is_ours = is_sealed(record);
    let lasts = |key: &str| key.starts_with(SYSTEM_PREFIX) || matches!(key, SCOPE | OWNER);
    let own = record.metadata.iter().filter(|(key, _)| is_ours && lasts(key));
    own.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Writes the source of a record with its seal.
pub(crate) fn seal(record: &mut Record, source: SreSource) {
    let text = |text: String| MetadataValue::String(text);
    let seal = format!("{} {}", source.as_str(), said_digest(record));
    record.metadata.insert(SEAL.to_owned(), text(seal));
    record.metadata.insert(SOURCE.to_owned(), text(source.as_str().to_owned()));
}

/// Returns a digest of the text and the namespace: a statement moved to another user's namespace
/// loses its source.
fn said_digest(record: &Record) -> String {
    let place = record.namespace.normal();
    hex::encode(Sha256::new().chain_update(place).chain_update([0]).chain_update(&record.text).finalize())
}

pub(crate) fn word<'a>(record: &'a Record, key: &str) -> Option<&'a str> {
    match record.metadata.get(key) {
        Some(MetadataValue::String(word)) => Some(word),
        Some(_) | None => None,
    }
}

pub(crate) fn words<'a>(record: &'a Record, key: &str) -> &'a [String] {
    match record.metadata.get(key) {
        Some(MetadataValue::StringList(words)) => words,
        Some(_) | None => &[],
    }
}
