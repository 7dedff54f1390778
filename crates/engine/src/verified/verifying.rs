//! Verifying facts for a call: kept verdicts first where that is asked for, the rest in one look at the code.

use std::collections::HashMap;
use std::sync::Arc;

use loci_model::code::ObjectId;
use loci_model::fact::KeptVerdict;
use loci_model::ports::code::{CodeError, CodeResult, CodeSource};
use loci_model::ports::store::StoreExt;
use loci_model::repository::Repository;
use loci_model::verdict::{CitationVerdict, Unverifiable, Verdict, Verification};
use loci_model::{MemoryId, RecordId, Result};

use super::answers::VerifyMode;
use super::code_reading::{HEAD, Tip, resolve, unreadable};
use super::looking::{Look, Seen, Subject, look_at};
use super::remembered::Remembered;
use super::settling::Origin;
use super::standing::Standing;
use super::verifier::{Verifier, VerifierLimits};
use crate::Engine;

/// Parsed files that are kept in memory, in bytes (§11, L3).
pub(crate) const LINE_CACHE_BYTES: usize = 64 << 20;

impl Subject {
    pub(super) fn of(remembered: &Remembered) -> Self {
        let detail = &remembered.fact.detail;
        Self { citations: detail.citations.clone(), claims: detail.claims.clone() }
    }
}

/// One fact's verification.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Checked {
    pub(super) verification: Verification,
    pub(super) duration_ms: u32,
    /// It was made now: neither found among the kept ones, nor missing among what was told.
    pub(super) is_new: bool,
    /// Under which it may be kept.
    pub(super) digest: String,
}

/// What a call saw of the code.
#[derive(Debug, Clone, Default)]
pub(super) struct Looked {
    /// Where it was looked; `None` where that could not be found, or nothing was looked at.
    pub(super) tip: Option<Tip>,
    /// One each, in the order of the facts; none where nothing was looked at.
    pub(super) checked: Vec<Checked>,
    /// Why nothing, or not all, could be read.
    pub(super) error: Option<CodeError>,
    /// It is a caller's word, not what was seen here.
    pub(super) is_told: bool,
}

impl Looked {
    /// The tip of the default branch, where that is what was looked at.
    pub(super) fn default_tip(&self) -> Option<ObjectId> {
        self.tip.as_ref().filter(|tip| tip.is_default).and_then(Tip::clean_commit)
    }

    /// Whose verifications these are, of a call.
    pub(super) fn origin(&self) -> Origin {
        if self.is_told { Origin::Told } else { Origin::Caller }
    }

