//! `fact_store`: stores a fact with the lines that prove it. Everything is verified before anything
//! is written. An equal fact is confirmed, never duplicated.

mod citation_merge;
mod fact_parts;
mod fact_write;
mod gates;
mod new_text;
mod proposed_record;
mod similar_facts;
mod stored_answer;

use std::sync::Arc;

use loci_model::facts::citation::{Citation, CitationInput};
use loci_model::facts::claim::Claim;
use loci_model::facts::fact::{FactEvent, FactEventKind};
use loci_model::facts::verdict::Verification;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, Reason, RecordId, Result};
use serde::{Deserialize, Serialize};

pub(super) use fact_write::{FactWrite, FactWriteContext};
pub(super) use gates::refused_place;
pub(super) use gates::{AdmittedFact, GateInput, Proof};
pub(super) use new_text::{NewText, check_secrets};
pub(super) use similar_facts::{Alike, ComparedFact};

use fact_write::{OPERATION, to_confirm};
use stored_answer::FirstStored;

use super::facts::content_hash::normal;
use super::facts::events::Scene;
use super::reads::answers::FactView;
use super::repositories::code_access::{HEAD, check_ref, unreadable};
use super::repositories::{VisibleRepository, find};
use super::{content_hash, verifier};
use crate::Verified;
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::idempotency::ClientToken;
use loci_engine::memories::existing;

/// The maximum number of characters in each text, and of citations and claims.
pub(super) const SUBJECT_CHARS_MAX: usize = 120;
pub(super) const FACT_CHARS_MAX: usize = 1_000;
pub(super) const REASON_CHARS_MAX: usize = 1_000;
pub(super) const CITATIONS_MAX: usize = 20;
pub(super) const CLAIMS_MAX: usize = 20;

/// A fact to store.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewFact {
    /// The name of the repository that the fact is about.
    pub repo: String,
    /// The subject of the fact, in one line.
    pub subject: String,
    /// The statement of the fact.
    pub fact: String,
    /// The citations of the fact, 1 to 20.
    pub citations: Vec<CitationInput>,
    /// The reason why the fact matters.
    pub reason: Option<String>,
    /// A label for the author.
    pub created_by: Option<String>,
    /// Claims about the code. All of them must be true at the revision.
    pub claims: Vec<Claim>,
    /// The revision. `None` is the caller's working tree, or else `HEAD`.
    pub reference: Option<String>,
}

/// The result of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreStatus {
    /// A new fact.
    Created,
    /// An equal fact existed. It is confirmed, and has the new citations too.
    Refreshed,
    /// An equal fact exists and is held back for a person. Nothing was changed.
    DuplicateOf,
}

impl StoreStatus {
    /// Returns the status name in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Refreshed => "refreshed",
            Self::DuplicateOf => "duplicate_of",
        }
    }
}

/// A stored fact.
#[derive(Debug, Clone, PartialEq)]
pub struct FactStored {
    /// The action that the call took on the fact.
    pub status: StoreStatus,
    /// The fact after the call.
    pub view: FactView,
    /// The result of verifying the citations of the fact.
    pub verification: Verification,
    /// Facts with a nearly equal statement.
    pub similar: Vec<RecordId>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl Verified {
    /// Stores a fact.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`, `REF_NOT_FOUND`; `CITATION_UNREADABLE`, `CITATION_LOW_INFORMATION`,
    /// `PATH_REJECTED`, `BINARY_FILE`, `TOO_LARGE`, `SUBMODULE`, `SYMLINK_ESCAPE` for a citation;
    /// `NOT_VERIFIED` for a claim that is not true; `Denied` also for a caller without read access
    /// to the repository's facts, because the answer contains the stored fact; `SECRET_DETECTED`;
    /// `QuotaExceeded`; `UNVERIFIABLE` if the code cannot be read now. In each case nothing is
    /// stored, and an event records the rejection.
    pub async fn fact_store(
        &self,
        caller: &Principal,
        standing: &CallContext,
        new: NewFact,
        token: Option<ClientToken>,
    ) -> Result<FactStored> {
        let memory = self.memory_of_repository(caller, standing, &new.repo).await?;
        let (asking, name, place) = (caller.clone(), new.repo.clone(), memory.clone());
        let found = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &place)?;
                let found = find(tx, &asking, &place, &name, Capability::Write)?;
                let readable = find(tx, &asking, &place, &name, Capability::Read);
                readable.map_err(|_| access::needs_reading("storing a fact"))?;
                Ok(found)
            })
            .await?;
        let outcome = self.store_in(caller, standing, &found, &new, token).await;
        if let Err(error) = &outcome {
            self.note_refused(caller, standing, &found, &new, error).await?;
        }
        outcome
    }

    async fn store_in(
        &self,
        caller: &Principal,
        standing: &CallContext,
        found: &VisibleRepository,
        new: &NewFact,
        token: Option<ClientToken>,
    ) -> Result<FactStored> {
        new.reference.as_deref().map_or(Ok(()), check_ref)?;
        check_texts(&new.subject, &new.fact, new.reason.as_deref())?;
        check_citations(new.citations.len(), &new.claims)?;
        let memory = &found.repository.memory;
        let token = token.map(|token| token.of(caller, memory)).transpose()?;
        if let Some(first) = self.first_answer::<FirstStored>(token.clone(), memory, OPERATION).await? {
            return self.stored_before(found, first).await;
        }
        let text = NewText {
            subject: new.subject.trim().to_owned(),
            fact: new.fact.clone(),
            reason: new.reason.clone(),
            created_by: new.created_by.clone(),
            claims: new.claims.clone(),
            content_hash: content_hash(&new.subject, &new.fact),
        };
        text.check_secrets()?;
        let reference = self.revision_of(&found.repository, standing, new.reference.as_deref()).await;
        let asked = GateInput {
            known: self.said_already(found, &text.content_hash).await?,
            ..GateInput::of(found, &text, Proof::Named(new.citations.clone()), reference.as_deref())
        };
        let passed = self.verify_new(standing, found, asked).await?;
        passed.check_secrets()?;
        let alike = self.alike(caller, ComparedFact::of(found, &text, &passed)).await?;
        let place = FactWriteContext { found: found.clone(), standing: standing.clone() };
        self.write_new(caller, place, text, passed, alike, token).await
    }

    /// Passes a new fact's citations and claims through the gates, at the code.
    pub(super) async fn verify_new(
        &self,
        standing: &CallContext,
        found: &VisibleRepository,
        asked: GateInput,
    ) -> Result<AdmittedFact> {
        let verified = self.clone();
        let work =
            move |source: &dyn loci_model::ports::code::CodeSource| verified.pass_gates(source, &asked);
        let outcome = self.on_code(&found.repository, standing, Arc::new(work)).await;
        outcome.map_err(|error| unreadable(&error))?.map_err(gates::FactRefusal::error)
    }

    /// Returns the citations of the equal fact that this store would confirm.
    async fn said_already(&self, found: &VisibleRepository, content_hash: &str) -> Result<Vec<Citation>> {
        let (memory, id) = (found.repository.memory.clone(), found.repository.id.clone());
        let hash = content_hash.to_owned();
        let same = self.engine.store().read(move |tx| tx.facts().with_content(&memory, &id, &hash)).await?;
        Ok(to_confirm(&same).map(|fact| fact.detail.citations.clone()).unwrap_or_default())
    }

    /// Records an event for a rejected fact (T5): the code alone, no text.
    async fn note_refused(
        &self,
        caller: &Principal,
        standing: &CallContext,
        found: &VisibleRepository,
        new: &NewFact,
        error: &Error,
    ) -> Result<()> {
        let repository = &found.repository;
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, self.engine.now())
            .at_revision(new.reference.as_deref().unwrap_or(HEAD), None);
        let event = FactEvent {
            cause: Some(code_of(error).to_owned()),
            ..scene.event(self.engine.ids().as_ref(), FactEventKind::RejectedStore, None)
        };
        self.engine.store().write(move |tx| tx.fact_events_mut().append(std::slice::from_ref(&event))).await
    }
}

