//! One look at code for facts: the same wherever the code is. A call of this process makes it on the adapter's threads; a client
//! that has the code makes it there and says what it found. It decides nothing about facts: that is
//! `state_change`.

use loci_model::facts::citation::{Citation, Place};
use loci_model::facts::claim::Claim;
use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Verification;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::{CodeResult, CodeSource};

use crate::repositories::code_access::{Tip, resolve_since};
use crate::verifier::{LineCache, Quorum, Verifier, VerifierLimits};

/// What is verified of one fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// Its citations.
    pub citations: Vec<Citation>,
    /// What must hold.
    pub claims: Vec<Claim>,
    /// The statement that the code is to support.
    pub statement: String,
}

/// Where and how is looked.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// The revision: a branch, a tag, a commit, `HEAD`, `WORKTREE`.
    pub reference: &'a str,
    /// The repository's own word for its default branch.
    pub default_ref: Option<&'a str>,
    /// The tip of the default branch at which facts were last verified: an older one decides nothing. `None`: none is known, or
    /// nothing is decided here.
    pub verified_tip: Option<ObjectId>,
    /// How many citations must be valid; `None`: all.
    pub quorum: Option<u32>,
    /// Within which blobs are believed by their ids: names the repository and its tenant.
    pub scope: &'a str,
    /// Files that were parsed already.
    pub lines: &'a LineCache,
    /// Bounds what takes long.
    pub clock: &'a dyn Clock,
    /// The lines that are found are wanted, too.
    pub with_lines: bool,
}

/// What was seen of one fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// What was found.
    pub verification: Verification,
    /// How long it took.
    pub duration_ms: u32,
    /// The lines that were found, by citation, where they are wanted.
    pub lines: Vec<Option<String>>,
}

/// Verifies all subjects at one revision, which is found once.
///
/// # Errors
/// `ref` where the revision is not there; otherwise why the repository cannot be read. What cannot be read of one subject is
/// its verdict, never an error.
pub fn look_at(
    source: &dyn CodeSource,
    look: &Look<'_>,
    subjects: &[Subject],
) -> CodeResult<(Tip, Vec<Seen>)> {
    let tip = resolve_since(source, look.reference, look.default_ref, look.verified_tip.as_ref())?;
    let seen = see(source, look, &tip, subjects);
    Ok((tip, seen))
}

/// Verifies all subjects at a revision that was found.
pub(crate) fn see(source: &dyn CodeSource, look: &Look<'_>, tip: &Tip, subjects: &[Subject]) -> Vec<Seen> {
    let limits = VerifierLimits::default();
    let verifier = Verifier::new(source, tip.revision, look.lines, look.scope, look.clock, limits);
    let cited: Vec<_> = subjects.iter().flat_map(|subject| &subject.citations).collect();
    verifier.announce(&cited);
    subjects.iter().map(|subject| see_one(&verifier, look, subject)).collect()
}

/// Verifies one subject.
pub(super) fn see_one(verifier: &Verifier<'_>, look: &Look<'_>, subject: &Subject) -> Seen {
    let began_us = look.clock.monotonic_us();
    let mut verification = verifier.verify(&subject.citations, &subject.claims, Quorum::of(look.quorum));
    let support = verifier.support(&subject.statement, &subject.citations, &subject.claims, &verification);
    verification.support = Some(support);
    for (verdict, citation) in verification.citations.iter_mut().zip(&subject.citations) {
        verdict.committed = verifier.committed(citation, verdict);
    }
    let duration_ms = since_ms(look.clock.monotonic_us(), began_us);
    let lines = if look.with_lines { lines_found(verifier, &verification) } else { Vec::new() };
    Seen { verification, duration_ms, lines }
}

/// The lines where citations were found, by citation. What cannot be read any more is left out: the verdict stands.
pub(crate) fn lines_found(verifier: &Verifier<'_>, verification: &Verification) -> Vec<Option<String>> {
    let text = |place: &Place| verifier.read_lines(place, 0).ok().map(|lines| lines.content);
    verification.citations.iter().map(|citation| citation.found.as_ref().and_then(text)).collect()
}

/// Milliseconds between two moments in microseconds.
pub(crate) fn since_ms(now_us: u64, began_us: u64) -> u32 {
    u32::try_from(now_us.saturating_sub(began_us) / 1_000).unwrap_or(u32::MAX)
}
