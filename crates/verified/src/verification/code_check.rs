//! One look at the code for some facts, independent of the place of the code.
//!
//! A call of this process performs it on the adapter's threads. A client that has the code performs
//! it there and reports the result. The module decides nothing about facts; `state_change` does
//! that.

use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::claim::Claim;
use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Verification;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::{CodeResult, CodeSource};

use crate::repositories::code_access::{Tip, resolve_since};
use crate::verifier::{LineCache, Quorum, Verifier, VerifierLimits};

/// The verified parts of one fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// The citations.
    pub citations: Vec<Citation>,
    /// The claims that must hold.
    pub claims: Vec<Claim>,
    /// The statement that the code must support.
    pub statement: String,
}

/// The revision and the settings of a look.
#[derive(Clone, Copy)]
pub struct CodeCheck<'a> {
    /// The revision: a branch, a tag, a commit, `HEAD`, `WORKTREE`.
    pub reference: &'a str,
    /// The repository's setting for its default branch.
    pub default_ref: Option<&'a str>,
    /// The tip of the default branch at which facts were last verified. An older tip decides
    /// nothing. `None` if no such tip is known, or if the look decides nothing.
    pub verified_tip: Option<ObjectId>,
    /// The number of citations that must be valid; `None` requires all.
    pub quorum: Option<u32>,
    /// The scope within which blob ids are trusted. It names the repository and its tenant.
    pub scope: &'a str,
    /// The cache of parsed files.
    pub lines: &'a LineCache,
    /// The clock that bounds slow steps.
    pub clock: &'a dyn Clock,
    /// True to return the lines found as well.
    pub with_lines: bool,
}

/// The result for one fact.
#[derive(Debug, Clone, PartialEq)]
pub struct FactCheck {
    /// The verification.
    pub verification: Verification,
    /// The duration of the verification, in milliseconds.
    pub duration_ms: u32,
    /// The lines found, by citation, if requested.
    pub lines: Vec<Option<String>>,
}

/// Verifies all subjects at one revision, which is resolved once.
///
/// # Errors
/// `ref` if the revision does not exist, or the reason why the repository cannot be read.
/// Unreadable code of one subject is part of its verdict, never an error.
pub fn look_at(
    source: &dyn CodeSource,
    look: &CodeCheck<'_>,
    subjects: &[Subject],
) -> CodeResult<(Tip, Vec<FactCheck>)> {
    let tip = resolve_since(source, look.reference, look.default_ref, look.verified_tip.as_ref())?;
    let seen = see(source, look, &tip, subjects);
    Ok((tip, seen))
}

/// Verifies all subjects at a resolved revision.
pub(crate) fn see(
    source: &dyn CodeSource,
    look: &CodeCheck<'_>,
    tip: &Tip,
    subjects: &[Subject],
) -> Vec<FactCheck> {
    let limits = VerifierLimits::default();
    let verifier = Verifier::new(source, tip.revision, look.lines, look.scope, look.clock, limits);
    let cited: Vec<_> = subjects.iter().flat_map(|subject| &subject.citations).collect();
    verifier.announce(&cited);
    subjects.iter().map(|subject| see_one(&verifier, look, subject)).collect()
}

/// Verifies one subject.
pub(super) fn see_one(verifier: &Verifier<'_>, look: &CodeCheck<'_>, subject: &Subject) -> FactCheck {
    let began_us = look.clock.monotonic_us();
    let mut verification = verifier.verify(&subject.citations, &subject.claims, Quorum::of(look.quorum));
    let support = verifier.support(&subject.statement, &subject.citations, &subject.claims, &verification);
    verification.support = Some(support);
    for (verdict, citation) in verification.citations.iter_mut().zip(&subject.citations) {
        verdict.committed = verifier.committed(citation, verdict);
    }
    let duration_ms = since_ms(look.clock.monotonic_us(), began_us);
    let lines = if look.with_lines { lines_found(verifier, &verification) } else { Vec::new() };
    FactCheck { verification, duration_ms, lines }
}

/// Returns the lines where citations were found, by citation. Lines that can no longer be read are
/// left out; the verdict stays.
pub(crate) fn lines_found(verifier: &Verifier<'_>, verification: &Verification) -> Vec<Option<String>> {
    let text = |place: &LineRange| verifier.read_lines(place, 0).ok().map(|lines| lines.content);
    verification.citations.iter().map(|citation| citation.found.as_ref().and_then(text)).collect()
}

/// Returns the milliseconds between two times in microseconds.
pub(crate) fn since_ms(now_us: u64, began_us: u64) -> u32 {
    u32::try_from(now_us.saturating_sub(began_us) / 1_000).unwrap_or(u32::MAX)
}
