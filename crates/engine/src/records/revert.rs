//! `record_revert`: restores the text of an earlier version as a new version, or undoes the
//! change that gave the record its state, so that the records that it superseded are active
//! again. A second revert of the same record undoes the first one.
//!
//! Nothing is erased. Later changes by others are never overwritten: they cause a conflict.

use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::{Error, JobId, MemoryId, Reason, RecordId, Result, Timestamp};

use super::batch;
use super::get::unknown;
use super::quarantine;
use super::state_transition::StateTransition;
use crate::Engine;
use crate::access::{self, View};
use crate::hooks::Products;
use crate::memories::existing;

/// The stored reason of a record that expired because its repository now documents the same
/// content.
pub const DOCUMENTED: &str = "in_repo_docs";
/// The stored reason of a record that a revert made active again after [`DOCUMENTED`]. The record
/// does not expire for that reason again.
pub const KEPT_DOCUMENTED: &str = "reverted: kept although the repository says it";

/// A request to revert a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRevert {
    /// The record to revert.
    pub id: RecordId,
    /// The number of the version whose content is restored; `None` undoes the change that gave
    /// the record its state.
    pub to_version: Option<u32>,
    /// The version that the stored record must have; otherwise the revert fails. `None` for no
    /// condition.
    pub if_version: Option<u32>,
}

/// The author and time of a revert, and the parts of the memory that the caller may use.
struct Reverting<'a> {
    memory: &'a Memory,
    view: &'a View,
    /// The part of the memory that the caller administers: only there the revert may release
    /// quarantined records.
    administered: Option<&'a View>,
    by: &'a str,
    at: Timestamp,
    products: &'a Products,
}

impl Engine {
    /// Reverts a record. Returns every changed record in its new form.
    pub async fn record_revert(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        revert: RecordRevert,
    ) -> Result<Vec<Record>> {
        let watch = self.watch("update_memory", Some(memory));
        let outcome = self.revert_records(caller, memory, revert).await;
        if let Some(watch) = watch {
            watch.tell_records(&outcome, Vec::len);
        }
        outcome
    }

    async fn revert_records(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        revert: RecordRevert,
    ) -> Result<Vec<Record>> {
        let view = access::bound_view(&self.products, caller, memory, Capability::Write, self.clock.now())?;
        let reading = || access::needs_reading("a revert");
        let readable = access::bound_view(&self.products, caller, memory, Capability::Read, self.clock.now());
        let readable = readable.map_err(|_| reading())?;
        let administered =
            access::bound_view(&self.products, caller, memory, Capability::Admin, self.clock.now()).ok();
        let at = self.clock.now();
        let job = JobId::parse(uuid7(self.ids.as_ref(), at.millis()))?;
        let (memory, by, products) = (memory.clone(), caller.name.clone(), self.products.clone());
        let changed = self
            .store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let (view, readable) = (view.within(&memory), readable.within(&memory));
                let administered = administered.as_ref();
                let (by, products) = (by.as_str(), &products);
                let reverting = Reverting { memory: &memory, view: &view, administered, by, at, products };
                let ids = reverting.revert(tx, &revert)?;
                batch::ask_for_vectors(tx, &memory.id, &job, at)?;
                let changed = tx.records().get_many(&memory.id, &ids)?;
                // The whole write is rolled back, because its response would omit some of its
                // changes.
                if changed.iter().all(|record| readable.admits(record)) {
                    Ok(changed)
                } else {
                    Err(reading())
                }
            })
            .await?;
        self.wake.call();
        Ok(changed)
    }
}

