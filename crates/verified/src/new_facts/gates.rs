//! The gates of a new fact that depend on the code. Every citation is read, anchored, and verified
//! at the revision where it must hold. The gates run on the threads of the code's adapter.

use loci_engine::calls::call_context::kinds_of_secrets;
use loci_model::facts::citation::{Citation, CitationInput, LineRange};
use loci_model::facts::claim::Claim;
use loci_model::facts::code::{ObjectId, Revision};
use loci_model::facts::support::{OtherValue, Support, SupportReason, SupportReport};
use loci_model::facts::verdict::{CitationVerdict, Unverifiable, Verdict, Verification};
use loci_model::ports::code::{CodeResult, CodeSource};
use loci_model::{CodeReason, Error, limits};

use super::NewText;
use crate::Verified;
use crate::facts::flags;
use crate::given_citations::given_sha::{GivenSha, given_sha};
use crate::repositories::VisibleRepository;
use crate::repositories::code_access::{HEAD, Tip, resolve_since, unreadable};
use crate::verification::verdicts::scope_of;
use crate::verifier::{
    AnchorError, HashAgreement, Information, MadeAnchor, Quorum, Verifier, VerifierLimits, compare_hash,
    information,
};

/// The proof of a fact.
#[derive(Debug, Clone)]
pub(crate) enum Proof {
    /// Places that a caller names.
    Named(Vec<CitationInput>),
    /// The citations of the corrected fact. All of them must still hold, at their current lines.
    Kept(Vec<Citation>),
}

impl Proof {
    fn places(&self) -> Vec<LineRange> {
        match self {
            Self::Named(inputs) => inputs.iter().map(|input| input.place.clone()).collect(),
            Self::Kept(citations) => citations.iter().map(|citation| citation.anchor.place.clone()).collect(),
        }
    }

    /// Returns the number of citations.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Named(inputs) => inputs.len(),
            Self::Kept(citations) => citations.len(),
        }
    }
}

/// The input of the gates.
#[derive(Debug, Clone)]
pub(crate) struct GateInput {
    pub(crate) fact: String,
    pub(crate) proof: Proof,
    /// Citations of an equal fact. They are verified too, because the new ones are merged into
    /// them.
    pub(crate) known: Vec<Citation>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) reference: String,
    pub(crate) default_ref: Option<String>,
    pub(crate) verified_tip: Option<ObjectId>,
    pub(crate) scope: String,
}

impl GateInput {
    /// Creates the input for a new fact of a repository, without known citations.
    pub(crate) fn of(
        found: &VisibleRepository,
        text: &NewText,
        proof: Proof,
        reference: Option<&str>,
    ) -> Self {
        Self {
            fact: text.fact.clone(),
            proof,
            known: Vec::new(),
            claims: text.claims.clone(),
            reference: reference.unwrap_or(HEAD).to_owned(),
            default_ref: found.repository.default_ref.clone(),
            verified_tip: found.repository.verified_tip,
            scope: scope_of(&found.repository),
        }
    }
}

