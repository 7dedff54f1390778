//! `record_redact`: removes the content of versions of a record from the store; the fact that they
//! existed stays on record. Mirrors and git follow. Other copies are out of reach, and the answer
//! names them.

use loci_api::documents::file::Redaction;
use loci_engine::access;
use loci_engine::calls::reason_text;
use loci_engine::document_text::content::{is_redacted, redacted};
use loci_engine::hooks::CopyAfterErasure;
use loci_engine::language_models::erasure;
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::records::conflicts;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::kept;
use loci_model::ports::ids::{uuid4, uuid7};
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::trees::tree_entry::{DocumentOperation, TreePlace, owner_of};
use loci_model::{Error, JobId, MemoryId, RecordId, Result, Timestamp};

use super::redacted_content;
use crate::Documents;
use crate::mirror;
use crate::trees::reconciliation::RecordChangeDetails;
use crate::trees::tree::{Tree, TreeAsk};

/// The minimum of characters of a searched text, because shorter ones occur everywhere.
const MATCH_CHARS_MIN: usize = 4;

/// The places that are always cleaned.
const PLACES: [&str; 4] =
    ["record versions", "index and vectors", "tree entry", "questions to models that wait"];
/// The places that are always out of reach.
const UNREACHABLE: [&str; 2] = ["backups and exports made before", "clones and copies of mirrors"];

/// The versions of a record to redact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedactWhich {
    /// The versions with these numbers.
    Versions(Vec<u32>),
    /// All versions whose text contains this one.
    Match(String),
}

/// A request to redact a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRedact {
    /// The memory that contains the record.
    pub memory: MemoryId,
    /// The record to redact.
    pub record: RecordId,
    /// The versions whose content is removed.
    pub which: RedactWhich,
    /// The reason for the redaction, stored with the versions.
    pub reason: String,
}

impl Documents {
    /// Redacts the content of versions of a record.
    ///
    /// # Errors
    /// `Denied` without a grant of admin on the record's namespace; `NotFound`; `Invalid`.
    pub async fn record_redact(&self, caller: &Principal, asked: RecordRedact) -> Result<Redaction> {
        let view = access::record_view(caller, &asked.memory, Capability::Admin)?;
        check(&asked)?;
        let asked = RecordRedact { reason: kept(asked.reason), ..asked };
        self.engine.ready_to_seal().await?;
        let at = self.engine.now();
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), at.millis()))?;
        let by = caller.name.clone();
        let (vault, fresh) = (self.engine.vault().clone(), format!("{}{}", self.fresh_id(), self.fresh_id()));
        let memory = asked.memory.clone();
        let mut done = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &asked.memory)?;
                let current = tx
                    .records()
                    .get(&memory.id, &asked.record)?
                    .filter(|record| record.state != RecordState::Erased && view.admits(record))
                    .ok_or_else(|| Error::not_found(format!("Memory record not found: {}", asked.record)))?;
                let changing = StateTransition { memory: &memory, by: &by, at };
                let note = |tx: &mut dyn Tx, one: &Record| {
                    redacted_content::note(tx, vault.as_ref(), one, &fresh, at)
                };
                let done = redact(tx, &changing, &current, &asked, &note)?;
                for copy in conflict_copies(tx, &current, &asked)? {
                    redact(tx, &changing, &copy, &asked, &note)?;
                }
                mirror::outdate(tx, &memory.id, &current.namespace)?;
                erasure::of_records(tx, &memory.id, current.strategy.as_ref(), at)?;
                batch::ask_for_vectors(tx, &memory.id, &job, at)?;
                Ok(done)
            })
            .await?;
        self.engine.wake().call();
        self.mirrors_after_redaction(&memory, &mut done).await?;
        Ok(done)
    }

    /// Updates the mirrors at once. A mirror that cannot be updated follows at its next sync, and
    /// the answer reports it.
    async fn mirrors_after_redaction(&self, memory: &MemoryId, done: &mut Redaction) -> Result<()> {
        for CopyAfterErasure { name, left } in self.mirrors_brought_up(memory).await? {
            match left {
                None => done.places.push(format!("mirror {name}")),
                Some(left) => done.unreachable.push(left),
            }
        }
        Ok(())
    }

    fn fresh_id(&self) -> String {
        uuid4(self.engine.ids().as_ref())
    }
}