/// Returns the code under which a rejection is counted.
fn code_of(error: &Error) -> &'static str {
    match error.reason {
        Some(Reason::Code(reason)) => reason.as_str(),
        Some(Reason::QuotaExceeded) => "QUOTA_EXCEEDED",
        Some(Reason::IdempotentParameterMismatch) => "CONFLICT",
        _ => match error.kind {
            loci_model::ErrorKind::Invalid | loci_model::ErrorKind::TooLarge => "INVALID_ARGUMENT",
            loci_model::ErrorKind::Conflict => "CONFLICT",
            loci_model::ErrorKind::Denied => "FORBIDDEN",
            loci_model::ErrorKind::NotFound => "NOT_FOUND",
            loci_model::ErrorKind::Unauthenticated
            | loci_model::ErrorKind::Throttled
            | loci_model::ErrorKind::Unavailable
            | loci_model::ErrorKind::Upstream
            | loci_model::ErrorKind::Bug => "INTERNAL",
        },
    }
}

/// Checks the texts: their lengths, and that subject and fact are not empty in normal form.
pub(super) fn check_texts(subject: &str, fact: &str, reason: Option<&str>) -> Result<()> {
    let length = |text: &str| text.trim().chars().count();
    check_subject(subject)?;
    if !(1..=FACT_CHARS_MAX).contains(&length(fact)) || fact.chars().count() > FACT_CHARS_MAX {
        return Err(Error::invalid("fact", format!("fact must have 1 to {FACT_CHARS_MAX} characters")));
    }
    if normal(fact).is_empty() {
        let rule = "fact must be more than white space and a full stop: say what is known";
        return Err(Error::invalid("fact", rule));
    }
    if reason.is_some_and(|reason| reason.chars().count() > REASON_CHARS_MAX) {
        return Err(Error::invalid(
            "reason",
            format!("reason must have at most {REASON_CHARS_MAX} characters"),
        ));
    }
    Ok(())
}

/// Checks a subject: one line that is not empty in normal form. A fact without a subject would
/// count as a proposal.
pub(super) fn check_subject(subject: &str) -> Result<()> {
    let subject = subject.trim();
    if !(1..=SUBJECT_CHARS_MAX).contains(&subject.chars().count()) || subject.contains(['\n', '\r']) {
        let rule = format!("subject must be one line of 1 to {SUBJECT_CHARS_MAX} characters");
        return Err(Error::invalid("subject", rule));
    }
    if normal(subject).is_empty() {
        let rule =
            "subject must be more than white space and a full stop: name in a word what the fact is about";
        return Err(Error::invalid("subject", rule));
    }
    Ok(())
}

/// Checks the number of citations and claims, and that claims refer to existing citations.
pub(super) fn check_citations(citations: usize, claims: &[Claim]) -> Result<()> {
    if !(1..=CITATIONS_MAX).contains(&citations) {
        let rule = format!("a fact has 1 to {CITATIONS_MAX} citations: name the lines that prove it");
        return Err(Error::invalid("citations", rule));
    }
    if claims.len() > CLAIMS_MAX {
        return Err(Error::invalid("claims", format!("a fact has at most {CLAIMS_MAX} claims")));
    }
    claims
        .iter()
        .enumerate()
        .try_for_each(|(index, claim)| verifier::check_claim(claim, &format!("claims[{index}]"), citations))
}
