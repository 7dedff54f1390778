//! `fact_supersede`: replaces a fact with a corrected one in one transaction. At no time are there
//! two active heads of a chain, or none.

use loci_engine::access;
use loci_engine::calls::idempotency::{ClientToken, look_up, remember, replayed};
use loci_engine::memories::existing;
use loci_engine::records::batch;
use loci_model::facts::citation::CitationInput;
use loci_model::facts::claim::Claim;
use loci_model::facts::fact::{Fact, FactEventKind};
use loci_model::facts::verdict::Verification;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{CodeReason, Error, ErrorKind, JobId, RecordId, Result, limits};
use serde::{Deserialize, Serialize};

use super::preconditions::not_active;
use crate::Verified;
use crate::content_hash;
use crate::facts::conflicts;
use crate::facts::events::Scene;
use crate::facts::lookup::{LocatedFact, located};
use crate::new_facts::{
    self, AdmittedFact, Alike, ComparedFact, FactWrite, FactWriteContext, GateInput, NewText, Proof,
};
use crate::repositories::code_access::check_ref;
use crate::serving_policy::missing_code::is_gone;
use loci_engine::calls::call_context::CallContext;

const OPERATION: &str = "FactSupersede";

/// A corrected fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// The id of the fact to correct.
    pub old: RecordId,
    /// The corrected statement.
    pub fact: String,
    /// The citations of the correction. `None` keeps the old ones, if all of them still hold.
    pub citations: Option<Vec<CitationInput>>,
    /// A new reason; `None` keeps the old one.
    pub reason: Option<String>,
    /// A new subject; `None` keeps the old one.
    pub subject: Option<String>,
    /// New claims; `None` means no claims.
    pub claims: Option<Vec<Claim>>,
    /// A label for the author of the correction.
    pub created_by: Option<String>,
    /// The revision. `None` is the caller's working tree, or else `HEAD`.
    pub reference: Option<String>,
}

/// The result of a correction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactSuperseded {
    /// The id of the fact that is active after the correction.
    pub new: RecordId,
    /// True if an equal fact existed before and took the place of the old one.
    pub merged: bool,
    /// The verification of the new fact.
    pub verification: Verification,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl Verified {
    /// Corrects a fact.
    ///
    /// # Errors
    /// Errors of [`Verified::fact_store`]; `NOT_ACTIVE` for a fact that was superseded, expired or
    /// deleted; `NOT_VERIFIED` without new citations if an old one does not hold.
    pub async fn fact_supersede(
        &self,
        caller: &Principal,
        standing: &CallContext,
        correction: Correction,
        token: Option<ClientToken>,
    ) -> Result<FactSuperseded> {
        correction.reference.as_deref().map_or(Ok(()), check_ref)?;
        let located = self.locate(caller, standing, &correction.old, Capability::Write).await?;
        // The call needs read access: without new citations it verifies the old ones and reports
        // their errors.
        let readable = self.locate(caller, standing, &correction.old, Capability::Read).await;
        readable.map_err(|error| {
            let is_kept_back = matches!(error.kind, ErrorKind::Denied | ErrorKind::NotFound);
            if is_kept_back { access::needs_reading("a correction") } else { error }
        })?;
        let memory = located.found.repository.memory.clone();
        let token = token.map(|token| token.of(caller, &memory)).transpose()?;
        if let Some(first) = self.first_answer(token.clone(), &memory, OPERATION).await? {
            return Ok(first);
        }
        check_state(located.remembered.fact.status)?;
        let text = text_of(&located, &correction);
        new_facts::check_texts(&text.subject, &text.fact, text.reason.as_deref())?;
        text.check_secrets()?;
        let passed = self.pass_correction(standing, &located, &correction, &text).await?;
        passed.check_secrets()?;
        let mut alike = self.alike(caller, ComparedFact::of(&located.found, &text, &passed)).await?;
        // A correction differs from the fact that it corrects. That is no conflict, because one of
        // them is superseded.
        alike.similar.retain(|id| *id != correction.old);
        alike.conflicts.retain(|id| *id != correction.old);
        let place = FactWriteContext { found: located.found, standing: standing.clone() };
        self.write_correction(caller, place, correction.old, text, (passed, alike), token).await
    }

    /// Passes the correction through the gates. New citations are checked as for a new fact.
    /// Without them all old ones must hold, at their current lines.
    async fn pass_correction(
        &self,
        standing: &CallContext,
        located: &LocatedFact,
        correction: &Correction,
        text: &NewText,
    ) -> Result<AdmittedFact> {
        let proof = match &correction.citations {
            Some(citations) => Proof::Named(citations.clone()),
            None => Proof::Kept(located.remembered.fact.detail.citations.clone()),
        };
        new_facts::check_citations(proof.len(), &text.claims)?;
        let named = correction.reference.as_deref();
        let reference = self.revision_of(&located.found.repository, standing, named).await;
        let asked = GateInput::of(&located.found, text, proof, reference.as_deref());
        match self.verify_new(standing, &located.found, asked).await {
            Err(error) if correction.citations.is_none() && is_refused(&error) => {
                let Error { message, details, .. } = error;
                let rule = format!(
                    "without new_citations every old citation must still hold: give new_citations ({message})"
                );
                Err(Error::code(CodeReason::NotVerified, rule).on("new_citations").listing(details))
            }
            outcome => outcome,
        }
    }

    async fn write_correction(
        &self,
        caller: &Principal,
        place: FactWriteContext,
        old: RecordId,
        text: NewText,
        (passed, alike): (AdmittedFact, Alike),
        token: Option<ClientToken>,
    ) -> Result<FactSuperseded> {
        let memory = place.found.repository.memory.clone();
        let now = self.engine.now();
        let id = RecordId::compose(&uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let scene = Scene::new(caller, &place.standing, &memory, &place.found.repository.id, now)
            .at_revision(&passed.tip.reference, passed.tip.commit());
        let (verified, caller) = (self.clone(), caller.clone());
        let done = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let vault = verified.engine.vault().as_ref();
                let before = look_up(tx, vault, token.as_ref(), Some(&memory.id), OPERATION, now)?;
                if let Some(first) = replayed(before)? {
                    return Ok(first);
                }
                let located = located(tx, &caller, &memory.id, &old, Capability::Write)?;
                check_state(located.remembered.fact.status)?;
                let writing = FactWrite {
                    verified: &verified,
                    memory: &memory,
                    place: &place,
                    text: &text,
                    passed: &passed,
                    alike: &alike,
                    scene: &scene,
                };
                let done = take_place(tx, &writing, &located.remembered.fact, &id)?;
                batch::ask_for_vectors(tx, &memory.id, &job, now)?;
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token.as_ref(), Some(&memory.id), OPERATION, &done, expires)?;
                Ok(done)
            })
            .await?;
        self.engine.wake().call();
        Ok(done)
    }
}