/// A fact whose citations hold.
#[derive(Debug, Clone)]
pub(crate) struct AdmittedFact {
    pub(crate) tip: Tip,
    pub(crate) citations: Vec<Citation>,
    /// The current text of the cited lines, for the scan for secrets.
    pub(crate) contents: Vec<String>,
    pub(crate) verification: Verification,
    /// The verdicts on [`GateInput::known`], in its order.
    pub(crate) known: Vec<(Citation, CitationVerdict)>,
    pub(crate) flags: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

impl AdmittedFact {
    /// Rejects cited lines that contain a secret.
    ///
    /// # Errors
    /// `SECRET_DETECTED`, naming each such citation, with the kinds of secrets found.
    pub(crate) fn check_secrets(&self) -> Result<(), Error> {
        let (mut named, mut kinds) = (Vec::new(), Vec::new());
        for (index, (citation, content)) in self.citations.iter().zip(&self.contents).enumerate() {
            let found = kinds_of_secrets(&[content.as_str()]);
            if !found.is_empty() {
                named.push(format!("citations[{index}] {}", lines_of(&citation.anchor.place)));
                kinds.extend(found);
            }
        }
        if named.is_empty() {
            return Ok(());
        }
        kinds.sort();
        kinds.dedup();
        let rule = "the cited lines hold a secret: facts never do; cite other lines";
        let message = format!("{}: {rule}", named.join("; "));
        Err(Error::code(CodeReason::SecretDetected, message).on("citations").listing(kinds))
    }
}

/// The result of the gates. An error of the code belongs to this result, not to the adapter.
pub(crate) type GateOutcome = Result<AdmittedFact, FactRefusal>;

/// The reason why a fact is not stored. The type is cloneable, unlike the model's errors, because
/// work on code can be restarted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FactRefusal {
    pub(crate) reason: CodeReason,
    pub(crate) message: String,
    pub(crate) details: Vec<String>,
    pub(crate) retry_after_ms: Option<u64>,
    /// True if the caller's arguments are wrong, for any code.
    pub(crate) is_argument: bool,
}

impl FactRefusal {
    fn new(reason: CodeReason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            details: Vec::new(),
            retry_after_ms: None,
            is_argument: false,
        }
    }

    pub(crate) fn error(self) -> Error {
        let error = if self.is_argument {
            Error::invalid("citations", self.message)
        } else {
            Error::code(self.reason, self.message).on("citations")
        };
        error.listing(self.details).retry_after(self.retry_after_ms)
    }
}

impl Verified {
    /// Reads and verifies everything at the requested revision.
    pub(crate) fn pass_gates(&self, source: &dyn CodeSource, asked: &GateInput) -> CodeResult<GateOutcome> {
        let (default, verified) = (asked.default_ref.as_deref(), asked.verified_tip.as_ref());
        let tip = resolve_since(source, &asked.reference, default, verified)?;
        let verifier = self.verifier(source, &tip, &asked.scope);
        let mut passed = AdmittedFact {
            tip: tip.clone(),
            citations: Vec::new(),
            contents: Vec::new(),
            verification: Verification {
                verdict: Verdict::Valid,
                citations: Vec::new(),
                claims: Vec::new(),
                support: None,
            },
            known: Vec::new(),
            flags: Vec::new(),
            warnings: Vec::new(),
        };
        let taken: Vec<Result<(), FactRefusal>> = match &asked.proof {
            Proof::Named(inputs) => inputs
                .iter()
                .enumerate()
                .map(|(index, input)| {
                    let made = self.anchor_one(source, &verifier, asked, input)?;
                    let given = input.snippet_hash.as_deref();
                    take(&mut passed, asked, index, (&input.place, given), made)
                })
                .collect(),
            Proof::Kept(citations) => citations
                .iter()
                .enumerate()
                .map(|(index, kept)| self.keep_one(&verifier, &mut passed, asked, (index, kept)))
                .collect(),
        };
        let places = asked.proof.places();
        if let Some(refusal) = joined(taken, &places) {
            return Ok(Err(refusal));
        }
        if passed.citations.iter().all(|citation| citation.anchor.grounded.is_empty()) {
            flags::add(&mut passed.flags, [flags::UNGROUNDED.to_owned()]);
            passed.warnings.push("UNGROUNDED: no word of the fact stands in a cited block".to_owned());
        }
        passed.verification = verifier.verify(&passed.citations, &asked.claims, Quorum::All);
        let support = verifier.support(&asked.fact, &passed.citations, &asked.claims, &passed.verification);
        passed.warnings.extend(support_warning(&support));
        passed.verification.support = Some(support);
        passed.known = asked.known.iter().map(|one| (one.clone(), verifier.check(one))).collect();
        if is_committed(&passed, &asked.claims) {
            passed.tip = resolve_since(source, HEAD, default, verified)?;
        }
        Ok(holds(&passed.verification, &places).map(|()| passed))
    }

