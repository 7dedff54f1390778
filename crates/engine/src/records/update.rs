//! `records_update`: changes records that a client names. Each edit creates the next version of
//! the same record.

use std::cell::RefCell;

use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::derivation::MakingMode;
use loci_model::record::expiry::ExpirySpecification;
use loci_model::record::{Record, RecordOrigin, RecordState};
use loci_model::{Error, FieldName, JobId, MemoryId, RecordId, Result, Timestamp};

use super::batch::{self, Outcomes};
use super::changes::{self, RecordStateChange};
use super::create::{check_days, check_text, one_namespace};
use super::get::{check_namespace, readable};
use super::{BatchOutcome, RecordUpdate};
use crate::access::{self, View};
use crate::hooks::Products;
use crate::memories::existing;
use crate::safety::{SafeText, SafetyPolicy, Tally};
use crate::{Engine, safety};

/// The memory, caller and time of an update.
struct Edit<'a> {
    memory: &'a Memory,
    view: &'a View,
    expiry: Option<ExpirySpecification>,
    by: &'a str,
    policy: SafetyPolicy,
    /// The findings of the safety checks in the new texts.
    found: RefCell<Tally>,
    now: Timestamp,
    products: &'a Products,
}

impl Engine {
    /// Changes records. An item that is invalid by itself fails the whole request; an item that
    /// conflicts with the state of the memory fails alone.
    pub async fn records_update(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        updates: Vec<RecordUpdate>,
        expiry: Option<ExpirySpecification>,
    ) -> Result<BatchOutcome> {
        let watch = self.watch("update_memory", Some(memory));
        let outcome = self.update_records(caller, memory, updates, expiry).await;
        if let Some(watch) = watch {
            watch.tell_batch(&outcome);
        }
        outcome
    }

    async fn update_records(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        updates: Vec<RecordUpdate>,
        expiry: Option<ExpirySpecification>,
    ) -> Result<BatchOutcome> {
        let view = access::bound_view(&self.products, caller, memory, Capability::Write, self.clock.now())?;
        check_request(&updates, expiry)?;
        let now = self.clock.now();
        let job = JobId::parse(uuid7(self.ids.as_ref(), now.millis()))?;
        let texts = updates.iter().map(|update| update.text.clone().unwrap_or_default()).collect();
        let texts = self.safe_beforehand(memory, texts).await?;
        let (memory, by) = (memory.clone(), caller.name.clone());
        let (settings, products) = (self.settings.clone(), self.products.clone());
        let (outcome, found) = self
            .store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let view = view.within(&memory);
                let policy = SafetyPolicy::of(&settings, &memory.settings);
                let found = RefCell::default();
                let products = &products;
                let edit =
                    Edit { memory: &memory, view: &view, expiry, by: &by, policy, found, now, products };
                let mut outcomes = Outcomes::with_capacity(updates.len());
                for (at, update) in updates.iter().enumerate() {
                    let result = apply(tx, &edit, update, texts.get(at, &policy));
                    outcomes.add(update.id.clone(), None, result)?;
                }
                let outcome = outcomes.finish();
                if outcome.any_done() {
                    batch::ask_for_vectors(tx, &memory.id, &job, now)?;
                }
                Ok((outcome, edit.found.take()))
            })
            .await?;
        found.tell(self.observe.as_ref());
        self.wake.call();
        Ok(outcome)
    }
}

fn check_request(updates: &[RecordUpdate], expiry: Option<ExpirySpecification>) -> Result<()> {
    let ids: Vec<&RecordId> = updates.iter().map(|update| &update.id).collect();
    batch::check_distinct(ids.into_iter(), FieldName::Record)?;
    if let Some(ExpirySpecification::Days(days)) = expiry {
        check_days(days)?;
    }
    updates.iter().filter_map(|update| update.metadata.as_ref()).try_for_each(batch::check_metadata)
}

fn apply(tx: &mut dyn Tx, edit: &Edit<'_>, update: &RecordUpdate, safe: Option<SafeText>) -> Result<()> {
    let stored = readable(tx, edit.view, &edit.memory.id, &update.id, edit.now)?;
    for named in update.source_namespaces.iter().flatten() {
        check_namespace(&stored, Some(named))?;
    }
    if update.if_version.is_some_and(|version| version != stored.version) {
        return Err(Error::conflict(format!("the record is at version {}", stored.version)));
    }
    let mut record = edited(&stored, edit, update, safe)?;
    if let Some(reason) = edit.products.waits_when_changed(edit.memory, &record) {
        record.state = RecordState::Candidate;
        record.state_reason = Some(reason.to_owned());
    }
    edit.view.take_in(&mut record)?;
    tx.records_mut().put_version(&record)?;
    if update.namespaces.is_some() {
        edit.products.records_moved(tx, &edit.memory.id, std::slice::from_ref(&record.id))?;
    }
    changes::note(
        tx,
        edit.memory,
        &RecordStateChange {
            record: &record,
            from: Some(stored.state),
            to: record.state,
            reason: "updated",
            by: edit.by,
            at: edit.now,
        },
    )
}

/// Marks a record as maintained by a client: a later extraction of the messages that it came from
/// does not replace it.
fn stands_for_itself(record: &mut Record) {
    if let Some(making) = record.making.as_mut().filter(|making| making.mode == MakingMode::Fallback) {
        let by_model = making.prompt.is_some();
        making.mode = if by_model { MakingMode::Model } else { MakingMode::Deterministic };
    }
}

fn edited(stored: &Record, edit: &Edit<'_>, update: &RecordUpdate, safe: Option<SafeText>) -> Result<Record> {
    let mut record = stored.clone();
    record.version = stored
        .version
        .checked_add(1)
        .ok_or_else(|| Error::conflict("the record has too many versions: create a new one"))?;
    record.timestamp = update.timestamp;
    record.valid_from = update.timestamp;
    record.updated_at = edit.now;
    stands_for_itself(&mut record);
    if let Some(text) = &update.text {
        check_text(text, stored.kind)?;
        let safe = safe.unwrap_or_else(|| safety::prepare(text.clone(), None, &edit.policy));
        edit.found.borrow_mut().add(&safe);
        record.trust = safe.trust();
        record.tier = safe.tier;
        record.state = safe.state;
        record.state_reason = safe.state_reason();
        record.findings = safe.findings;
        record.text = safe.text;
        // An edited text is no longer the verbatim message, and its old index text no longer fits.
        record.provenance.verbatim = stored.provenance.verbatim && record.text == stored.text;
        record.index_text = safe.index_text;
    }
    if let Some(namespaces) = &update.namespaces {
        record.namespace = one_namespace(namespaces)?.clone();
    }
    if let Some(strategy) = &update.strategy {
        if edit.memory.strategy(strategy).is_none() {
            return Err(Error::invalid(
                FieldName::Strategy,
                format!("the memory has no strategy {strategy}"),
            ));
        }
        record.strategy = Some(strategy.clone());
    }
    if let Some(metadata) = &update.metadata {
        record.metadata = safety::masked_metadata(metadata, edit.policy.secrets)?;
        record.metadata.extend(edit.products.lasting_metadata(stored));
    }
    if update.text.is_some() && record.origin == RecordOrigin::Extracted {
        super::text_digest::follow(&mut record.metadata, &record.text);
    }
    record.expiry_days = match edit.expiry {
        Some(ExpirySpecification::Days(days)) => Some(days),
        Some(ExpirySpecification::Remove) => None,
        None => record.expiry_days,
    };
    record.expires_at = record.expiry_days.map(|days| edit.now.plus_days(days));
    Ok(record)
}
