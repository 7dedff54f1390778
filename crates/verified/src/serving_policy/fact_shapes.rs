//! Facts and the verdicts on their citations, in the shapes of answers.

use loci_api::verified::fact as shape;
use loci_api::verified::fact::{CheckedCitation, CitationCheck, CitationsChecked, PlaceAt};
use loci_model::RecordId;
use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::code::ObjectId;
use loci_model::facts::support::{OtherValue, SupportReport};
use loci_model::facts::verdict::{CitationVerdict, Method, Verdict, Verification};
use loci_model::record::RecordState;

use crate::bare_id;
use crate::facts::fact_record::Remembered;
use crate::reads::answers::{FactList, FactView};
use crate::reads::displayed_code::ShownCode;
use crate::reads::verify::VerifyAnswer;

/// The maximum number of bytes in an excerpt.
const EXCERPT_BYTES_MAX: usize = 8_192;

/// The maximum number of withheld facts that are named; all are counted.
const WITHHELD_SHOWN: usize = 20;

impl FactView {
    /// Returns the fact with its citations, which a caller can send back for verification.
    pub fn shown(&self) -> shape::Fact {
        let (record, fact, verdict) = (&self.remembered.record, &self.remembered.fact, self.verdict());
        shape::Fact {
            id: bare_id(&record.id).to_owned(),
            repo: self.repo.clone(),
            subject: self.remembered.subject().to_owned(),
            fact: record.text.clone(),
            citations: fact.detail.citations.iter().map(citation).collect(),
            reason: record.description.clone(),
            refreshed_at: fact.refreshed_at.to_rfc3339(),
            verification_count: fact.counters.verifications,
            status: status(fact.status),
            verdict,
            assurance: verdict.map(|_| self.assurance()),
            label: verdict.map(|_| self.label()),
            support: self.support().map(shown_support),
            change: self.change(),
            abandoned_source: self.is_source_abandoned,
            conflicts_with: ids(&self.conflicts_with),
        }
    }

    /// Returns the fact as a withheld one, with the reason by citation and the places to read
    /// instead.
    pub fn withheld(&self) -> shape::WithheldFact {
        let checked = self.verification.iter().flat_map(|verification| &verification.citations);
        let citations = &self.remembered.fact.detail.citations;
        let wrong = checked.zip(citations).filter_map(|(verdict, citation)| {
            let LineRange { path, line_start, line_end } = &citation.anchor.place;
            Some(format!("{path}:{line_start}-{line_end} {}", verdict.error_word()?))
        });
        let claims = self.verification.iter().flat_map(|verification| &verification.claims);
        let untrue = claims.filter(|claim| claim.holds == Some(false)).map(|claim| {
            format!(
                "claim {} is false: {}",
                claim.index,
                claim.detail.as_deref().unwrap_or("it does not hold")
            )
        });
        let others =
            self.support().into_iter().flat_map(|report| &report.other_values).map(OtherValue::shown);
        shape::WithheldFact {
            id: bare_id(&self.remembered.record.id).to_owned(),
            subject: self.remembered.subject().to_owned(),
            status: status(self.remembered.fact.status),
            verdict: self.verdict(),
            assurance: self.assurance(),
            why: wrong.chain(untrue).chain(others).collect(),
            places: self.places_now(),
            change: self.change(),
        }
    }

    /// Returns the short diff of changed code, with its place.
    fn change(&self) -> Option<shape::FactChange> {
        let (place, lines) = self.short_diff()?;
        Some(shape::FactChange { place, diff: lines.join("\n") })
    }
}

impl Remembered {
    /// Returns the places that the fact cites.
    pub fn cited(&self) -> Vec<LineRange> {
        self.fact.detail.citations.iter().map(|citation| citation.anchor.place.clone()).collect()
    }
}

impl FactList {
    /// Returns the list in its API shape.
    pub fn shown(self) -> shape::FactList {
        let is_empty = self.facts.is_empty() && self.withheld.is_empty();
        shape::FactList {
            hint: is_empty.then(|| hint(&self.repo)),
            repo: self.repo,
            reference: self.reference,
            commit: self.commit,
            memories: self.facts.iter().map(FactView::shown).collect(),
            omitted: self.omitted,
            withheld: self.withheld.iter().take(WITHHELD_SHOWN).map(FactView::withheld).collect(),
            prompt: self.prompt,
            dirty: self.dirty,
            warnings: self.warnings,
            degraded: None,
        }
    }
}

impl VerifyAnswer {
    /// Returns the check of citations at these places in its API shape.
    pub fn shown(self, cited: &[LineRange]) -> CitationsChecked {
        CitationsChecked {
            check: citation_check(&self.verification, cited, &self.contents, self.commit),
            repo: self.repo,
            reference: self.reference,
            commit: self.commit,
            dirty: self.dirty,
            verification_id: self.receipt,
            warnings: self.warnings,
        }
    }
}

