//! Merges new citations into those of an equal fact. Nothing is replaced silently.

use loci_model::facts::citation::Citation;
use loci_model::facts::verdict::{CitationVerdict, Verdict, Verification};

use super::{AdmittedFact, CITATIONS_MAX};

/// Handles known citations that do not hold where the fact is stored again. On the default branch
/// they are removed, because the new ones prove the fact. On another branch they stay, because they
/// may hold elsewhere. Returns the warnings.
pub(super) fn settle_known(kept: &mut Vec<Citation>, passed: &AdmittedFact) -> Vec<String> {
    let mut warnings = Vec::new();
    for (known, verdict) in &passed.known {
        if !verdict.verdict.is_conclusive() || verdict.verdict == Verdict::Valid {
            continue;
        }
        let place = &known.anchor.place;
        let named = format!("{}:{}-{}", place.path, place.line_start, place.line_end);
        let why = verdict.error_word().unwrap_or_default();
        if passed.tip.is_default {
            kept.retain(|one| one.anchor != known.anchor);
            warnings.push(format!("CITATION_REPLACED: {named} does not hold any more ({why})"));
        } else {
            warnings.push(format!("CITATION_NOT_HERE: {named} does not hold at this revision ({why})"));
        }
    }
    warnings
}

/// Returns the verification of all citations of a confirmed fact: the new ones and the known ones
/// that are kept.
pub(super) fn whole(kept: &[Citation], passed: &AdmittedFact) -> Verification {
    let known = |one: &Citation| passed.known.iter().find(|(known, _)| known.anchor == one.anchor);
    let verdicts: Vec<CitationVerdict> =
        kept.iter().filter_map(known).map(|(_, verdict)| verdict.clone()).collect();
    let mut whole = passed.verification.clone();
    whole.citations.extend(verdicts);
    let worst = whole.citations.iter().map(|one| one.verdict).max_by_key(|verdict| verdict.severity());
    whole.verdict =
        worst.filter(|worst| worst.severity() > whole.verdict.severity()).unwrap_or(whole.verdict);
    whole
}

/// Adds new citations, and returns the number of those that exceeded the limit.
pub(super) fn merge(kept: &mut Vec<Citation>, new: Vec<Citation>) -> usize {
    let mut over = 0;
    for citation in new {
        let place = |one: &Citation| {
            one.current.as_ref().map_or_else(|| one.anchor.place.clone(), |(place, _)| place.clone())
        };
        match kept.iter().position(|one| place(one) == place(&citation)) {
            Some(known) => renew(kept.get_mut(known), citation),
            None if kept.len() < CITATIONS_MAX => kept.push(citation),
            None => over += 1,
        }
    }
    over
}

/// Updates the lines at a place that is already cited.
fn renew(known: Option<&mut Citation>, citation: Citation) {
    let Some(one) = known.filter(|one| one.anchor.snippet_hash != citation.anchor.snippet_hash) else {
        return;
    };
    let before = std::mem::replace(one, citation).anchor.place.path;
    if one.anchor.place.path != before {
        one.earlier_paths.push(before);
    }
}
