//! `code_verify`: citations that a caller gives, checked at a revision (verified-memory.md §5.3). What they are compared with:
//! the lines at the caller's own commit, else those of a stored fact at the same place, else the caller's hash; with none of
//! these only that the lines exist.

use std::collections::HashMap;
use std::sync::Arc;

use loci_model::citation::{Citation, CitationInput, Place};
use loci_model::code::Revision;
use loci_model::fact::FactEvent;
use loci_model::ports::code::{CodeResult, CodeSource};
use loci_model::ports::store::{PathChoice, ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::repository::Repository;
use loci_model::verdict::{CitationVerdict, Method, Unverifiable, Verdict, Verification};
use loci_model::{Error, MemoryId, RepositoryId, Result};

use super::code_reading::{HEAD, Tip, check_ref, resolve, unreadable};
use super::events::{Scene, is_unanchored};
use super::looking::since_ms;
use super::repositories::find;
use super::standing::Standing;
use super::storing::{CITATIONS_MAX, refused_place};
use super::verifier::{
    AnchorError, HashAgreement, MadeAnchor, Verifier, VerifierLimits, check_place, compare_hash,
};
use super::verify::Verified;
use super::verifying::{scope_of, unverifiable};
use crate::Engine;
use crate::memories::existing;

/// Facts on one path that are looked at for the same citation.
const ON_PATH: usize = 1_000;

/// A citation to check, with the stored one at the same place, where there is one.
#[derive(Debug, Clone)]
struct Given {
    input: CitationInput,
    stored: Option<Citation>,
}

impl Engine {
    /// Checks citations.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `REF_NOT_FOUND` for a revision that was named and is not there; `Invalid` and `PATH_REJECTED` for places
    /// that no file could have.
    pub async fn code_verify(
        &self,
        caller: &Principal,
        standing: &Standing,
        repo: &str,
        citations: Vec<CitationInput>,
        reference: Option<&str>,
    ) -> Result<Verified> {
        if citations.is_empty() || citations.len() > CITATIONS_MAX {
            return Err(Error::invalid(
                "citations",
                format!("citations must have 1 to {CITATIONS_MAX} items"),
            ));
        }
        citations.iter().try_for_each(|one| check_place(&one.place).map_err(refused_place))?;
        reference.map_or(Ok(()), check_ref)?;
        let memory = self.code_memory(caller, standing).await?;
        let (asking, repo) = (caller.clone(), repo.to_owned());
        let (repository, given) = self
            .store
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = find(tx, &asking, &memory, &repo, Capability::Read)?;
                let given = with_stored(tx, &memory, &found.repository.id, &citations)?;
                Ok((found.repository, given))
            })
            .await?;
        self.check_given(caller, standing, repository, given, reference).await
    }

    async fn check_given(
        &self,
        caller: &Principal,
        standing: &Standing,
        repository: Repository,
        given: Vec<Given>,
        reference: Option<&str>,
    ) -> Result<Verified> {
        let (name, default) = (reference.unwrap_or(HEAD).to_owned(), repository.default_ref.clone());
        let (engine, scope, count) = (self.clone(), scope_of(&repository), given.len());
        let began_us = self.clock.monotonic_us();
        let work = move |source: &dyn CodeSource| {
            let tip = resolve(source, &name, default.as_deref())?;
            let verifier = engine.verifier(source, &tip, &scope);
            let check = |one: &Given| engine.check_one(source, &verifier, &scope, one);
            let verdicts: Vec<CitationVerdict> = given.iter().map(check).collect();
            Ok((tip, verdicts))
        };
        let done: CodeResult<(Tip, Vec<CitationVerdict>)> =
            self.on_code(&repository, standing, Arc::new(work)).await;
        let mut warnings = Vec::new();
        let (tip, verification) = match done {
            Ok((tip, citations)) => {
                let worst = citations.iter().map(|one| one.verdict).max_by_key(|verdict| verdict.severity());
                let verdict = worst.unwrap_or(Verdict::Unverifiable);
                (Some(tip), Verification { verdict, citations, claims: Vec::new() })
            }
            Err(error) if error.why == Unverifiable::Ref && reference.is_some() => {
                return Err(unreadable(&error));
            }
            Err(error) => {
                warnings.push(format!("UNVERIFIABLE: {} ({})", error.detail, error.why.as_str()));
                (None, unverifiable(&error, count))
            }
        };
        if is_unanchored(&verification) {
            let rule = "only that the lines exist was checked: give sha or snippet_hash to compare them";
            warnings.push(format!("UNANCHORED: {rule}"));
        }
        let commit = tip.as_ref().and_then(Tip::commit);
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, self.clock.now())
            .at_revision(reference.unwrap_or(HEAD), commit);
        let duration_ms = since_ms(self.clock.monotonic_us(), began_us);
        let event: FactEvent = scene.verified(self.ids.as_ref(), None, &verification, duration_ms);
        let receipt = event.id.clone();
        self.store.write(move |tx| tx.fact_events_mut().append(std::slice::from_ref(&event))).await?;
        let contents = self.found_lines(&repository, standing, reference, &verification).await;
        Ok(Verified {
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

    fn check_one(
        &self,
        source: &dyn CodeSource,
        verifier: &Verifier<'_>,
        scope: &str,
        given: &Given,
    ) -> CitationVerdict {
        let input = &given.input;
        if let Some(sha) = &input.sha {
            let commit = match source.resolve(sha) {
                Ok(found) => found.and_then(|revision| revision.commit()),
                Err(error) => return CitationVerdict::unverifiable(error.why, error.retry_after_ms),
            };
            let Some(commit) = commit else { return CitationVerdict::unverifiable(Unverifiable::Ref, None) };
            let limits = VerifierLimits::default();
            let at = Revision::Commit(commit);
            let then = Verifier::new(source, at, &self.line_cache, scope, self.clock.as_ref(), limits);
            // Lines that were never committed are not those of the commit they were read on top of.
            let is_other = |made: &MadeAnchor| {
                input
                    .snippet_hash
                    .as_deref()
                    .is_some_and(|hash| compare_hash(hash, made) == HashAgreement::Differs)
            };
            match then.anchor(&input.place, "", true) {
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

/// A hash that can be looked for without an anchor.
fn is_ours(hash: &str) -> bool {
    hash.starts_with("vm1:")
}

fn plain(anchor: loci_model::citation::Anchor) -> Citation {
    Citation { anchor, current: None, earlier_paths: Vec::new() }
}

/// A citation that was never there, or cannot be read where its caller read it.
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
        AnchorError::Path(_) | AnchorError::Range | AnchorError::Span | AnchorError::SymlinkEscape => {
            gone("not_citable")
        }
    }
}

/// The stored citation at each place.
fn with_stored(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    repository: &RepositoryId,
    citations: &[CitationInput],
) -> Result<Vec<Given>> {
    let mut stored: HashMap<Place, Citation> = HashMap::new();
    for input in citations.iter().filter(|input| input.sha.is_none() || input.snippet_hash.is_some()) {
        let path = PathChoice::Exact(input.place.path.clone());
        let rows = tx.facts().with_path(memory, repository, &path, None, ON_PATH)?;
        let ids: Vec<_> = rows.into_iter().map(|(_, record)| record).collect();
        for fact in tx.facts().get_many(memory, &ids)?.into_iter().filter(|fact| !fact.proposed) {
            for citation in fact.detail.citations {
                stored.entry(citation.anchor.place.clone()).or_insert(citation);
            }
        }
    }
    let of =
        |input: &CitationInput| Given { input: input.clone(), stored: stored.get(&input.place).cloned() };
    Ok(citations.iter().map(of).collect())
}
