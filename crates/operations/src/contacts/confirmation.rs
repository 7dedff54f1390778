//! `sre_preference_decide`: a person confirms or rejects a pending contact. Only the user in person
//! or an administrator decides. A key that works for the user can propose a contact, but cannot
//! confirm it.

use loci_engine::access;
use loci_engine::access::segment;
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_engine::records::record_builder::Building;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::{RedactionMode, SafetyPolicy};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState, TrustTier};
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{Error, JobId, MemoryId, RecordId, Result};

use crate::Operations;
use crate::preferences::preference;
use crate::records::namespace_rules;
use crate::records::precedence::{SreAction, put_in_force, said_of_it, seal};
use crate::records::save::SreKept;

impl Operations {
    /// Activates a pending preference with the confirming person as its source, or rejects it.
    ///
    /// # Errors
    /// `NotFound` if no such preference is pending, or if the caller may not write it; `Denied` if
    /// the caller is neither the user in person nor an administrator.
    pub async fn sre_preference_decide(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        id: &RecordId,
        confirmed: bool,
    ) -> Result<SreKept> {
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Write, now)?;
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let (memory, id, caller) = (memory.clone(), id.clone(), caller.clone());
        let (settings, own) = (self.engine.settings().clone(), self.settings.clone());
        let kept = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let strategy = namespace_rules::strategy(&memory, SreType::Preferences)?;
                let waits = |record: &Record| {
                    record.state == RecordState::Candidate
                        && !record.is_expired(now)
                        && record.strategy.as_ref() == Some(&strategy.id)
                        && view.admits(record)
                };
                let unknown = || Error::not_found(format!("no preference waits under {id}"));
                let record = tx.records().get(&memory.id, &id)?.filter(waits).ok_or_else(unknown)?;
                let actor = record.provenance.actor.clone().ok_or_else(unknown)?;
                access::require_user_in_person(&caller, &memory.id, &segment::decode(actor.as_str()))?;
                let by = caller.name.as_str();
                // Secrets are already masked in the stored text.
                let policy = SafetyPolicy {
                    secrets: RedactionMode::Off,
                    ..SafetyPolicy::of(&settings, &memory.settings)
                };
                let building = Building { memory: &memory, view: &view, policy, expiry: None, by, now };
                let key = preference::stored(&record.text).map(|(_, one)| one.key);
                if !confirmed {
                    let changing = StateTransition { memory: &memory, by, at: now };
                    changing.set_state(tx, &record, RecordState::Invalid, "a person rejected it")?;
                    return Ok(SreKept {
                        record: Some(record.id),
                        key,
                        action: SreAction::Rejected,
                        reason: None,
                    });
                }
                let near = namespace_rules::actor(
                    SreType::Preferences,
                    &segment::decode(actor.as_str()),
                    own.of(&memory.id),
                )?;
                let scope = namespace_rules::scope(&memory, SreType::Preferences, Some(&near), now)?;
                let scope = RecordScope { view: view.clauses().to_vec(), ..scope };
                let (record, action) = confirm(tx, &building, &record, scope)?;
                batch::ask_for_vectors(tx, &memory.id, &job, now)?;
                Ok(SreKept { record: Some(record), key, action, reason: None })
            })
            .await?;
        self.engine.wake().call();
        Ok(kept)
    }
}

/// Activates the record with the current time and the source of a person.
fn confirm(
    tx: &mut dyn Tx,
    building: &Building<'_>,
    waiting: &Record,
    scope: RecordScope,
) -> Result<(RecordId, SreAction)> {
    let rivals = said_of_it(tx, scope, waiting.subtype.as_deref().unwrap_or_default())?;
    let mut record = waiting.clone();
    record.state = RecordState::Active;
    record.state_reason = None;
    record.tier = TrustTier::Confirmed;
    record.timestamp = building.now;
    record.valid_from = building.now;
    record.updated_at = building.now;
    record.expires_at = record.expiry_days.map(|days| building.now.plus_days(days));
    seal(&mut record, SreSource::Human);
    put_in_force(tx, building, record, &rivals, Some(waiting))
}
