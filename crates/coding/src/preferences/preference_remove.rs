//! The verbs `preference_remove`: deletes a preference, and an inferred one is not inferred again;
//! and `user_settings_put`: a person who disables inference loses all inferred preferences, and
//! none is inferred from then on.

use loci_api::coding::preference::UserSettingsPut;
use loci_engine::admin::erasure::{ErasureReach, Tombstones};
use loci_engine::calls::call_context::CallContext;
use loci_engine::records::batch;
use loci_engine::records::state_transition::StateTransition;
use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::tasks::preference::{PreferenceOrigin, PreferenceUser};
use loci_model::{Error, JobId, RecordId, Result, limits};

use super::owner::{self, PreferenceOwner};
use super::precedence::{CONCLUSION, origin_of, word};
use super::preferences_list::{person, shown};
use crate::Coding;

impl Coding {
    /// Deletes a preference of a person.
    ///
    /// # Errors
    /// `NotFound` if the person has no such preference; `Denied` if the caller is neither that
    /// person nor an administrator.
    pub async fn preference_remove(
        &self,
        caller: &Principal,
        standing: &CallContext,
        user: &str,
        id: &RecordId,
    ) -> Result<()> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let now = self.engine.now();
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let (caller, user, id) = (caller.clone(), user.to_owned(), id.clone());
        let vault = self.engine.vault().clone();
        self.engine.ready_to_seal().await?;
        self.engine
            .store()
            .write(move |tx| {
                let (memory, whose) = person(tx, &caller, &memory, &user, Capability::Write)?;
                let place = whose.namespace()?.normal();
                let is_theirs = |record: &Record| {
                    record.kind == RecordKind::Preference
                        && record.state != RecordState::Erased
                        && record.namespace.normal() == place
                };
                let missing =
                    || Error::not_found(format!("{user} has no preference {id}")).on("preference_id");
                let record = tx
                    .records()
                    .get(&memory.id, &id)?
                    .filter(|record| is_theirs(record))
                    .ok_or_else(missing)?;
                let changing = StateTransition { memory: &memory, by: &caller.name, at: now };
                let tombstones = Tombstones { vault: vault.as_ref(), memory: &memory.id };
                tombstones.put_record(tx, &record, ErasureReach::Deleted, now)?;
                changing.set_state(tx, &record, RecordState::Erased, "deleted")?;
                if let Some(digest) = word(&record, CONCLUSION) {
                    let mut noun = whose.noun(&memory.id, now);
                    noun.declined.push(digest.to_owned());
                    let beyond = noun.declined.len().saturating_sub(limits::PREFERENCES_DECLINED_MAX);
                    noun.declined.drain(..beyond);
                    tx.ledger_mut().put_noun(&PreferenceUser { updated_at: now, ..noun })?;
                }
                batch::ask_for_purge(tx, &memory, &job, now)
            })
            .await
    }

    /// Sets if preferences of a person may be inferred. Disabling it deletes the inferred ones.
    ///
    /// # Errors
    /// `Denied` if the caller is neither that person nor an administrator.
    pub async fn user_settings_put(
        &self,
        caller: &Principal,
        standing: &CallContext,
        user: &str,
        implicit_inference: bool,
    ) -> Result<UserSettingsPut> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let now = self.engine.now();
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let (caller, user) = (caller.clone(), user.to_owned());
        self.engine
            .store()
            .write(move |tx| {
                let (memory, whose) = person(tx, &caller, &memory, &user, Capability::Write)?;
                let opted_out = !implicit_inference;
                let noun = PreferenceUser { opted_out, updated_at: now, ..whose.noun(&memory.id, now) };
                tx.ledger_mut().put_noun(&noun)?;
                let changing = StateTransition { memory: &memory, by: &caller.name, at: now };
                let removed =
                    if opted_out { forget_conclusions(tx, &changing, &memory, &whose)? } else { Vec::new() };
                if !removed.is_empty() {
                    batch::ask_for_purge(tx, &memory, &job, now)?;
                }
                let whose = PreferenceOwner { known: Some(noun), ..whose };
                Ok(UserSettingsPut { user: shown(&whose), removed })
            })
            .await
    }
}

/// Deletes all inferred preferences of a person, in any state.
fn forget_conclusions(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    memory: &Memory,
    whose: &PreferenceOwner,
) -> Result<Vec<String>> {
    let mut removed = Vec::new();
    for record in owner::all_of(tx, &memory.id, &whose.place, changing.at)? {
        let is_concluded = origin_of(&record) == Some(PreferenceOrigin::Implicit);
        if is_concluded
            && changing.set_state(tx, &record, RecordState::Erased, "no conclusions are wanted")?
        {
            removed.push(record.id.to_string());
        }
    }
    Ok(removed)
}
