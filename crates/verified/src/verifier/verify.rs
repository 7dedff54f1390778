//! Combines the verdicts of citations and claims into the verdict of a record. `steps` and `claims`
//! determine the parts.

use loci_model::facts::citation::Citation;
use loci_model::facts::claim::Claim;
use loci_model::facts::verdict::{CitationVerdict, ClaimOutcome, Method, Verdict, Verification};

use super::session::verifier::Verifier;
use super::steps::search;

/// The number of citations of a record that must be valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quorum {
    /// All citations: the worst one decides.
    #[default]
    All,
    /// This number of citations, at least one. A false claim decides in any case.
    AtLeast(usize),
}

impl Quorum {
    /// Converts a repository's number; `None` means all.
    pub fn of(count: Option<u32>) -> Self {
        count.map_or(Self::All, |count| Self::AtLeast(count as usize))
    }
}

impl Verifier<'_> {
    /// Verifies the citations and claims of one record. A bad citation never hides the verdicts on
    /// the others.
    pub fn verify(&self, citations: &[Citation], claims: &[Claim], quorum: Quorum) -> Verification {
        self.announce(&citations.iter().collect::<Vec<_>>());
        self.conclude(citations.iter().map(|citation| self.check(citation)).collect(), claims, quorum)
    }

    /// Verifies one citation, without claims.
    pub fn check(&self, citation: &Citation) -> CitationVerdict {
        let verdict = search(self, citation);
        let is_missing =
            verdict.verdict == Verdict::Gone && verdict.detail.as_deref() == Some("file_missing");
        match is_missing.then(|| self.outside_submodules(&citation.anchor.place.path)) {
            // Its files may still exist in a repository that is not read.
            Some(Err(error)) => CitationVerdict::unverifiable(error.why, error.retry_after_ms),
            Some(Ok(())) | None => verdict,
        }
    }

    /// Evaluates claims over verified citations, and combines the results.
    pub fn conclude(
        &self,
        mut citations: Vec<CitationVerdict>,
        claims: &[Claim],
        quorum: Quorum,
    ) -> Verification {
        let outcomes = self.evaluate(claims, &citations);
        let is_false = outcomes.iter().any(|outcome| outcome.holds == Some(false));
        contradict(&mut citations, claims, &outcomes);
        if !is_false && outcomes.iter().all(|outcome| outcome.holds == Some(true)) {
            cover(&mut citations, claims);
        }
        let verdict = verdict_of(&citations, &outcomes, quorum);
        Verification { verdict, citations, claims: outcomes, support: None }
    }
}

/// Returns the verdict of a record from the results for its citations and claims.
pub fn verdict_of(citations: &[CitationVerdict], claims: &[ClaimOutcome], quorum: Quorum) -> Verdict {
    if claims.iter().any(|outcome| outcome.holds == Some(false)) {
        return Verdict::Contradicted;
    }
    match of_citations(citations, quorum) {
        Verdict::Valid if claims.iter().any(|outcome| outcome.holds.is_none()) => Verdict::Unverifiable,
        verdict => verdict,
    }
}

/// Marks the citations of a false claim as contradicted, and names the first such claim.
fn contradict(citations: &mut [CitationVerdict], claims: &[Claim], outcomes: &[ClaimOutcome]) {
    for (claim, outcome) in claims.iter().zip(outcomes).filter(|(_, outcome)| outcome.holds == Some(false)) {
        for index in claim.citations() {
            if let Some(citation) = citations.get_mut(*index)
                && matches!(citation.verdict, Verdict::Valid | Verdict::Drifted)
            {
                citation.verdict = Verdict::Contradicted;
                citation.detail = Some(outcome.index.to_string());
            }
        }
    }
}

/// Applies if all claims hold: if each drifted citation has a claim, all of them are valid by their
/// claims.
fn cover(citations: &mut [CitationVerdict], claims: &[Claim]) {
    let has_claim = |index: usize| claims.iter().any(|claim| claim.citations().contains(&index));
    let is_drifted = |citation: &CitationVerdict| citation.verdict == Verdict::Drifted;
    // Equal text that may have another meaning proves as little by a pattern as without one.
    let is_covered = |index: usize, citation: &CitationVerdict| has_claim(index) && citation.detail.is_none();
    if !citations.iter().enumerate().all(|(index, one)| !is_drifted(one) || is_covered(index, one)) {
        return;
    }
    for citation in citations.iter_mut().filter(|citation| is_drifted(citation)) {
        citation.verdict = Verdict::Valid;
        citation.method = Method::ByClaims;
        citation.drift = None;
    }
}

fn of_citations(citations: &[CitationVerdict], quorum: Quorum) -> Verdict {
    let valid = citations.iter().filter(|citation| citation.verdict == Verdict::Valid).count();
    let enough = match quorum {
        Quorum::All => false,
        Quorum::AtLeast(enough) => valid >= enough.max(1),
    };
    let worst = citations.iter().map(|citation| citation.verdict).max_by_key(|verdict| verdict.severity());
    // Without citations nothing was verified.
    if enough { Verdict::Valid } else { worst.unwrap_or(Verdict::Unverifiable) }
}