    /// Keeps a citation: its lines as found now, under the paths they had.
    fn keep_one(
        &self,
        verifier: &Verifier<'_>,
        passed: &mut AdmittedFact,
        asked: &GateInput,
        (index, kept): (usize, &Citation),
    ) -> Result<(), FactRefusal> {
        let verdict = verifier.check(kept);
        if verdict.verdict != Verdict::Valid {
            let word = verdict.error_word().unwrap_or_else(|| verdict.verdict.as_str().to_owned());
            let reason = match verdict.verdict {
                Verdict::Unverifiable => CodeReason::Unverifiable,
                _ => CodeReason::CitationUnreadable,
            };
            return Err(FactRefusal {
                retry_after_ms: verdict.retry_after_ms,
                ..FactRefusal::new(reason, format!("it does not hold at this revision: {word}"))
            });
        }
        let found = verdict.found.unwrap_or_else(|| kept.anchor.place.clone());
        let made = verifier.anchor(&found, &asked.fact, self.parts.settings.store_snippet);
        take(passed, asked, index, (&found, None), made.map_err(of_anchor)?)?;
        if let Some(new) = passed.citations.last_mut() {
            new.earlier_paths = kept.earlier_paths.clone();
            let before = &kept.anchor.place.path;
            if *before != found.path && !new.earlier_paths.contains(before) {
                new.earlier_paths.push(before.clone());
            }
        }
        Ok(())
    }

    /// Returns the anchor of one citation: at the commit that its caller read, or at the revision
    /// of the call.
    fn anchor_one(
        &self,
        source: &dyn CodeSource,
        verifier: &Verifier<'_>,
        asked: &GateInput,
        input: &CitationInput,
    ) -> Result<MadeAnchor, FactRefusal> {
        let store_snippet = self.parts.settings.store_snippet;
        let now = |place: &LineRange| verifier.anchor(place, &asked.fact, store_snippet).map_err(of_anchor);
        let Some(sha) = &input.sha else { return now(&input.place) };
        let given = given_sha(source, verifier, &input.place.path, sha);
        match given.map_err(|error| of_anchor(AnchorError::Unreadable(error)))? {
            Some(GivenSha::Current) => now(&input.place),
            Some(GivenSha::Commit(commit)) if verifier.revision() == Revision::Commit(commit) => {
                now(&input.place)
            }
            Some(GivenSha::Commit(commit)) => {
                let (at, limits) = (Revision::Commit(commit), VerifierLimits::default());
                let clock = self.engine.clock().as_ref();
                let then = Verifier::new(source, at, &self.parts.line_cache, &asked.scope, clock, limits);
                then.anchor(&input.place, &asked.fact, store_snippet).map_err(of_anchor)
            }
            Some(GivenSha::Object(blob)) => now(&since_read(verifier, blob, input)?),
            None => Err(not_there(sha)),
        }
    }
}

/// Returns the current place of lines that were read in an earlier content of their file.
fn since_read(
    verifier: &Verifier<'_>,
    blob: ObjectId,
    input: &CitationInput,
) -> Result<LineRange, FactRefusal> {
    let then = verifier.anchor_in(blob, &input.place).map_err(|error| match error {
        AnchorError::Unreadable(error) if error.why == Unverifiable::PartialClone => {
            not_there(&blob.to_string())
        }
        other => of_anchor(other),
    })?;
    let verdict = verifier.check(&Citation { anchor: then.anchor, current: None, earlier_paths: Vec::new() });
    match (verdict.verdict, verdict.found) {
        (Verdict::Valid, Some(found)) => Ok(found),
        (verdict, _) => {
            let rule = "the file has changed since the lines were read at sha, and they are";
            let message = format!("{rule} {}: read them again and cite what stands there", verdict.as_str());
            Err(FactRefusal::new(CodeReason::CitationUnreadable, message))
        }
    }
}

