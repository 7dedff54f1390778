//! Which of what is said of one thing counts: what is newer takes the place of what is older, key
//! by key; what a greater rank said is not overwritten, it is contradicted. Nothing is lost: what
//! gave way stays as history.

use std::cmp::Ordering;

use loci_engine::records::changing::Changing;
use loci_engine::records::writing::Building;
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

/// Metadata of records of this memory.
const SOURCE: &str = "source";
pub(crate) const DIGEST: &str = "said_sha256";
/// The keys a record is about, and those of them of which something newer is known.
pub(super) const KEYS: &str = "keys";
pub(crate) const GONE: &str = "superseded_keys";
/// The record of greater rank that a record contradicts.
pub(crate) const CONFLICT: &str = "conflict_with";
/// Who said it, and the digest of the text that they said and of where it lies: clients cannot write keys of the system, and a text that was changed since is
/// nobody's word.
const SEAL: &str = "x-amz-agentcore-memory-saidBy";
const PAGE: usize = 200;
/// Patterns of one service that a new one is compared with, the newest: nothing gives way to a pattern, so no more must be known of them.
const PATTERNS_COMPARED: usize = 1_000;

/// What became of something that was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SreAction {
    /// It was known, and is confirmed.
    Duplicate,
    /// It is new.
    Added,
    /// It is new, and something older gave way; or it is older than what is known.
    Superseded,
    /// It contradicts what counts more: both are there.
    Conflict,
    /// A person must confirm it before it counts.
    PendingConfirmation,
    /// It was not stored.
    Rejected,
}

impl SreAction {
    /// The word of answers.
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

/// Keeps a record, built and not yet written; `scope` is where what is said of the same thing lies, under the record's subtype, as far as the
/// caller may write it: what is kept from the caller neither gives way to what they say nor is told of.
pub(crate) fn keep(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    record: Record,
    scope: RecordScope,
) -> Result<(RecordId, SreAction)> {
    let mut rivals = said_of_it(tx, scope, record.subtype.as_deref().unwrap_or_default())?;
    // What one user keeps to themselves neither takes the place of what all know, nor stands for it.
    let kept_to = |one: &Record| (word(one, SCOPE).map(str::to_owned), word(one, OWNER).map(str::to_owned));
    rivals.retain(|one| kept_to(one) == kept_to(&record));
    if let Some(known) = known_again(&rivals, &record) {
        repetition::note(tx, building, known, &record)?;
        let is_in_force = known.state == RecordState::Active;
        let action = if is_in_force { SreAction::Duplicate } else { SreAction::PendingConfirmation };
        return Ok((known.id.clone(), action));
    }
    if record.state != RecordState::Active {
        // It waits for a person, or is held back: what is known stays in force.
        building.insert(tx, &record)?;
        return Ok((record.id, SreAction::PendingConfirmation));
    }
    let before = versioned(&rivals, &record).or_else(|| waiting(&rivals, &record)).cloned();
    put_in_force(tx, building, record, &rivals, before.as_ref())
}

/// The record that says the same, by somebody whose word counts as much; or waits or is held back as the new one would be.
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

/// The record of which an investigation is the next version: one incident is one record, whatever
/// more is found.
fn versioned<'a>(rivals: &'a [Record], record: &Record) -> Option<&'a Record> {
    let is_before = |one: &&Record| {
        one.state == RecordState::Active && rank(one) <= rank(record) && one.timestamp <= record.timestamp
    };
    rivals.iter().filter(|_| record.kind == RecordKind::Investigation).find(is_before)
}

/// The record that waits for just this to be said by a person.
fn waiting<'a>(rivals: &'a [Record], record: &Record) -> Option<&'a Record> {
    let waits = |one: &&Record| {
        one.state == RecordState::Candidate
            && word(one, DIGEST) == word(record, DIGEST)
            && rank(one) < rank(record)
    };
    rivals.iter().find(waits)
}

