//! Verifies facts for a call: by cached verdicts if requested, and by one look at the code for the
//! others.

use std::collections::HashMap;
use std::sync::Arc;

use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::KeptVerdict;
use loci_model::facts::repository::Repository;
use loci_model::facts::verdict::{CitationVerdict, Unverifiable, Verdict, Verification};
use loci_model::ports::code::{CodeError, CodeResult, CodeSource};
use loci_model::ports::store::StoreExt;
use loci_model::{MemoryId, RecordId, Result};

use super::code_check::{CodeCheck, FactCheck, Subject, look_at};
use super::parallel_check::Parts;
use super::state_change::{self, Origin};
use crate::Verified;
use crate::facts::fact_record::Remembered;
use crate::reads::answers::VerifyMode;
use crate::repositories::code_access::{HEAD, Tip, resolve_since, unreadable};
use crate::verifier::{Verifier, VerifierLimits};
use loci_engine::calls::call_context::CallContext;

/// The capacity of the cache of parsed files, in bytes.
pub(crate) const LINE_CACHE_BYTES: usize = 64 << 20;

impl Subject {
    pub(crate) fn of(remembered: &Remembered) -> Self {
        let detail = &remembered.fact.detail;
        Self {
            citations: detail.citations.clone(),
            claims: detail.claims.clone(),
            statement: remembered.record.text.clone(),
        }
    }
}

/// The verification of one fact.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checked {
    pub(crate) verification: Verification,
    pub(crate) duration_ms: u32,
    /// True for a new verdict: neither cached, nor missing among the reported ones.
    pub(crate) is_new: bool,
    /// The digest under which the verdict may be cached.
    pub(crate) digest: String,
}

/// The result of a look at the code.
#[derive(Debug, Clone, Default)]
pub(crate) struct CodeVerdicts {
    /// The revision; `None` if it could not be resolved, or if nothing was verified.
    pub(crate) tip: Option<Tip>,
    /// The verifications in the order of the facts; empty if nothing was verified.
    pub(crate) checked: Vec<Checked>,
    /// The reason why some or all of the code could not be read.
    pub(crate) error: Option<CodeError>,
    /// True for verdicts that a caller reports, false for those of this process.
    pub(crate) is_told: bool,
}

impl CodeVerdicts {
    /// Returns a look in which every fact is unverifiable.
    ///
    /// # Errors
    /// `REF_NOT_FOUND` if the caller named a revision that does not exist.
    pub(crate) fn blind(
        error: CodeError,
        repository: &Repository,
        reference: Option<&str>,
        facts: &[Remembered],
    ) -> Result<Self> {
        if error.why == Unverifiable::Ref && reference.is_some_and(|name| name != HEAD) {
            return Err(unreadable(&error));
        }
        let checked = facts.iter().zip(digests(repository, facts)?).map(|(fact, digest)| Checked {
            verification: unverifiable(&error, fact.fact.detail.citations.len()),
            duration_ms: 0,
            is_new: true,
            digest,
        });
        Ok(Self { tip: None, checked: checked.collect(), error: Some(error), is_told: false })
    }

    /// Returns the tip of the default branch, if that was verified.
    pub(crate) fn default_tip(&self) -> Option<ObjectId> {
        self.tip.as_ref().filter(|tip| tip.is_default).and_then(Tip::clean_commit)
    }

    /// Returns the origin of a call's verifications.
    pub(crate) fn origin(&self) -> Origin {
        if self.is_told { Origin::Told } else { Origin::Caller }
    }

    /// Returns the new verdicts with the ids of their facts, which are to be written.
    pub(crate) fn new_of(&self, names: &[RecordId]) -> (Vec<RecordId>, Self) {
        let new = names.iter().zip(&self.checked).filter(|(_, one)| one.is_new);
        let (names, checked) = new.map(|(name, one)| (name.clone(), one.clone())).unzip();
        (names, Self { tip: self.tip.clone(), checked, error: self.error.clone(), is_told: self.is_told })
    }

    /// Returns the new verdicts that may be cached: those of a commit, from code that was read
    /// here.
    pub(crate) fn to_keep(&self, names: &[RecordId], at: loci_model::Timestamp) -> Vec<KeptVerdict> {
        let Some(commit) = self.tip.as_ref().and_then(Tip::clean_commit).filter(|_| !self.is_told) else {
            return Vec::new();
        };
        let keeps = |one: &Checked| one.is_new && one.verification.verdict.is_conclusive();
        let new = names.iter().zip(&self.checked).filter(|(_, one)| keeps(one));
        new.map(|(record, one)| KeptVerdict {
            record: record.clone(),
            digest: one.digest.clone(),
            commit,
            at,
            verification: one.verification.clone(),
        })
        .collect()
    }
}