fn not_there(sha: &str) -> FactRefusal {
    let rule = "give a commit, or sha as memory_read_citation returned it, or leave sha out";
    let message =
        format!("the commit {sha} is not there, or fits several, and no such file was read: {rule}");
    FactRefusal::new(CodeReason::CitationUnreadable, message)
}

/// Accepts an anchor, if it has enough information and matches the caller's hash.
fn take(
    passed: &mut AdmittedFact,
    asked: &GateInput,
    index: usize,
    (place, snippet_hash): (&LineRange, Option<&str>),
    made: MadeAnchor,
) -> Result<(), FactRefusal> {
    let information = information(&made, index, &asked.fact, &asked.claims);
    if information == Information::TooLow {
        let message = "the cited lines say too little to be found again: cite the lines around them too";
        return Err(FactRefusal::new(CodeReason::CitationLowInformation, message));
    }
    let named = format!("{}:{}-{}", place.path, place.line_start, place.line_end);
    if information == Information::Low {
        passed
            .warnings
            .push(format!("LOW_INFORMATION: {named} says little; a wider range is found again more surely"));
    }
    match snippet_hash.map(|given| compare_hash(given, &made)) {
        Some(HashAgreement::Differs) => return Err(other_lines()),
        Some(HashAgreement::Ignored) => passed.warnings.push(format!("SNIPPET_HASH_IGNORED: {named}")),
        Some(HashAgreement::Agrees) | None => {}
    }
    let found = [(made.generated, flags::GENERATED), (made.lfs, flags::LFS), (made.symlink, flags::SYMLINK)];
    for (_, flag) in found.iter().filter(|(is_so, _)| *is_so) {
        flags::add(&mut passed.flags, [(*flag).to_owned()]);
        passed.warnings.push(format!("{}: {named}", flag.to_uppercase()));
    }
    if made.anchor.is_uncommitted {
        let rule = "was read from the working tree and is not committed yet: the fact is anchored to the commit that \
                    brings it";
        passed.warnings.push(format!("UNCOMMITTED: {named} {rule}"));
    }
    passed.contents.push(made.content);
    passed.citations.push(Citation { anchor: made.anchor, current: None, earlier_paths: Vec::new() });
    Ok(())
}

/// Returns true if everything was read from a working tree and is committed unchanged. The commit
/// then counts as the revision read.
fn is_committed(passed: &AdmittedFact, claims: &[Claim]) -> bool {
    matches!(passed.tip.revision, Revision::Worktree(Some(_)))
        && claims.iter().all(|claim| !claim.citations().is_empty())
        && passed.citations.iter().all(|citation| !citation.anchor.is_uncommitted)
}

/// Returns the warning for a fact that the cited lines do not support.
fn support_warning(report: &SupportReport) -> Option<String> {
    let remedy = "cite the lines that say so, name what they hold, or add a claim";
    match report.support {
        Support::Supported => None,
        Support::Contradicted => {
            let others = report.other_values.iter().map(|one| {
                let OtherValue { name, stated, found, .. } = one;
                format!("{name} is {found} in the cited lines, and {stated} in the fact")
            });
            let others = others.collect::<Vec<_>>().join("; ");
            Some(format!("CONTRADICTED: {others}: correct the fact, or cite other lines"))
        }
        Support::NotChecked if report.reason == SupportReason::TooMuch => {
            let (names, bytes) = (limits::SUPPORT_NAMES_MAX, limits::SUPPORT_QUOTE_BYTES_MAX);
            let why = format!(
                "the fact has more than {names} names or values, a quotation of more than {bytes} bytes, or a \
                 name whose values in the cited lines are too many or too long to be read"
            );
            let remedy = "split it, or cite shorter lines";
            Some(format!("NOT_CHECKED: {why}; so it is not shown as verified: {remedy}"))
        }
        Support::NotChecked if report.reason == SupportReason::ValuesOpen => {
            let why = match report.missing.is_empty() {
                true => "the fact denies something, which no line can show".to_owned(),
                false => {
                    format!("the cited lines do not say so in the same words: {}", report.missing.join(", "))
                }
            };
            Some(format!("NOT_CHECKED: {why}; so the fact is not shown as verified: {remedy}"))
        }
        Support::NotChecked if report.missing.is_empty() => {
            let why = "the fact has no name or value to be looked for in the cited lines";
            Some(format!("NOT_CHECKED: {why}, so it is not shown as verified: {remedy}"))
        }
        Support::NotChecked => {
            let missing = report.missing.join(", ");
            let why = format!("not in the cited lines or the definition around them: {missing}");
            Some(format!("NOT_CHECKED: {why}; so the fact is not shown as verified: {remedy}"))
        }
    }
}