/// Returns ids in their API form.
pub fn ids(ids: &[RecordId]) -> Vec<String> {
    ids.iter().map(|id| bare_id(id).to_owned()).collect()
}

/// Returns a verification in its API shape. `cited` has the places in the order of the verdicts;
/// `contents` has the lines found there, if they were read.
pub fn citation_check(
    verification: &Verification,
    cited: &[LineRange],
    contents: &[Option<String>],
    commit: Option<ObjectId>,
) -> CitationCheck {
    let counted = |verdicts: &[Verdict]| {
        verification.citations.iter().filter(|one| verdicts.contains(&one.verdict)).count()
    };
    let citations = verification.citations.iter().zip(cited).enumerate();
    let content = |index: usize| contents.get(index).and_then(Option::as_deref);
    CitationCheck {
        valid: verification.verdict == Verdict::Valid,
        citations: citations
            .map(|(index, (verdict, place))| checked(verdict, place, content(index), commit))
            .collect(),
        valid_count: counted(&[Verdict::Valid]),
        invalid_count: counted(&[Verdict::Drifted, Verdict::Gone, Verdict::Contradicted]),
        unverifiable_count: counted(&[Verdict::Unverifiable]),
        verdict: verification.verdict,
        claims: verification.claims.clone(),
        support: verification.support.as_ref().map(shown_support),
    }
}

/// Returns the support of the code for a fact in its API shape.
pub fn shown_support(report: &SupportReport) -> shape::FactSupport {
    let SupportReport { support: verdict, reason, found, missing, other_values } = report.clone();
    shape::FactSupport { verdict, reason, found, missing, other_values }
}

fn status(status: RecordState) -> &'static str {
    match status {
        RecordState::Active | RecordState::Superseded | RecordState::Invalid | RecordState::Expired => {
            status.as_str()
        }
        // Records held back for any reason; reads never return them.
        RecordState::Quarantined
        | RecordState::Candidate
        | RecordState::Stale
        | RecordState::Archived
        | RecordState::RolledBack
        | RecordState::Erased => RecordState::Quarantined.as_str(),
    }
}

fn citation(citation: &Citation) -> shape::FactCitation {
    let anchor = &citation.anchor;
    shape::FactCitation {
        place: anchor.place.clone(),
        snippet_hash: anchor.snippet_hash.clone(),
        blob: anchor.blob,
        sha: anchor.commit.filter(|_| !anchor.is_uncommitted),
        symbol: anchor.symbol.clone(),
        current: citation
            .current
            .as_ref()
            .map(|(place, commit)| PlaceAt { place: place.clone(), commit: Some(*commit) }),
    }
}

fn checked(
    verdict: &CitationVerdict,
    place: &LineRange,
    content: Option<&str>,
    commit: Option<ObjectId>,
) -> CheckedCitation {
    let exists = match verdict.verdict {
        Verdict::Valid | Verdict::Drifted | Verdict::Contradicted => true,
        Verdict::Gone => verdict.in_bounds,
        Verdict::Unverifiable => false,
    };
    let content = content.map(ShownCode::of);
    let diff = verdict.diff.as_deref().map(ShownCode::of);
    let shown = || content.iter().chain(&diff);
    let moved =
        verdict.found.as_ref().filter(|found| *found != place && verdict.method != Method::Unanchored);
    CheckedCitation {
        place: place.clone(),
        exists,
        verdict: verdict.verdict,
        method: verdict.method,
        truncated: shown().any(|shown| shown.text.len() > EXCERPT_BYTES_MAX),
        hidden_characters: shown().any(|shown| shown.hidden),
        masked: shown()
            .rfind(|shown| !shown.masked.is_empty())
            .map(|shown| shown.masked.clone())
            .unwrap_or_default(),
        content: content.as_ref().map(|shown| cut(&shown.text).to_owned()),
        error: verdict.error_word(),
        similarity: verdict.similarity,
        drift: verdict.drift,
        unverifiable_reason: verdict.unverifiable,
        retry_after_ms: verdict.retry_after_ms,
        moved_to: moved.map(|place| PlaceAt { place: place.clone(), commit }),
        blob: verdict.blob,
        diff: diff.as_ref().map(|shown| cut(&shown.text).to_owned()),
        reindented: verdict.reindented,
    }
}

fn cut(text: &str) -> &str {
    let end = (0..=EXCERPT_BYTES_MAX.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Returns the hint for a repository without facts.
fn hint(repo: &str) -> String {
    format!(
        "No facts are stored about {repo}, or none that were asked for. Store a fact with the lines that \
        prove it: memory_store, \
         or loci fact store --subject WORDS --cite PATH:FIRST-LAST \"The fact\"."
    )
}
