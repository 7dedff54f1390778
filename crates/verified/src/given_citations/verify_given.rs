//! `code_verify`: verifies citations that a caller gives, at a revision.
//!
//! The reference of the comparison is, in this order: the lines at the caller's own commit, those
//! of a stored fact at that place, or the caller's hash. Without any of these only the existence of
//! the lines is checked.

use std::sync::Arc;

use loci_engine::memories::existing;
use loci_model::facts::citation::{Citation, CitationInput};
use loci_model::facts::code::Revision;
use loci_model::facts::fact::FactEvent;
use loci_model::facts::repository::Repository;
use loci_model::facts::verdict::{CitationVerdict, Method, Unverifiable, Verdict, Verification};
use loci_model::ports::code::{CodeResult, CodeSource};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{CodeReason, Error, Result};

use super::given_sha::{GivenSha, given_sha};
use super::stored_facts::{self, CitedFact, stored_of};
use crate::Verified;
use crate::facts::events::{Scene, is_unanchored};
use crate::facts::receipts;
use crate::new_facts::CITATIONS_MAX;
use crate::reads::verify::VerifyAnswer;
use crate::repositories::code_access::{HEAD, Tip, check_ref, resolve, unreadable};
use crate::repositories::find;
use crate::verification::code_check::since_ms;
use crate::verification::verdicts::scope_of;
use crate::verifier::{
    AnchorError, HashAgreement, MadeAnchor, Verifier, VerifierLimits, check_place, compare_hash,
};
use loci_engine::calls::call_context::CallContext;

/// A citation to verify, with the stored one at that place, if there is one.
#[derive(Debug, Clone)]
struct GivenCitation {
    input: CitationInput,
    stored: Option<Citation>,
}

impl Verified {
    /// Verifies citations.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `REF_NOT_FOUND` for a named revision that does not exist. An impossible
    /// place is a verdict on its citation, never an error for the others.
    pub async fn code_verify(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        citations: Vec<CitationInput>,
        reference: Option<&str>,
    ) -> Result<VerifyAnswer> {
        if citations.is_empty() || citations.len() > CITATIONS_MAX {
            return Err(Error::invalid(
                "citations",
                format!("citations must have 1 to {CITATIONS_MAX} items"),
            ));
        }
        reference.map_or(Ok(()), check_ref)?;
        let memory = self.memory_of_repository(caller, standing, repo).await?;
        let (asking, repo) = (caller.clone(), repo.to_owned());
        let (repository, given, facts) = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = find(tx, &asking, &memory, &repo, Capability::Read)?;
                let stored = stored_of(tx, &memory, &found.repository.id, &citations)?;
                let given = citations.iter().cloned().zip(stored.citations);
                let given = given.map(|(input, stored)| GivenCitation { input, stored }).collect();
                Ok((found.repository, given, stored.facts))
            })
            .await?;
        let reference = self.revision_of(&repository, standing, reference).await;
        self.check_given(caller, standing, repository, given, facts, reference.as_deref()).await
    }

    async fn check_given(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repository: Repository,
        given: Vec<GivenCitation>,
        facts: Vec<CitedFact>,
        reference: Option<&str>,
    ) -> Result<VerifyAnswer> {
        let (name, default) = (reference.unwrap_or(HEAD).to_owned(), repository.default_ref.clone());
        let refused: Vec<_> = given.iter().map(|one| refused_place(&one.input)).collect();
        let (verified, scope) = (self.clone(), scope_of(&repository));
        let began_us = self.engine.clock().monotonic_us();
        let work = move |source: &dyn CodeSource| {
            let tip = resolve(source, &name, default.as_deref())?;
            let verifier = verified.verifier(source, &tip, &scope);
            let check = |one: &GivenCitation| verified.check_one(source, &verifier, &scope, one);
            let verdicts: Vec<CitationVerdict> = given.iter().map(check).collect();
            Ok((tip, verdicts))
        };
        let done: CodeResult<(Tip, Vec<CitationVerdict>)> =
            self.on_code(&repository, standing, Arc::new(work)).await;
        let mut warnings = Vec::new();
        let (tip, verification) = match done {
            Ok((tip, citations)) => (Some(tip), worst_of(citations)),
            Err(error) if error.why == Unverifiable::Ref && reference.is_some_and(|name| name != HEAD) => {
                return Err(unreadable(&error));
            }
            Err(error) => {
                warnings.push(format!("UNVERIFIABLE: {} ({})", error.detail, error.why.as_str()));
                let unread = CitationVerdict::unverifiable(error.why, error.retry_after_ms);
                let citations = refused.into_iter().map(|one| one.unwrap_or_else(|| unread.clone()));
                (None, worst_of(citations.collect()))
            }
        };
        if is_unanchored(&verification) {
            let rule = "only that the lines exist was checked: give sha or snippet_hash to compare them";
            warnings.push(format!("UNANCHORED: {rule}"));
        }
        let commit = tip.as_ref().and_then(Tip::commit);
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, self.engine.now())
            .at_revision(reference.unwrap_or(HEAD), commit);
        let duration_ms = since_ms(self.engine.clock().monotonic_us(), began_us);
        let receipt = self.note_given(&scene, &repository, facts, &verification, duration_ms).await?;
        let contents = self.found_lines(&repository, standing, reference, &verification).await;
        Ok(VerifyAnswer {
            repo: repository.key,
            reference: reference.unwrap_or(HEAD).to_owned(),
            commit,
            dirty: tip.is_some_and(|tip| tip.revision.is_dirty()),
            verification,
            remembered: None,
            receipt,
            contents,
            warnings,
        })
    }

    /// Stores the events, and returns the id of the verification.
    async fn note_given(
        &self,
        scene: &Scene,
        repository: &Repository,
        facts: Vec<CitedFact>,
        verification: &Verification,
        duration_ms: u32,
    ) -> Result<String> {
        let event: FactEvent = scene.verified(self.engine.ids().as_ref(), None, verification, duration_ms);
        let receipt = event.id.clone();
        let since = receipts::since(scene.at, self.parts.settings.receipt_minutes);
        let has_quorum = repository.quorum.is_some();
        let (ids, scene, found) = (self.engine.ids().clone(), scene.clone(), verification.citations.clone());
        self.engine
            .store()
            .write(move |tx| {
                let of_facts =
                    stored_facts::rows(tx, ids.as_ref(), &scene, &facts, &found, since, has_quorum)?;
                tx.fact_events_mut().append(&[std::slice::from_ref(&event), &of_facts].concat())
            })
            .await?;
        Ok(receipt)
    }

    fn check_one(
        &self,
        source: &dyn CodeSource,
        verifier: &Verifier<'_>,
        scope: &str,
        given: &GivenCitation,
    ) -> CitationVerdict {
        let input = &given.input;
        if let Some(refused) = refused_place(input) {
            return refused;
        }
        if let Some(sha) = &input.sha {
            let limits = VerifierLimits::default();
            let given = given_sha(source, verifier, &input.place.path, sha);
            let is_object = matches!(given, Ok(Some(GivenSha::Object(_))));
            let made = match given {
                Ok(Some(GivenSha::Current)) => verifier.anchor(&input.place, "", true),
                Ok(Some(GivenSha::Commit(commit))) => {
                    let at = Revision::Commit(commit);
                    let clock = self.engine.clock().as_ref();
                    Verifier::new(source, at, &self.parts.line_cache, scope, clock, limits).anchor(
                        &input.place,
                        "",
                        true,
                    )
                }
                Ok(Some(GivenSha::Object(blob))) => verifier.anchor_in(blob, &input.place),
                Ok(None) => return CitationVerdict::unverifiable(Unverifiable::Ref, None),
                Err(error) => return CitationVerdict::unverifiable(error.why, error.retry_after_ms),
            };
            // Uncommitted lines differ from those of the commit on which they were read.
            let is_other = |made: &MadeAnchor| {
                input
                    .snippet_hash
                    .as_deref()
                    .is_some_and(|hash| compare_hash(hash, made) == HashAgreement::Differs)
            };
            match made {
                // The value is neither a commit nor an object that is available here.
                Err(AnchorError::Unreadable(error))
                    if is_object && error.why == Unverifiable::PartialClone =>
                {
                    return CitationVerdict::unverifiable(Unverifiable::Ref, None);
                }
                Ok(made) if !is_other(&made) => return verifier.check(&plain(made.anchor)),
                Ok(_) => {}
                Err(_) if input.snippet_hash.as_deref().is_some_and(is_ours) => {}
                Err(error) => return of_anchor(error),
            }
        }
        match (&given.stored, &input.snippet_hash) {
            (Some(stored), hash) if hash.as_ref().is_none_or(|hash| *hash == stored.anchor.snippet_hash) => {
                verifier.check(stored)
            }
            (_, hash) => verifier.check_unanchored(&input.place, hash.as_deref()),
        }
    }
}