/// How what is known stands to something new of the same keys.
#[derive(Default)]
struct Standing<'a> {
    /// It counts more, and is contradicted.
    greater: Vec<&'a Record>,
    /// It is newer and counts as much: the new one comes too late.
    newer: Vec<&'a Record>,
    /// It is newer and counts less: it contradicts the new one.
    lesser: Vec<&'a Record>,
    /// It gives way.
    older: Vec<&'a Record>,
}

impl<'a> Standing<'a> {
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

/// Writes a record that counts, as the next version of `before` where there is one, and lets what is older give way to it.
pub(crate) fn put_in_force(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    mut record: Record,
    rivals: &[Record],
    before: Option<&Record>,
) -> Result<(RecordId, SreAction)> {
    let mut standing = Standing::of(&record, rivals);
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
    let changing = Changing { memory: building.memory, by: building.by, at: building.now };
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

/// What the new record says more newly goes from an older one: all of it, or some keys.
fn give_way(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    changing: &Changing<'_>,
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

/// What is said under a subtype, in force, waiting or held back, the newest first.
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

/// Keys of a record of which nothing newer is known.
pub(crate) fn current(record: &Record) -> impl Iterator<Item = &String> {
    let gone = words(record, GONE);
    words(record, KEYS).iter().filter(move |key| !gone.contains(key))
}

/// Every key that a record is about.
pub(crate) fn keys(record: &Record) -> &[String] {
    words(record, KEYS)
}

/// Keys of a record of which something newer is known.
pub(crate) fn gone(record: &Record) -> &[String] {
    words(record, GONE)
}

/// The record of greater rank that a record contradicts.
pub(crate) fn contradicted(record: &Record) -> Option<RecordId> {
    RecordId::parse(word(record, CONFLICT)?).ok()
}

/// How much what is said counts. Who opened an investigation by a notice counts no more there than the agents that look into it.
pub(crate) fn rank(record: &Record) -> u8 {
    match source(record) {
        SreSource::Webhook if record.kind == RecordKind::Investigation => SreSource::Agent.rank(),
        source => source.rank(),
    }
}

/// Who said it; what Loci did not seal, or was changed since, was known elsewhere.
pub(crate) fn source(record: &Record) -> SreSource {
    let sealed = word(record, SEAL).and_then(|seal| seal.split_once(' '));
    let whole = sealed.filter(|(_, digest)| *digest == said_digest(record));
    whole.and_then(|(word, _)| SreSource::parse(word)).unwrap_or(SreSource::Imported)
}

/// True for what operations memory keeps to another user than this one. Loci's own seal tells it
/// from whatever other programs note under the same names.
pub(crate) fn is_kept_from(record: &Record, reader: &str) -> bool {
    is_sealed(record) && is_hidden(record, reader)
}

/// True for what Loci wrote for this memory, whatever became of its text since.
pub(crate) fn is_sealed(record: &Record) -> bool {
    record.metadata.contains_key(SEAL)
}

/// What metadata of operations memory stays whatever a client sets: the system's own, and to whom a record is kept. Nothing of other records.
pub(crate) fn lasting(record: &Record) -> Metadata {
    let is_ours = is_sealed(record);
    let lasts = |key: &str| key.starts_with(SYSTEM_PREFIX) || matches!(key, SCOPE | OWNER);
    let own = record.metadata.iter().filter(|(key, _)| is_ours && lasts(key));
    own.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Notes who said what a record says.
pub(crate) fn seal(record: &mut Record, source: SreSource) {
    let text = |text: String| MetadataValue::String(text);
    let seal = format!("{} {}", source.as_str(), said_digest(record));
    record.metadata.insert(SEAL.to_owned(), text(seal));
    record.metadata.insert(SOURCE.to_owned(), text(source.as_str().to_owned()));
}

/// Of the text, and of where it lies: what one user said, moved to another's place, is nobody's word there.
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
