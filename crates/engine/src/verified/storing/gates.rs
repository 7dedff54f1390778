//! The gates of a new fact that the code decides: every citation is read, anchored, and found where it is to hold
//! (verified-memory.md §5.4). Runs on the threads of the code's adapter.

use loci_model::citation::{Citation, CitationInput};
use loci_model::claim::Claim;
use loci_model::code::Revision;
use loci_model::ports::code::{CodeResult, CodeSource};
use loci_model::verdict::{Verdict, Verification};
use loci_model::{CodeReason, Error};

use crate::Engine;
use crate::verified::code_reading::{Tip, resolve, unreadable};
use crate::verified::flags;
use crate::verified::verifier::{
    AnchorError, HashAgreement, Information, MadeAnchor, Quorum, Verifier, VerifierLimits, compare_hash,
    information,
};

/// What is asked of the gates.
#[derive(Debug, Clone)]
pub(in crate::verified) struct Asked {
    pub(in crate::verified) fact: String,
    pub(in crate::verified) citations: Vec<CitationInput>,
    pub(in crate::verified) claims: Vec<Claim>,
    pub(in crate::verified) reference: String,
    pub(in crate::verified) default_ref: Option<String>,
    pub(in crate::verified) scope: String,
}

/// A fact whose citations hold.
#[derive(Debug, Clone)]
pub(in crate::verified) struct Passed {
    pub(in crate::verified) tip: Tip,
    pub(in crate::verified) citations: Vec<Citation>,
    /// The cited lines as they are, for the scan for secrets.
    pub(in crate::verified) contents: Vec<String>,
    pub(in crate::verified) verification: Verification,
    pub(in crate::verified) flags: Vec<String>,
    pub(in crate::verified) warnings: Vec<String>,
}

/// What the gates say: an error of the code's side is theirs, not the adapter's.
pub(in crate::verified) type Outcome = Result<Passed, Refusal>;

/// Why a fact is not stored. Errors of the model cannot be copied, and work on code may be begun again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::verified) struct Refusal {
    pub(in crate::verified) reason: CodeReason,
    pub(in crate::verified) message: String,
    pub(in crate::verified) details: Vec<String>,
    pub(in crate::verified) retry_after_ms: Option<u64>,
    /// The caller's arguments are wrong, whatever the code says.
    pub(in crate::verified) is_argument: bool,
}

impl Refusal {
    fn new(reason: CodeReason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            details: Vec::new(),
            retry_after_ms: None,
            is_argument: false,
        }
    }

    pub(in crate::verified) fn error(self) -> Error {
        let error = if self.is_argument {
            Error::invalid("citations", self.message)
        } else {
            Error::code(self.reason, self.message).on("citations")
        };
        error.listing(self.details).retry_after(self.retry_after_ms)
    }
}

impl Engine {
    /// Reads and checks everything at the revision asked for.
    pub(in crate::verified) fn pass_gates(
        &self,
        source: &dyn CodeSource,
        asked: &Asked,
    ) -> CodeResult<Outcome> {
        let tip = resolve(source, &asked.reference, asked.default_ref.as_deref())?;
        let verifier = self.verifier(source, &tip, &asked.scope);
        let mut passed = Passed {
            tip: tip.clone(),
            citations: Vec::new(),
            contents: Vec::new(),
            verification: Verification { verdict: Verdict::Valid, citations: Vec::new(), claims: Vec::new() },
            flags: Vec::new(),
            warnings: Vec::new(),
        };
        let mut refused = Vec::new();
        for (index, input) in asked.citations.iter().enumerate() {
            match self.anchor_one(source, &verifier, asked, input) {
                Ok(made) => {
                    if let Err(refusal) = take(&mut passed, asked, index, input, made) {
                        refused.push((index, refusal));
                    }
                }
                Err(refusal) => refused.push((index, refusal)),
            }
        }
        if let Some(refusal) = joined(refused, &asked.citations) {
            return Ok(Err(refusal));
        }
        if passed.citations.iter().all(|citation| citation.anchor.grounded.is_empty()) {
            flags::add(&mut passed.flags, [flags::UNGROUNDED.to_owned()]);
            passed.warnings.push("UNGROUNDED: no word of the fact stands in a cited block".to_owned());
        }
        passed.verification = verifier.verify(&passed.citations, &asked.claims, Quorum::All);
        Ok(holds(&passed.verification, &asked.citations).map(|()| passed))
    }

    /// The anchor of one citation: at the commit its caller read, or at the revision of the call.
    fn anchor_one(
        &self,
        source: &dyn CodeSource,
        verifier: &Verifier<'_>,
        asked: &Asked,
        input: &CitationInput,
    ) -> Result<MadeAnchor, Refusal> {
        let store_snippet = self.settings.verified.store_snippet;
        let Some(sha) = &input.sha else {
            return verifier.anchor(&input.place, &asked.fact, store_snippet).map_err(of_anchor);
        };
        let not_there = || {
            let message = format!("the commit {sha} is not there, or fits several");
            Refusal::new(CodeReason::CitationUnreadable, message)
        };
        let read = source.resolve(sha).map_err(|error| of_anchor(AnchorError::Unreadable(error)))?;
        let commit = read.and_then(|revision| revision.commit()).ok_or_else(not_there)?;
        if verifier.revision() == Revision::Commit(commit) {
            return verifier.anchor(&input.place, &asked.fact, store_snippet).map_err(of_anchor);
        }
        let at = Revision::Commit(commit);
        let limits = VerifierLimits::default();
        let then = Verifier::new(source, at, &self.line_cache, &asked.scope, self.clock.as_ref(), limits);
        then.anchor(&input.place, &asked.fact, store_snippet).map_err(of_anchor)
    }
}

