//! Verdicts that a caller reports: those of a process with a clone or a working tree that this
//! server cannot read (`loci mcp --url`).
//!
//! They serve that caller's own call, leave events under its name, and are receipts for it. They
//! change no state, move no anchor, and are not cached for other callers: a caller without the code
//! must not be served the verdict of another caller.

use std::collections::HashMap;

use loci_model::facts::citation::LineRange;
use loci_model::facts::code::{ObjectId, Revision};
use loci_model::facts::fact::FactEvent;
use loci_model::facts::repository::Repository;
use loci_model::facts::verdict::{CitationVerdict, Unverifiable, Verification};
use loci_model::ports::code::CodeError;
use loci_model::{Error, RecordId, Result};

use crate::facts::events::details;
use crate::facts::fact_record::Remembered;
use crate::reads::recent_facts::FACTS_MAX;
use crate::repositories::code_access::{Tip, WORKTREE, check_ref};
use crate::verification::verdicts::{Checked, CodeVerdicts, unverifiable};
use crate::verifier::{Quorum, check_path, verdict_of};

/// The maximum number of characters in a detailed reason.
const DETAIL_CHARS_MAX: usize = 5_000;
/// The maximum number of bytes in a diff and in the lines found, for one citation.
const TEXT_BYTES_MAX: usize = 64 << 10;
/// The cause of reported verifications, and the member of their details that marks them.
pub(crate) const TOLD: &str = "told";

/// A reported verdict on one fact.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportedFactVerdict {
    /// The id of the fact's record.
    pub record: RecordId,
    /// The digest of the content that was verified.
    pub digest: String,
    /// The reported result of the verification.
    pub verification: Verification,
    /// The duration of the verification, in milliseconds.
    pub duration_ms: u32,
    /// The lines found, by citation; may be empty.
    pub contents: Vec<Option<String>>,
}

/// The reported verdicts at one revision.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportedVerdicts {
    reference: String,
    commit: Option<ObjectId>,
    facts: Vec<ReportedFactVerdict>,
}

impl ReportedVerdicts {
    /// Creates reported verdicts with the requested revision and its commit. For a working tree it
    /// is the commit that is checked out.
    ///
    /// # Errors
    /// `Invalid`, naming the rule, for a verdict that no verifier can produce.
    pub fn new(reference: String, commit: Option<ObjectId>, facts: Vec<ReportedFactVerdict>) -> Result<Self> {
        check_ref(&reference)?;
        if commit.is_none() && reference != WORKTREE {
            return Err(Error::invalid("verdicts", "verdicts need the commit of their revision"));
        }
        if facts.len() > FACTS_MAX as usize {
            return Err(Error::invalid("verdicts", format!("verdicts must be of at most {FACTS_MAX} facts")));
        }
        facts.iter().try_for_each(check)?;
        let mut records: Vec<_> = facts.iter().map(|fact| &fact.record).collect();
        records.sort();
        records.dedup();
        if records.len() != facts.len() {
            return Err(Error::invalid("verdicts", "verdicts must name each fact once"));
        }
        Ok(Self { reference, commit, facts })
    }

    /// Returns the requested revision.
    pub(crate) fn reference(&self) -> &str {
        &self.reference
    }

    /// Returns its commit.
    pub(super) fn commit(&self) -> Option<ObjectId> {
        self.commit
    }

    /// Returns the facts with a reported verdict.
    pub(super) fn records(&self) -> Vec<RecordId> {
        self.facts.iter().map(|fact| fact.record.clone()).collect()
    }

    /// Returns the lines found for one fact.
    pub(crate) fn contents(&self, record: &RecordId) -> Vec<Option<String>> {
        self.facts
            .iter()
            .find(|fact| fact.record == *record)
            .map(|fact| fact.contents.clone())
            .unwrap_or_default()
    }