fn worst_of(citations: Vec<CitationVerdict>) -> Verification {
    let worst = citations.iter().map(|one| one.verdict).max_by_key(|verdict| verdict.severity());
    Verification {
        verdict: worst.unwrap_or(Verdict::Unverifiable),
        citations,
        claims: Vec::new(),
        support: None,
    }
}

/// Returns the verdict on a place that no file can have, for any code.
fn refused_place(input: &CitationInput) -> Option<CitationVerdict> {
    check_place(&input.place).err().map(of_anchor)
}

/// Returns true for a hash that can be searched for without an anchor.
fn is_ours(hash: &str) -> bool {
    hash.starts_with("vm1:")
}

fn plain(anchor: loci_model::facts::citation::Anchor) -> Citation {
    Citation { anchor, current: None, earlier_paths: Vec::new() }
}

/// Returns the verdict on a citation that never existed, or that cannot be read where its caller
/// read it.
fn of_anchor(error: AnchorError) -> CitationVerdict {
    let gone = |detail: &str| CitationVerdict {
        detail: Some(detail.to_owned()),
        ..CitationVerdict::new(Verdict::Gone, Method::None)
    };
    match error {
        AnchorError::Unreadable(error) => CitationVerdict::unverifiable(error.why, error.retry_after_ms),
        AnchorError::Missing => gone("file_missing"),
        AnchorError::OutOfRange { .. } => gone("range_out_of_bounds"),
        AnchorError::Blank => gone("block_gone"),
        AnchorError::Path(_) => gone(CodeReason::PathRejected.as_str()),
        AnchorError::Range | AnchorError::Span => gone("INVALID_ARGUMENT"),
        AnchorError::SymlinkEscape => gone(CodeReason::SymlinkEscape.as_str()),
    }
}
