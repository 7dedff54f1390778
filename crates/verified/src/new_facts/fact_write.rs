//! Writes a verified fact with its events in one transaction: as a new fact, or as a confirmation
//! of an equal one.

use loci_engine::calls::idempotency::{ClientToken, look_up, remember, replayed};
use loci_engine::memories::existing;
use loci_engine::records::{batch, changes};
use loci_model::facts::fact::{Fact, FactEvent, FactEventKind};
use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, RecordChange, StoreExt, SupersedeChange, Tx};
use loci_model::principal::Principal;
use loci_model::record::{Record, RecordState};
use loci_model::{ActorId, Error, ErrorKind, JobId, Reason, RecordId, Result, SessionId, limits};

use super::stored_answer::FirstStored;
use super::{AdmittedFact, Alike, FactStored, NewText, StoreStatus, citation_merge};
use crate::Verified;
use crate::changes::refresh;
use crate::facts::conflicts;
use crate::facts::events::{Scene, details};
use crate::facts::fact_record;
use crate::repositories::VisibleRepository;
use crate::verification::state_write;
use loci_engine::calls::call_context::CallContext;

pub(super) const OPERATION: &str = "FactStore";
/// The repository of the fact and the standing of the call.
#[derive(Debug, Clone)]
pub(crate) struct FactWriteContext {
    pub(crate) found: VisibleRepository,
    pub(crate) standing: CallContext,
}

/// Returns the fact of equal text that a repeated store confirms.
pub(super) fn to_confirm(same: &[Fact]) -> Option<&Fact> {
    let living = |fact: &&Fact| {
        matches!(fact.status, RecordState::Active | RecordState::Expired)
            || (fact.status == RecordState::Quarantined && fact.detail.gone.is_some())
    };
    let active_first = |fact: &&Fact| fact.status != RecordState::Active;
    // A proposal is not a stored fact. `proposed_record` turns it into one.
    same.iter().filter(|fact| !fact.proposed).filter(living).min_by_key(active_first)
}

impl Verified {
    pub(crate) async fn write_new(
        &self,
        caller: &Principal,
        place: FactWriteContext,
        text: NewText,
        passed: AdmittedFact,
        alike: Alike,
        token: Option<ClientToken>,
    ) -> Result<FactStored> {
        let memory = place.found.repository.memory.clone();
        let now = self.engine.now();
        let id = RecordId::compose(&uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let scene = Scene::new(caller, &place.standing, &memory, &place.found.repository.id, now)
            .at_revision(&passed.tip.reference, passed.tip.commit());
        let verified = self.clone();
        let stored = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let (vault, of_client) = (verified.engine.vault().as_ref(), token.as_ref());
                let place_of_token = Some(&memory.id);
                let before = look_up::<FirstStored>(tx, vault, of_client, place_of_token, OPERATION, now)?;
                if let Some(first) = replayed(before)? {
                    return first.into_answer(tx, &place.found);
                }
                let writing = FactWrite {
                    verified: &verified,
                    memory: &memory,
                    place: &place,
                    text: &text,
                    passed: &passed,
                    alike: &alike,
                    scene: &scene,
                };
                let (id, status, more) = writing.put_in_place(tx, &id, &job)?;
                if status == StoreStatus::Created {
                    batch::ask_for_vectors(tx, &memory.id, &job, now)?;
                }
                let mut warnings = passed.warnings.clone();
                warnings.extend(more);
                let similar = alike.similar.clone();
                let first =
                    FirstStored { id, status, verification: passed.verification.clone(), similar, warnings };
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token.as_ref(), Some(&memory.id), OPERATION, &first, expires)?;
                first.into_answer(tx, &place.found)
            })
            .await?;
        self.engine.wake().call();
        Ok(stored)
    }
}

/// A fact that is about to be stored.
pub(crate) struct FactWrite<'a> {
    pub(crate) verified: &'a Verified,
    pub(crate) memory: &'a Memory,
    pub(crate) place: &'a FactWriteContext,
    pub(crate) text: &'a NewText,
    pub(crate) passed: &'a AdmittedFact,
    pub(crate) alike: &'a Alike,
    pub(crate) scene: &'a Scene,
}