/// Replaces the old fact with the new one, or with another active fact of equal text.
fn take_place(tx: &mut dyn Tx, writing: &FactWrite<'_>, old: &Fact, id: &RecordId) -> Result<FactSuperseded> {
    let memory = &writing.memory.id;
    let mut warnings = writing.passed.warnings.clone();
    if let Some(reason) = writing.alert(tx)? {
        let rule = format!("what it says would be held back ({reason}): what it corrects stays as it is");
        return Err(Error::conflict(rule).on("session_id"));
    }
    let same = tx.facts().active_with(memory, &old.repository, &writing.text.content_hash)?;
    let answer = |new: RecordId, merged: bool, warnings: Vec<String>| FactSuperseded {
        new,
        merged,
        verification: writing.passed.verification.clone(),
        warnings,
    };
    match same {
        Some(same) if same == old.record => {
            // The same text with other citations is a new version in the chain. The old one is
            // superseded first.
            writing.supersede(tx, old, id)?;
        }
        Some(same) => {
            let Some(fact) = tx.facts().get(memory, &same)? else {
                return Err(Error::bug("an active fact that is not there"));
            };
            warnings.extend(writing.confirm(tx, fact)?);
            writing.supersede(tx, old, &same)?;
            writing.link(tx, &same, &old.record)?;
            return Ok(answer(same, true, warnings));
        }
        None => writing.supersede(tx, old, id)?,
    }
    let (mut record, fact) = writing.make(id, Some(old.record.clone()), &mut warnings)?;
    if record.state != RecordState::Active {
        // Otherwise no fact would be active until a person decides. The whole transaction is rolled
        // back.
        let rule = "the correction looks like instructions to its reader, and a person decides on such: say it \
                    otherwise, or store it as a fact of its own; what it corrects stays as it is";
        return Err(Error::invalid("new_fact", rule));
    }
    // A fact with this text whose code was gone must not become active again in addition to the new
    // one.
    let mut gone = tx.facts().with_content(memory, &old.repository, &writing.text.content_hash)?;
    gone.retain(|fact| is_gone(fact) && fact.record != old.record);
    for before in &gone {
        writing.supersede(tx, before, id)?;
        record.supersedes.push(before.record.clone());
    }
    writing.insert(tx, &record, &fact, FactEventKind::Corrected)?;
    conflicts::note(tx, writing, id)?;
    Ok(answer(id.clone(), false, warnings))
}

fn check_state(status: RecordState) -> Result<()> {
    match status {
        RecordState::Active | RecordState::Quarantined | RecordState::Invalid => Ok(()),
        other => Err(not_active(other)),
    }
}

fn is_refused(error: &Error) -> bool {
    matches!(
        error.reason,
        Some(loci_model::Reason::Code(CodeReason::CitationUnreadable | CodeReason::CitationLowInformation))
    )
}

fn text_of(located: &LocatedFact, correction: &Correction) -> NewText {
    let record = &located.remembered.record;
    let subject = correction.subject.clone().unwrap_or_else(|| located.remembered.subject().to_owned());
    NewText {
        content_hash: content_hash(&subject, &correction.fact),
        subject: subject.trim().to_owned(),
        fact: correction.fact.clone(),
        reason: correction.reason.clone().or_else(|| record.description.clone()),
        created_by: correction.created_by.clone(),
        claims: correction.claims.clone().unwrap_or_default(),
    }
}