/// Takes an anchor in, if it says enough and is what the caller says it is.
fn take(
    passed: &mut Passed,
    asked: &Asked,
    index: usize,
    input: &CitationInput,
    made: MadeAnchor,
) -> Result<(), Refusal> {
    let information = information(&made, index, &asked.fact, &asked.claims);
    if information == Information::TooLow {
        let message = "the cited lines say too little to be found again: cite the lines around them too";
        return Err(Refusal::new(CodeReason::CitationLowInformation, message));
    }
    let place = &input.place;
    let named = format!("{}:{}-{}", place.path, place.line_start, place.line_end);
    if information == Information::Low {
        passed
            .warnings
            .push(format!("LOW_INFORMATION: {named} says little; a wider range is found again more surely"));
    }
    match input.snippet_hash.as_deref().map(|given| compare_hash(given, &made)) {
        Some(HashAgreement::Differs) => return Err(other_lines()),
        Some(HashAgreement::Ignored) => passed.warnings.push(format!("SNIPPET_HASH_IGNORED: {named}")),
        Some(HashAgreement::Agrees) | None => {}
    }
    let found = [(made.generated, flags::GENERATED), (made.lfs, flags::LFS), (made.symlink, flags::SYMLINK)];
    for (_, flag) in found.iter().filter(|(is_so, _)| *is_so) {
        flags::add(&mut passed.flags, [(*flag).to_owned()]);
        passed.warnings.push(format!("{}: {named}", flag.to_uppercase()));
    }
    passed.contents.push(made.content);
    passed.citations.push(Citation { anchor: made.anchor, current: None, earlier_paths: Vec::new() });
    Ok(())
}

/// The caller's own hash says that the lines are others.
fn other_lines() -> Refusal {
    let message = "the lines are not those whose snippet_hash was given";
    Refusal {
        details: vec!["snippet_hash_mismatch".to_owned()],
        ..Refusal::new(CodeReason::CitationUnreadable, message)
    }
}

/// The error for a place that may not be asked for.
pub(in crate::verified) fn refused_place(error: AnchorError) -> Error {
    of_anchor(error).error()
}

fn of_anchor(error: AnchorError) -> Refusal {
    let refusal = |reason, message: &str| Refusal::new(reason, message);
    let argument = |message: &str| Refusal {
        is_argument: true,
        ..Refusal::new(CodeReason::CitationUnreadable, message)
    };
    match error {
        AnchorError::Path(rejected) => refusal(CodeReason::PathRejected, rejected.0),
        AnchorError::Range => argument("line_start must be at least 1, and line_end not before it"),
        AnchorError::Span => argument("a citation has at most 400 lines"),
        AnchorError::Missing => refusal(CodeReason::CitationUnreadable, "there is no such file"),
        AnchorError::OutOfRange { lines_total } => {
            refusal(CodeReason::CitationUnreadable, &format!("the file has {lines_total} lines"))
        }
        AnchorError::Blank => refusal(CodeReason::CitationLowInformation, "the cited lines are blank"),
        AnchorError::SymlinkEscape => {
            refusal(CodeReason::SymlinkEscape, "the link leads out of the worktree")
        }
        AnchorError::Unreadable(error) => {
            let shown = unreadable(&error);
            let reason = match shown.reason {
                Some(loci_model::Reason::Code(reason)) => reason,
                _ => CodeReason::Unverifiable,
            };
            Refusal { retry_after_ms: error.retry_after_ms, ..Refusal::new(reason, shown.message) }
        }
    }
}

/// One refusal for all citations that were refused: the first one's reason, each one's words.
fn joined(refused: Vec<(usize, Refusal)>, citations: &[CitationInput]) -> Option<Refusal> {
    let (_, first) = refused.first()?;
    let details = refused.iter().map(|(index, refusal)| {
        let path = citations.get(*index).map(|citation| citation.place.path.as_str()).unwrap_or_default();
        let more = refusal.details.iter().map(|detail| format!(" [{detail}]")).collect::<String>();
        format!("citations[{index}] {path}: {} {}{more}", refusal.reason.as_str(), refusal.message)
    });
    Some(Refusal { details: details.collect(), ..first.clone() })
}

/// Every citation and claim must hold where the fact is stored.
fn holds(verification: &Verification, citations: &[CitationInput]) -> Result<(), Refusal> {
    let false_claims: Vec<String> = verification
        .claims
        .iter()
        .filter(|claim| claim.holds != Some(true))
        .map(|claim| {
            let what = if claim.holds.is_some() { "is false" } else { "could not be checked" };
            let detail = claim.detail.as_deref().map(|detail| format!(": {detail}")).unwrap_or_default();
            format!("claims[{}] {what}{detail}", claim.index)
        })
        .collect();
    if !false_claims.is_empty() {
        let message = "a claim does not hold at this revision";
        return Err(Refusal { details: false_claims, ..Refusal::new(CodeReason::NotVerified, message) });
    }
    let bad: Vec<String> = verification
        .citations
        .iter()
        .zip(citations)
        .enumerate()
        .filter(|(_, (verdict, _))| verdict.verdict != Verdict::Valid)
        .map(|(index, (verdict, input))| {
            format!("citations[{index}] {}: {}", input.place.path, verdict.verdict.as_str())
        })
        .collect();
    if bad.is_empty() {
        return Ok(());
    }
    let message = "a citation does not hold at this revision";
    Err(Refusal { details: bad, ..Refusal::new(CodeReason::CitationUnreadable, message) })
}