    /// Returns the verdicts in the form of a look by this process. A fact without a reported
    /// verdict, or one that changed since, is unverifiable, and no verification is recorded for it.
    ///
    /// # Errors
    /// `Invalid` for a verdict that does not follow from those of its citations and claims.
    pub(super) fn looked(&self, repository: &Repository, facts: &[Remembered]) -> Result<CodeVerdicts> {
        let told: HashMap<_, _> =
            self.facts.iter().map(|fact| ((&fact.record, &fact.digest), fact)).collect();
        let mut missing = 0;
        let mut checked = Vec::with_capacity(facts.len());
        for fact in facts {
            let digest = fact.digest(repository.quorum)?;
            let detail = &fact.fact.detail;
            let found = told.get(&(&fact.record.id, &digest)).filter(|told| {
                let (citations, claims) = (&told.verification.citations, &told.verification.claims);
                citations.len() == detail.citations.len() && claims.len() == detail.claims.len()
            });
            let (verification, duration_ms) = match found {
                Some(told) => (consistent(&told.verification, repository)?, told.duration_ms),
                None => {
                    missing += 1;
                    (unverifiable(&untold(), detail.citations.len()), 0)
                }
            };
            checked.push(Checked { verification, duration_ms, is_new: found.is_some(), digest });
        }
        let revision = match (self.reference.as_str(), self.commit) {
            (WORKTREE, head) => Revision::Worktree(head),
            (_, Some(commit)) => Revision::Commit(commit),
            (_, None) => Revision::Worktree(None),
        };
        let tip = Tip { reference: self.reference.clone(), revision, is_default: false };
        Ok(CodeVerdicts { tip: Some(tip), checked, error: (missing > 0).then(untold), is_told: true })
    }
}

/// Returns true for the event of a reported verification.
pub(crate) fn is_told(event: &FactEvent) -> bool {
    event.cause.as_deref() == Some(TOLD)
}

/// Returns the event of a reported verification. Its mark excludes it from the rates and durations
/// of this server's verifications.
pub(crate) fn row(verified: FactEvent) -> Result<FactEvent> {
    let said = serde_json::json!({ TOLD: true, "why": verified.cause, "duration_ms": verified.duration_ms });
    Ok(FactEvent { cause: Some(TOLD.to_owned()), details: details(&said)?, duration_ms: None, ..verified })
}

fn untold() -> CodeError {
    let detail = "a fact was stored or changed while its code was looked at elsewhere: ask again";
    CodeError::new(Unverifiable::AuthOrMissing, detail)
}

fn consistent(verification: &Verification, repository: &Repository) -> Result<Verification> {
    let expected = verdict_of(&verification.citations, &verification.claims, Quorum::of(repository.quorum));
    if verification.verdict == expected {
        return Ok(verification.clone());
    }
    Err(Error::invalid("verdicts", "a verdict must follow from those of its citations and claims"))
}

fn check(told: &ReportedFactVerdict) -> Result<()> {
    let bad = |rule: &str| Err(Error::invalid("verdicts", format!("verdicts: {rule}")));
    let verification = &told.verification;
    if told.contents.len() > verification.citations.len() {
        return bad("contents must be of citations");
    }
    if told.contents.iter().flatten().any(|text| text.len() > TEXT_BYTES_MAX) {
        return bad("contents must have at most 64 KiB each");
    }
    if verification.claims.iter().any(|claim| claim.unverifiable.is_some() && claim.holds.is_some()) {
        return bad("claims must say why they are unknown only where they are");
    }
    for citation in &verification.citations {
        if let Some(rule) = broken(citation) {
            return bad(rule);
        }
    }
    let is_out_of_order = verification.claims.iter().enumerate().any(|(place, claim)| claim.index != place);
    let is_long = |detail: &String| detail.chars().count() > DETAIL_CHARS_MAX;
    if is_out_of_order || verification.claims.iter().any(|claim| claim.detail.as_ref().is_some_and(is_long)) {
        return bad("claims must be in their order, with at most 5000 characters of detail each");
    }
    Ok(())
}

/// Returns the rule that a citation's verdict breaks.
fn broken(citation: &CitationVerdict) -> Option<&'static str> {
    let is_place = |place: &LineRange| {
        check_path(&place.path).is_ok() && place.line_start >= 1 && place.line_end >= place.line_start
    };
    if citation.found.as_ref().is_some_and(|place| !is_place(place)) {
        return Some("found must be a place that a file can have");
    }
    if citation.similarity.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
        return Some("similarity must be 0 to 1");
    }
    if citation.detail.as_ref().is_some_and(|detail| detail.chars().count() > DETAIL_CHARS_MAX) {
        return Some("detail must have at most 5000 characters");
    }
    if citation.diff.as_ref().is_some_and(|diff| diff.len() > TEXT_BYTES_MAX) {
        return Some("diff must have at most 64 KiB");
    }
    if citation.unverifiable.is_some() == citation.verdict.is_conclusive() {
        return Some("unverifiable must say why, and only where nothing could be read");
    }
    None
}