impl Reverting<'_> {
    fn revert(&self, tx: &mut dyn Tx, asked: &RecordRevert) -> Result<Vec<RecordId>> {
        let record = self.seen(tx, &asked.id)?;
        if asked.if_version.is_some_and(|version| version != record.version) {
            return Err(Error::conflict(format!("the record is at version {}", record.version))
                .because(Reason::StaleVersion)
                .on("if_version"));
        }
        match asked.to_version {
            Some(version) => self.bring_back(tx, &record, version),
            None => self.undo(tx, &record),
        }
    }

    /// Returns a record in any state, if the caller may see it.
    fn seen(&self, tx: &mut dyn Tx, id: &RecordId) -> Result<Record> {
        tx.records()
            .get(&self.memory.id, id)?
            .filter(|record| record.state != RecordState::Erased && self.view.admits(record))
            .ok_or_else(|| unknown(id))
    }

    /// Restores the content of an earlier version of a record as its next version.
    fn bring_back(&self, tx: &mut dyn Tx, record: &Record, version: u32) -> Result<Vec<RecordId>> {
        if record.state != RecordState::Active {
            return Err(Error::conflict(
                "only a record that is in force has a next version: revert without a version",
            ));
        }
        let versions = tx.records().history(&self.memory.id, &record.id)?;
        let earlier = versions
            .into_iter()
            .find(|one| one.version == version && version != record.version && self.view.admits(one))
            .ok_or_else(|| {
                Error::invalid("to_version", "to_version must be an earlier version of the record")
            })?;
        let next = record
            .version
            .checked_add(1)
            .ok_or_else(|| Error::conflict("the record has too many versions: create a new one"))?;
        let restored = Record {
            version: next,
            sequence: 0,
            namespace: record.namespace.clone(),
            state: record.state,
            state_reason: None,
            superseded_by: None,
            supersedes: record.supersedes.clone(),
            valid_to: None,
            created_at: record.created_at,
            updated_at: self.at,
            expires_at: record.expires_at,
            expiry_days: record.expiry_days,
            ..earlier
        };
        tx.records_mut().put_version(&restored)?;
        let reason = format!("reverted to version {version}");
        self.changing().note(tx, &restored, Some(record.state), restored.state, &reason)?;
        Ok(vec![restored.id])
    }

    /// Undoes the change that gave a record its state, or undoes an earlier revert of that
    /// change.
    fn undo(&self, tx: &mut dyn Tx, record: &Record) -> Result<Vec<RecordId>> {
        match record.state {
            RecordState::Active if !record.supersedes.is_empty() => self.give_back(tx, record),
            RecordState::Active => Err(Error::conflict(
                "the record took nobody's place: name the version to go back to in to_version",
            )),
            RecordState::Superseded => match &record.superseded_by {
                Some(by) => {
                    let by = self.seen(tx, by)?;
                    if !by.supersedes.contains(&record.id) {
                        // It was stored as an earlier statement: it becomes active in addition to
                        // the newer one.
                        return self
                            .restore(tx, record, "reverted: stands beside the newer one")
                            .map(|id| vec![id]);
                    }
                    self.give_back(tx, &by)
                }
                None => self.restore(tx, record, "reverted").map(|id| vec![id]),
            },
            RecordState::RolledBack => self.take_again(tx, record),
            RecordState::Quarantined | RecordState::Archived | RecordState::Candidate => {
                self.released(tx, record).map(|id| vec![id])
            }
            RecordState::Expired if record.state_reason.as_deref() == Some(DOCUMENTED) => {
                self.keep(tx, record).map(|id| vec![id])
            }
            RecordState::Invalid | RecordState::Stale | RecordState::Expired | RecordState::Erased => Err(
                Error::conflict(format!("a record that is {} stands in no decision", record.state.as_str())),
            ),
        }
    }

    /// Makes a record active again that expired because its repository documents the same
    /// content.
    fn keep(&self, tx: &mut dyn Tx, record: &Record) -> Result<RecordId> {
        if !self.changing().set_state(tx, record, RecordState::Active, KEPT_DOCUMENTED)? {
            return Err(changed_since(record));
        }
        Ok(record.id.clone())
    }

    fn released(&self, tx: &mut dyn Tx, record: &Record) -> Result<RecordId> {
        let reason = "released";
        if !self.administered.is_some_and(|view| view.admits(record)) {
            return Err(Error::denied("releasing a quarantined record needs a grant of admin on it"));
        }
        if record.state != RecordState::Quarantined {
            return self.restore(tx, record, reason);
        }
        if !quarantine::release(tx, &self.changing(), record, reason)? {
            return Err(changed_since(record));
        }
        self.products.records_released(tx, &self.changing(), std::slice::from_ref(&record.id))?;
        Ok(record.id.clone())
    }

    /// Takes a record out of use, and makes the records that it superseded active again.
    fn give_back(&self, tx: &mut dyn Tx, record: &Record) -> Result<Vec<RecordId>> {
        if record.state != RecordState::Active {
            return Err(changed_since(record));
        }
        let mut olds = Vec::new();
        for id in &record.supersedes {
            let old = self.seen(tx, id)?;
            if old.state != RecordState::Superseded || old.superseded_by.as_ref() != Some(&record.id) {
                return Err(changed_since(&old));
            }
            olds.push(old);
        }
        if !self.changing().set_state(tx, record, RecordState::RolledBack, "reverted")? {
            return Err(changed_since(record));
        }
        let reason = format!("reverted: {} gave its place back", record.id);
        let mut changed = vec![record.id.clone()];
        for old in &olds {
            changed.push(self.restore(tx, old, &reason)?);
        }
        Ok(changed)
    }

    /// Undoes a revert: makes the record active again, and supersedes the records that it
    /// superseded before.
    fn take_again(&self, tx: &mut dyn Tx, record: &Record) -> Result<Vec<RecordId>> {
        let mut olds = Vec::new();
        for id in &record.supersedes {
            let old = self.seen(tx, id)?;
            if old.state != RecordState::Active {
                return Err(changed_since(&old));
            }
            olds.push(old);
        }
        let mut changed = Vec::new();
        let reason = "the revert was reverted";
        for old in &olds {
            if !self.changing().supersede(tx, old, record, reason)? {
                return Err(changed_since(old));
            }
            changed.push(old.id.clone());
        }
        changed.insert(0, self.restore(tx, record, reason)?);
        Ok(changed)
    }

    fn restore(&self, tx: &mut dyn Tx, record: &Record, reason: &str) -> Result<RecordId> {
        if !self.changing().restore(tx, record, reason)? {
            return Err(changed_since(record));
        }
        Ok(record.id.clone())
    }

    fn changing(&self) -> StateTransition<'_> {
        StateTransition { memory: self.memory, by: self.by, at: self.at }
    }
}

fn changed_since(record: &Record) -> Error {
    Error::conflict(format!(
        "{} was changed by others since ({}): revert that first",
        record.id,
        record.state.as_str()
    ))
}