impl FactWrite<'_> {
    /// Writes the fact: as a confirmation of an equal one, or as a new one.
    fn put_in_place(
        &self,
        tx: &mut dyn Tx,
        id: &RecordId,
        job: &JobId,
    ) -> Result<(RecordId, StoreStatus, Vec<String>)> {
        let repository = &self.place.found.repository.id;
        let mut same = tx.facts().with_content(&self.memory.id, repository, &self.text.content_hash)?;
        same.retain(|fact| !fact.proposed);
        if let Some(reason) = self.alert(tx)? {
            return self.put_held(tx, id, &same, reason);
        }
        if let Some(known) = to_confirm(&same) {
            let warnings = self.confirm(tx, known.clone())?;
            return Ok((known.record.clone(), StoreStatus::Refreshed, warnings));
        }
        if let Some(held) = same.iter().find(|fact| fact.status == RecordState::Quarantined) {
            let warning = "HELD: the same fact is quarantined, and a person decides on it".to_owned();
            return Ok((held.record.clone(), StoreStatus::DuplicateOf, vec![warning]));
        }
        if let Some((known, warnings)) = self.take_up(tx, job)? {
            return Ok((known, StoreStatus::Refreshed, warnings));
        }
        let wrong = same.iter().filter(|fact| fact.status == RecordState::Invalid);
        let before = wrong.max_by_key(|fact| (fact.created_at, fact.record.clone()));
        let mut warnings = self.room(tx)?;
        let (record, fact) = self.make(id, before.map(|fact| fact.record.clone()), &mut warnings)?;
        self.insert(tx, &record, &fact, FactEventKind::Created)?;
        if let Some(before) = before {
            self.supersede(tx, before, &record.id)?;
        }
        conflicts::note(tx, self, &record.id)?;
        Ok((record.id, StoreStatus::Created, warnings))
    }

    /// Returns the reason for holding the fact back, if its task has a security alert.
    pub(crate) fn alert(&self, tx: &dyn ReadTx) -> Result<Option<String>> {
        let actor = ActorId::parse(self.place.found.repository.key.as_str()).ok();
        let label = self.scene.session.as_deref();
        for hooks in &self.verified.parts.repositories {
            if let Some(reason) = hooks.held_back(tx, &self.memory.id, actor.as_ref(), label)? {
                return Ok(Some(reason));
            }
        }
        Ok(None)
    }

    /// Returns the session of facts under a label: the label itself, or the session that a product
    /// knows by it.
    pub(super) fn session_of_label(&self, label: &str) -> Option<SessionId> {
        let by_hooks =
            || self.verified.parts.repositories.iter().find_map(|hooks| hooks.session_of_label(label));
        SessionId::parse(label).ok().or_else(by_hooks)
    }

    /// Writes the fact in quarantine. It neither confirms nor supersedes another fact.
    fn put_held(
        &self,
        tx: &mut dyn Tx,
        id: &RecordId,
        same: &[Fact],
        reason: String,
    ) -> Result<(RecordId, StoreStatus, Vec<String>)> {
        let mut warnings = vec![format!("HELD: {reason}; a person decides on it")];
        let is_known = |fact: &&Fact| matches!(fact.status, RecordState::Active | RecordState::Quarantined);
        if let Some(known) = same.iter().find(is_known) {
            return Ok((known.record.clone(), StoreStatus::DuplicateOf, warnings));
        }
        warnings.extend(self.room(tx)?);
        let (mut record, mut fact) = self.make(id, None, &mut warnings)?;
        record.state = RecordState::Quarantined;
        record.state_reason = Some(reason);
        fact.status = record.state;
        self.insert(tx, &record, &fact, FactEventKind::Created)?;
        Ok((record.id, StoreStatus::Created, warnings))
    }

    /// Inserts the record, the fact and the event of its creation.
    pub(crate) fn insert(
        &self,
        tx: &mut dyn Tx,
        record: &Record,
        fact: &Fact,
        kind: FactEventKind,
    ) -> Result<()> {
        tx.records_mut().insert(record)?;
        let by = &self.scene.principal;
        let change = changes::RecordStateChange {
            record,
            from: None,
            to: record.state,
            reason: "created",
            by,
            at: self.scene.at,
        };
        changes::note_state(tx, self.memory, &change)?;
        let ids = self.verified.engine.ids().as_ref();
        let verified = self.scene.verified(ids, Some(&record.id), &self.passed.verification, 0);
        let made = FactEvent {
            verdict: Some(self.passed.verification.verdict),
            cause: Some(record.state.as_str().to_owned()),
            ..self.scene.event(ids, kind, Some(&record.id))
        };
        state_write::fact(tx, fact, &[verified, made])
    }

    /// Supersedes the old fact by the new one.
    pub(crate) fn supersede(&self, tx: &mut dyn Tx, old: &Fact, by: &RecordId) -> Result<()> {
        let Some(record) = tx.records().get(&self.memory.id, &old.record)? else {
            return Err(fact_record::unknown(&old.record));
        };
        let reason = format!("superseded by {by}");
        let change = SupersedeChange {
            by: by.clone(),
            reason: reason.clone(),
            valid_to: self.scene.at,
            at: self.scene.at,
        };
        let to = RecordState::Superseded;
        if record.state != RecordState::Active {
            // Only an active record can be superseded. It is active only within this transaction,
            // so no reader sees it.
            let active =
                RecordChange { state: RecordState::Active, reason: reason.clone(), at: self.scene.at };
            tx.records_mut().set_state(&self.memory.id, &old.record, &active)?;
        }
        if !tx.records_mut().supersede(&self.memory.id, &old.record, &change)? {
            return Err(Error::bug("a record that is active could not be superseded"));
        }
        let noted = changes::RecordStateChange {
            record: &record,
            from: Some(record.state),
            to,
            reason: &reason,
            by: &self.scene.principal,
            at: self.scene.at,
        };
        changes::note_state(tx, self.memory, &noted)?;
        let mut fact = old.clone();
        fact.status = to;
        let event = self.scene.event(
            self.verified.engine.ids().as_ref(),
            FactEventKind::Superseded,
            Some(&old.record),
        );
        let details = details(&serde_json::json!({ "by": by.as_str() }))?;
        state_write::fact(tx, &fact, &[FactEvent { details, ..event }])
    }

    /// Links an existing fact to the fact that it superseded in addition.
    pub(crate) fn link(&self, tx: &mut dyn Tx, id: &RecordId, old: &RecordId) -> Result<()> {
        let Some(mut record) = tx.records().get(&self.memory.id, id)? else {
            return Err(fact_record::unknown(id));
        };
        if record.supersedes.contains(old) {
            return Ok(());
        }
        record.supersedes.push(old.clone());
        record.version += 1;
        record.updated_at = self.scene.at;
        tx.records_mut().put_version(&record)?;
        let by = &self.scene.principal;
        let (from, to, reason) = (Some(record.state), record.state, "took the place of another");
        let change = changes::RecordStateChange { record: &record, from, to, reason, by, at: self.scene.at };
        changes::note_state(tx, self.memory, &change)
    }

    /// Confirms an equal fact: merges citations, counts one more verification, and reactivates it
    /// if it had expired or its code was gone.
    pub(crate) fn confirm(&self, tx: &mut dyn Tx, mut fact: Fact) -> Result<Vec<String>> {
        let mut warnings = citation_merge::settle_known(&mut fact.detail.citations, self.passed);
        let over = citation_merge::merge(&mut fact.detail.citations, self.passed.citations.clone());
        if over > 0 {
            warnings.push(format!("CITATIONS_FULL: {over} new citations found no room"));
        }
        for claim in &self.text.claims {
            // Claims refer to citations by index, so those on citations are not merged.
            if claim.citations().is_empty() && !fact.detail.claims.contains(claim) {
                fact.detail.claims.push(claim.clone());
            }
        }
        if self
            .text
            .claims
            .iter()
            .any(|claim| !claim.citations().is_empty() && !fact.detail.claims.contains(claim))
        {
            warnings.push(
                "CLAIMS_NOT_MERGED: claims on citations hold now, and stay with a new fact only".to_owned(),
            );
        }
        if fact.status != RecordState::Active {
            let record = tx.records().get(&self.memory.id, &fact.record)?;
            let record = record.ok_or_else(|| fact_record::unknown(&fact.record))?;
            let reason = "stored again";
            state_write::state(
                tx,
                self.memory,
                &record,
                RecordState::Active,
                reason,
                &self.scene.principal,
                self.scene.at,
            )?;
        }
        self.note_confirmed(tx, fact)?;
        Ok(warnings)
    }

    /// Records one more verification, with its events.
    pub(super) fn note_confirmed(&self, tx: &mut dyn Tx, mut fact: Fact) -> Result<()> {
        refresh::confirm(tx, &mut fact, self.verified, self.scene)?;
        self.last_verified(&mut fact);
        // The support by its own citations and the earlier ones, as found now.
        fact.detail.support = self.passed.verification.support.clone();
        let ids = self.verified.engine.ids().as_ref();
        let whole = citation_merge::whole(&fact.detail.citations, self.passed);
        let verified = self.scene.verified(ids, Some(&fact.record), &whole, 0);
        let refreshed = FactEvent {
            cause: Some("store".to_owned()),
            ..self.scene.event(ids, FactEventKind::Refreshed, Some(&fact.record))
        };
        state_write::fact(tx, &fact, &[verified, refreshed])
    }

    /// Warns about a repository with many facts, or rejects the fact at the hard limit.
    fn room(&self, tx: &dyn Tx) -> Result<Vec<String>> {
        let settings = &self.verified.parts.settings;
        let (memory, repository) = (&self.memory.id, &self.place.found.repository.id);
        let active = tx.facts().count(memory, repository, RecordState::Active)?;
        if settings.hard_limit > 0 && active >= settings.hard_limit {
            let message = format!("the repository has {active} active facts: invalidate or supersede some");
            return Err(Error::new(ErrorKind::TooLarge, message).because(Reason::QuotaExceeded));
        }
        let warning = || {
            format!(
                "MANY_FACTS: the repository has {active} active facts; the oldest unconfirmed ones are candidates to invalidate"
            )
        };
        Ok(if active >= settings.soft_limit { vec![warning()] } else { Vec::new() })
    }
}