/// An owned look of this process, which is moved into work on code.
pub(crate) struct OwnedCodeCheck {
    verified: Verified,
    reference: String,
    default_ref: Option<String>,
    verified_tip: Option<ObjectId>,
    quorum: Option<u32>,
    scope: String,
}

impl OwnedCodeCheck {
    pub(crate) fn of(verified: &Verified, repository: &Repository, reference: Option<&str>) -> Self {
        Self {
            verified: verified.clone(),
            reference: reference.unwrap_or(HEAD).to_owned(),
            default_ref: repository.default_ref.clone(),
            verified_tip: repository.verified_tip,
            quorum: repository.quorum,
            scope: scope_of(repository),
        }
    }

    /// Resolves the revision, once per look.
    pub(crate) fn tip(&self, source: &dyn CodeSource) -> CodeResult<Tip> {
        resolve_since(source, &self.reference, self.default_ref.as_deref(), self.verified_tip.as_ref())
    }

    pub(crate) fn borrowed(&self) -> CodeCheck<'_> {
        CodeCheck {
            reference: &self.reference,
            default_ref: self.default_ref.as_deref(),
            verified_tip: self.verified_tip,
            quorum: self.quorum,
            scope: &self.scope,
            lines: &self.verified.parts.line_cache,
            clock: self.verified.engine.clock().as_ref(),
            with_lines: false,
        }
    }
}

impl Verified {
    /// Verifies facts of one repository at one revision. Unreadable code yields `unverifiable`; a
    /// named revision that does not exist is an error.
    pub(crate) async fn look(
        &self,
        repository: &Repository,
        standing: &CallContext,
        reference: Option<&str>,
        facts: &[Remembered],
        mode: VerifyMode,
    ) -> Result<CodeVerdicts> {
        let tip = match mode {
            VerifyMode::None => return Ok(CodeVerdicts::default()),
            VerifyMode::Fresh => None,
            VerifyMode::Cached => match self.tip(repository, standing, reference).await {
                Ok(tip) => Some(tip),
                Err(error) => return CodeVerdicts::blind(error, repository, reference, facts),
            },
        };
        self.look_from(repository, standing, reference, facts, tip).await
    }

    /// Verifies facts by the cached verdicts of this tip, and by a look for the others. Without a
    /// tip all are verified again.
    pub(crate) async fn look_from(
        &self,
        repository: &Repository,
        standing: &CallContext,
        reference: Option<&str>,
        facts: &[Remembered],
        tip: Option<Tip>,
    ) -> Result<CodeVerdicts> {
        let digests = digests(repository, facts)?;
        let mut found = match &tip {
            Some(tip) => self.kept(&repository.memory, &digests, tip).await?,
            None => HashMap::new(),
        };
        if tip.as_ref().is_some_and(|tip| tip.is_default) {
            // A verdict cached while this commit was only on a branch can change a state now. Such
            // facts are verified again, so that the change is written.
            for (fact, digest) in facts.iter().zip(&digests) {
                if found.get(digest).is_some_and(|kept| state_change::turns(&fact.fact, kept.verdict)) {
                    found.remove(digest);
                }
            }
        }
        let wanted: Vec<usize> = (0..digests.len())
            .filter(|place| !digests.get(*place).is_some_and(|digest| found.contains_key(digest)))
            .collect();
        if let (Some(tip), true) = (&tip, wanted.is_empty()) {
            self.parts.verdict_cache.count(digests.len(), 0);
            let checked = digests.into_iter().filter_map(|digest| kept_one(&mut found, digest)).collect();
            return Ok(CodeVerdicts { tip: Some(tip.clone()), checked, ..CodeVerdicts::default() });
        }
        let subjects: Vec<Subject> =
            wanted.iter().filter_map(|place| facts.get(*place)).map(Subject::of).collect();
        let (tip, made) = match self.verify_now(repository, standing, reference, subjects).await {
            Ok(done) => done,
            Err(error) => return CodeVerdicts::blind(error, repository, reference, facts),
        };
        self.parts.verdict_cache.count(digests.len().saturating_sub(made.len()), made.len());
        let mut made = made.into_iter();
        let checked = digests.into_iter().filter_map(|digest| {
            kept_one(&mut found, digest.clone()).or_else(|| made.next().map(|seen| made_now(seen, digest)))
        });
        Ok(CodeVerdicts { checked: checked.collect(), tip: Some(tip), ..CodeVerdicts::default() })
    }

