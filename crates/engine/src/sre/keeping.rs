//! Which of what is said of one thing counts (sre-memory.md §10.1): what is newer takes the place of what is older, key by key; what a
//! greater rank said is not overwritten, it is contradicted. Nothing is lost: what gave way stays as history.

use loci_model::metadata::MetadataValue;
use loci_model::ports::store::{ReadTx, RecordPage, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::scope::RecordScope;
use loci_model::sre::SreSource;
use loci_model::{RecordId, Result};

use crate::records::changing::Changing;
use crate::records::writing::Building;

/// Metadata of records of this memory.
pub(super) const SOURCE: &str = "source";
pub(super) const DIGEST: &str = "said_sha256";
/// The keys a record is about, and those of them of which something newer is known.
pub(super) const KEYS: &str = "keys";
pub(super) const GONE: &str = "superseded_keys";
/// The record of greater rank that a record contradicts.
pub(super) const CONFLICT: &str = "conflict_with";
const PAGE: usize = 200;

/// What became of something that was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

/// Keeps a record, built and not yet written; `scope` is where what is said of the same thing lies, under the record's subtype.
pub(super) fn keep(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    mut record: Record,
    scope: RecordScope,
) -> Result<(RecordId, SreAction)> {
    let rivals = said_of_it(tx, scope, record.subtype.as_deref().unwrap_or_default())?;
    let is_same = |one: &&Record| {
        one.state == record.state && word(one, DIGEST) == word(&record, DIGEST) && words(one, GONE).is_empty()
    };
    if let Some(known) = rivals.iter().find(is_same) {
        tx.records_mut().confirm(&known.memory, &known.id, &record.provenance.sources, building.now)?;
        let waits = known.state == RecordState::Candidate;
        let action = if waits { SreAction::PendingConfirmation } else { SreAction::Duplicate };
        return Ok((known.id.clone(), action));
    }
    if record.state != RecordState::Active {
        // It waits for a person, or is held back: what is known stays in force.
        building.insert(tx, &record)?;
        return Ok((record.id, SreAction::PendingConfirmation));
    }
    let keys = words(&record, KEYS).to_vec();
    let shares =
        |one: &&Record| one.state == RecordState::Active && current(one).any(|key| keys.contains(key));
    let (greater, others): (Vec<_>, Vec<_>) =
        rivals.iter().filter(shares).partition(|one| rank(one) > rank(&record));
    if let Some(greater) = greater.first() {
        let id = MetadataValue::String(greater.id.to_string());
        record.metadata.insert(CONFLICT.to_owned(), id);
    }
    let (newer, older): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|one| one.timestamp > record.timestamp && rank(one) == rank(&record));
    let late: Vec<String> = keys
        .iter()
        .filter(|key| newer.iter().any(|one| current(one).any(|other| other == *key)))
        .cloned()
        .collect();
    set_gone(&mut record, late.clone());
    building.insert(tx, &record)?;
    let changing = Changing { memory: building.memory, by: building.by, at: building.now };
    for one in &older {
        give_way(tx, building, &changing, one, &record)?;
    }
    if let Some(newer) = newer.first().filter(|_| late.len() == keys.len()) {
        changing.supersede(tx, &record, newer, "something newer was known")?;
    }
    let action = if record.metadata.contains_key(CONFLICT) {
        SreAction::Conflict
    } else if older.is_empty() && newer.is_empty() {
        SreAction::Added
    } else {
        SreAction::Superseded
    };
    Ok((record.id, action))
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

/// What is said under a subtype, in force or waiting, the newest first.
fn said_of_it(tx: &dyn ReadTx, scope: RecordScope, subtype: &str) -> Result<Vec<Record>> {
    let mut page = RecordPage {
        scope: RecordScope { states: vec![RecordState::Active, RecordState::Candidate], ..scope },
        after: None,
        limit: PAGE,
    };
    let mut all = Vec::new();
    loop {
        let some = tx.records().of_subtype(&page, subtype)?;
        let is_last = some.len() < PAGE;
        page.after = some.last().map(|record| (record.created_at, record.id.clone()));
        all.extend(some);
        if is_last {
            return Ok(all);
        }
    }
}

/// Keys of a record of which nothing newer is known.
pub(super) fn current(record: &Record) -> impl Iterator<Item = &String> {
    let gone = words(record, GONE);
    words(record, KEYS).iter().filter(move |key| !gone.contains(key))
}

fn rank(record: &Record) -> u8 {
    source(record).rank()
}

/// Who said it; what does not say so was known elsewhere.
pub(super) fn source(record: &Record) -> SreSource {
    word(record, SOURCE).and_then(SreSource::parse).unwrap_or(SreSource::Imported)
}

pub(super) fn word<'a>(record: &'a Record, key: &str) -> Option<&'a str> {
    match record.metadata.get(key) {
        Some(MetadataValue::String(word)) => Some(word),
        Some(_) | None => None,
    }
}

fn words<'a>(record: &'a Record, key: &str) -> &'a [String] {
    match record.metadata.get(key) {
        Some(MetadataValue::StringList(words)) => words,
        Some(_) | None => &[],
    }
}