/// Returns the refusal for lines that differ from the caller's hash.
fn other_lines() -> FactRefusal {
    let message = "the lines are not those whose snippet_hash was given";
    FactRefusal {
        details: vec!["snippet_hash_mismatch".to_owned()],
        ..FactRefusal::new(CodeReason::CitationUnreadable, message)
    }
}

/// Returns the error for a place that is not allowed.
pub(crate) fn refused_place(place: &LineRange, error: AnchorError) -> Error {
    let refusal = of_anchor(error);
    let message = format!("{}: {}", lines_of(place), refusal.message);
    FactRefusal { message, ..refusal }.error()
}

fn of_anchor(error: AnchorError) -> FactRefusal {
    let refusal = |reason, message: &str| FactRefusal::new(reason, message);
    let argument = |message: &str| FactRefusal {
        is_argument: true,
        ..FactRefusal::new(CodeReason::CitationUnreadable, message)
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
            FactRefusal { retry_after_ms: error.retry_after_ms, ..FactRefusal::new(reason, shown.message) }
        }
    }
}

/// Joins the refusals of all citations into one, with the first one's reason and each one's
/// message.
fn joined(taken: Vec<Result<(), FactRefusal>>, places: &[LineRange]) -> Option<FactRefusal> {
    let pairs = taken.into_iter().zip(places).enumerate();
    let refused: Vec<_> =
        pairs.filter_map(|(index, (one, place))| Some((index, place, one.err()?))).collect();
    let (_, _, first) = refused.first()?;
    let details = refused.iter().map(|(index, place, refusal)| {
        let more = refusal.details.iter().map(|detail| format!(" [{detail}]")).collect::<String>();
        format!("citations[{index}] {}: {} {}{more}", place.path, refusal.reason.as_str(), refusal.message)
    });
    let messages = refused.iter().map(|(index, place, refusal)| {
        format!("citations[{index}] {}: {}", lines_of(place), refusal.message)
    });
    let message = messages.collect::<Vec<_>>().join("; ");
    Some(FactRefusal { details: details.collect(), message, ..(*first).clone() })
}

/// Returns a file and its lines in the usual notation.
fn lines_of(place: &LineRange) -> String {
    format!("{}:{}-{}", place.path, place.line_start, place.line_end)
}

/// Checks that every citation and claim holds where the fact is stored.
fn holds(verification: &Verification, places: &[LineRange]) -> Result<(), FactRefusal> {
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
        let message = format!("a claim does not hold at this revision: {}", false_claims.join("; "));
        return Err(FactRefusal {
            details: false_claims,
            ..FactRefusal::new(CodeReason::NotVerified, message)
        });
    }
    let bad: Vec<String> = verification
        .citations
        .iter()
        .zip(places)
        .enumerate()
        .filter(|(_, (verdict, _))| verdict.verdict != Verdict::Valid)
        .map(|(index, (verdict, place))| {
            format!("citations[{index}] {}: {}", lines_of(place), verdict.verdict.as_str())
        })
        .collect();
    if bad.is_empty() {
        return Ok(());
    }
    let message = format!("a citation does not hold at this revision: {}", bad.join("; "));
    Err(FactRefusal { details: bad, ..FactRefusal::new(CodeReason::CitationUnreadable, message) })
}