    /// Returns a look with new results of facts at a revision.
    pub(crate) fn look_made(
        &self,
        repository: &Repository,
        facts: &[Remembered],
        tip: Tip,
        seen: Vec<FactCheck>,
    ) -> Result<CodeVerdicts> {
        self.parts.verdict_cache.count(0, seen.len());
        let made = seen.into_iter().zip(digests(repository, facts)?);
        let checked = made.map(|(seen, digest)| made_now(seen, digest)).collect();
        Ok(CodeVerdicts { checked, tip: Some(tip), ..CodeVerdicts::default() })
    }

    /// Resolves the revision of a call.
    pub(crate) async fn tip(
        &self,
        repository: &Repository,
        standing: &CallContext,
        reference: Option<&str>,
    ) -> CodeResult<Tip> {
        let look = OwnedCodeCheck::of(self, repository, reference);
        self.on_code(repository, standing, Arc::new(move |source: &dyn CodeSource| look.tip(source))).await
    }

    /// Verifies now, in one look.
    pub(super) async fn verify_now(
        &self,
        repository: &Repository,
        standing: &CallContext,
        reference: Option<&str>,
        subjects: Vec<Subject>,
    ) -> CodeResult<(Tip, Vec<FactCheck>)> {
        let look = OwnedCodeCheck::of(self, repository, reference);
        if Parts::are_worth_it(subjects.len()) {
            return self.look_in_parts(repository, standing, look, subjects).await;
        }
        let work = move |source: &dyn CodeSource| look_at(source, &look.borrowed(), &subjects);
        self.on_code(repository, standing, Arc::new(work)).await
    }

    /// Returns a verifier for a source.
    pub(crate) fn verifier<'a>(&'a self, source: &'a dyn CodeSource, tip: &Tip, scope: &str) -> Verifier<'a> {
        let limits = VerifierLimits::default();
        Verifier::new(
            source,
            tip.revision,
            &self.parts.line_cache,
            scope,
            self.engine.clock().as_ref(),
            limits,
        )
    }

    /// Returns the cached verdicts of a commit, by digest.
    pub(crate) async fn kept(
        &self,
        memory: &MemoryId,
        digests: &[String],
        tip: &Tip,
    ) -> Result<HashMap<String, Verification>> {
        let Some(commit) = tip.clean_commit() else { return Ok(HashMap::new()) };
        let (memory, digests) = (memory.clone(), digests.to_vec());
        let kept =
            self.engine.store().read(move |tx| tx.verdicts().get_many(&memory, &digests, &commit)).await?;
        // A verdict without a support report comes from an earlier version and is computed again.
        let whole = kept.into_iter().filter(|kept| kept.verification.support.is_some());
        Ok(whole.map(|kept| (kept.digest, kept.verification)).collect())
    }
}

/// Returns the digest of each fact's verdict input.
fn digests(repository: &Repository, facts: &[Remembered]) -> Result<Vec<String>> {
    facts.iter().map(|fact| fact.digest(repository.quorum)).collect()
}

/// Returns the scope within which blob ids are trusted.
pub(crate) fn scope_of(repository: &Repository) -> String {
    format!("{}/{}", repository.memory, repository.id)
}

fn kept_one(found: &mut HashMap<String, Verification>, digest: String) -> Option<Checked> {
    let verification = found.get(&digest)?.clone();
    Some(Checked { verification, duration_ms: 0, is_new: false, digest })
}

fn made_now(seen: FactCheck, digest: String) -> Checked {
    Checked { verification: seen.verification, duration_ms: seen.duration_ms, is_new: true, digest }
}

/// Returns a verification that was not possible.
pub(crate) fn unverifiable(error: &CodeError, citations: usize) -> Verification {
    let one = CitationVerdict::unverifiable(error.why, error.retry_after_ms);
    Verification {
        verdict: Verdict::Unverifiable,
        citations: vec![one; citations],
        claims: Vec::new(),
        support: None,
    }
}