/// Returns the conflict copies of a document that contain the searched text.
fn conflict_copies(tx: &dyn ReadTx, current: &Record, asked: &RecordRedact) -> Result<Vec<Record>> {
    if !matches!(asked.which, RedactWhich::Match(_)) {
        return Ok(Vec::new());
    }
    let mut copies = Vec::new();
    for conflict in conflicts::open_of(tx, &current.memory, &owner_of(None)?)? {
        if conflict.standing != current.id {
            continue;
        }
        let copy = tx.records().get(&current.memory, &conflict.against)?;
        copies.extend(copy.filter(|copy| !is_redacted(copy) && is_asked(copy, &asked.which)));
    }
    Ok(copies)
}

fn check(asked: &RecordRedact) -> Result<()> {
    if asked.reason.trim().is_empty() {
        return Err(Error::invalid("reason", "reason must say why: it stays on record"));
    }
    reason_text::check(Some(&asked.reason))?;
    match &asked.which {
        RedactWhich::Versions(versions) if versions.is_empty() => {
            Err(Error::invalid("versions", "versions must name at least one version"))
        }
        RedactWhich::Match(text) if text.chars().count() < MATCH_CHARS_MIN => {
            let rule = format!("match must have at least {MATCH_CHARS_MIN} characters");
            Err(Error::invalid("match", rule))
        }
        RedactWhich::Versions(_) | RedactWhich::Match(_) => Ok(()),
    }
}

fn redact(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    current: &Record,
    asked: &RecordRedact,
    note: &dyn Fn(&mut dyn Tx, &Record) -> Result<()>,
) -> Result<Redaction> {
    let (memory, by, at) = (&changing.memory.id, changing.by, changing.at);
    let mut versions = tx.records().history(memory, &current.id)?;
    versions.push(current.clone());
    let is_meant = |one: &Record| !is_redacted(one) && is_asked(one, &asked.which);
    versions.retain(is_meant);
    if versions.is_empty() {
        return Err(Error::not_found("no version of the record that still says something is meant"));
    }
    let mut current_version = None;
    if versions.iter().any(|one| one.version == current.version) {
        let full = || Error::conflict("the record has too many versions");
        let version = current.version.checked_add(1).ok_or_else(full)?;
        let mut next =
            Record { version, state_reason: None, updated_at: at, ..redacted(current, &asked.reason, at) };
        next.sequence = tx.records_mut().put_version(&next)?;
        let reason = format!("{}: {}", DocumentOperation::Redacted.as_str(), asked.reason);
        changing.note(tx, &next, Some(current.state), next.state, &reason)?;
        settle(tx, &next, by)?;
        current_version = Some(version);
    }
    for one in &versions {
        note(tx, one)?;
        tx.records_mut().rewrite(&redacted(one, &asked.reason, at))?;
        tx.telemetry_mut().append(&told(one, by, &asked.reason, at))?;
    }
    Ok(Redaction {
        record: current.id.to_string(),
        versions: versions.into_iter().map(|one| one.version).collect(),
        current_version,
        places: PLACES.iter().map(|place| (*place).to_owned()).collect(),
        unreachable: UNREACHABLE.iter().map(|place| (*place).to_owned()).collect(),
    })
}

fn is_asked(record: &Record, which: &RedactWhich) -> bool {
    match which {
        RedactWhich::Versions(versions) => versions.contains(&record.version),
        RedactWhich::Match(text) => {
            let said = [Some(&record.text), record.title.as_ref(), record.description.as_ref()];
            let metadata = serde_json::to_string(&record.metadata).unwrap_or_default();
            said.into_iter().flatten().any(|one| one.contains(text.as_str()))
                || metadata.contains(text.as_str())
        }
    }
}

/// Updates the tree of the record, if it is in one, so that it no longer contains the content.
fn settle(tx: &mut dyn Tx, record: &Record, by: &str) -> Result<()> {
    if tx.ledger().noun::<TreePlace>(&record.memory, record.id.as_str())?.is_none() {
        return Ok(());
    }
    let tree = Tree::of(&TreeAsk { memory: record.memory.clone(), namespace: record.namespace.clone() });
    crate::upkeep::quote_erasure::of_records(
        tx,
        &record.memory,
        &tree.normal,
        std::slice::from_ref(&record.id),
    )?;
    let told = RecordChangeDetails {
        operation: Some(DocumentOperation::Redacted),
        by: Some(by),
        run: None,
        behind: None,
    };
    tree.settle(tx, record, told).map(drop)
}

fn told(record: &Record, by: &str, reason: &str, at: Timestamp) -> StateChange {
    StateChange {
        memory: record.memory.clone(),
        record: record.id.clone(),
        version: record.version,
        from: Some(record.state),
        to: record.state,
        reason: format!("{}: {reason}", DocumentOperation::Redacted.as_str()),
        by: by.to_owned(),
        at,
    }
}