    /// Verdicts that were made now and may be kept: of a commit, and from what could be read here.
    pub(super) fn to_keep(&self, names: &[RecordId], at: loci_model::Timestamp) -> Vec<KeptVerdict> {
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

impl Engine {
    /// Verifies facts of one repository at one revision. What cannot be read is `unverifiable`; a revision that the caller named
    /// and that is not there is an error.
    pub(super) async fn look(
        &self,
        repository: &Repository,
        standing: &Standing,
        reference: Option<&str>,
        facts: &[Remembered],
        mode: VerifyMode,
    ) -> Result<Looked> {
        let digests = facts.iter().map(|fact| fact.digest(repository.quorum)).collect::<Result<Vec<_>>>()?;
        let kept = match mode {
            VerifyMode::None => return Ok(Looked::default()),
            VerifyMode::Fresh => None,
            VerifyMode::Cached => match self.tip(repository, standing, reference).await {
                Ok(tip) => Some((self.kept(&repository.memory, &digests, &tip).await?, tip)),
                Err(error) => return blind(error, reference, &digests, facts),
            },
        };
        let (mut found, tip) = kept.map_or((HashMap::new(), None), |(found, tip)| (found, Some(tip)));
        let wanted: Vec<usize> = (0..digests.len())
            .filter(|place| !digests.get(*place).is_some_and(|digest| found.contains_key(digest)))
            .collect();
        if let (Some(tip), true) = (&tip, wanted.is_empty()) {
            self.verdict_cache.count(digests.len(), 0);
            let checked = digests.into_iter().filter_map(|digest| kept_one(&mut found, digest)).collect();
            return Ok(Looked { tip: Some(tip.clone()), checked, ..Looked::default() });
        }
        let subjects: Vec<Subject> =
            wanted.iter().filter_map(|place| facts.get(*place)).map(Subject::of).collect();
        let (tip, made) = match self.verify_now(repository, standing, reference, subjects).await {
            Ok(done) => done,
            Err(error) => return blind(error, reference, &digests, facts),
        };
        self.verdict_cache.count(digests.len().saturating_sub(made.len()), made.len());
        let mut made = made.into_iter();
        let checked = digests.into_iter().filter_map(|digest| {
            kept_one(&mut found, digest.clone()).or_else(|| {
                let Seen { verification, duration_ms, .. } = made.next()?;
                Some(Checked { verification, duration_ms, is_new: true, digest })
            })
        });
        Ok(Looked { checked: checked.collect(), tip: Some(tip), ..Looked::default() })
    }

    /// The revision of a call.
    pub(super) async fn tip(
        &self,
        repository: &Repository,
        standing: &Standing,
        reference: Option<&str>,
    ) -> CodeResult<Tip> {
        let (name, default) = (reference.unwrap_or(HEAD).to_owned(), repository.default_ref.clone());
        self.on_code(repository, standing, Arc::new(move |source| resolve(source, &name, default.as_deref())))
            .await
    }

    /// Verifies now, in one look.
    pub(super) async fn verify_now(
        &self,
        repository: &Repository,
        standing: &Standing,
        reference: Option<&str>,
        subjects: Vec<Subject>,
    ) -> CodeResult<(Tip, Vec<Seen>)> {
        let (name, default) = (reference.unwrap_or(HEAD).to_owned(), repository.default_ref.clone());
        let (engine, scope, quorum) = (self.clone(), scope_of(repository), repository.quorum);
        let work = move |source: &dyn CodeSource| {
            let look = Look {
                reference: &name,
                default_ref: default.as_deref(),
                quorum,
                scope: &scope,
                lines: &engine.line_cache,
                clock: engine.clock.as_ref(),
                with_lines: false,
            };
            look_at(source, &look, &subjects)
        };
        self.on_code(repository, standing, Arc::new(work)).await
    }

    /// A look at a source.
    pub(super) fn verifier<'a>(&'a self, source: &'a dyn CodeSource, tip: &Tip, scope: &str) -> Verifier<'a> {
        let limits = VerifierLimits::default();
        Verifier::new(source, tip.revision, &self.line_cache, scope, self.clock.as_ref(), limits)
    }

    async fn kept(
        &self,
        memory: &MemoryId,
        digests: &[String],
        tip: &Tip,
    ) -> Result<HashMap<String, Verification>> {
        let Some(commit) = tip.clean_commit() else { return Ok(HashMap::new()) };
        let (memory, digests) = (memory.clone(), digests.to_vec());
        let kept = self.store.read(move |tx| tx.verdicts().get_many(&memory, &digests, &commit)).await?;
        Ok(kept.into_iter().map(|kept| (kept.digest, kept.verification)).collect())
    }
}

/// Within which blobs are believed by their ids.
pub(super) fn scope_of(repository: &Repository) -> String {
    format!("{}/{}", repository.memory, repository.id)
}

fn kept_one(found: &mut HashMap<String, Verification>, digest: String) -> Option<Checked> {
    let verification = found.get(&digest)?.clone();
    Some(Checked { verification, duration_ms: 0, is_new: false, digest })
}

/// Nothing could be read: every fact is unverifiable, unless the caller named a revision that is not there.
fn blind(
    error: CodeError,
    reference: Option<&str>,
    digests: &[String],
    facts: &[Remembered],
) -> Result<Looked> {
    if error.why == Unverifiable::Ref && reference.is_some() {
        return Err(unreadable(&error));
    }
    let checked = digests.iter().zip(facts).map(|(digest, fact)| Checked {
        verification: unverifiable(&error, fact.fact.detail.citations.len()),
        duration_ms: 0,
        is_new: true,
        digest: digest.clone(),
    });
    Ok(Looked { tip: None, checked: checked.collect(), error: Some(error), is_told: false })
}

/// A verification that could not be made.
pub(super) fn unverifiable(error: &CodeError, citations: usize) -> Verification {
    let one = CitationVerdict::unverifiable(error.why, error.retry_after_ms);
    Verification { verdict: Verdict::Unverifiable, citations: vec![one; citations], claims: Vec::new() }
}
